//! What changes a session's history, withdraws an input, or settles what is unknown, through either kind of host.

use super::{Door, document, principal};
use crate::cli::exit::Failure;
use dispatch_actors::command::{Change, ForkRequest, HistoryChange, Reconcile, ReconcileVerdict};
use dispatch_events::{
    AdmissionId, Version,
    catalogue::{session::BusyMode, tool::CallRef},
};
use serde_json::{Value, json};

/// A fork, as the command line asks for it.
pub struct Fork<'a> {
    /// The last version that it inherits.
    pub at: Option<u64>,
    /// Its name.
    pub name: Option<&'a str>,
    /// Model profile that it uses.
    pub profile: Option<&'a str>,
}

/// A word on an unknown outcome, as the command line has it.
pub struct Word {
    /// The call that is meant.
    pub call: Option<CallRef>,
    /// What became of it.
    pub verdict: ReconcileVerdict,
    /// Why.
    pub why: String,
}

impl Door {
    /// Changes what of its history a session goes on from.
    pub async fn change(&self, session: &str, change: HistoryChange, revision: Option<u64>) -> Result<Value, Failure> {
        let client = match self {
            Self::Inside(inside) => {
                let asked = Change { principal: principal(), expected_revision: revision };
                return document(&inside.handle.change(&session.into(), change, asked).await?);
            }
            Self::Running(client) => client,
        };
        let seen = json!({"expected_revision": revision});
        let (verb, body) = match change {
            HistoryChange::Rewind { to } => ("rewind", json!({"to": to, "expected_revision": revision})),
            HistoryChange::Undo { exchanges } => {
                ("undo", json!({"exchanges": exchanges, "expected_revision": revision}))
            }
            HistoryChange::Restore => ("restore", seen),
            HistoryChange::Retry => ("retry", seen),
            HistoryChange::Reset => ("reset", seen),
            HistoryChange::Archive => ("archive", json!({"archived": true, "expected_revision": revision})),
            HistoryChange::Unarchive => ("archive", json!({"archived": false, "expected_revision": revision})),
            HistoryChange::Configure { busy } => {
                let busy = busy.map(|busy| match busy {
                    BusyMode::Queue => "queue",
                    BusyMode::Steer => "steer",
                    BusyMode::Interrupt => "interrupt",
                });
                let body = json!({"busy": busy, "expected_revision": revision});
                return client.patch(&["api", "sessions", session], &body).await;
            }
        };
        client.post(&["api", "sessions", session, verb], &body).await
    }

    /// Begins a session that goes on from a version of another one.
    pub async fn fork(&self, session: &str, fork: Fork<'_>) -> Result<Value, Failure> {
        let Fork { at, name, profile } = fork;
        match self {
            Self::Inside(inside) => {
                let request = ForkRequest {
                    principal: principal(),
                    at: at.map(Version),
                    name: name.map(str::to_owned),
                    profile: profile.map(str::to_owned),
                    source: "cli".to_owned(),
                };
                document(&inside.handle.fork(&session.into(), request).await?)
            }
            Self::Running(client) => {
                let body = json!({"at": at, "name": name, "profile": profile, "source": "cli"});
                client.post(&["api", "sessions", session, "fork"], &body).await
            }
        }
    }

    /// Withdraws an input that waits.
    pub async fn cancel(&self, session: &str, admission: AdmissionId) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.cancel(&session.into(), admission, principal()).await?),
            Self::Running(client) => {
                client.delete(&["api", "sessions", session, "input", &admission.to_string()], &[]).await
            }
        }
    }

    /// What nobody knows of a session.
    pub async fn unknowns(&self, session: &str) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.unknowns(&session.into()).await?),
            Self::Running(client) => client.get(&["api", "sessions", session, "reconcile"], &[]).await,
        }
    }

    /// Takes a person's word for it.
    pub async fn reconcile(&self, session: &str, word: Word) -> Result<Value, Failure> {
        let Word { call, verdict, why } = word;
        match self {
            Self::Inside(inside) => {
                let reconcile = Reconcile { principal: principal(), call, verdict, why };
                document(&inside.handle.reconcile(&session.into(), reconcile).await?)
            }
            Self::Running(client) => {
                let (verdict, output) = match &verdict {
                    ReconcileVerdict::Finished(output) => ("finished", Some(output)),
                    ReconcileVerdict::NotDone => ("not_done", None),
                    ReconcileVerdict::GiveUp => ("give_up", None),
                };
                let (message, index) = (call.map(|call| call.message), call.map(|call| call.index));
                let body = json!({
                    "message": message, "index": index, "verdict": verdict, "output": output, "why": why,
                });
                client.post(&["api", "sessions", session, "reconcile"], &body).await
            }
        }
    }
}
