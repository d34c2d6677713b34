//! Stops what runs.

use super::{
    Session,
    commands::{Done, Reply, answer},
    commit::Meta,
};
use crate::{
    command::{Interrupted, Refusal, Stop},
    decide::{
        interrupt::{give_up, interrupt, interrupted},
        tools::{Left, ToolResult},
    },
    turn::{Shown, StopTurn},
};
use actix::{ActorFuture, ActorFutureExt, WrapFuture, fut};
use dispatch_events::{Generation, TurnId, catalogue::input::Principal};

impl Session {
    /// Stops the turn at once, then records what it leaves behind. A turn whose outcome is unknown is given up, so that
    /// the queue goes on, and the log says who gave it up.
    pub(super) fn interrupt(&mut self, principal: &Principal, named: Stop, reply: Reply<Interrupted>) -> Done {
        let carried = self.running.as_ref().map(|running| (running.turn, running.generation));
        let unknown = self.state.admissions.unknown().and_then(|paused| Some((paused.turn?, paused.generation?)));
        // What an earlier run left, on a host that recovers nothing by itself: nobody carries it.
        let left = self.state.admissions.started().filter(|_| !self.recovered);
        let left = left.and_then(|left| Some((left.turn?, left.generation?)));
        let Some((turn, generation)) = carried.or(unknown).or(left) else {
            let version = self.state.version;
            let nothing = Interrupted { session: self.id, turn: None, generation: None, version };
            answer(reply, stale(named, None).map_or(Ok(nothing), Err));
            return Box::pin(fut::ready(()));
        };
        if let Some(refusal) = stale(named, Some((turn, generation))) {
            answer(reply, Err(refusal));
            return Box::pin(fut::ready(()));
        }
        let (why, by) = (interrupted(principal), principal.clone());
        let meta = Meta { principal: self.shared.principal_id(principal), ..self.turn_meta(Some(turn)) };
        let paused = unknown.is_some() && carried.is_none();
        let stopped = self.stop_turn(turn);
        Box::pin(stopped.then(move |left, session: &mut Session, _: &mut actix::Context<Session>| {
            let events = match paused {
                true => give_up(&session.state, turn, &by, &why, session.claim_facts()),
                false => interrupt(&session.state, turn, &why, left.as_left(), session.claim_facts()),
            };
            session.commit_and_answer(events, meta, reply, move |session| {
                let (turn, generation) = (Some(turn), Some(generation));
                Ok(Interrupted { session: session.id, turn, generation, version: session.state.version })
            })
        }))
    }

    /// Stops what runs of a turn, and gives what of it is not recorded. What was recorded stands;
    /// if the stop can't be recorded, the turn starts again from there.
    pub(super) fn stop_turn(&self, turn: TurnId) -> impl ActorFuture<Self, Output = Unrecorded> + 'static {
        let stop = self.running.as_ref().map(|running| running.actor.send(StopTurn));
        let stopped = async move {
            match stop {
                Some(stop) => stop.await.ok(),
                None => None,
            }
        };
        stopped.into_actor(self).map(move |shown, session, _| {
            session.running = None;
            session.unrecorded(turn, shown)
        })
    }

    /// What was shown of an answer that is not recorded. Of a turn whose actor is gone, that is what the log has.
    pub(super) fn unrecorded(&self, turn: TurnId, shown: Option<Shown>) -> Unrecorded {
        let Some(known) = self.state.turns.get(turn) else { return Unrecorded::default() };
        match shown {
            Some(shown) if known.in_flight == Some(shown.attempt) => Unrecorded { shown: shown.text, done: shown.done },
            Some(shown) => Unrecorded { shown: String::new(), done: shown.done },
            None => Unrecorded { shown: known.shown.clone(), done: Vec::new() },
        }
    }
}

/// What a stopped turn had that is not in the log.
#[derive(Default)]
pub(super) struct Unrecorded {
    shown: String,
    done: Vec<ToolResult>,
}

impl Unrecorded {
    pub fn as_left(&self) -> Left<'_> {
        Left { shown: &self.shown, done: &self.done }
    }
}

/// Why a stop does not mean what runs.
fn stale(named: Stop, runs: Option<(TurnId, Generation)>) -> Option<Refusal> {
    if let Some(turn) = named.turn.filter(|turn| runs.is_none_or(|(runs, _)| runs != *turn)) {
        return Some(Refusal::StaleTurn(turn));
    }
    let other = named.generation.filter(|generation| runs.is_none_or(|(_, runs)| runs != *generation));
    other.map(Refusal::StaleGeneration)
}
