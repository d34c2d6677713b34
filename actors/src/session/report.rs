//! What a turn reports, and what it is told to do next. The session records in between.

use super::Session;
use crate::{
    backoff::wait_ms,
    command::Refusal,
    decide::{
        answer::{self, AnswerFacts},
        failure::{self, FailureFacts},
        prepare::Recall,
        stall::{Breakdown, break_off},
        step::{self, Next},
        tools::{Left, ToolResult},
    },
    ports::{
        Approval, ApprovalRequest, MemorySnapshot, Model, ModelAnswer, ModelCall, ModelError, RecallQuery, Tool,
        ToolInvocation,
    },
};
use actix::{
    ActorFutureExt, AtomicResponse, Context, Handler, Message,
    fut::{self, LocalBoxActorFuture},
};
use dispatch_events::{
    Event, Generation, ObligationId, Part, TurnId,
    catalogue::{model::ModelStreamed, tool::CallRef},
};
use std::{sync::Arc, time::Duration};

/// What happened in a turn.
pub enum Report {
    /// The turn begins, goes on after a crash, or has waited long enough.
    Ready,
    /// What a first request needs is there.
    Prepared(Preparation),
    /// The model's answer is whole.
    Answered {
        /// The request.
        attempt: u32,
        /// The answer.
        answer: Box<ModelAnswer>,
        /// Milliseconds to the first text or call.
        first_token_ms: Option<u64>,
        /// Milliseconds to the end mark.
        duration_ms: u64,
    },
    /// The request failed.
    CallFailed {
        /// The request.
        attempt: u32,
        /// Why.
        error: ModelError,
        /// Text that was shown of its answer.
        shown: String,
    },
    /// A segment of tools has run.
    ToolsFinished(Vec<ToolResult>),
    /// Somebody was asked about a call.
    Consent {
        /// The call.
        call: CallRef,
        /// What they said.
        approval: Approval,
    },
    /// The turn can't go on.
    Abort {
        /// Class of the error.
        code: &'static str,
        /// Cause and next step.
        message: String,
    },
}

/// What a first request needs.
pub struct Preparation {
    /// How the recall went.
    pub recall: Recall,
    /// Memory files, if the prompt is not built yet.
    pub snapshot: Option<MemorySnapshot>,
}

/// What a turn does next. Everything that it announces is on the disk.
pub enum Step {
    /// Recall, and read the memory files if there is no prompt yet.
    Prepare {
        /// What to recall.
        query: RecallQuery,
        /// Whether the memory files are needed.
        snapshot: bool,
    },
    /// Send this request: its `model.requested` is durable.
    Call(Outgoing),
    /// Run these tools: their `tool.started` are durable.
    RunTools(Vec<RunnableCall>),
    /// Ask whether this call may run: the question is durable.
    Ask(ApprovalRequest),
    /// Wait, then report [`Report::Ready`].
    Wait(Duration),
    /// The turn is over.
    Done,
}

/// A request that may leave.
pub struct Outgoing {
    /// The model.
    pub model: Arc<Model>,
    /// The request.
    pub call: ModelCall,
    /// Its number within the turn.
    pub attempt: u32,
}

/// A tool that may run.
pub struct RunnableCall {
    /// The call.
    pub call: CallRef,
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Arguments and context.
    pub invocation: ToolInvocation,
}

/// A turn's report.
#[derive(Message)]
#[rtype(result = "Result<Step, Refusal>")]
pub struct Advance {
    /// The turn.
    pub turn: TurnId,
    /// Its attempt: a report of an old one is refused.
    pub generation: Generation,
    /// What happened.
    pub report: Report,
}

pub(super) type Stepping = LocalBoxActorFuture<Session, Result<Step, Refusal>>;

impl Handler<Advance> for Session {
    type Result = AtomicResponse<Self, Result<Step, Refusal>>;

    fn handle(&mut self, advance: Advance, _: &mut Context<Self>) -> Self::Result {
        let Advance { turn, generation, report } = advance;
        if !self.is_running(turn, generation) {
            return AtomicResponse::new(Box::pin(fut::ready(Err(Refusal::StaleGeneration(generation)))));
        }
        let step: Stepping = match report {
            Report::Ready => self.proceed(turn),
            Report::Prepared(preparation) => self.first_request(turn, &preparation),
            Report::Answered { attempt, answer, first_token_ms, duration_ms } => {
                self.answered(turn, attempt, &answer, first_token_ms, duration_ms)
            }
            Report::CallFailed { attempt, error, shown } => self.call_failed(turn, attempt, &error, &shown),
            Report::ToolsFinished(results) => self.tools_finished(turn, results),
            Report::Consent { call, approval } => self.consented(turn, call, &approval),
            Report::Abort { code, message } => {
                let shown = self.unrecorded(turn, None);
                let how = Breakdown { code, message: &message, left: shown.as_left() };
                let events = break_off(&self.state, turn, how, self.claim_facts());
                self.record(turn, events, |_| Step::Done)
            }
        };
        AtomicResponse::new(step)
    }
}

