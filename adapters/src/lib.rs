//! Everything of Dispatch that touches the outside.
//!
//! | module | what it is |
//! |---|---|
//! | [`config`] | settings: files, environment, defaults, and where each came from |
//! | [`model`] | dialects, profiles and the transport to models; `rehearsal`, the built-in scripted one |
//! | [`memory`] | the agent's two memory files, and the external backends |
//! | [`tools`] | the tools that a model can ask for |
//! | [`gateway`] | HTTP: the API, the OpenAI-compatible door, health and metrics |
//! | [`cli`] | the command line |
//!
//! Adapters talk to sessions through [`dispatch_actors::HostHandle`] alone, and decide nothing about them.

pub mod memory;
pub mod model;
pub mod tools;
