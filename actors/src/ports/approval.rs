//! Consent: whether a call may run, and who says so.

use dispatch_events::{
    Digest, RawJson, StreamId, TurnId,
    catalogue::{
        input::Principal,
        tool::{ApprovalScope, CallRef, EffectClass},
    },
};
use futures_util::future::BoxFuture;

/// Whoever decides over calls before they run.
pub trait ApprovalGate: Send + Sync {
    /// Why the call needs a person's consent; `None` if it needs none. Quick, and the same each time.
    fn needed(&self, request: &ApprovalRequest) -> Option<String>;

    /// Asks. The question is durable by then. Dropping the future closes it: the turn was stopped, or has failed. It is
    /// asked again after a crash, for as long as the log has no answer.
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<'static, Approval>;
}

/// A call that somebody has to consent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The session.
    pub session: StreamId,
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// The tool.
    pub tool: String,
    /// Arguments as the model wrote them.
    pub arguments: RawJson,
    /// What a repeat would do.
    pub class: EffectClass,
    /// Digest of tool and arguments, which the consent has to name.
    pub digest: Digest,
    /// Why it is asked; empty as long as nobody has said so.
    pub why: String,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// It may run.
    Given {
        /// Digest of what was shown.
        digest: Digest,
        /// Who.
        by: Principal,
        /// How far it goes.
        scope: ApprovalScope,
    },
    /// It must not run.
    Denied {
        /// Who.
        by: Principal,
        /// Why, in words.
        why: String,
    },
}

/// A gate that stands open: no call needs consent.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoApprovals;

impl ApprovalGate for NoApprovals {
    fn needed(&self, _: &ApprovalRequest) -> Option<String> {
        None
    }

    fn ask(&self, request: ApprovalRequest) -> BoxFuture<'static, Approval> {
        let by = Principal { adapter: "host".to_owned(), subject: "policy".to_owned() };
        let why = "nobody can be asked on this host".to_owned();
        let _ = request;
        Box::pin(std::future::ready(Approval::Denied { by, why }))
    }
}
