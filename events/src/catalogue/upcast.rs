//! Old shapes, read as the current ones. Pure, one version at a time, chained on read; the log is never rewritten.
//!
//! Each arm decodes the frozen struct of an older version and converts it. Its bytes stay as a fixture for ever.

use super::{
    Event,
    host::{HostStarted, PreviousRun},
    input::{InputCancelled, InputQueued, InputSettled, Intent, Outcome, Principal},
    session::{SessionEraseRequested, SessionRenamed},
};
use crate::{
    AdmissionId, Digest, Epoch, Part,
    codec::{self, CodecError},
};
use serde::Deserialize;

/// The current event for an older schema version; `None` for a type or version that this build does not know.
pub(super) fn decode(name: &str, schema: u16, bytes: &[u8]) -> Result<Option<Event>, CodecError> {
    match (name, schema) {
        ("host.started", 1) => codec::decode::<HostStarted1>(bytes).map(|old| Some(HostStarted::from(old).into())),
        ("session.renamed", 1) => {
            codec::decode::<SessionRenamed1>(bytes).map(|old| Some(SessionRenamed::from(old).into()))
        }
        ("session.erase_requested", 1) => {
            codec::decode::<SessionEraseRequested1>(bytes).map(|old| Some(SessionEraseRequested::from(old).into()))
        }
        ("input.queued", 1) => codec::decode::<InputQueued1>(bytes).map(|old| Some(InputQueued::from(old).into())),
        ("input.cancelled", 1) => {
            codec::decode::<InputCancelled1>(bytes).map(|old| Some(InputCancelled::from(old).into()))
        }
        ("input.settled", 1) => codec::decode::<InputSettled1>(bytes).map(|old| Some(InputSettled::from(old).into())),
        _ => Ok(None),
    }
}

/// `session.renamed`, version 1: before it said who.
#[derive(Deserialize, serde::Serialize, PartialEq)]
struct SessionRenamed1 {
    name: String,
    previous: String,
}

impl From<SessionRenamed1> for SessionRenamed {
    fn from(old: SessionRenamed1) -> Self {
        Self { name: old.name, previous: old.previous, by: None }
    }
}

/// `session.erase_requested`, version 1: before sessions had routing keys.
#[derive(Deserialize, serde::Serialize, PartialEq)]
struct SessionEraseRequested1 {
    name: String,
    by: Principal,
}

impl From<SessionEraseRequested1> for SessionEraseRequested {
    fn from(old: SessionEraseRequested1) -> Self {
        Self { name: old.name, route: None, by: old.by }
    }
}

/// `input.queued`, version 1: before platforms' ids of messages, and before the host made another intent of one.
#[derive(Deserialize, serde::Serialize, PartialEq)]
struct InputQueued1 {
    admission: AdmissionId,
    principal: Principal,
    request: String,
    digest: Digest,
    intent: Intent,
    seq: u64,
    parts: Vec<Part>,
}

impl From<InputQueued1> for InputQueued {
    fn from(old: InputQueued1) -> Self {
        let InputQueued1 { admission, principal, request, digest, intent, seq, parts } = old;
        Self { admission, principal, request, digest, intent, seq, parts, message: None, demoted: None, again: None }
    }
}

/// `input.settled`, version 1: before it said why.
#[derive(Deserialize, serde::Serialize, PartialEq)]
struct InputSettled1 {
    admission: AdmissionId,
    outcome: Outcome,
}

impl From<InputSettled1> for InputSettled {
    fn from(old: InputSettled1) -> Self {
        Self { admission: old.admission, outcome: old.outcome, why: None }
    }
}

/// `host.started`, version 1: before it said how the run before had ended.
#[derive(Deserialize, serde::Serialize, PartialEq)]
struct HostStarted1 {
    epoch: Epoch,
    release: String,
    engine: String,
}

impl From<HostStarted1> for HostStarted {
    fn from(old: HostStarted1) -> Self {
        Self { epoch: old.epoch, release: old.release, engine: old.engine, previous: PreviousRun::Unknown }
    }
}

/// `input.cancelled`, version 1: before it said who.
#[derive(Deserialize, serde::Serialize, PartialEq)]
struct InputCancelled1 {
    admission: AdmissionId,
}

impl From<InputCancelled1> for InputCancelled {
    fn from(old: InputCancelled1) -> Self {
        Self { admission: old.admission, by: None }
    }
}
