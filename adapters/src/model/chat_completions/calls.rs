//! Tool calls out of their pieces.
//!
//! By the book every piece has an index, and id and name come with the first. In the field the index is missing, null
//! or always 0, ids and names are repeated, and calls interleave. Whatever can be decided is decided; where two readings
//! are possible the answer is refused, because a wrong reading runs a tool with somebody else's arguments.

use super::{
    bounds::CALLS_MAX,
    replay::{REPLAYED_BESIDE_CALLS, push_member},
    text::{HalfCharacter, Pieces},
    wire::CallPiece,
};
use dispatch_events::{RawJson, catalogue::message::ToolCall};
use serde::de::IgnoredAny;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;

/// Why the calls of an answer can't be told apart, or are broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallFault {
    /// Two readings are possible.
    #[error("its tool calls can't be told apart ({0}), so none was run")]
    Undecidable(&'static str),
    /// There are more than [`CALLS_MAX`].
    #[error("it has more than {CALLS_MAX} tool calls, so none was run")]
    TooMany,
    /// A string is broken.
    #[error("a tool call is broken: {0}")]
    Half(#[from] HalfCharacter),
}

#[derive(Debug, Default)]
struct Open {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Pieces,
    beside: Vec<(String, String)>,
    /// Whether the arguments are a whole object; kept until they grow, since asking costs a pass over them.
    whole: Option<bool>,
}

impl Open {
    fn is_whole(&mut self) -> bool {
        let text = self.arguments.as_str().trim();
        *self.whole.get_or_insert_with(|| text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok())
    }
}

/// The calls of one answer, as far as they have come.
#[derive(Debug, Default)]
pub struct Calls(Vec<Open>);

/// The calls of one answer, in order.
#[derive(Debug, Default, PartialEq)]
pub struct Finished {
    /// The calls.
    pub calls: Vec<ToolCall>,
    /// For each, members that are replayed beside its `function`; empty if none has any.
    pub beside: Vec<String>,
}

impl Calls {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is held of them, in bytes.
    pub fn size(&self) -> usize {
        let beside = |call: &Open| call.beside.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
        let all = |call: &Open| call.id.len() + call.name.len() + call.arguments.as_str().len() + beside(call);
        self.0.iter().map(all).sum()
    }

    /// Takes the pieces of one chunk.
    ///
    /// # Errors
    /// When a piece may belong to more than one call, or is broken.
    pub fn push(&mut self, pieces: Vec<CallPiece<'_>>) -> Result<(), CallFault> {
        let siblings = pieces.len();
        if siblings > CALLS_MAX {
            return Err(CallFault::TooMany);
        }
        let mut touched = HashSet::new();
        for (place, piece) in pieces.into_iter().enumerate() {
            let found = match piece.index {
                Some(index) => self.with_index(index, &piece)?,
                None => self.without_index(&piece, place, siblings, &touched)?,
            };
            let at = match found {
                Some(at) => at,
                None if self.0.len() == CALLS_MAX => return Err(CallFault::TooMany),
                None => {
                    self.0.push(Open::default());
                    self.0.len() - 1
                }
            };
            touched.insert(at);
            self.0[at].take(piece)?;
        }
        Ok(())
    }

    /// The call that a piece with an index belongs to; `None` for a new one.
    fn with_index(&mut self, index: u64, piece: &CallPiece<'_>) -> Result<Option<usize>, CallFault> {
        let Some(at) = self.0.iter().rposition(|call| call.index == Some(index)) else { return Ok(None) };
        if let Some(id) = &piece.id {
            if let Some(same) = self.0.iter().position(|call| call.index == Some(index) && call.id == *id) {
                return Ok(Some(same));
            }
            // An id that comes late belongs to the call that waits for one, unless that call is already whole.
            let waits = self.0[at].id.is_empty() && !(piece.name.is_some() && self.0[at].is_whole());
            return Ok(waits.then_some(at));
        }
        if piece.name.is_some() {
            return self.named_again(at, piece);
        }
        let earlier: Vec<usize> = (0..at).filter(|&one| self.0[one].index == Some(index)).collect();
        self.refuse_if_one_is_open(&earlier, "several share one index, and a piece has no id")?;
        Ok(Some(at))
    }

    /// The call that a piece without an index belongs to; `None` for a new one.
    fn without_index(
        &mut self,
        piece: &CallPiece<'_>,
        place: usize,
        siblings: usize,
        touched: &HashSet<usize>,
    ) -> Result<Option<usize>, CallFault> {
        if let Some(id) = &piece.id {
            return Ok(self.0.iter().position(|call| call.id == *id));
        }
        if piece.name.is_some() {
            return match self.0.len().checked_sub(1) {
                Some(last) if !touched.contains(&last) => self.named_again(last, piece),
                _ => Ok(None),
            };
        }
        if siblings > 1 {
            // Pieces that stand side by side are of different calls, in their order.
            return if place < self.0.len() && self.0.len() == siblings {
                Ok(Some(place))
            } else {
                Err(CallFault::Undecidable("pieces have neither index nor id"))
            };
        }
        let Some(last) = self.0.len().checked_sub(1) else {
            return Err(CallFault::Undecidable("arguments came before any call"));
        };
        let earlier: Vec<usize> = (0..last).collect();
        self.refuse_if_one_is_open(&earlier, "a piece has neither index nor id, and several calls are open")?;
        Ok(Some(last))
    }

    /// A name where a call has one: the same call, with a vendor that repeats names, or the next one.
    fn named_again(&mut self, at: usize, piece: &CallPiece<'_>) -> Result<Option<usize>, CallFault> {
        let call = &mut self.0[at];
        if call.name.is_empty() {
            return Ok(Some(at));
        }
        let other = piece.name.as_deref() != Some(call.name.as_str());
        if call.is_whole() {
            // A whole object can't grow, so more text is another call's.
            let blank = |more: &str| serde_json::from_str::<String>(more).is_ok_and(|text| text.trim().is_empty());
            let grows = piece.arguments.is_some_and(|more| !blank(more.get()));
            return Ok((!other && !grows).then_some(at));
        }
        if other {
            return Err(CallFault::Undecidable("a call got a second name"));
        }
        Ok(Some(at))
    }

    fn refuse_if_one_is_open(&mut self, calls: &[usize], why: &'static str) -> Result<(), CallFault> {
        if calls.iter().any(|&at| !self.0[at].is_whole()) { Err(CallFault::Undecidable(why)) } else { Ok(()) }
    }

    /// All calls in order, each with an id of its own. `answer` is the vendor's id of the answer, for ids that have to
    /// be made up: the same answer gets the same ids.
    ///
    /// # Errors
    /// When a call has no name, holds several objects, or is broken.
    pub fn finish(self, answer: &str) -> Result<Finished, CallFault> {
        let mut open = self.0;
        if open.iter().all(|call| call.index.is_some()) {
            open.sort_by_key(|call| call.index);
        }
        let mut finished = Finished::default();
        let mut ids = HashSet::new();
        for (number, call) in open.into_iter().enumerate() {
            if call.name.is_empty() {
                return Err(CallFault::Undecidable("one has no name"));
            }
            let mut arguments = call.arguments.finish()?;
            if arguments.trim().is_empty() {
                // No arguments at all: an empty text is refused when it is sent back.
                "{}".clone_into(&mut arguments);
            }
            if holds_two_objects(&arguments) {
                return Err(CallFault::Undecidable("the arguments of two calls stand in one"));
            }
            let id = if call.id.is_empty() || ids.contains(&call.id) {
                made_up_id(answer, number, &call.name, &arguments)
            } else {
                call.id
            };
            ids.insert(id.clone());
            finished.calls.push(ToolCall { id, tool: call.name, arguments: RawJson(arguments) });
            let mut beside = String::new();
            for (key, value) in &call.beside {
                push_member(&mut beside, key, value);
            }
            finished.beside.push(beside);
        }
        if finished.beside.iter().all(String::is_empty) {
            finished.beside.clear();
        }
        Ok(finished)
    }
}

impl Open {
    fn take(&mut self, piece: CallPiece<'_>) -> Result<(), CallFault> {
        self.index = self.index.or(piece.index);
        if self.id.is_empty() {
            self.id = piece.id.unwrap_or_default();
        }
        if self.name.is_empty() {
            self.name = piece.name.unwrap_or_default();
        }
        if let Some(more) = piece.arguments {
            self.whole = None;
            if more.get().starts_with('"') {
                self.arguments.push(more.get())?;
            } else {
                self.arguments.push_text(more.get())?;
            }
        }
        for (key, value) in piece.beside {
            if REPLAYED_BESIDE_CALLS.contains(&key.as_str()) && value.get() != "null" {
                self.beside.retain(|(known, _)| *known != key);
                self.beside.push((key, value.get().to_owned()));
            }
        }
        Ok(())
    }
}

/// `{…}{…`: what is left when two calls were written into one. Other text behind an object is the model's own mistake,
/// which the tool's check explains to it.
fn holds_two_objects(arguments: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(arguments).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => arguments[values.byte_offset()..].trim_start().starts_with('{'),
        _ => false,
    }
}

fn made_up_id(answer: &str, number: usize, name: &str, arguments: &str) -> String {
    let digest = Sha256::digest(format!("{answer}\n{number}\n{name}\n{arguments}"));
    let hex: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("call_{hex}")
}
