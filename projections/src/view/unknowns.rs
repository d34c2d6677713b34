//! What nobody knows of a paused session, with what is known about it.

use crate::{SessionState, tools::CallState};
use dispatch_events::{AdmissionId, Part, Position, StreamId, Timestamp, TurnId, Version};
use serde::Serialize;

/// What nobody knows.
#[derive(Clone, Debug, Serialize)]
pub struct UnknownsView {
    /// In order.
    pub unknowns: Vec<UnknownRow>,
}

/// One thing that nobody knows: how a call ended, or what an input did.
#[derive(Clone, Debug, Serialize)]
pub struct UnknownRow {
    /// Session.
    pub session: StreamId,
    /// Its name.
    pub name: String,
    /// The input that is paused over it.
    pub admission: AdmissionId,
    /// What was said with it.
    pub text: String,
    /// Its turn.
    pub turn: Option<TurnId>,
    /// Version of the message that asks for the call; `None` where no call is in doubt.
    pub message: Option<Version>,
    /// The call's index there.
    pub index: Option<u32>,
    /// The tool.
    pub tool: Option<String>,
    /// Its arguments, as the model wrote them.
    pub arguments: Option<String>,
    /// Why nobody knows.
    pub why: String,
    /// When its body began, RFC 3339.
    pub started_at: Option<String>,
    /// Milliseconds from then to its last sign of life.
    pub ran_ms: Option<u64>,
    /// Its last output, as far as the log has it.
    pub last_output: Option<String>,
    /// Position of the last event of the session.
    pub position: Position,
}

impl UnknownsView {
    /// What nobody knows of a state.
    pub fn of(state: &SessionState) -> Self {
        let Some(paused) = state.admissions.unknown() else { return Self { unknowns: Vec::new() } };
        let turn = paused.turn.unwrap_or_default();
        let bare = UnknownRow {
            session: state.stream,
            name: state.name.clone(),
            admission: paused.id,
            text: Part::joined(&paused.parts),
            turn: paused.turn,
            message: None,
            index: None,
            tool: None,
            arguments: None,
            why: paused.unknown.clone().unwrap_or_default(),
            started_at: None,
            ran_ms: None,
            last_output: None,
            position: state.position,
        };
        let calls = state.tools.open(turn).filter_map(|open| {
            let CallState::Unknown { why } = &open.state else { return None };
            let said = state.transcript.call(open.call);
            Some(UnknownRow {
                message: Some(open.call.message),
                index: Some(open.call.index),
                tool: said.map(|call| call.tool.clone()),
                arguments: said.map(|call| call.arguments.0.clone()),
                why: why.clone(),
                started_at: open.started_at.map(Timestamp::rfc3339),
                ran_ms: open.started_at.and_then(|began| Some(open.alive_at?.since_ms(began))),
                last_output: (!open.last_output.is_empty()).then(|| open.last_output.clone()),
                ..bare.clone()
            })
        });
        let mut unknowns: Vec<_> = calls.collect();
        if unknowns.is_empty() {
            unknowns.push(bare);
        }
        Self { unknowns }
    }
}
