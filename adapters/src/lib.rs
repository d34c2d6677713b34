//! Everything of Dispatch that touches the outside.
//!
//! | module | what it is |
//! |---|---|
//! | [`config`] | settings: files, environment, defaults, and where each came from |
//! | [`model`] | dialects, profiles and the transport to models; `rehearsal`, the built-in scripted one |
//! | [`memory`] | the agent's two memory files, and the external backends |
//! | [`tools`] | the tools that a model can ask for |
//! | [`http_client`] | the one way to make a client that talks to the outside |
//! | [`event_json`] | the one JSON form of an event |
//! | [`gateway`] | HTTP: the API, the OpenAI-compatible door, health and metrics |
//! | [`assemble`] | from settings to the parts of a host |
//! | [`audit`] | the check of the log, with the note of the last one and with anchors |
//! | `log_swap` | a copied log takes the place of the one it was made of |
//! | [`cli`] | the command line |
//!
//! Adapters talk to sessions through [`dispatch_actors::HostHandle`] alone, and decide nothing about them.

pub mod access;
pub mod assemble;
pub mod audit;
pub mod cli;
pub mod config;
pub mod event_json;
pub mod gateway;
pub mod http_client;
mod log_swap;
pub mod memory;
pub mod model;
pub mod tools;
