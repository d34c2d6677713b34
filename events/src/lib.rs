//! What is written, and how it is kept.
//!
//! Start with [`catalogue`] (the events), then [`envelope`] (the record around one), then [`store`] (where records go).
//!
//! | module | what it is |
//! |---|---|
//! | [`id`], [`digest`], [`text`], [`clock`] | the words that events are made of |
//! | [`catalogue`] | one struct per event type, grouped as the log is read |
//! | [`codec`] | the one place that knows bincode |
//! | [`envelope`] | the fixed header of a record, its checksum and its link in the chain |
//! | [`keys`], [`seal`] | a key per session, and the sealing of payloads with it |
//! | [`blob`] | payloads above 64 KiB, and texts that all sessions share |
//! | [`snapshot`] | what a fold made of a stream, to save the time of folding it again |
//! | [`store`] | the [`store::EventStore`] trait, its engines and its committer |
//! | [`log`] | them together: events in, [`Recorded`] out |
//! | [`verify`] | the check of a log, whole or from a checkpoint on |
//! | [`anchor`] | what the log was, signed |
//! | [`repair`] | the indexes made again from the records |
//! | [`appends`] | a log as the appends that it was written in |
//! | [`framed`] | a whole log in one file |
//! | [`copy`] | a log into another engine |
//! | [`backup`] | a data folder in one file, and back |
//! | [`lock`] | who holds the data folder |
//!
//! This crate decides nothing: it has no actors, no HTTP, and no opinion on what may follow what.

pub mod anchor;
pub mod appends;
pub mod backup;
pub mod blob;
pub mod catalogue;
pub mod clock;
pub mod codec;
pub mod copy;
pub mod digest;
pub mod disk;
pub mod envelope;
pub mod framed;
pub mod id;
pub mod keys;
pub mod lock;
pub mod log;
pub mod recorded;
pub mod repair;
pub mod seal;
pub mod snapshot;
pub mod store;
pub mod text;
pub mod verify;

pub use catalogue::Event;
pub use clock::{Clock, SystemClock, Timestamp};
pub use digest::Digest;
pub use id::{
    AdmissionId, CorrelationId, Epoch, EventId, Generation, ObligationId, Position, PrincipalId, StreamId, TurnId,
    Version,
};
pub use log::{Draft, Log};
pub use recorded::{Body, Recorded};
pub use text::{Part, RawJson, SharedText};
