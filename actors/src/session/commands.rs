//! What the outside asks of a session.

use super::{Session, commit::Meta, fork::Beginning};
use crate::{
    command::{
        Change, Changed, Erased, HistoryChange, Interrupted, Opening, Receipt, Reconcile, Refusal, Stop, Submit,
    },
    decide::{
        obligation::{Verdict, verdict},
        rewrite::revision,
        submit,
    },
    host::Opened,
    settings::Ownership,
};
use actix::{
    ActorContext, ActorFutureExt, AtomicResponse, Context, Handler, Message,
    fut::{self, LocalBoxActorFuture},
};
use dispatch_events::{
    AdmissionId, CorrelationId, EventId, ObligationId, StreamId, TurnId, Version,
    catalogue::{input::Principal, session::SessionRenamed},
};
use dispatch_projections::{SessionState, obligations::ObligationState, view::SummaryView};
use tokio::sync::oneshot;

/// The way back.
pub type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// What the outside asks of a session, with the way back. It is given back when it can't be delivered.
#[derive(Message)]
#[rtype(result = "()")]
pub enum SessionCommand {
    /// Take an input.
    Submit {
        /// The input.
        submit: Submit,
        /// Its idempotency key.
        request: String,
        /// The way back.
        reply: Reply<Receipt>,
    },
    /// Open the session, if it is not open.
    Open {
        /// How.
        opening: Opening,
        /// Who asks.
        principal: Principal,
        /// The way back.
        reply: Reply<SummaryView>,
    },
    /// Stop the running turn.
    Interrupt {
        /// Who asks.
        principal: Principal,
        /// What is meant.
        stop: Stop,
        /// The way back.
        reply: Reply<Interrupted>,
    },
    /// Take a person's word for what is unknown.
    Reconcile {
        /// The word.
        reconcile: Reconcile,
        /// The way back.
        reply: Reply<SummaryView>,
    },
    /// Withdraw an input that waits.
    Cancel {
        /// Which.
        admission: AdmissionId,
        /// Who asks.
        principal: Principal,
        /// The way back.
        reply: Reply<Receipt>,
    },
    /// Change what of its history the session goes on from.
    Change {
        /// How.
        change: HistoryChange,
        /// Who asks, and what they saw.
        asked: Change,
        /// The way back.
        reply: Reply<Changed>,
    },
    /// Give the session another name.
    Rename {
        /// The name.
        name: String,
        /// Who asks, and what they saw.
        asked: Change,
        /// The way back.
        reply: Reply<SummaryView>,
    },
    /// Record that the session has a fork.
    Branch {
        /// The fork.
        child: StreamId,
        /// The last version that it inherits; the newest if none is named.
        at: Option<Version>,
        /// Who asks.
        principal: Principal,
        /// The way back.
        reply: Reply<Version>,
    },
    /// Begin the session as a fork.
    Begin {
        /// How.
        begin: Beginning,
        /// Who asks.
        principal: Principal,
        /// The way back.
        reply: Reply<SummaryView>,
    },
    /// Take over, under its own key, what the session inherits.
    Keep {
        /// Who asks.
        principal: Principal,
        /// The way back.
        reply: Reply<()>,
    },
    /// Erase the session, or finish an erasure that was begun.
    Erase {
        /// Who asks.
        principal: Principal,
        /// Its forks that were dealt with.
        forks: Vec<StreamId>,
        /// The way back.
        reply: Reply<Erased>,
    },
    /// Record how an attempt to meet an obligation went; answers whether it is still open.
    Verdict {
        /// The obligation.
        obligation: ObligationId,
        /// How it went.
        verdict: Verdict,
        /// The way back.
        reply: Reply<bool>,
    },
    /// Show the state that the actor goes by.
    Held {
        /// The way back.
        reply: Reply<Box<SessionState>>,
    },
    /// Nothing, but be active: a session that is spawned recovers what nobody carries.
    Wake {
        /// The way back.
        reply: Reply<()>,
    },
}

impl SessionCommand {
    /// Whether a host that shuts down refuses it.
    pub fn is_new_work(&self) -> bool {
        matches!(
            self,
            Self::Submit { .. }
                | Self::Open { .. }
                | Self::Reconcile { .. }
                | Self::Change { .. }
                | Self::Keep { .. }
                | Self::Rename { .. }
                | Self::Branch { .. }
                | Self::Begin { .. }
                | Self::Erase { .. }
                | Self::Wake { .. }
        )
    }

