//! From an answer to the steps that the server plays.

use std::time::Duration;

use bytes::Bytes;

use super::answer::Answer;
use super::asked::Asked;
use super::content::Content;
use super::delivery::{Delivery, Ending};
use super::faults::error_body;
use super::frames::Frames;
use super::whole;
use crate::http::{Framing, Reply, Request, Step};

impl Answer {
    /// The reply to this request, as answer number `number`.
    pub(super) fn render(self, request: &Request, number: usize) -> Reply {
        let Self { content, delivery } = self;
        let asked = Asked::of(&request.body);
        let mut reply = match content {
            Content::Completion(completion) if asked.stream => {
                stream(Frames::of(&completion, &asked, request.body.len(), number), &delivery)
            }
            Content::Completion(completion) => {
                let body = whole::body(&completion, &asked, request.body.len(), number);
                whole_body(200, Vec::new(), body.to_string().into_bytes(), &delivery)
            }
            Content::Frames(frames) if asked.stream => stream(Frames::verbatim(frames), &delivery),
            // The script and the request do not fit: that is a finding about one of them.
            Content::Frames(_) => Reply::json(
                400,
                &error_body("not_scripted", "frames were scripted, and the request asks for no stream"),
            ),
            Content::RawStream(pieces) => Reply::events(raw_steps(pieces, &delivery)),
            Content::RawResponse(pieces) => {
                Reply { framing: Framing::Raw, ..Reply::events(raw_steps(pieces, &delivery)) }
            }
            Content::Whole { status, headers, body } => whole_body(status, headers, body, &delivery),
        };
        reply.before_headers = delivery.before_headers;
        if let Some(wait) = delivery.trickle {
            reply.steps = byte_by_byte(reply.steps, wait);
        }
        reply
    }
}

fn stream(frames: Frames, delivery: &Delivery) -> Reply {
    let mut steps = Vec::new();
    pause(&mut steps, delivery.after_headers);
    frames.opening.iter().for_each(|frame| steps.push(event(frame, delivery)));
    let timing = Timing::of(delivery, frames.pieces.len());
    for (at, piece) in frames.pieces.iter().take(timing.sent).enumerate() {
        timing.before(at, &mut steps);
        steps.push(event(piece, delivery));
    }
    timing.behind_all(&mut steps);
    match &delivery.ending {
        Ending::Complete | Ending::WithoutDone => {
            frames.closing.iter().for_each(|frame| steps.push(event(frame, delivery)));
            if matches!(delivery.ending, Ending::Complete) {
                steps.push(event("[DONE]", delivery));
            }
        }
        Ending::CleanAfter(_) => {}
        Ending::CutAfter(_) => steps.push(Step::Cut),
        Ending::ErrorAfter(_, error) => steps.push(event(error, delivery)),
    }
    Reply::events(steps)
}

/// One event, with its comment in front.
fn event(data: &str, delivery: &Delivery) -> Step {
    let end = if delivery.crlf { "\r\n" } else { "\n" };
    let comment = delivery.comment.as_ref().map(|text| format!(": {text}{end}{end}")).unwrap_or_default();
    Step::Send(Bytes::from(format!("{comment}data: {data}{end}{end}")))
}

fn whole_body(status: u16, headers: Vec<(String, String)>, body: Vec<u8>, delivery: &Delivery) -> Reply {
    let mut steps = Vec::new();
    pause(&mut steps, delivery.after_headers);
    let mut first = Bytes::from(body);
    let second = first.split_off(first.len() / 2);
    steps.push(Step::Send(first));
    if matches!(delivery.ending, Ending::CutAfter(_)) {
        steps.push(Step::Cut);
    }
    steps.push(Step::Send(second));
    let typed = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let mut reply = Reply { status, headers, steps, ..Reply::whole(status, "", Bytes::new()) };
    if !typed {
        reply.headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    reply
}

fn raw_steps(pieces: Vec<Vec<u8>>, delivery: &Delivery) -> Vec<Step> {
    let mut steps = Vec::new();
    pause(&mut steps, delivery.after_headers);
    let timing = Timing::of(delivery, pieces.len());
    for (at, piece) in pieces.into_iter().take(timing.sent).enumerate() {
        timing.before(at, &mut steps);
        steps.extend([Step::Send(Bytes::from(piece)), Step::Flush]);
    }
    timing.behind_all(&mut steps);
    if matches!(delivery.ending, Ending::CutAfter(_)) {
        steps.push(Step::Cut);
    }
    steps
}

/// The waits around the pieces of a stream.
struct Timing {
    /// How many pieces are sent at all.
    sent: usize,
    between: Duration,
    /// A wait after so many pieces, never beyond the last that is sent.
    stall: Option<(usize, Duration)>,
}

impl Timing {
    fn of(delivery: &Delivery, pieces: usize) -> Self {
        let sent = delivery.ending.stops_after().unwrap_or(usize::MAX).min(pieces);
        let stall = delivery.stall.map(|(after, length)| (after.min(sent), length));
        Self { sent, between: delivery.between, stall }
    }

    fn before(&self, at: usize, steps: &mut Vec<Step>) {
        if at > 0 {
            pause(steps, self.between);
        }
        self.stall_at(at, steps);
    }

    fn behind_all(&self, steps: &mut Vec<Step>) {
        self.stall_at(self.sent, steps);
    }

    fn stall_at(&self, at: usize, steps: &mut Vec<Step>) {
        if let Some((after, length)) = self.stall
            && after == at
        {
            pause(steps, length);
        }
    }
}

fn pause(steps: &mut Vec<Step>, length: Duration) {
    if !length.is_zero() {
        steps.push(Step::Pause(length));
    }
}

/// Takes every piece apart, so that each byte is a write of its own.
fn byte_by_byte(steps: Vec<Step>, wait: Duration) -> Vec<Step> {
    let after = if wait.is_zero() { Step::Flush } else { Step::Pause(wait) };
    let mut single = Vec::new();
    for step in steps {
        match step {
            Step::Send(bytes) => {
                for at in 0..bytes.len() {
                    single.extend([Step::Send(bytes.slice(at..=at)), after.clone()]);
                }
            }
            other => single.push(other),
        }
    }
    single
}
