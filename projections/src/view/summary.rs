//! A session in one row, and the proof of its prefix.

use crate::{SessionState, admissions::AdmissionState};
use dispatch_events::{Position, StreamId, TurnId, Version, catalogue::session::BusyMode};
use serde::Serialize;

/// What a session does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It waits for input.
    Idle,
    /// Input waits for a turn.
    Queued,
    /// A turn runs.
    Running,
    /// An outcome is unknown: somebody has to settle it.
    Paused,
    /// Its events can't be read.
    Unreadable,
    /// It was erased, or will be in a moment.
    Erased,
}

/// A session in one row.
#[derive(Clone, Debug, Serialize)]
pub struct SummaryView {
    /// Its id.
    pub id: StreamId,
    /// Its name.
    pub name: String,
    /// What it does.
    pub status: SessionStatus,
    /// Whether it is left out of lists.
    pub archived: bool,
    /// What an input that does not say wants of a running turn; `None` for what the host's settings say.
    #[serde(serialize_with = "super::words::snake")]
    pub busy: Option<BusyMode>,
    /// Surface that opened it.
    pub source: String,
    /// Agent.
    pub agent: String,
    /// When it began, RFC 3339.
    pub opened_at: String,
    /// When its last event was recorded, RFC 3339.
    pub updated_at: String,
    /// Version of its last event.
    pub version: Version,
    /// Position of its last event.
    pub position: Position,
    /// Number that changes with what a person sees.
    pub revision: u64,
    /// Turns so far.
    pub turns: usize,
    /// The turn that runs.
    pub turn: Option<TurnId>,
    /// Messages to and from the model.
    pub messages: usize,
    /// Requests to models.
    pub model_calls: usize,
    /// Inputs that are not finished.
    pub pending: usize,
    /// Model profile of the last request; of a fork that has made none, the one of its next.
    pub profile: Option<String>,
    /// Tokens of the requests, as far as vendors said.
    pub input_tokens: u64,
    /// Tokens of the answers, as far as vendors said.
    pub output_tokens: u64,
    /// Answers whose vendor gave no tokens: unknown, not zero.
    pub unknown_usage: u64,
    /// Events of another build that were skipped.
    pub skipped_events: u64,
    /// What went wrong while it was folded.
    pub problems: Vec<String>,
}

impl SummaryView {
    /// The row of a session that can't be folded, with the reason.
    pub fn unreadable(id: StreamId, name: String, why: String) -> Self {
        let empty = SessionState::empty(id);
        Self { name, status: SessionStatus::Unreadable, problems: vec![why], ..Self::of(&empty) }
    }

    /// The row of a state.
    pub fn of(state: &SessionState) -> Self {
        let started = state.admissions.started();
        let status = match state.admissions.pending().next().map(|admission| admission.state) {
            _ if state.erasure.is_some() => SessionStatus::Erased,
            _ if state.admissions.unknown().is_some() => SessionStatus::Paused,
            _ if started.is_some() => SessionStatus::Running,
            Some(AdmissionState::Queued) => SessionStatus::Queued,
            _ => SessionStatus::Idle,
        };
        let opened = state.opened.as_ref();
        Self {
            id: state.stream,
            name: state.name.clone(),
            status,
            archived: state.archived,
            busy: state.busy,
            source: opened.map(|opened| opened.source.clone()).unwrap_or_default(),
            agent: opened.map(|opened| opened.agent.clone()).unwrap_or_default(),
            opened_at: state.opened_at.rfc3339(),
            updated_at: state.updated_at.rfc3339(),
            version: state.version,
            position: state.position,
            revision: state.revision,
            turns: state.turns.len(),
            turn: started.and_then(|admission| admission.turn),
            messages: state.transcript.wire_len(),
            model_calls: state.calls.requests().len(),
            pending: state.admissions.pending_len(),
            profile: state.calls.profile().map(str::to_owned),
            input_tokens: state.usage.input_tokens,
            output_tokens: state.usage.output_tokens,
            unknown_usage: state.usage.unknown,
            skipped_events: state.skipped,
            problems: state.transcript.problems().to_vec(),
        }
    }
}

/// Whether each request repeats the one before it byte for byte.
#[derive(Clone, Debug, Serialize)]
pub struct PrefixView {
    /// In order.
    pub requests: Vec<PrefixRow>,
}

/// One request.
#[derive(Clone, Debug, Serialize)]
pub struct PrefixRow {
    /// Version of its event.
    pub version: Version,
    /// Turn.
    pub turn: TurnId,
    /// Number within the turn.
    pub attempt: u32,
    /// Whether it repeats everything that the request before it sent.
    pub extends_previous: bool,
    /// First block that differs: 0 is the head, k is message k.
    pub diverged_at: Option<u32>,
    /// Why.
    pub cause: Option<String>,
    /// Whether the bytes that replay renders today give the recorded digests.
    pub proven: bool,
}