    /// Whether it has to get in also when the mailbox is full of inputs.
    pub fn is_control(&self) -> bool {
        matches!(
            self,
            Self::Interrupt { .. }
                | Self::Reconcile { .. }
                | Self::Cancel { .. }
                | Self::Erase { .. }
                | Self::Verdict { .. }
                | Self::Wake { .. }
        )
    }

    /// Answers it without doing it.
    pub fn refuse(self, refusal: Refusal) {
        match self {
            Self::Submit { reply, .. } | Self::Cancel { reply, .. } => answer(reply, Err(refusal)),
            Self::Open { reply, .. }
            | Self::Rename { reply, .. }
            | Self::Reconcile { reply, .. }
            | Self::Begin { reply, .. } => answer(reply, Err(refusal)),
            Self::Change { reply, .. } => answer(reply, Err(refusal)),
            Self::Branch { reply, .. } => answer(reply, Err(refusal)),
            Self::Interrupt { reply, .. } => answer(reply, Err(refusal)),
            Self::Erase { reply, .. } => answer(reply, Err(refusal)),
            Self::Verdict { reply, .. } => answer(reply, Err(refusal)),
            Self::Wake { reply } | Self::Keep { reply, .. } => answer(reply, Err(refusal)),
            Self::Held { reply } => answer(reply, Err(refusal)),
        }
    }
}

/// Answers; one who went away does not need it.
pub(super) fn answer<T>(reply: Reply<T>, result: Result<T, Refusal>) {
    if reply.send(result).is_err() {
        tracing::debug!("a caller went away before its answer");
    }
}

pub(super) type Done = LocalBoxActorFuture<Session, ()>;

impl Handler<SessionCommand> for Session {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, command: SessionCommand, _: &mut Context<Self>) -> Self::Result {
        if let Some(why) = self.broken.clone()
            && !matches!(command, SessionCommand::Erase { .. })
        {
            command.refuse(Refusal::Storage(why));
            return AtomicResponse::new(Box::pin(fut::ready(())));
        }
        if let Some(erased) = self.gone() {
            match command {
                // Nothing is owed any more.
                SessionCommand::Verdict { reply, .. } => answer(reply, Ok(false)),
                SessionCommand::Wake { reply } => answer(reply, Ok(())),
                SessionCommand::Erase { principal, forks, reply } => {
                    return AtomicResponse::new(self.erase(&principal, forks, reply));
                }
                other => other.refuse(erased),
            }
            return AtomicResponse::new(Box::pin(fut::ready(())));
        }
        if self.looks_first() {
            return AtomicResponse::new(self.look_then(command));
        }
        let Some(command) = self.if_ours(command) else { return AtomicResponse::new(Box::pin(fut::ready(()))) };
        let done: Done = match command {
            SessionCommand::Submit { submit, request, reply } => self.recover_then_submit(submit, request, reply),
            SessionCommand::Open { opening, principal, reply } => self.open(&opening, &principal, reply),
            SessionCommand::Keep { principal, reply } => self.keep_inherited(&principal, reply),
            SessionCommand::Change { change, asked, reply } => self.recover_then_change(change, asked, reply),
            SessionCommand::Interrupt { principal, stop, reply } => self.interrupt(&principal, stop, reply),
            SessionCommand::Reconcile { reconcile, reply } => self.recover_then_reconcile(reconcile, reply),
            SessionCommand::Cancel { admission, principal, reply } => self.cancel(admission, &principal, reply),
            SessionCommand::Rename { name, asked, reply } => self.rename(name, &asked, reply),
            SessionCommand::Branch { child, at, principal, reply } => self.branch(child, at, &principal, reply),
            SessionCommand::Begin { begin, principal, reply } => self.begin(begin, &principal, reply),
            SessionCommand::Erase { principal, forks, reply } => self.erase(&principal, forks, reply),
            SessionCommand::Verdict { obligation, verdict, reply } => self.verdict(obligation, &verdict, reply),
            SessionCommand::Wake { reply } => {
                answer(reply, Ok(()));
                Box::pin(fut::ready(()))
            }
            SessionCommand::Held { reply } => {
                answer(reply, Ok(Box::new(self.state.clone())));
                Box::pin(fut::ready(()))
            }
        };
        AtomicResponse::new(done)
    }
}

impl Session {
    fn open(&mut self, opening: &Opening, principal: &Principal, reply: Reply<SummaryView>) -> Done {
        if self.state.opened.is_some() {
            answer(reply, Err(Refusal::NameTaken(self.state.name.clone())));
            return Box::pin(fut::ready(()));
        }
        let name = self.fresh.clone().unwrap_or_default();
        match submit::open(&name, &self.shared.settings.agent, opening, TurnId::fresh()) {
            Ok(events) => {
                let meta = self.command_meta(principal);
                self.commit_and_answer(events, meta, reply, |session| Ok(SummaryView::of(&session.state)))
            }
            Err(refusal) => {
                answer(reply, Err(refusal));
                Box::pin(fut::ready(()))
            }
        }
    }

