//! What a model repeats of a recalled block is taken out before anybody sees it, and before it is recorded.

use crate::ports::{ModelAnswer, ModelError, ModelEvent};
use dispatch_projections::recall::{Scrubber, scrubbed_output};
use futures_util::{Stream, StreamExt, stream};
use std::collections::VecDeque;

/// The same events with every recalled block taken out of their text. What could still become a block's tag is held back
/// until the next piece, or the end, says what it is.
pub(super) fn clean(
    events: impl Stream<Item = Result<ModelEvent, ModelError>> + Unpin,
) -> impl Stream<Item = Result<ModelEvent, ModelError>> + Unpin {
    let state = (events, Scrubber::default(), VecDeque::new());
    Box::pin(stream::unfold(state, |(mut events, mut scrubber, mut ready)| async move {
        loop {
            if let Some(event) = ready.pop_front() {
                return Some((event, (events, scrubber, ready)));
            }
            match events.next().await? {
                Ok(ModelEvent::Text(piece)) => ready.extend(text(scrubber.push(&piece))),
                Ok(ModelEvent::Finished(answer)) => {
                    ready.extend(text(scrubber.finish()));
                    let answer = ModelAnswer { text: scrubbed_output(&answer.text), ..answer };
                    ready.push_back(Ok(ModelEvent::Finished(answer)));
                }
                Err(error) => {
                    ready.extend(text(scrubber.finish()));
                    ready.push_back(Err(error));
                }
                Ok(other) => ready.push_back(Ok(other)),
            }
        }
    }))
}

fn text(piece: String) -> Option<Result<ModelEvent, ModelError>> {
    (!piece.is_empty()).then_some(Ok(ModelEvent::Text(piece)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn cleaned(pieces: &[&str]) -> (String, Option<String>) {
        let whole = ModelAnswer { text: pieces.concat(), ..ModelAnswer::default() };
        let texts = pieces.iter().map(|piece| Ok(ModelEvent::Text((*piece).to_owned())));
        let events = stream::iter(texts.chain([Ok(ModelEvent::Finished(whole))]));
        let (mut shown, mut recorded) = (String::new(), None);
        for event in clean(events).collect::<Vec<_>>().now_or_never().unwrap() {
            match event.unwrap() {
                ModelEvent::Text(text) => shown.push_str(&text),
                ModelEvent::Finished(answer) => recorded = Some(answer.text),
                ModelEvent::Reasoning(_) => {}
            }
        }
        (shown, recorded)
    }

    #[test]
    fn what_is_shown_is_what_is_recorded_and_has_no_block() {
        for (pieces, left) in [
            (&["Sure.\n<memory-", "context>\nthe port\n</memory-context>", "\nDone."][..], "Sure.\nDone."),
            (&["A <memory-context> in a sentence"], "A <memory-context> in a sentence"),
            (&["ends with <mem"], "ends with <mem"),
            (&["line\n<mem"], "line\n<mem"),
            (&[], ""),
        ] {
            assert_eq!(cleaned(pieces), (left.to_owned(), Some(left.to_owned())), "{pieces:?}");
        }
    }

    #[test]
    fn what_was_held_back_comes_before_the_error() {
        let error = ModelError {
            class: crate::ports::ErrorClass::Incomplete,
            status: None,
            retry_after_ms: None,
            message: "cut".to_owned(),
        };
        let events = stream::iter([Ok(ModelEvent::Text("line\n<mem".to_owned())), Err(error.clone())]);
        let seen = clean(events).collect::<Vec<_>>().now_or_never().unwrap();
        let texts: String = seen
            .iter()
            .filter_map(|event| if let Ok(ModelEvent::Text(text)) = event { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(texts, "line\n<mem");
        assert_eq!(seen.last(), Some(&Err(error)));
    }
}
