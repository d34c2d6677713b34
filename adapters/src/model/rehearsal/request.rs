//! What the scripted model sees of a request.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A request, as much of it as the script needs.
#[derive(Debug, Default)]
pub struct Request {
    /// The system prompt.
    pub system: String,
    /// Names of the tools that may be called.
    pub tools: Vec<String>,
    /// The conversation without the system prompt.
    pub messages: Vec<Message>,
}

/// A message.
#[derive(Debug, Default, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: String,
    /// What is said.
    #[serde(default)]
    pub content: Option<String>,
    /// Tools that are asked for.
    #[serde(default)]
    pub tool_calls: Vec<Call>,
    /// The call that it is the result of.
    #[serde(default)]
    pub tool_call_id: Option<String>,
}

/// A tool call.
#[derive(Debug, Deserialize)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// What is called.
    pub function: Function,
}

/// What is called.
#[derive(Debug, Deserialize)]
pub struct Function {
    /// The tool's name.
    pub name: String,
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    tools: Vec<Tool>,
    messages: Vec<Message>,
    #[serde(default)]
    tool_choice: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Tool {
    function: Function,
}

impl Request {
    /// Reads a body of the dialect `chat_completions`.
    pub fn read(body: &[u8]) -> Result<Self, serde_json::Error> {
        let body: Body = serde_json::from_slice(body)?;
        let forbidden = body.tool_choice.is_some_and(|choice| choice.get() == "\"none\"");
        let tools = body.tools.into_iter().filter(|_| !forbidden).map(|tool| tool.function.name).collect();
        let (system, messages): (Vec<_>, Vec<_>) =
            body.messages.into_iter().partition(|message| message.role == "system");
        let system = system.into_iter().filter_map(|message| message.content).collect::<Vec<_>>().join("\n\n");
        Ok(Request { system, tools, messages })
    }

    /// Name of the tool whose call has this id.
    pub fn tool_of(&self, id: &str) -> Option<&str> {
        let calls = self.messages.iter().rev().flat_map(|message| &message.tool_calls);
        calls.into_iter().find(|call| call.id == id).map(|call| call.function.name.as_str())
    }
}
