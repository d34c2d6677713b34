//! The watchdog: a turn that gives no sign of life is aborted, and says so; the queue goes on.

use super::Session;
use crate::{
    command::Refusal,
    decide::stall::{Breakdown, break_off, words},
    turn::StopIfStill,
};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture, fut::LocalBoxActorFuture};
use dispatch_events::Recorded;
use std::{sync::Arc, time::Duration};

/// Longest time between two looks at a turn.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Least time between two looks.
const LOOK_LEAST: Duration = Duration::from_millis(10);
/// A Turn that does not even answer in this time is left to itself: what it still reports is refused.
const STOP_WITHIN: Duration = Duration::from_secs(1);

type Committing = LocalBoxActorFuture<Session, Result<Vec<Arc<Recorded>>, Refusal>>;

impl Session {
    pub(super) fn watch_turn(&self, ctx: &mut Context<Self>) {
        let limit = Duration::from_millis(self.shared.settings.idle_limit_ms.max(1));
        ctx.run_interval((limit / 4).clamp(LOOK_LEAST, LOOK_EVERY), |session, ctx| session.look_at_turn(ctx));
    }

    fn look_at_turn(&mut self, ctx: &mut Context<Self>) {
        let limit_ms = self.shared.settings.idle_limit_ms.max(1);
        let Some(running) = &self.running else { return };
        let (turn, generation, activity) = (running.turn, running.generation, running.activity.clone());
        let still_ms = activity.still_ms();
        if still_ms < limit_ms {
            return;
        }
        let what = activity.phase().to_string();
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
                    let (shown, message) = (session.unrecorded(turn, shown), words(&what, still_ms));
                    let how = Breakdown { code: "stalled", message: &message, shown: &shown };
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
