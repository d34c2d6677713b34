//! Pure folds of the log: one fold per fact, and every view is made of them.
//!
//! [`SessionState`] composes the folds of one session. The Session actor's own state is this type; the operator's
//! replay is this type folded up to the version that the operator asks for. So the host and the auditor can't disagree.
//!
//! | module | the fact it folds |
//! |---|---|
//! | [`admissions`] | what was submitted, in which order, and what became of it |
//! | [`lease`] | who may run a turn |
//! | [`turns`] | turns and how they ended |
//! | [`prompt`] | the frozen system prompt and tools |
//! | [`transcript`] | what was said, beside what was sent for it |
//! | [`replay`] | the messages as a dialect renders them |
//! | [`calls`] | requests to models, and the digests that prove their bytes |
//! | [`fork`] | the forks of a session, and what a fork begins with |
//! | [`tools`] | tool calls and their one result |
//! | [`memory`] | from when a memory may shape an answer |
//! | [`obligations`] | what is owed to the outside |
//! | [`usage`] | tokens |
//! | [`state`] | their composition |
//! | [`snapshot`] | a state as bytes, and the mark of its shape |
//! | [`view`] | the views as people and programs get them |
//!
//! No I/O, no clock, no actors: a fold can be stopped early, run twice and compared.

pub mod admissions;
pub mod calls;
pub mod fork;
pub mod lease;
pub mod memory;
pub mod obligations;
pub mod prompt;
pub mod recall;
pub mod replay;
mod rows;
pub mod snapshot;
pub mod state;
#[cfg(test)]
mod table;
pub mod tools;
pub mod transcript;
pub mod turns;
pub mod usage;
pub mod view;

pub use state::{FoldError, SessionState};
