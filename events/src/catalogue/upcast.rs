//! Old shapes, read as the current ones. Pure, one version at a time, chained on read; the log is never rewritten.
//!
//! Each arm decodes the frozen struct of an older version and converts it. Its bytes stay as a fixture for ever.

use super::{
    Event,
    host::{HostStarted, PreviousRun},
};
use crate::{
    Epoch,
    codec::{self, CodecError},
};
use serde::Deserialize;

/// The current event for an older schema version; `None` for a type or version that this build does not know.
pub(super) fn decode(name: &str, schema: u16, bytes: &[u8]) -> Result<Option<Event>, CodecError> {
    match (name, schema) {
        ("host.started", 1) => codec::decode::<HostStarted1>(bytes).map(|old| Some(HostStarted::from(old).into())),
        _ => Ok(None),
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
