//! Fields that go back to the vendor with the next request, gathered from an answer.

use super::{half, push_member, quoted};
use crate::model::{
    chat_completions::text::{HalfCharacter, Pieces},
    profile::ReplayReasoning,
};
use dispatch_actors::ports::ModelError;
use serde_json::{Map, Value, value::RawValue};

/// The field that the setting `always` adds.
const ALWAYS: &str = "reasoning_content";

/// Members of a listed block that grow from chunk to chunk; all others are set.
const GROWING: [&str; 4] = ["text", "summary", "data", "thinking"];

#[derive(Debug)]
enum Field {
    /// A string, in pieces.
    Text(Pieces),
    /// A value that came once, as it came.
    Once(String),
    /// A list that came in several chunks, its blocks put together.
    List(Vec<Value>),
}

/// The fields, in the order of their first appearance.
#[derive(Debug, Default)]
pub struct Kept {
    fields: Vec<(&'static str, Field)>,
    /// What values and lists hold, in bytes of JSON; texts know their own length.
    blocks: usize,
}

impl Kept {
    /// What is held of them, in bytes.
    pub fn size(&self) -> usize {
        let texts = self.fields.iter().map(|(_, field)| match field {
            Field::Text(text) => text.as_str().len(),
            Field::Once(_) | Field::List(_) => 0,
        });
        self.blocks + texts.sum::<usize>()
    }

    /// Takes a field of a chunk.
    pub fn take(&mut self, field: &'static str, value: &RawValue) -> Result<(), HalfCharacter> {
        let known = self.fields.iter_mut().find(|(name, _)| *name == field);
        match known {
            None if value.get().starts_with('"') => {
                let mut text = Pieces::default();
                text.push(value.get())?;
                self.fields.push((field, Field::Text(text)));
            }
            None => {
                self.blocks += value.get().len();
                self.fields.push((field, Field::Once(value.get().to_owned())));
            }
            Some((_, Field::Text(text))) if value.get().starts_with('"') => {
                text.push(value.get())?;
            }
            Some((_, held)) => {
                let blocks = match held {
                    Field::List(blocks) => std::mem::take(blocks),
                    Field::Once(text) => serde_json::from_str(text).unwrap_or_default(),
                    Field::Text(_) => return Ok(()),
                };
                let more: Vec<Value> = serde_json::from_str(value.get()).unwrap_or_default();
                let blocks = more.into_iter().fold(blocks, |blocks, more| joined(blocks, more, &mut self.blocks));
                *held = Field::List(blocks);
            }
        }
        Ok(())
    }

    /// The members of an `extra` object, without braces.
    pub fn members(self, replay: ReplayReasoning) -> Result<String, ModelError> {
        let mut out = String::new();
        if replay == ReplayReasoning::Never {
            return Ok(out);
        }
        let missing = !self.fields.iter().any(|(field, _)| *field == ALWAYS);
        for (field, value) in self.fields {
            let text = match value {
                Field::Text(text) => quoted(&text.finish().map_err(half)?),
                Field::Once(text) => text,
                Field::List(blocks) => Value::Array(blocks).to_string(),
            };
            push_member(&mut out, field, &text);
        }
        if replay == ReplayReasoning::Always && missing {
            push_member(&mut out, ALWAYS, "\"\"");
        }
        Ok(out)
    }
}

/// Adds a block, or a piece of one: pieces of one block have the same index and type. `size` grows by what is held more.
fn joined(mut blocks: Vec<Value>, more: Value, size: &mut usize) -> Vec<Value> {
    let same = |block: &Value| {
        more.get("index").is_some_and(Value::is_u64)
            && block.get("index") == more.get("index")
            && block.get("type") == more.get("type")
    };
    match (blocks.iter_mut().rfind(|block| same(block)), more) {
        (Some(Value::Object(block)), Value::Object(more)) => grow(block, more, size),
        (_, more) => {
            *size += json_size(&more);
            blocks.push(more);
        }
    }
    blocks
}

fn grow(block: &mut Map<String, Value>, more: Map<String, Value>, size: &mut usize) {
    for (key, value) in more {
        match (block.get_mut(&key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(piece)) if GROWING.contains(&key.as_str()) => {
                *size += piece.len();
                text.push_str(&piece);
            }
            (old, value) => {
                let gone = old.map_or(0, |old| key.len() + json_size(old));
                *size = (*size + key.len() + json_size(&value)).saturating_sub(gone);
                block.insert(key, value);
            }
        }
    }
}

fn json_size(value: &Value) -> usize {
    value.to_string().len()
}
