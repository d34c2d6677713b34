//! What the agent remembers: its two files, and at most one external backend.
//!
//! | module | what it is |
//! |---|---|
//! | [`settings`] | the `[memory]` part of the settings |
//! | [`files`] | `MEMORY.md` and `USER.md`: read, checked, written as one step |
//! | [`threats`] | texts that would steer the agent if a prompt took them |
//! | [`backend`] | the configured backend, made ready |
//! | [`mem0`] | Mem0, the platform and self-hosted |
//! | [`breaker`] | a pause for a backend that fails again and again |
//!
//! A further backend is a module beside `mem0`, a variant of [`settings::BackendName`], and a line in the conformance
//! suite.

pub mod backend;
pub mod breaker;
#[cfg(test)]
mod conformance;
pub mod files;
pub mod mem0;
#[cfg(test)]
mod scripted_http;
pub mod settings;
pub mod threats;

pub use backend::{MemorySetupError, backend};
pub use files::DiskMemory;
pub use settings::{BackendName, Mem0Settings, MemoryMode, MemorySettings};
