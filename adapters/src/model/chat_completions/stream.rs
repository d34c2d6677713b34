//! Server-sent events into the normal form.
//!
//! What ends an answer: `[DONE]`; or, with servers that never send it, a finish reason followed by a clean end of the
//! body. A body that ends without either is incomplete, and so is a broken connection before `[DONE]`, whatever came
//! before: nothing is called finished on a guess.

use super::{answer::AnswerBuilder, bounds::EventSize, wire::Chunk};
use crate::model::{
    failure::{self, fault},
    profile::ReplayReasoning,
};
use bytes::Bytes;
use dispatch_actors::ports::{ErrorClass, ModelError, ModelEvent};
use eventsource_stream::{Event, EventStream, EventStreamError};
use futures_util::{
    StreamExt,
    stream::{self, BoxStream, Stream},
};
use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// The pieces of a body.
pub type Body = BoxStream<'static, Result<Bytes, ModelError>>;

/// How long to wait, behind the end mark, for the end of the body. A connection whose body was read to its end is used
/// again; one that is dropped before that is closed. In practice both come in one packet.
const DRAIN: Duration = Duration::from_millis(5);

/// Completes an event that the body leaves open.
const TAIL: &[u8] = b"\n\n";

struct Reader {
    frames: EventStream<Body>,
    /// Set when the body's own bytes are over.
    ended: Arc<AtomicBool>,
    answer: Option<AnswerBuilder>,
    ready: VecDeque<ModelEvent>,
    /// Whether anything but comments came.
    spoke: bool,
    without_event: Duration,
}

/// Reads a body of server-sent events. The body has no byte order mark (the frame reader would trip over one).
/// Comments count as life, but only for `without_event`.
pub fn events(
    body: Body,
    replay: ReplayReasoning,
    without_event: Duration,
) -> impl Stream<Item = Result<ModelEvent, ModelError>> + Send {
    let ended = Arc::new(AtomicBool::new(false));
    let seen = ended.clone();
    // Some servers leave out the blank line behind the last event. It is added here, and the mark says that whatever
    // it completes may have been cut.
    let tail = stream::once(async move {
        seen.store(true, Ordering::Release);
        Ok(Bytes::from_static(TAIL))
    });
    let mut size = EventSize::default();
    let bounded = body.map(move |piece| piece.and_then(|piece| size.take(&piece).map(|()| piece)));
    let reader = Reader {
        frames: EventStream::new(bounded.chain(tail).boxed()),
        ended,
        answer: Some(AnswerBuilder::new(replay)),
        ready: VecDeque::new(),
        spoke: false,
        without_event,
    };
    stream::unfold(reader, |mut reader| async move {
        let item = reader.next().await?;
        Some((item, reader))
    })
}

impl Reader {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            self.answer.as_ref()?;
            let step = match tokio::time::timeout(self.without_event, self.frames.next()).await {
                Ok(Some(Ok(frame))) => self.frame(&frame).await,
                Ok(Some(Err(error))) => Err(broken(error)),
                Ok(None) => self.end(),
                Err(_) => Err(only_comments(self.without_event)),
            };
            if let Err(error) = step {
                self.answer = None;
                self.ready.clear();
                return Some(Err(error));
            }
        }
    }

    async fn frame(&mut self, frame: &Event) -> Result<(), ModelError> {
        let data = frame.data.trim();
        if data.is_empty() {
            return Ok(());
        }
        self.spoke = true;
        if data == "[DONE]" {
            let finished = self.finish();
            let rest = async { while self.frames.next().await.is_some_and(|item| item.is_ok()) {} };
            // Late or broken, what follows the end mark changes nothing.
            let _ = tokio::time::timeout(DRAIN, rest).await;
            return finished;
        }
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(|why| {
            if self.ended.load(Ordering::Acquire) {
                fault(ErrorClass::Incomplete, "the answer was cut inside an event".into())
            } else {
                let said = failure::said(data);
                fault(
                    ErrorClass::InvalidResponse,
                    format!("an event of the answer is not what was expected ({why}): {said}"),
                )
            }
        })?;
        if frame.event == "error" && chunk.error.is_none() {
            return Err(failure::from_error_object(data));
        }
        let Some(answer) = &mut self.answer else { return Ok(()) };
        let mut seen = Vec::new();
        answer.take(chunk, &mut seen)?;
        self.ready.extend(seen);
        Ok(())
    }

    fn end(&mut self) -> Result<(), ModelError> {
        match &self.answer {
            Some(answer) if answer.has_finish() => self.finish(),
            _ if !self.spoke => Err(fault(ErrorClass::Incomplete, "the answer held nothing".into())),
            _ => Err(fault(ErrorClass::Incomplete, "the answer ended without its end mark".into())),
        }
    }

    fn finish(&mut self) -> Result<(), ModelError> {
        if let Some(answer) = self.answer.take() {
            self.ready.push_back(ModelEvent::Finished(answer.finish()?));
        }
        Ok(())
    }
}

/// The error of a body that shows life and says nothing.
pub fn only_comments(without_event: Duration) -> ModelError {
    let seconds = without_event.as_secs();
    fault(ErrorClass::Timeout, format!("for {seconds} s there was nothing but comments or white space"))
}

fn broken(error: EventStreamError<ModelError>) -> ModelError {
    match error {
        EventStreamError::Transport(error) => error,
        // This comes at the end only, and holds everything from the first bad byte on: half a character means a cut.
        EventStreamError::Utf8(why) => {
            let held = why.into_bytes();
            let held = held.strip_suffix(TAIL).unwrap_or(&held);
            match std::str::from_utf8(held) {
                Err(bad) if bad.error_len().is_some() => {
                    fault(ErrorClass::InvalidResponse, "the answer is not UTF-8".into())
                }
                _ => fault(ErrorClass::Incomplete, "the answer was cut inside a character".into()),
            }
        }
        EventStreamError::Parser(_) => {
            fault(ErrorClass::InvalidResponse, "the answer is no stream of server-sent events".into())
        }
    }
}
