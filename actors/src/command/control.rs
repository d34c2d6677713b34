//! Stopping a turn, settling what is unknown, attaching to a session.

use crate::handle::Subscription;
use dispatch_events::{
    Generation, StreamId, TurnId, Version,
    catalogue::{input::Principal, tool::CallRef},
};
use dispatch_projections::{
    SessionState,
    tools::CallState,
    view::{LeaseView, QueueView, SummaryView, TranscriptView},
};
use serde::Serialize;

/// What is to be stopped. Without a name, whatever runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stop {
    /// This turn, and no other.
    pub turn: Option<TurnId>,
    /// This attempt, and no other.
    pub generation: Option<Generation>,
}

/// The answer to an interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interrupted {
    /// The session.
    pub session: StreamId,
    /// The turn that was stopped; `None` if nothing ran.
    pub turn: Option<TurnId>,
    /// Its attempt.
    pub generation: Option<Generation>,
    /// The session's version after it.
    pub version: Version,
}

/// What a person says of an outcome that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconcile {
    /// Who says so.
    pub principal: Principal,
    /// Which call; may be left out where only one thing is unknown.
    pub call: Option<CallRef>,
    /// What became of it.
    pub verdict: ReconcileVerdict,
    /// Why, for the log.
    pub why: String,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReconcileVerdict {
    /// The call was done; this is its result, and the turn goes on.
    Finished(String),
    /// The call was not done; the model is told so, and the turn goes on. For an input without a call in doubt: the turn
    /// is tried again.
    NotDone,
    /// The turn is given up.
    GiveUp,
}

/// A session at one moment, and everything that comes after it: no event is missing in between, and none comes twice.
pub struct Attached {
    /// The moment.
    pub snapshot: Snapshot,
    /// Every event behind it, with live text in between.
    pub updates: Subscription,
}

/// A session at one moment.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// Version of the last event that is in it.
    pub version: Version,
    /// The session in one row.
    pub session: SummaryView,
    /// Inputs that are not finished.
    pub queue: QueueView,
    /// Who may run a turn.
    pub lease: LeaseView,
    /// What was said.
    pub transcript: TranscriptView,
    /// Text that is coming in, as far as the log has it.
    pub shown: String,
    /// Calls that wait for a person's consent.
    pub questions: Vec<Question>,
}

impl Snapshot {
    /// The moment that a state is.
    pub fn of(state: &SessionState) -> Self {
        let running = state.admissions.started().and_then(|admission| state.turns.get(admission.turn?));
        Self {
            version: state.version,
            session: SummaryView::of(state),
            queue: QueueView::of(state),
            lease: LeaseView::of(state),
            transcript: TranscriptView::of(state),
            shown: running.map(|turn| turn.shown.clone()).unwrap_or_default(),
            questions: running.map(|turn| Question::open(state, turn.id)).unwrap_or_default(),
        }
    }
}

/// A call that waits for a person's consent.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// The turn.
    pub turn: TurnId,
    /// Version of the message that asks for the call.
    pub message: Version,
    /// Its index there.
    pub index: u32,
    /// The tool.
    pub tool: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
    /// Digest of both, which a consent names.
    pub digest: String,
    /// Why it is asked.
    pub why: String,
}

impl Question {
    /// The questions of a turn that nobody has answered, in order.
    fn open(state: &SessionState, turn: TurnId) -> Vec<Self> {
        let questions = state.tools.open(turn).filter_map(|open| {
            let CallState::Asked { digest, why } = &open.state else { return None };
            let said = state.transcript.call(open.call)?;
            Some(Self {
                turn,
                message: open.call.message,
                index: open.call.index,
                tool: said.tool.clone(),
                arguments: said.arguments.0.clone(),
                digest: digest.hex(),
                why: why.clone(),
            })
        });
        questions.collect()
    }
}
