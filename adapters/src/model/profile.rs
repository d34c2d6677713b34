//! Which models there are: profiles as data, out of settings and the environment.

pub mod builtin;
pub mod catalog;
pub mod key;
pub mod settings;

pub use catalog::{ModelCatalog, ModelConfigError};
pub use key::ApiKey;
pub use settings::{ModelSettings, ProfileSettings, ReplayReasoning};

#[cfg(test)]
mod tests;
