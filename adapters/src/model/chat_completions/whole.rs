//! One JSON document into the normal form: what a server sends that was not asked for a stream, or that can't do one.

use super::{answer::AnswerBuilder, wire::Chunk};
use crate::model::{
    failure::{self, fault},
    profile::ReplayReasoning,
};
use dispatch_actors::ports::{ErrorClass, ModelError, ModelEvent};

/// Reads a document: the text as one piece, then the answer.
///
/// # Errors
/// When it is cut, no document of this dialect, or an error object.
pub fn answer(document: &[u8], replay: ReplayReasoning) -> Result<Vec<ModelEvent>, ModelError> {
    let text = std::str::from_utf8(document)
        .map_err(|_| fault(ErrorClass::InvalidResponse, "the answer is not UTF-8".into()))?;
    let chunk: Chunk<'_> = serde_json::from_str(text).map_err(|why| {
        if why.is_eof() {
            return fault(ErrorClass::Incomplete, "the answer was cut".into());
        }
        fault(
            ErrorClass::InvalidResponse,
            format!("the answer is not what was expected ({why}): {}", failure::said(text)),
        )
    })?;
    if chunk.error.is_none() && chunk.choices.as_ref().is_none_or(Vec::is_empty) {
        let said = failure::said(text);
        return Err(fault(ErrorClass::InvalidResponse, format!("the answer has no `choices`: {said}")));
    }
    let mut builder = AnswerBuilder::new(replay);
    let mut events = Vec::new();
    builder.take(chunk, &mut events)?;
    events.push(ModelEvent::Finished(builder.finish()?));
    Ok(events)
}
