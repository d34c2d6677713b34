//! HTTP: the API, the OpenAI-compatible door, health and metrics.
//!
//! [`serve`] listens and gives a [`Running`]; the host is ready for the world when [`Running::mark_ready`] was called.
//!
//! | module | what it is |
//! |---|---|
//! | [`settings`] | address, token, limits and the lists of hosts and origins |
//! | [`server`] | binding, running, stopping |
//! | [`guard`] | what every request passes: size of the head, Host, Origin, token, content type; its span and its count |
//! | [`routes`] | the one table of routes, from which they are registered and described |
//! | [`openapi`] | that table as a document |
//! | [`problem`] | how the API says no |
//! | [`body`], [`query`], [`headers`] | how requests are read |
//! | [`sse`], [`long`] | server-sent events; work that takes as long as the log is |
//! | [`openai`] | chat completions and models |
//! | [`sessions`], [`input`], [`events`], [`export`], [`views`], [`memory`], [`audit`], [`care`], [`equipment`], [`health`] | the API, a file per subject |
//!
//! The workers only forward: a handler parses, asks the [`HostHandle`](dispatch_actors::HostHandle) and writes what it
//! answers. Nothing here decides about sessions, and nothing waits for anything but the host and the client.

mod audit;
mod body;
mod care;
mod control;
mod equipment;
mod events;
mod export;
mod guard;
mod headers;
mod health;
mod history;
mod input;
mod long;
mod memory;
mod metrics;
mod openai;
mod openapi;
mod problem;
mod query;
mod routes;
mod server;
mod sessions;
mod settings;
mod sse;
mod state;
mod views;

pub use care::{BackupReport, ExportReport};
pub use problem::{Code, Problem};
pub use server::{Running, ServeError, serve};
pub use settings::{GatewaySettings, Token, TokenError};

#[cfg(test)]
mod tests;