impl Session {
    pub(super) fn is_running(&self, turn: TurnId, generation: Generation) -> bool {
        self.running.as_ref().is_some_and(|running| running.turn == turn && running.generation == generation)
    }

    /// The next step as the state tells it.
    pub(super) fn proceed(&mut self, turn: TurnId) -> Stepping {
        match step::next(&self.state, turn) {
            Next::Prepare => {
                let said = self.state.admissions.started().map(|admission| Part::joined(&admission.parts));
                let query = RecallQuery { text: said.unwrap_or_default(), session: self.id };
                let snapshot = self.state.prompt.built.is_none();
                Box::pin(fut::ready(Ok(Step::Prepare { query, snapshot })))
            }
            Next::Call => self.request(turn, Vec::new(), super::request::Planned::default()),
            Next::Tools => self.run_tools(turn, Vec::new(), Vec::new()),
            Next::Over => Box::pin(fut::ready(Ok(Step::Done))),
        }
    }

    fn answered(
        &mut self,
        turn: TurnId,
        attempt: u32,
        answer: &ModelAnswer,
        first_token_ms: Option<u64>,
        duration_ms: u64,
    ) -> Stepping {
        let memory = self.shared.backend.as_ref().map(|_| (ObligationId::fresh(), ObligationId::fresh()));
        let facts = AnswerFacts { attempt, first_token_ms, duration_ms, memory, claim: self.claim_facts() };
        let events = answer::answer(&self.state, turn, answer, &facts);
        if answer.calls.is_empty() {
            return self.record(turn, events, |_| Step::Done);
        }
        self.record_then(turn, events, move |session| session.proceed(turn))
    }

    fn call_failed(&mut self, turn: TurnId, attempt: u32, error: &ModelError, shown: &str) -> Stepping {
        let failures = self.state.turns.get(turn).map_or(0, |turn| turn.failures);
        let facts = FailureFacts {
            attempt,
            shown,
            retries: self.shared.settings.model_retries,
            backoff_ms: backoff_ms(failures, self.shared.settings.jitter),
            claim: self.claim_facts(),
        };
        let (events, wait) = failure::failure(&self.state, turn, error, facts);
        self.record(turn, events, move |_| wait.map_or(Step::Done, |ms| Step::Wait(Duration::from_millis(ms))))
    }

    /// Appends a turn's events, then says what is next. What the log can't take ends the turn with that reason.
    pub(super) fn record(
        &mut self,
        turn: TurnId,
        events: Vec<Event>,
        next: impl FnOnce(&mut Session) -> Step + 'static,
    ) -> Stepping {
        self.record_then(turn, events, move |session| Box::pin(fut::ready(Ok(next(session)))))
    }

    pub(super) fn record_then(
        &mut self,
        turn: TurnId,
        events: Vec<Event>,
        next: impl FnOnce(&mut Session) -> Stepping + 'static,
    ) -> Stepping {
        let meta = self.turn_meta(Some(turn));
        let commit = self.commit(events, meta);
        Box::pin(commit.then(move |committed, session: &mut Session, ctx: &mut Context<Session>| match committed {
            Ok(_) => {
                if let Some(running) = &session.running {
                    running.activity.touch();
                }
                next(session)
            }
            Err(Refusal::Invalid(why)) => {
                session.rendered = None;
                let why = format!("the log can't take what the turn gave: {why}. Ask for less at once");
                let how = Breakdown { code: "too_large", message: &why, left: Left::default() };
                let failed = break_off(&session.state, turn, how, session.claim_facts());
                let meta = session.turn_meta(Some(turn));
                Box::pin(session.commit(failed, meta).map(
                    |ended, session: &mut Session, ctx: &mut Context<Session>| {
                        ended.map(|_| Step::Done).inspect_err(|refusal| session.give_up(&refusal.to_string(), ctx))
                    },
                ))
            }
            Err(refusal) => {
                session.give_up(&refusal.to_string(), ctx);
                Box::pin(fut::ready(Err(refusal)))
            }
        }))
    }
}

/// 2 s, doubling, at most 60 s, with jitter (hermes-behaviour.md §5.5).
fn backoff_ms(failures: u32, jitter: Option<u64>) -> u64 {
    wait_ms(Duration::from_secs(2), Duration::from_secs(60), failures.saturating_add(1), jitter)
}

/// Text that a person has seen of an answer that is not whole yet. Nobody waits for it.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Streamed {
    /// The turn.
    pub turn: TurnId,
    /// Its attempt.
    pub generation: Generation,
    /// The request.
    pub attempt: u32,
    /// The piece since the last one.
    pub text: String,
}

impl Handler<Streamed> for Session {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, streamed: Streamed, _: &mut Context<Self>) -> Self::Result {
        let Streamed { turn, generation, attempt, text } = streamed;
        if !self.is_running(turn, generation) {
            return AtomicResponse::new(Box::pin(fut::ready(())));
        }
        let event = ModelStreamed { turn, attempt, text }.into();
        AtomicResponse::new(Box::pin(self.record(turn, vec![event], |_| Step::Done).map(|_, _, _| ())))
    }
}
