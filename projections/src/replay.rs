//! What the model was sent for each message: api_content where there is one, content otherwise.

use dispatch_events::{RawJson, catalogue::message::ToolCall};

/// One message as a dialect renders it.
#[derive(Clone, Debug, PartialEq)]
pub enum WireMessage {
    /// A person, with what is really sent.
    User {
        /// api_content, or content where there is none.
        text: String,
    },
    /// The model.
    Assistant {
        /// Text; may be empty beside tool calls.
        text: String,
        /// Reasoning as it came, replayed only where the vendor wants it.
        reasoning: Option<String>,
        /// Tool calls as they came.
        calls: Vec<ToolCall>,
        /// Other fields of the vendor's message, a JSON object as it came.
        extra: Option<RawJson>,
    },
    /// The one result of a tool call.
    Tool {
        /// Id of the call.
        call: String,
        /// Name of the tool.
        tool: String,
        /// What the model reads.
        output: String,
    },
}
