//! Consent: the question recorded, then asked; the answer recorded, then acted on.

use super::{
    Session,
    report::{Step, Stepping},
};
use crate::{
    decide::approve,
    ports::{Approval, ApprovalRequest},
};
use dispatch_events::{
    Event, TurnId,
    catalogue::tool::{CallRef, EffectClass},
};
use dispatch_projections::tools::CallState;

impl Session {
    /// The call as somebody would have to consent to it; `None` if nobody has to, or somebody has.
    pub(super) fn consent(&self, turn: TurnId, call: CallRef, class: EffectClass) -> Option<ApprovalRequest> {
        let known = &self.state.tools.get(call)?.state;
        if !matches!(known, CallState::Requested | CallState::Asked { .. }) {
            return None;
        }
        let said = self.state.transcript.call(call)?;
        let digest = approve::digest(&said.tool, &said.arguments);
        let request = ApprovalRequest {
            session: self.id,
            turn,
            call,
            tool: said.tool.clone(),
            arguments: said.arguments.clone(),
            class,
            digest,
            why: String::new(),
        };
        match known {
            _ if self.state.tools.approved(&digest) => None,
            // The question stands, whatever the gate would say today.
            CallState::Asked { digest, why } => Some(ApprovalRequest { digest: *digest, why: why.clone(), ..request }),
            _ => self.shared.approvals.needed(&request).map(|why| ApprovalRequest { why, ..request }),
        }
    }

    /// Records the question, with what comes before it, and has the turn ask it.
    pub(super) fn ask(&mut self, request: ApprovalRequest, mut before: Vec<Event>) -> Stepping {
        let turn = request.turn;
        before.extend(approve::ask(&self.state, turn, request.call, request.digest, &request.why));
        self.record(turn, before, move |_| Step::Ask(request))
    }

    /// Records the answer, then goes on.
    pub(super) fn consented(&mut self, turn: TurnId, call: CallRef, approval: &Approval) -> Stepping {
        let events = approve::answered(&self.state, turn, call, approval);
        self.record_then(turn, events, move |session| session.proceed(turn))
    }
}
