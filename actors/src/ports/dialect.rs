//! The wire form of a model API, as a pure and versioned renderer.

use bytes::Bytes;
use dispatch_events::RawJson;
use dispatch_projections::replay::WireMessage;

/// What stands before the first message.
#[derive(Clone, Copy, Debug)]
pub struct HeadInput<'a> {
    /// Model name as the vendor knows it.
    pub model: &'a str,
    /// System prompt.
    pub system: &'a str,
    /// JSON array of tool schemas in the `chat_completions` form, exactly as frozen; `[]` if the session has none.
    pub tools: &'a str,
}

/// Renders a session for a model. Same input, same bytes, for ever: a change of the bytes is a new version, and every
/// released version stays in the build with its fixtures.
pub trait Dialect: Send + Sync {
    /// Name, for example `chat_completions`.
    fn name(&self) -> &'static str;

    /// Version of the renderer.
    fn version(&self) -> u16;

    /// The body's beginning: model, tools, system.
    fn head(&self, input: HeadInput<'_>) -> String;

    /// One message of the conversation. Complete in itself: rendering more messages never changes it.
    fn message(&self, message: &WireMessage) -> String;

    /// Sampling and transport parameters as a JSON object, for a streaming call or a plain one.
    fn parameters(&self, stream: bool) -> RawJson;

    /// The whole body: the head, the fragments behind it, then the parameters.
    fn body(&self, head: &str, fragments: &[&str], parameters: &RawJson) -> Bytes;
}
