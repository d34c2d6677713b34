//! Append, then apply, then act.

use super::Session;
use crate::{command::Refusal, shared::is_heavy};
use actix::{ActorFuture, ActorFutureExt, AsyncContext, Context, WrapFuture, fut};
use dispatch_events::{
    CorrelationId, Draft, Event, EventId, PrincipalId, Recorded, TurnId,
    catalogue::lease::LeaseRenewed,
    log::LogError,
    store::{AppendError, Appended},
};
use std::{sync::Arc, time::Instant};

/// Where events come from: what their headers say besides their place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meta {
    pub correlation: CorrelationId,
    pub causation: EventId,
    pub principal: PrincipalId,
}

impl Session {
    /// What the headers of a turn's events say.
    pub(super) fn turn_meta(&self, turn: Option<TurnId>) -> Meta {
        let admission = match turn {
            Some(turn) => self.state.turns.get(turn).and_then(|turn| self.state.admissions.get(turn.admission)),
            None => self.state.admissions.started(),
        };
        Meta {
            correlation: admission
                .and_then(|admission| admission.turn)
                .map_or_else(CorrelationId::fresh, CorrelationId::from),
            causation: admission.map(|admission| EventId(admission.id.0)).unwrap_or_default(),
            principal: admission.map(|admission| admission.principal_id).unwrap_or_default(),
        }
    }

    /// Appends events as one and applies them; the state is as it was if that fails. After an append that may or may
    /// not have landed the actor must be rebuilt from the log, so the caller gives up.
    pub(super) fn commit(
        &mut self,
        events: Vec<Event>,
        meta: Meta,
    ) -> impl ActorFuture<Self, Output = Result<Vec<Arc<Recorded>>, Refusal>> + 'static {
        let (shared, tip) = (self.shared.clone(), self.state.tip());
        let what: Vec<_> = events.iter().map(|event| event.name().to_owned()).collect();
        let write = async move {
            if events.is_empty() {
                return Ok(None);
            }
            let drafts = events
                .into_iter()
                .map(|event| Draft {
                    event,
                    correlation: meta.correlation,
                    causation: meta.causation,
                    principal: meta.principal,
                })
                .collect();
            append(&shared, tip, drafts).await.map(Some)
        };
        write.into_actor(self).map(move |written: Result<Option<Appended>, LogError>, session, ctx| match written {
            Ok(None) => Ok(Vec::new()),
            Ok(Some(appended)) => session.take(appended, ctx),
            Err(LogError::Append(error @ AppendError::Conflict { .. })) => Err(session.overtaken(&error, what)),
            Err(error) => Err(refusal(&error)),
        })
    }

    fn take(&mut self, appended: Appended, ctx: &mut Context<Self>) -> Result<Vec<Arc<Recorded>>, Refusal> {
        for recorded in &appended.events {
            self.state.apply(recorded).map_err(|error| Refusal::Storage(error.to_string()))?;
            self.count(recorded);
            match recorded.event() {
                Some(Event::SessionOpened(_) | Event::SessionRenamed(_)) => {
                    self.shared.forget_names_of(self.id);
                    self.shared.remember(&self.state.name, self.id);
                }
                // The conversation is not what was rendered.
                Some(Event::SessionRewound(_) | Event::SessionRestored(_) | Event::SessionReset(_)) => {
                    self.rendered = None;
                }
                _ => {}
            }
        }
        self.settled(ctx);
        Ok(appended.events)
    }

    /// Counts the turns that end.
    fn count(&self, recorded: &Recorded) {
        let (turn, outcome) = match recorded.event() {
            Some(Event::TurnCompleted(event)) => (event.turn, "completed"),
            Some(Event::TurnFailed(event)) => (event.turn, "failed"),
            Some(Event::TurnInterrupted(event)) => (event.turn, "interrupted"),
            _ => return,
        };
        metrics::counter!("dispatch_turns_total", "outcome" => outcome).increment(1);
        if let Some(turn) = self.state.turns.get(turn) {
            let seconds = recorded.recorded_at.since_ms(turn.started_at) as f64 / 1000.0;
            metrics::histogram!("dispatch_turn_seconds").record(seconds);
        }
    }

    /// Keeps the lease of a turn that takes long.
    pub(super) fn renew(&mut self, ctx: &mut Context<Self>) {
        let Some(running) = &self.running else { return };
        let event = LeaseRenewed { generation: running.generation }.into();
        let meta = self.turn_meta(None);
        let commit = self.commit(vec![event], meta).then(|result, session, ctx: &mut Context<Session>| {
            if let Err(refusal) = result {
                session.give_up(&refusal.to_string(), ctx);
            }
            fut::ready(())
        });
        ctx.wait(commit);
    }
}

async fn append(
    shared: &Arc<crate::shared::Shared>,
    tip: dispatch_events::log::Tip,
    drafts: Vec<Draft>,
) -> Result<Appended, LogError> {
    let began = Instant::now();
    let log = shared.log.clone();
    let new = tip.version.0 == 0;
    let heavy = drafts.iter().any(|draft| is_heavy(std::slice::from_ref(&draft.event)));
    let prepare = move || {
        let tip = if new { log.new_tip(tip.stream)? } else { tip };
        log.prepare(tip, drafts)
    };
    let append = if heavy {
        let prepared = shared.settings.blocking.run(prepare).await;
        prepared.map_err(|error| AppendError::Unavailable(error.to_string()))??
    } else {
        prepare()?
    };
    let appended = shared.log.store().append(append).await?;
    metrics::counter!("dispatch_appends_total").increment(1);
    metrics::histogram!("dispatch_append_seconds").record(began.elapsed().as_secs_f64());
    if new {
        refill(shared);
    }
    Ok(appended)
}

/// Mints keys off the way of a turn.
fn refill(shared: &Arc<crate::shared::Shared>) {
    let log = shared.log.clone();
    shared.settings.blocking.detach(move || {
        if let Err(error) = log.keys().refill() {
            tracing::warn!(%error, "no keys could be minted ahead; the next session mints them itself");
        }
    });
}

fn refusal(error: &LogError) -> Refusal {
    match error {
        LogError::Append(AppendError::NameTaken { name, .. }) => Refusal::NameTaken(name.clone()),
        LogError::Codec(error) => Refusal::Invalid(error.to_string()),
        LogError::Append(AppendError::Invalid(why)) => Refusal::Invalid(why.clone()),
        other => Refusal::Persistence(other.to_string()),
    }
}
