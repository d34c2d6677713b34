//! What a chat completion asks for.

use super::super::{
    body::not_understood,
    problem::{Code, Problem},
};
use dispatch_actors::Opening;
use dispatch_events::{Part, catalogue::message::GivenRole};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The fields that mean something here. Sampling parameters belong to the model's profile and are left alone.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    n: Option<u32>,
    #[serde(default, borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(default, borrow)]
    functions: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
    #[serde(default, borrow)]
    tool_calls: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Deserialize)]
struct ContentPart {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

/// A chat completion, understood.
#[derive(Debug, PartialEq)]
pub(super) struct ChatRequest {
    /// Whether the answer comes as a stream.
    pub stream: bool,
    /// Whether the stream ends with the tokens.
    pub include_usage: bool,
    /// What the person says.
    pub parts: Vec<Part>,
    /// How the session begins, if it is new.
    pub opening: Opening,
}

impl ChatRequest {
    /// Reads a body. In a durable session (`own_history` false) only the last user message counts, and the rest is not
    /// even looked at: the session has its own history. Without one, the conversation in the request is the session.
    ///
    /// # Errors
    /// [`Problem`], with what can't be taken.
    pub fn parse(body: &[u8], own_history: bool) -> Result<Self, Problem> {
        let wire: Wire<'_> = serde_json::from_slice(body).map_err(|error| not_understood(&error))?;
        if wire.n.is_some_and(|n| n != 1) {
            return Err(Problem::invalid("`n` has to be 1: a turn has one answer"));
        }
        if [&wire.tools, &wire.functions].into_iter().flatten().any(|tools| !tools.is_empty()) {
            let why = "the caller's own tools are not carried out: leave `tools` away, the host has its own";
            return Err(Problem::invalid(why));
        }
        let mut opening = Opening::plain("openai");
        let parts = if own_history {
            let (last, before) = wire.messages.split_last().ok_or_else(|| Problem::invalid(NO_USER))?;
            let last = message(last)?;
            if last.role != "user" {
                return Err(Problem::invalid("the last message has to be the user's: it is what the turn answers"));
            }
            conversation(before, &mut opening)?;
            parts(&last)?
        } else {
            last_user(&wire.messages)?
        };
        Ok(Self {
            stream: wire.stream.unwrap_or(false),
            include_usage: wire.stream_options.and_then(|options| options.include_usage).unwrap_or(false),
            parts,
            opening,
        })
    }

    /// Refuses an input that is longer than the limit.
    ///
    /// # Errors
    /// [`Code::TooLarge`].
    pub fn check_size(&self, limit: usize) -> Result<(), Problem> {
        check_size(&self.parts, limit)
    }
}

/// Refuses an input that is longer than the limit.
///
/// # Errors
/// [`Code::TooLarge`].
pub(in super::super) fn check_size(parts: &[Part], limit: usize) -> Result<(), Problem> {
    let length: usize = parts.iter().map(|part| if let Part::Text(text) = part { text.len() } else { 0 }).sum();
    if length <= limit {
        return Ok(());
    }
    let why = format!(
        "the input has {length} bytes, the limit for one input is {limit} bytes (setting `gateway.max_input`): send it \
         in pieces"
    );
    Err(Problem::new(Code::TooLarge, why))
}

const NO_USER: &str = "there is no user message in `messages`: the turn needs something to answer";

fn message(text: &RawValue) -> Result<Message<'_>, Problem> {
    serde_json::from_str(text.get()).map_err(|error| not_understood(&error))
}

fn last_user(messages: &[&RawValue]) -> Result<Vec<Part>, Problem> {
    for text in messages.iter().rev() {
        let message = message(text)?;
        if message.role == "user" {
            return parts(&message);
        }
    }
    Err(Problem::invalid(NO_USER))
}

/// Puts what stands before the last message into the opening.
fn conversation(messages: &[&RawValue], opening: &mut Opening) -> Result<(), Problem> {
    for text in messages {
        let message = message(text)?;
        if message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty()) {
            return Err(Problem::invalid("a history with tool calls can't be taken over: send its texts only"));
        }
        let role = match &*message.role {
            "system" | "developer" => {
                if !opening.history.is_empty() {
                    return Err(Problem::invalid("system messages have to stand before all others"));
                }
                let said = Part::joined(&parts(&message)?);
                opening.system = Some(match opening.system.take() {
                    Some(before) => format!("{before}\n\n{said}"),
                    None => said,
                });
                continue;
            }
            "user" => GivenRole::User,
            "assistant" => GivenRole::Assistant,
            other => {
                let why =
                    format!("a message of role `{other}` can't be taken over: only system, user and assistant can");
                return Err(Problem::invalid(why));
            }
        };
        opening.history.push((role, Part::joined(&parts(&message)?)));
    }
    Ok(())
}

/// The texts of a message.
fn parts(message: &Message<'_>) -> Result<Vec<Part>, Problem> {
    let role = &message.role;
    let content = message.content.ok_or_else(|| Problem::invalid(format!("a {role} message has no content")))?;
    let form =
        |_| Problem::invalid(format!("the content of a {role} message has to be a text or a list of text parts"));
    match serde_json::from_str(content.get()).map_err(form)? {
        Content::Text(text) => Ok(vec![Part::Text(text)]),
        Content::Parts(parts) => parts.into_iter().map(text_part).collect(),
    }
}

fn text_part(part: ContentPart) -> Result<Part, Problem> {
    match part {
        ContentPart { kind, text: Some(text) } if kind == "text" => Ok(Part::Text(text)),
        ContentPart { kind, .. } => Err(Problem::invalid(format!(
            "a part of type `{kind}` can't be taken: only `text` parts with a `text` can"
        ))),
    }
}

#[cfg(test)]
mod tests;