    fn rename(&mut self, name: String, asked: &Change, reply: Reply<SummaryView>) -> Done {
        if self.state.opened.is_none() {
            answer(reply, Err(Refusal::NotFound(self.id.to_string())));
            return Box::pin(fut::ready(()));
        }
        let seen = revision(&self.state, asked.expected_revision);
        if let Err(refusal) = seen.and_then(|()| submit::check_name(&name)) {
            answer(reply, Err(refusal));
            return Box::pin(fut::ready(()));
        }
        let mut events = Vec::new();
        if name != self.state.name {
            events.push(
                SessionRenamed { name, previous: self.state.name.clone(), by: Some(asked.principal.clone()) }.into(),
            );
        }
        let meta = self.command_meta(&asked.principal);
        self.commit_and_answer(events, meta, reply, |session| Ok(SummaryView::of(&session.state)))
    }

    fn verdict(&mut self, id: ObligationId, how: &Verdict, reply: Reply<bool>) -> Done {
        let events = verdict(&self.state, id, how);
        let meta = self.turn_meta(self.state.obligations.get(id).map(|obligation| obligation.turn));
        self.commit_and_answer(events, meta, reply, move |session| {
            let open = session.state.obligations.get(id).is_some_and(|owed| owed.state == ObligationState::Open);
            Ok(open)
        })
    }

    pub(super) fn command_meta(&self, principal: &Principal) -> Meta {
        Meta {
            correlation: CorrelationId::fresh(),
            causation: EventId::default(),
            principal: self.shared.principal_id(principal),
        }
    }

    /// Appends, then answers with what `result` makes of the new state.
    pub(super) fn commit_and_answer<T: 'static>(
        &mut self,
        events: Vec<dispatch_events::Event>,
        meta: Meta,
        reply: Reply<T>,
        result: impl FnOnce(&Session) -> Result<T, Refusal> + 'static,
    ) -> Done {
        let commit = self.commit(events, meta);
        Box::pin(commit.map(move |committed, session: &mut Session, ctx: &mut Context<Session>| {
            session.tell(committed.map(drop), reply, result, ctx);
        }))
    }

    /// Answers when the append is done: with what `result` makes of the new state, or with why it was refused.
    pub(super) fn tell<T>(
        &mut self,
        committed: Result<(), Refusal>,
        reply: Reply<T>,
        result: impl FnOnce(&Session) -> Result<T, Refusal>,
        ctx: &mut Context<Self>,
    ) {
        if self.fresh.is_some() && self.host.try_send(Opened(self.id)).is_err() {
            tracing::debug!("the host is busy; the name is found in the log anyway");
        }
        match committed {
            Ok(()) => {
                self.fresh = None;
                let result = result(self);
                answer(reply, result);
            }
            Err(refusal) => {
                answer(reply, Err(refusal.clone()));
                self.after_refusal(&refusal, ctx);
            }
        }
    }

    /// A refused name or input leaves a session as it was; anything else of the store's means to start over from the log.
    pub(super) fn after_refusal(&mut self, refusal: &Refusal, ctx: &mut Context<Self>) {
        match refusal {
            // What was stopped for it may have been in the middle of anything: the recovery decides from the log.
            Refusal::Invalid(_) | Refusal::NameTaken(_) if self.lost_its_turn() => {
                self.give_up("a turn was stopped for what the log can't take", ctx);
            }
            Refusal::Invalid(_) | Refusal::NameTaken(_) => {}
            // The next command looks first.
            Refusal::Moved if self.shared.settings.ownership == Ownership::Shared => {}
            _ => self.give_up(&refusal.to_string(), ctx),
        }
    }
}

impl Session {
    /// The log says that a turn runs, and this actor that should carry it has stopped it.
    fn lost_its_turn(&self) -> bool {
        self.recovered && self.running.is_none() && self.state.admissions.started().is_some()
    }
}

/// Go, if there is nothing to do. Answered with whether it goes.
#[derive(Message)]
#[rtype(result = "bool")]
pub struct Leave;

impl Handler<Leave> for Session {
    type Result = bool;

    fn handle(&mut self, _: Leave, ctx: &mut Context<Self>) -> bool {
        let goes = self.is_idle();
        if goes {
            self.said_gone = true;
            self.rest();
            ctx.stop();
        }
        goes
    }
}
