//! The watchdog: a turn that gives no sign of life is aborted, and says so; the queue goes on.

use super::Session;
use crate::{
    command::Refusal,
    decide::stall::{Breakdown, Look, between_ms, break_off, look, words},
    turn::StopIfStill,
};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture, fut::LocalBoxActorFuture};
use dispatch_events::Recorded;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// A Turn that does not even answer in this time is left to itself: what it still reports is refused.
const STOP_WITHIN: Duration = Duration::from_secs(1);

type Committing = LocalBoxActorFuture<Session, Result<Vec<Arc<Recorded>>, Refusal>>;

impl Session {
    pub(super) fn watch_turn(&self, ctx: &mut Context<Self>) {
        let every = Duration::from_millis(between_ms(self.shared.settings.idle_limit_ms));
        ctx.run_interval(every, |session, ctx| session.look_at_turn(ctx));
    }

    fn look_at_turn(&mut self, ctx: &mut Context<Self>) {
        let limit_ms = self.shared.settings.idle_limit_ms.max(1);
        let Some(running) = &mut self.running else { return };
        let (turn, generation) = (running.turn, running.generation);
        let (last, still_ms) = (running.activity.last(), running.activity.still_ms());
        let since = |at: Instant| u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
        match look(still_ms, limit_ms, last, running.suspected.map(|(last, at)| (last, since(at)))) {
            Look::Alive | Look::Waiting => return,
            Look::Suspected => {
                running.suspected = Some((last, Instant::now()));
                return;
            }
            Look::Stalled => {}
        }
        let what = running.activity.phase().to_string();
        // The turn itself looks again at the moment of the abort: it may have come back to life in between.
        let stop = tokio::time::timeout(STOP_WITHIN, running.actor.send(StopIfStill(limit_ms)));
        let aborted = stop.into_actor(self).then(move |stopped, session, _| {
            let shown = match stopped {
                Ok(Ok(None)) => Err(()),
                Ok(Ok(shown)) => Ok(shown),
                // Its actor is gone, and nobody has said so: then nobody will.
                Ok(Err(_)) | Err(_) => Ok(None),
            };
            let events = match shown {
                Ok(shown) if session.is_running(turn, generation) => {
                    let (left, message) = (session.unrecorded(turn, shown), words(&what, still_ms));
                    let how = Breakdown { code: "stalled", message: &message, left: left.as_left() };
                    break_off(&session.state, turn, how, session.claim_facts())
                }
                _ => Vec::new(),
            };
            let meta = session.turn_meta(Some(turn));
            Box::pin(session.commit(events, meta)) as Committing
        });
        let aborted = aborted.map(move |committed, session, ctx: &mut Context<Session>| match committed {
            Ok(written) if written.is_empty() => {
                tracing::info!(session = %session.id, %turn, "the turn came back to life: it is not aborted");
            }
            Ok(_) => {
                let next = session.running.as_ref().map(|running| running.turn.to_string()).unwrap_or_default();
                tracing::warn!(session = %session.id, %turn, still_ms, next, "a turn without a sign of life was aborted");
            }
            Err(refusal) => session.give_up(&refusal.to_string(), ctx),
        });
        ctx.wait(aborted);
    }
}
