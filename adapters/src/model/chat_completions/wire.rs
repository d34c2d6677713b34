//! The vendor's words: one chunk of a stream, or one whole document. Everything may be missing or null.

use super::{json_text::Members, usage::WireUsage};
use dispatch_events::catalogue::model::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A chunk, or the whole document, which differs in having `message` where a chunk has `delta`.
#[derive(Debug, Deserialize)]
pub struct Chunk<'a> {
    /// The vendor's id of the answer.
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    /// Choices; empty on the chunk that carries the usage.
    #[serde(borrow, default)]
    pub choices: Option<Vec<Choice<'a>>>,
    /// Tokens.
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    /// Where one vendor puts the usage of a stream.
    #[serde(borrow, default)]
    x_groq: Option<Groq<'a>>,
    /// An error may come inside an answer with status 200.
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Groq<'a> {
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

/// One choice. Only the first is ever asked for.
#[derive(Debug, Deserialize)]
pub struct Choice<'a> {
    /// Its number; often missing.
    #[serde(default)]
    pub index: Option<u64>,
    /// What is new, in a stream.
    #[serde(borrow, default)]
    pub delta: Option<Members<'a>>,
    /// All of it, in a document.
    #[serde(borrow, default)]
    pub message: Option<Members<'a>>,
    /// Why it ends. Only the last chunk has it; some vendors send an empty text before.
    #[serde(default)]
    pub finish_reason: Option<String>,
    /// Where one vendor puts the usage of a stream.
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

impl Chunk<'_> {
    /// The tokens, wherever the vendor put them.
    pub fn usage(&self) -> Option<Usage> {
        let groq = self.x_groq.as_ref().and_then(|groq| groq.usage);
        let choice = self.choices.iter().flatten().find_map(|choice| choice.usage);
        [self.usage, groq, choice]
            .into_iter()
            .flatten()
            .find_map(|raw| serde_json::from_str::<WireUsage>(raw.get()).ok()?.normal())
    }
}

/// One entry of `tool_calls`.
#[derive(Debug, Default)]
pub struct CallPiece<'a> {
    /// Number of the call; missing or always 0 with some vendors.
    pub index: Option<u64>,
    /// Its id; with some vendors on every piece.
    pub id: Option<String>,
    /// Name of the tool; with some vendors on every piece.
    pub name: Option<String>,
    /// More of the arguments: a JSON string, with a few vendors an object.
    pub arguments: Option<&'a RawValue>,
    /// Other fields of the entry, as they came.
    pub beside: Vec<(String, &'a RawValue)>,
}

impl<'a> CallPiece<'a> {
    /// Reads an entry of `tool_calls`.
    pub fn entry(entry: Members<'a>) -> Self {
        let mut piece = CallPiece::default();
        for (key, value) in entry.0 {
            match key.as_str() {
                "index" => piece.index = serde_json::from_str(value.get()).ok(),
                "id" => piece.id = filled(value),
                "function" => piece.function(value),
                "type" => {}
                _ => piece.beside.push((key, value)),
            }
        }
        piece
    }

    /// Reads a deprecated `function_call`, which has neither index nor id.
    pub fn function_call(value: &'a RawValue) -> Self {
        let mut piece = CallPiece::default();
        piece.function(value);
        piece
    }

    fn function(&mut self, value: &'a RawValue) {
        let Ok(Members(members)) = serde_json::from_str::<Members<'a>>(value.get()) else { return };
        for (key, value) in members {
            match key.as_str() {
                "name" => self.name = filled(value),
                "arguments" if value.get() != "null" => self.arguments = Some(value),
                _ => {}
            }
        }
    }
}

/// A JSON string that holds something.
pub fn filled(value: &RawValue) -> Option<String> {
    serde_json::from_str::<String>(value.get()).ok().filter(|text| !text.is_empty())
}
