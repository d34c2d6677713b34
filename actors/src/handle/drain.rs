//! The end of a host: no new work, what runs may end, and the stop is on record.

use super::HostHandle;
use crate::{host::ToSession, start::append_to_own};
use dispatch_events::catalogue::host::{Abandoned, HostStopped};
use serde::Serialize;
use std::{sync::atomic::Ordering, time::Duration};
use tokio::sync::oneshot;

/// What a drain left open.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DrainReport {
    /// Turns that still ran; they go on at the next start.
    pub turns: usize,
    /// Memory writes that are left; in mode `best_effort` they are abandoned.
    pub obligations: usize,
}

impl HostHandle {
    /// Takes no new work, waits for running turns and memory writes within their limits, and records the stop.
    pub async fn drain(&self, reason: &str) -> DrainReport {
        self.shared.live.draining.store(true, Ordering::SeqCst);
        let settings = &self.shared.settings;
        let turns = Duration::from_millis(settings.turn_drain_ms);
        let quiet = async {
            while self.shared.live.turns.load(Ordering::SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        if tokio::time::timeout(turns, quiet).await.is_err() {
            tracing::warn!("turns still run; they go on at the next start");
        }
        let (done, drained) = oneshot::channel();
        if self.shared.courier.send(crate::courier::Drained(done)).await.is_ok() {
            let limit = Duration::from_millis(settings.drain_timeout_ms);
            if tokio::time::timeout(limit, drained).await.is_err() {
                tracing::warn!("memory writes are left at the end of the drain");
            }
        }
        let left = self.shared.courier.send(crate::courier::Stop).await.unwrap_or_default();
        if !settings.durable_memory {
            self.abandon(&left).await;
        }
        let report = DrainReport { turns: self.shared.live.turns.load(Ordering::SeqCst), obligations: left.len() };
        self.stopped(reason, &left).await;
        report
    }

    /// In mode `best_effort` what is left is abandoned, by name.
    async fn abandon(&self, left: &[crate::courier::Owe]) {
        for owed in left {
            let (reply, recorded) = oneshot::channel();
            let verdict = crate::decide::obligation::Verdict::Abandoned("left at shutdown in mode best_effort".into());
            let command = crate::session::SessionCommand::Verdict { obligation: owed.obligation, verdict, reply };
            let message = ToSession { session: owed.session, fresh: None, command };
            if self.host.send(message).await.is_err() || recorded.await.is_err() {
                tracing::warn!(obligation = %owed.obligation, "its end could not be recorded");
            }
        }
    }

    async fn stopped(&self, reason: &str, left: &[crate::courier::Owe]) {
        // In mode `durable` nothing is abandoned: it is met after the next start.
        let abandoned = left.iter().filter(|_| !self.shared.settings.durable_memory).map(|owed| Abandoned {
            session: owed.session,
            admission: None,
            what: format!("obligation {}", owed.obligation),
        });
        let event = HostStopped {
            epoch: self.shared.log.epoch(),
            reason: reason.to_owned(),
            abandoned: abandoned.take(1000).collect(),
        };
        if let Err(error) = append_to_own(&self.shared.log, self.shared.settings.blocking, event.into()).await {
            tracing::warn!(%error, "the stop could not be recorded; the next start treats it as a crash");
        }
    }
}
