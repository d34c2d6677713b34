//! The ledgers: queue, lease, prompt, memory, tools, obligations.

use crate::prompt::join;
use crate::{
    SessionState,
    admissions::AdmissionState,
    memory::{MemoryTimeline, Moment},
    obligations::ObligationState,
    tools::CallState,
};
use dispatch_events::{
    AdmissionId, Digest, Epoch, Generation, ObligationId, Part, Position, StreamId, Timestamp, TurnId, Version,
    catalogue::{
        input::{Intent, Outcome, Principal},
        obligation::ObligationKind,
        prompt::PromptSource,
    },
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Inputs: those that are not finished, and how the last ones ended.
#[derive(Clone, Debug, Serialize)]
pub struct QueueView {
    /// Those that are not finished, in order.
    pub pending: Vec<QueueRow>,
    /// The last [`FINISHED_SHOWN`] that are finished, in the order in which they came.
    pub finished: Vec<FinishedRow>,
}

/// Most finished inputs in a [`QueueView`].
pub const FINISHED_SHOWN: usize = 32;

/// One input that is finished.
#[derive(Clone, Debug, Serialize)]
pub struct FinishedRow {
    /// Admission.
    pub admission: AdmissionId,
    /// The caller's idempotency key.
    pub request_id: String,
    /// Place in the queue.
    pub seq: u64,
    /// What it wanted of a running turn.
    #[serde(serialize_with = "crate::view::words::snake")]
    pub intent: Intent,
    /// Who submitted it, `adapter:subject`.
    pub principal: String,
    /// The turn that carried it, or into which it was put.
    pub turn: Option<TurnId>,
    /// How it ended.
    #[serde(serialize_with = "crate::view::words::snake")]
    pub outcome: Option<Outcome>,
    /// Why it ended so, where no other event says it.
    pub why: Option<String>,
}

/// One input.
#[derive(Clone, Debug, Serialize)]
pub struct QueueRow {
    /// Admission.
    pub admission: AdmissionId,
    /// The caller's idempotency key.
    pub request_id: String,
    /// Place in the queue.
    pub seq: u64,
    /// Where it is.
    pub state: AdmissionState,
    /// What it wants of a running turn.
    #[serde(serialize_with = "crate::view::words::snake")]
    pub intent: Intent,
    /// What was asked for, where the host made another intent of it.
    #[serde(serialize_with = "crate::view::words::snake")]
    pub demoted: Option<Intent>,
    /// Who submitted it, `adapter:subject`.
    pub principal: String,
    /// What was said.
    pub text: String,
    /// The turn that carries it.
    pub turn: Option<TurnId>,
    /// The attempt that carries it.
    pub generation: Option<Generation>,
    /// How often it went back to the queue.
    pub requeues: u32,
    /// Why nobody knows what it did.
    pub unknown: Option<String>,
    /// When it was queued, RFC 3339.
    pub queued_at: String,
}

impl QueueView {
    /// The queue of a state.
    pub fn of(state: &SessionState) -> Self {
        let rows = state.admissions.pending().map(|admission| QueueRow {
            admission: admission.id,
            request_id: admission.request.clone(),
            seq: admission.seq,
            state: admission.state,
            intent: admission.intent,
            demoted: admission.demoted,
            principal: name(&admission.principal),
            text: Part::joined(&admission.parts),
            turn: admission.turn,
            generation: admission.generation,
            requeues: admission.requeues,
            unknown: admission.unknown.clone(),
            queued_at: admission.queued_at.rfc3339(),
        });
        let all = state.admissions.iter().rev();
        let finished = all.filter(|one| one.state == AdmissionState::Terminal).take(FINISHED_SHOWN);
        let mut finished: Vec<_> = finished
            .map(|one| FinishedRow {
                admission: one.id,
                request_id: one.request.clone(),
                seq: one.seq,
                intent: one.intent,
                principal: name(&one.principal),
                turn: one.turn,
                outcome: one.outcome,
                why: one.why.clone(),
            })
            .collect();
        finished.reverse();
        Self { pending: rows.collect(), finished }
    }
}

fn name(principal: &Principal) -> String {
    format!("{}:{}", principal.adapter, principal.subject)
}

/// Who may run a turn.
#[derive(Clone, Debug, Serialize)]
pub struct LeaseView {
    /// Host run that holds it; `None` if nobody does.
    pub holder: Option<Epoch>,
    /// Attempt that it is for, or the last one that had it.
    pub generation: Generation,
    /// When it was taken, RFC 3339.
    pub acquired_at: Option<String>,
    /// When it was last renewed, RFC 3339.
    pub renewed_at: Option<String>,
    /// Life without renewal in milliseconds.
    pub ttl_ms: Option<u64>,
    /// Why the last holder lost it.
    pub lost: Option<String>,
}

impl LeaseView {
    /// The lease of a state.
    pub fn of(state: &SessionState) -> Self {
        let held = state.lease.held;
        Self {
            holder: held.map(|held| held.holder),
            generation: held.map_or(state.lease.generation, |held| held.generation),
            acquired_at: held.map(|held| held.acquired_at.rfc3339()),
            renewed_at: held.map(|held| held.renewed_at.rfc3339()),
            ttl_ms: held.map(|held| held.ttl_ms),
            lost: state.lease.lost.clone(),
        }
    }
}

/// System prompt and tools.
#[derive(Clone, Debug, Serialize)]
pub struct PromptView {
    /// The text as it is sent; `None` before the first turn.
    pub system: Option<String>,
    /// Its tiers.
    pub tiers: Vec<TierView>,
    /// What they were made of.
    pub sources: Vec<PromptSource>,
    /// Digest of the text.
    pub digest: Option<Digest>,
    /// Version of the event that built it.
    pub version: Option<Version>,
    /// Names of the tools.
    pub tools: Vec<String>,
    /// Their schemas, exactly as they are sent.
    pub schemas: Option<String>,
}

/// One tier.
#[derive(Clone, Debug, Serialize)]
pub struct TierView {
    /// `stable`, `context` or `volatile`.
    pub tier: &'static str,
    /// Its text.
    pub text: String,
}

impl PromptView {
    /// The prompt of a state.
    pub fn of(state: &SessionState) -> Self {
        let built = state.prompt.built.as_ref();
        let tools = state.prompt.tools.as_ref();
        let tiers = built.map_or_else(Vec::new, |built| {
            vec![
                TierView { tier: "stable", text: built.stable.to_string() },
                TierView { tier: "context", text: join([&built.caller, &built.context, "", ""]) },
                TierView { tier: "volatile", text: built.volatile.clone() },
            ]
        });
        Self {
            system: built.map(crate::prompt::BuiltPrompt::text),
            tiers,
            sources: built.map(|built| built.sources.clone()).unwrap_or_default(),
            digest: built.map(|built| built.digest),
            version: built.map(|built| built.version),
            tools: tools.map(|tools| tools.names.clone()).unwrap_or_default(),
            schemas: tools.map(|tools| tools.schemas.to_string()),
        }
    }
}

/// From when a memory may shape an answer.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryView {
    /// In order.
    pub moments: Vec<MomentRow>,
}

