//! One answer, built from chunks or from a whole document.

use super::{
    bounds::{self, ANSWER_MAX, CALLS_MAX, CONTENT_MAX, KEPT_MAX},
    calls::{CallFault, Calls},
    json_text::{Members, push_string},
    replay::{REPLAYED, push_member},
    text::{HalfCharacter, Pieces},
    wire::{CallPiece, Chunk, filled},
};
use crate::model::{
    failure::{self, fault},
    profile::ReplayReasoning,
};
use dispatch_actors::ports::{ErrorClass, ModelAnswer, ModelError, ModelEvent};
use dispatch_events::{RawJson, catalogue::model::Usage};
use serde_json::value::RawValue;

mod kept;

use kept::Kept;

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub struct AnswerBuilder {
    replay: ReplayReasoning,
    text: Pieces,
    reasoning: Pieces,
    /// The field that reasoning is read from: vendors in transition send the same text under two names.
    reasoning_field: Option<&'static str>,
    kept: Kept,
    calls: Calls,
    finish: Option<String>,
    usage: Option<Usage>,
    response: Option<String>,
}

impl AnswerBuilder {
    /// An empty one.
    pub fn new(replay: ReplayReasoning) -> Self {
        AnswerBuilder { replay, ..AnswerBuilder::default() }
    }

    /// Whether the vendor said why it ended.
    pub fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether nothing has come that makes an answer.
    pub fn is_empty(&self) -> bool {
        self.text.as_str().is_empty()
            && self.reasoning.as_str().is_empty()
            && self.calls.is_empty()
            && self.finish.is_none()
    }

