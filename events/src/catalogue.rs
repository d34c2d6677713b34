//! Every event there is, grouped as the log is read.
//!
//! An event type is a struct with a stable dotted name and a schema version; both stand in the record's header, and the
//! order of [`Event`]'s variants is never on disk. A released struct is frozen: a changed shape is a new struct with the
//! next schema version and an upcaster from the old one (see [`upcast`]). Only plain structs, enums, `Option` and `Vec`
//! appear here, because bincode writes other shapes that it can't read back.

pub mod host;
pub mod input;
pub mod lease;
pub mod memory;
pub mod message;
pub mod model;
pub mod obligation;
pub mod prompt;
pub mod session;
pub mod tool;
pub mod turn;
pub mod upcast;

use crate::codec::{self, CodecError};

macro_rules! catalogue {
    ($($name:literal $schema:literal $group:ident :: $type:ident,)*) => {
        /// One event, decoded. Its name and schema version stand in the record's header.
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        pub enum Event {
            $(#[doc = concat!("`", $name, "`, schema version ", $schema, ".")] $type($group::$type),)*
        }

        impl Event {
            /// The dotted name, as it stands in the header.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$type(_) => $name,)* }
            }

            /// The schema version, as it stands in the header.
            pub fn schema(&self) -> u16 {
                match self { $(Self::$type(_) => $schema,)* }
            }

            /// The payload's bytes.
            ///
            /// # Errors
            /// [`CodecError`] when the payload is too large or could not be read back.
            pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
                match self { $(Self::$type(event) => codec::encode(event),)* }
            }

            /// The event that a payload holds; `None` when this build does not know the type or the version.
            ///
            /// # Errors
            /// [`CodecError`] when the bytes are not such an event.
            pub fn decode(name: &str, schema: u16, bytes: &[u8]) -> Result<Option<Self>, CodecError> {
                match (name, schema) {
                    $(($name, $schema) => codec::decode(bytes).map(|event| Some(Self::$type(event))),)*
                    _ => upcast::decode(name, schema, bytes),
                }
            }

            /// The payload as JSON, for people and for queries.
            pub fn to_json(&self) -> serde_json::Value {
                match self { $(Self::$type(event) => serde_json::to_value(event).unwrap_or_default(),)* }
            }

            /// Every (name, schema version) that this build writes, in the order of the catalogue.
            pub const TYPES: &'static [(&'static str, u16)] = &[$(($name, $schema),)*];
        }

        $(impl From<$group::$type> for Event {
            fn from(event: $group::$type) -> Self {
                Self::$type(event)
            }
        })*
    };
}

catalogue! {
    "host.started" 2 host::HostStarted,
    "host.stopped" 1 host::HostStopped,
    "append.refused" 1 host::AppendRefused,
    "session.opened" 1 session::SessionOpened,
    "session.renamed" 2 session::SessionRenamed,
    "session.branched" 1 session::SessionBranched,
    "session.forked" 1 session::SessionForked,
    "session.inherited" 1 session::SessionInherited,
    "session.reset" 1 session::SessionReset,
    "session.rewound" 1 session::SessionRewound,
    "session.restored" 1 session::SessionRestored,
    "session.archived" 1 session::SessionArchived,
    "session.unarchived" 1 session::SessionUnarchived,
    "session.configured" 1 session::SessionConfigured,
    "session.erase_requested" 2 session::SessionEraseRequested,
    "session.erased" 1 session::SessionErased,
    "input.queued" 2 input::InputQueued,
    "input.started" 1 input::InputStarted,
    "input.requeued" 1 input::InputRequeued,
    "input.cancelled" 2 input::InputCancelled,
    "input.unknown" 1 input::InputUnknown,
    "input.settled" 2 input::InputSettled,
    "input.reconciled" 1 input::InputReconciled,
    "lease.acquired" 1 lease::LeaseAcquired,
    "lease.renewed" 1 lease::LeaseRenewed,
    "lease.released" 1 lease::LeaseReleased,
    "lease.lost" 1 lease::LeaseLost,
    "turn.started" 1 turn::TurnStarted,
    "turn.steered" 1 turn::TurnSteered,
    "turn.interrupted" 1 turn::TurnInterrupted,
    "turn.completed" 1 turn::TurnCompleted,
    "turn.failed" 1 turn::TurnFailed,
    "prompt.built" 1 prompt::PromptBuilt,
    "toolset.frozen" 1 prompt::ToolsetFrozen,
    "message.recorded" 1 message::MessageRecorded,
    "model.requested" 1 model::ModelRequested,
    "model.streamed" 1 model::ModelStreamed,
    "model.responded" 1 model::ModelResponded,
    "model.failed" 1 model::ModelFailed,
    "prefix.diverged" 1 model::PrefixDiverged,
    "tool.requested" 1 tool::ToolRequested,
    "tool.approval_asked" 1 tool::ToolApprovalAsked,
    "tool.approval_given" 1 tool::ToolApprovalGiven,
    "tool.approval_denied" 1 tool::ToolApprovalDenied,
    "tool.started" 1 tool::ToolStarted,
    "tool.progressed" 1 tool::ToolProgressed,
    "tool.finished" 1 tool::ToolFinished,
    "tool.unknown" 1 tool::ToolUnknown,
    "tool.reconciled" 1 tool::ToolReconciled,
    "memory.noted" 1 memory::MemoryNoted,
    "memory.written" 1 memory::MemoryWritten,
    "memory.recalled" 1 memory::MemoryRecalled,
    "memory.recall_skipped" 1 memory::MemoryRecallSkipped,
    "memory.adopted" 1 memory::MemoryAdopted,
    "memory.synced" 1 memory::MemorySynced,
    "memory.warmed" 1 memory::MemoryWarmed,
    "obligation.created" 1 obligation::ObligationCreated,
    "obligation.met" 1 obligation::ObligationMet,
    "obligation.failed" 1 obligation::ObligationFailed,
    "obligation.abandoned" 1 obligation::ObligationAbandoned,
}