/// One moment.
#[derive(Clone, Debug, Serialize)]
pub struct MomentRow {
    /// Place in the whole log.
    pub position: Position,
    /// Stream that it stands in.
    pub stream: StreamId,
    /// Number in the stream.
    pub version: Version,
    /// When, RFC 3339.
    pub at: String,
    /// `what` with the name of what happened, then its fields.
    #[serde(flatten)]
    pub what: Map<String, Value>,
}

impl MomentRow {
    fn of(moment: &Moment) -> Self {
        let Moment { position, stream, version, at, what } = moment;
        let mut fields = Map::new();
        if let Ok(Value::Object(named)) = serde_json::to_value(what) {
            for (name, happened) in named {
                fields.insert("what".into(), name.into());
                fields.extend(happened.as_object().cloned().unwrap_or_default());
            }
        }
        Self { position: *position, stream: *stream, version: *version, at: at.rfc3339(), what: fields }
    }
}

impl MemoryView {
    /// The moments of a state.
    pub fn of(state: &SessionState) -> Self {
        Self::from(&state.memory)
    }
}

impl From<&MemoryTimeline> for MemoryView {
    fn from(timeline: &MemoryTimeline) -> Self {
        Self { moments: timeline.moments().iter().map(MomentRow::of).collect() }
    }
}

/// Tool calls.
#[derive(Clone, Debug, Serialize)]
pub struct ToolsView {
    /// In order.
    pub calls: Vec<ToolRow>,
}

/// One call.
#[derive(Clone, Debug, Serialize)]
pub struct ToolRow {
    /// Turn.
    pub turn: TurnId,
    /// Version of the assistant message that asks for it.
    pub message: Version,
    /// Index in that message's calls.
    pub index: u32,
    /// The vendor's id.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as the model wrote them.
    pub arguments: String,
    /// Where it is.
    pub state: CallState,
    /// When it was asked for, RFC 3339.
    pub at: String,
    /// When its body began, RFC 3339.
    pub started_at: Option<String>,
    /// The end of what it has said so far, while it has no result.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_output: String,
}

impl ToolsView {
    /// The calls of a state.
    pub fn of(state: &SessionState) -> Self {
        let rows = state.tools.iter().map(|tool| {
            let call = state.transcript.call(tool.call);
            ToolRow {
                turn: tool.turn,
                message: tool.call.message,
                index: tool.call.index,
                id: call.map(|call| call.id.clone()).unwrap_or_default(),
                tool: call.map(|call| call.tool.clone()).unwrap_or_default(),
                arguments: call.map(|call| call.arguments.0.clone()).unwrap_or_default(),
                state: tool.state.clone(),
                at: tool.at.rfc3339(),
                started_at: tool.started_at.map(Timestamp::rfc3339),
                last_output: tool.last_output.clone(),
            }
        });
        Self { calls: rows.collect() }
    }
}

/// What is owed to the outside.
#[derive(Clone, Debug, Serialize)]
pub struct ObligationsView {
    /// In order.
    pub obligations: Vec<ObligationRow>,
}

/// One obligation.
#[derive(Clone, Debug, Serialize)]
pub struct ObligationRow {
    /// Its id.
    pub obligation: ObligationId,
    /// What it is.
    #[serde(serialize_with = "crate::view::words::snake")]
    pub kind: ObligationKind,
    /// Idempotency key.
    pub key: String,
    /// Turn that it comes from.
    pub turn: TurnId,
    /// Where it is.
    pub state: ObligationState,
    /// Attempts so far.
    pub attempts: u32,
    /// Why the last attempt failed.
    pub failure: Option<String>,
    /// When it was created, RFC 3339.
    pub created_at: String,
}

impl ObligationsView {
    /// The obligations of a state.
    pub fn of(state: &SessionState) -> Self {
        let rows = state.obligations.iter().map(|obligation| ObligationRow {
            obligation: obligation.id,
            kind: obligation.kind,
            key: obligation.key.clone(),
            turn: obligation.turn,
            state: obligation.state.clone(),
            attempts: obligation.attempts,
            failure: obligation.failure.clone(),
            created_at: obligation.created_at.rfc3339(),
        });
        Self { obligations: rows.collect() }
    }
}
