//! Models: how a session is written down for one, how its answer is read, and where both travel.
//!
//! | module | what it is |
//! |---|---|
//! | [`chat_completions`] | the dialect of OpenAI and of everybody who copies it: renderer and parsers |
//! | [`endpoint`] | the transport: one HTTP client, its trust roots and its time limits |
//! | [`failure`] | the table from what the far side said to classes and next steps |
//! | [`profile`] | which models there are: built-in profiles, settings, keys, the catalog |
//! | [`rehearsal`] | the built-in scripted model, so that everything runs with no key and no network |
//!
//! A request's bytes are made by a pure renderer and recorded before they travel; an endpoint sends them and yields the
//! normal form ([`dispatch_actors::ports::ModelEvent`]). Nothing here decides what follows a failure: it only says which
//! class the failure has.

pub mod chat_completions;
pub mod endpoint;
pub mod failure;
pub mod profile;
pub mod rehearsal;

pub use chat_completions::ChatCompletions;
pub use endpoint::{HttpEndpoint, HttpTarget, Limits};
pub use profile::{ModelCatalog, ModelConfigError, ModelSettings, ProfileSettings, ReplayReasoning};
pub use rehearsal::Rehearsal;
