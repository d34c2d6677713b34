//! The frames of a streamed answer. The end marks leave only after the turn is settled.

use super::{
    super::{
        headers,
        problem::{Code, Problem},
        sse::{self, Frame as SseFrame, Source},
        state::Gateway,
    },
    answer::{ChunkChoice, Extra, Frame, Tokens},
    turn::{Ending, Follower, Step},
};
use actix_web::{
    HttpResponse,
    http::header::HeaderValue,
    web::{Bytes, Data},
};
use dispatch_actors::{Receipt, handle::Subscription};
use dispatch_events::StreamId;
use serde::Serialize;
use std::{collections::VecDeque, time::Duration};

/// How long the response's head waits for the turn's id while other turns run before it. Less than the time between two
/// comments, so nobody on the way takes the connection for dead.
const HEAD_WAIT: Duration = Duration::from_secs(10);

/// Time for the last words when the server stops: the turn itself was waited for by the drain.
const GRACE: Duration = Duration::from_secs(2);

/// A streamed answer.
struct Live {
    session: StreamId,
    frame: Frame,
    follower: Follower,
    updates: Subscription,
    include_usage: bool,
    /// Steps that came before the response's head.
    early: VecDeque<Step>,
    begun: bool,
}

/// The response for a durable input.
pub(super) async fn respond(
    gateway: Data<Gateway>,
    receipt: Receipt,
    updates: Subscription,
    echo: Option<HeaderValue>,
    include_usage: bool,
) -> HttpResponse {
    let mut live = Live {
        session: receipt.session,
        frame: Frame::of(&gateway, receipt.admission),
        follower: Follower::of(&receipt),
        updates,
        include_usage,
        early: VecDeque::new(),
        begun: false,
    };
    // Without the turn's id in time the head goes out without it; the last piece has it.
    tokio::time::timeout(HEAD_WAIT, live.until_started()).await.ok();
    let mut response = HttpResponse::Ok();
    headers::answer(&mut response, receipt.session, echo, live.follower.turn(), receipt.position);
    sse::respond(gateway, live, response)
}

impl Live {
    async fn until_started(&mut self) {
        while self.follower.turn().is_none() {
            let step = self.step().await;
            let over = matches!(step, Step::Settled(_) | Step::Failed(..));
            if step != Step::Nothing {
                self.early.push_back(step);
            }
            if over {
                return;
            }
        }
    }

    /// Takes one update.
    async fn step(&mut self) -> Step {
        match self.updates.next().await {
            Some(Ok(update)) => self.follower.apply(&update),
            Some(Err(refusal)) => {
                let problem = Problem::from(refusal);
                Step::Failed(problem.code(), problem.detail().to_owned())
            }
            None => Step::Failed(Code::Draining, GONE.to_owned()),
        }
    }

    fn chunk(&self, choice: ChunkChoice<'_>) -> Bytes {
        data(&self.frame.chunk(&[choice]))
    }

    fn last(&self, ending: &Ending) -> Bytes {
        let choice = [ChunkChoice::finish(ending)];
        let mut finish = self.frame.chunk(&choice);
        finish.x_dispatch = Some(Extra::of(self.session, ending));
        let mut bytes = data(&finish).to_vec();
        if self.include_usage {
            let mut tokens = self.frame.chunk(&[]);
            tokens.usage = Some(ending.usage.map(Tokens::of));
            bytes.extend_from_slice(&data(&tokens));
        }
        bytes.extend_from_slice(b"data: [DONE]\n\n");
        Bytes::from(bytes)
    }
}

const GONE: &str = "the host is shutting down; the turn is durable: ask again with the same Idempotency-Key";

impl Source for Live {
    async fn next(&mut self) -> SseFrame {
        if !self.begun {
            self.begun = true;
            return SseFrame::More(self.chunk(ChunkChoice::role()));
        }
        loop {
            let step = match self.early.pop_front() {
                Some(step) => step,
                None => self.step().await,
            };
            return match step {
                Step::Nothing => continue,
                Step::Text(text) => SseFrame::More(self.chunk(ChunkChoice::text(&text))),
                Step::Settled(ending) => SseFrame::Last(self.last(&ending)),
                Step::Failed(code, why) => SseFrame::Last(failure(&Problem::new(code, why))),
            };
        }
    }

    fn grace(&self) -> Duration {
        GRACE
    }

    fn cut_off(&mut self) -> SseFrame {
        SseFrame::Last(failure(&Problem::new(Code::Draining, GONE)))
    }
}

fn data(value: &impl Serialize) -> Bytes {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(b"data: ");
    // A struct of strings and numbers always has a JSON form, and a vector takes every byte.
    serde_json::to_writer(&mut bytes, value).ok();
    bytes.extend_from_slice(b"\n\n");
    Bytes::from(bytes)
}

/// The last frame of a turn without an answer: an `error` member, and no `[DONE]`.
fn failure(problem: &Problem) -> Bytes {
    #[derive(Serialize)]
    struct Failure<E> {
        error: E,
    }
    data(&Failure { error: problem.openai_error() })
}
