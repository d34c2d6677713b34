//! The tools that a model can ask for.
//!
//! | module | what it is |
//! |---|---|
//! | [`registry`] | the tools in their fixed order, and the check of arguments |
//! | [`memory_tool`] | `memory`: the agent's two files, through the port that records each change |
//! | [`todo`] | `todo`: a list whose state is the tool's own last output |
//! | [`read_file`], [`list_files`] | looking at files below the workspace root |
//! | [`workspace`] | the root, and which paths lie below it |
//! | [`reply`] | results of bounded size |
//!
//! A schema is a constant text in `schemas/`, because it is part of each request's head.

pub mod list_files;
pub mod memory_tool;
pub mod read_file;
pub mod registry;
pub mod reply;
pub mod todo;
pub mod workspace;

pub use registry::{Registry, RegistryError};
pub use workspace::Workspace;

#[cfg(test)]
mod testing;