    /// Takes a chunk or a document and appends what a person may see to `out`.
    ///
    /// # Errors
    /// When it holds an error object, or pieces that fit nowhere.
    pub fn take(&mut self, chunk: Chunk<'_>, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(error) = chunk.error {
            return Err(failure::from_error_object(error.get()));
        }
        if self.response.is_none() {
            self.response = chunk.id.and_then(filled);
        }
        self.usage = chunk.usage().or(self.usage);
        for choice in chunk.choices.into_iter().flatten() {
            if choice.index.unwrap_or_default() != 0 {
                continue;
            }
            for part in [choice.delta, choice.message].into_iter().flatten() {
                self.part(part, out)?;
                self.check_size()?;
            }
            if let Some(finish) = choice.finish_reason.filter(|finish| !finish.is_empty()) {
                self.finish = Some(finish);
            }
        }
        self.check_size()
    }

    /// What is held: a far side that never stops must not fill the memory.
    fn check_size(&self) -> Result<(), ModelError> {
        bounds::within(self.content_size(), CONTENT_MAX, "text, reasoning and tool calls")?;
        bounds::within(self.kept.size(), KEPT_MAX, "the fields that go back to the vendor")
    }

    fn content_size(&self) -> usize {
        let words = [&self.finish, &self.response].into_iter().flatten().map(String::len).sum::<usize>();
        self.text.as_str().len() + self.reasoning.as_str().len() + self.calls.size() + words
    }

    fn part(&mut self, part: Members<'_>, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        for (key, value) in part.0 {
            if value.get() == "null" {
                continue;
            }
            match key.as_str() {
                "content" if value.get().starts_with('[') => self.content_list(value, out)?,
                // What a model says instead of an answer is for the person as well.
                "content" | "refusal" => self.text(value, out)?,
                "tool_calls" => {
                    self.calls.push(call_pieces(value)?).map_err(undecidable)?;
                }
                "function_call" => {
                    self.calls.push(vec![CallPiece::function_call(value)]).map_err(undecidable)?;
                }
                key => {
                    let Some(field) = REPLAYED.into_iter().find(|field| *field == key) else { continue };
                    self.kept.take(field, value).map_err(half)?;
                    if value.get().starts_with('"') {
                        self.reasoning(field, value, out)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, value: &RawValue, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let piece = self.text.push(value.get()).map_err(half)?;
        if !piece.is_empty() {
            out.push(ModelEvent::Text(piece.to_owned()));
        }
        Ok(())
    }

    fn reasoning(
        &mut self,
        field: &'static str,
        value: &RawValue,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        if value.get() == "\"\"" || *self.reasoning_field.get_or_insert(field) != field {
            return Ok(());
        }
        let piece = self.reasoning.push(value.get()).map_err(half)?;
        if !piece.is_empty() {
            out.push(ModelEvent::Reasoning(piece.to_owned()));
        }
        Ok(())
    }

    /// Content as a list of parts: text, and with one vendor thinking, which is a list again.
    fn content_list(&mut self, value: &RawValue, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let parts: Vec<Members<'_>> = serde_json::from_str(value.get())
            .map_err(|why| fault(ErrorClass::InvalidResponse, format!("`content` is broken: {why}")))?;
        for (key, value) in parts.into_iter().flat_map(|part| part.0) {
            match key.as_str() {
                "text" if value.get().starts_with('"') => self.text(value, out)?,
                "thinking" => {
                    let inner: Vec<Members<'_>> = serde_json::from_str(value.get()).unwrap_or_default();
                    for (key, value) in inner.into_iter().flat_map(|part| part.0) {
                        if key == "text" && value.get().starts_with('"') {
                            self.reasoning("thinking", value, out)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The whole answer. To be called at the end mark only.
    ///
    /// # Errors
    /// When there is none, it was cut inside a call, or it was filtered.
    pub fn finish(self) -> Result<ModelAnswer, ModelError> {
        if self.is_empty() {
            return Err(fault(
                ErrorClass::Incomplete,
                "the answer is empty: no text, no tool call, no finish reason".into(),
            ));
        }
        match self.finish.as_deref() {
            Some("length") if !self.calls.is_empty() => {
                return Err(fault(
                    ErrorClass::Incomplete,
                    "the answer reached its length limit inside a tool call, so nothing was run; a profile with a \
                     larger output limit or a smaller task helps"
                        .into(),
                ));
            }
            Some("content_filter") => {
                return Err(fault(ErrorClass::ContentPolicy, "the vendor's filter stopped the answer".into()));
            }
            Some("error") => {
                return Err(fault(ErrorClass::ServerError, "the far side ended the answer with an error".into()));
            }
            _ => {}
        }
        let content = self.content_size();
        let done = self.calls.finish(self.response.as_deref().unwrap_or_default()).map_err(undecidable)?;
        let mut extra = self.kept.members(self.replay)?;
        if !done.beside.is_empty() {
            let objects: Vec<String> = done.beside.iter().map(|members| format!("{{{members}}}")).collect();
            push_member(&mut extra, "tool_calls", &format!("[{}]", objects.join(",")));
        }
        bounds::within(content + extra.len(), ANSWER_MAX, "the answer and what goes back to the vendor")?;
        // Some vendors end with `[DONE]` alone; the word is then the one that the others use.
        let word = if done.calls.is_empty() { "stop" } else { "tool_calls" };
        let reasoning = self.reasoning.finish().map_err(half)?;
        Ok(ModelAnswer {
            text: self.text.finish().map_err(half)?,
            reasoning: Some(reasoning).filter(|text| !text.is_empty()),
            calls: done.calls,
            extra: Some(extra).filter(|members| !members.is_empty()).map(|members| RawJson(format!("{{{members}}}"))),
            finish: self.finish.unwrap_or_else(|| word.to_owned()),
            usage: self.usage,
            response: self.response,
        })
    }
}

/// The entries of `tool_calls`. They are counted before they are read: an empty one has two bytes on the wire.
fn call_pieces(value: &RawValue) -> Result<Vec<CallPiece<'_>>, ModelError> {
    let broken = |why| fault(ErrorClass::InvalidResponse, format!("`tool_calls` is broken: {why}"));
    let entries: Vec<&RawValue> = serde_json::from_str(value.get()).map_err(broken)?;
    if entries.len() > CALLS_MAX {
        return Err(undecidable(CallFault::TooMany));
    }
    entries.into_iter().map(|entry| serde_json::from_str(entry.get()).map(CallPiece::entry).map_err(broken)).collect()
}

fn undecidable(why: CallFault) -> ModelError {
    if why == CallFault::TooMany {
        return bounds::too_large(&why.to_string());
    }
    fault(ErrorClass::InvalidResponse, why.to_string())
}

fn half(why: HalfCharacter) -> ModelError {
    fault(ErrorClass::InvalidResponse, why.to_string())
}

/// A JSON string of a text.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    push_string(&mut out, text);
    out
}
