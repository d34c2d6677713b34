//! Checks of this repository that neither the compiler nor a lint can make, and the runs that take too long for every
//! build.
//!
//! The checks are a library, so `cargo xtask check` and the root package's `tests/architecture.rs` hold the same rules.
//! Each check is a function from text to [`Finding`]s: its tests plant a violation and look for it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`source`] | the Rust files of the repository, and the functions in them |
//! | [`size`] | no file above 500 lines, no function above 70, and the list of exceptions |
//! | [`edges`] | dependencies point one way, and a dependency with a duty lives in the crates that have the duty |
//! | [`absence`] | what never stands in a part of the code: a clock in a fold, a file in an actor |
//! | [`citation`] | a test that a page names exists |
//! | [`deploy`] | the container file and the systemd unit |
//! | [`torture`] | the suites that kill processes, with full counts |
//!
//! Nothing here depends on the crates that it judges: it must build when they do not.

pub mod absence;
pub mod citation;
pub mod deploy;
pub mod edges;
pub mod finding;
pub mod size;
pub mod source;
pub mod torture;

pub use finding::{Failure, Finding};
