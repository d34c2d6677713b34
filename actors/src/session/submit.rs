//! Takes an input: it waits, it starts, or it stops the running turn and is the next.

use super::{
    Session,
    commands::{Done, Reply, answer},
    commit::Meta,
};
use crate::{
    command::{Receipt, Refusal, Submit, host},
    decide::{
        interrupt,
        reset::{self, ResetPolicy},
        submit::{self, SubmitFacts, Submitted},
        title,
    },
};
use actix::{ActorFutureExt, Context, WrapFuture, fut};
use chrono::TimeZone;
use dispatch_events::{
    AdmissionId, Event, EventId, TurnId,
    catalogue::{
        input::InputQueued,
        session::{SessionRenamed, SessionReset},
    },
};
use dispatch_projections::tools::CallState;

impl Session {
    /// In a host that recovers nothing by itself, an input is what asks for it.
    pub(super) fn recover_then_submit(&mut self, submit: Submit, request: String, reply: Reply<Receipt>) -> Done {
        let left = self.left_behind();
        if left.is_empty() {
            return self.name_then_submit(submit, request, reply);
        }
        let meta = self.turn_meta(None);
        let commit = self.commit(left, meta);
        Box::pin(commit.then(move |committed, session: &mut Session, ctx: &mut Context<Session>| match committed {
            Ok(_) => session.name_then_submit(submit, request, reply),
            Err(refusal) => {
                answer(reply, Err(refusal.clone()));
                session.after_refusal(&refusal, ctx);
                Box::pin(fut::ready(()))
            }
        }))
    }

    pub(super) fn submit_facts<'a>(&'a self, request: &'a str) -> SubmitFacts<'a> {
        SubmitFacts {
            admission: AdmissionId::fresh(),
            request,
            name: self.fresh.as_deref().unwrap_or(&self.state.name),
            agent: &self.shared.settings.agent,
            queue_limit: self.shared.settings.queue_limit,
            busy: self.shared.settings.busy_mode,
            delegating: self.delegates(),
            claim: self.claim_facts(),
        }
    }

    /// A session that nobody named gets a name with its first input. Whether it is free is only looked up here: the
    /// append itself decides.
    fn name_then_submit(&mut self, submit: Submit, request: String, reply: Reply<Receipt>) -> Done {
        if !self.shared.settings.titles || !title::is_wanted(&self.state) {
            return self.submit(&submit, &request, None, reply);
        }
        let (log, names) = (self.shared.log.clone(), title::candidates(&submit.parts));
        let free = move || names.into_iter().find(|name| matches!(log.store().named(name), Ok(None)));
        let free = self.shared.settings.blocking.run(free).into_actor(self);
        Box::pin(free.then(move |free, session: &mut Session, _: &mut Context<Session>| {
            session.submit(&submit, &request, free.unwrap_or_default(), reply)
        }))
    }

    /// What stands in the log before an input: the conversation begins anew, the session is named.
    fn before_input(&self, name: Option<String>) -> Vec<Event> {
        let policy = Some(self.shared.settings.reset).filter(|policy| *policy != ResetPolicy::NEVER);
        let reset = policy
            .and_then(|policy| {
                let now = self.shared.now();
                let local = chrono::Local.offset_from_utc_datetime(&now.utc().naive_utc());
                reset::due(&self.state, policy, now, local)
            })
            .map(|reason| SessionReset { reason, note: reset::note(reason), by: host("reset") }.into());
        let named = name.map(|name| {
            let previous = self.state.name.clone();
            SessionRenamed { name, previous, by: Some(host("title")) }.into()
        });
        reset.into_iter().chain(named).collect()
    }

    fn submit(&mut self, submit: &Submit, request: &str, name: Option<String>, reply: Reply<Receipt>) -> Done {
        let facts = self.submit_facts(request);
        let (admission, turn) = (facts.admission, facts.claim.next_turn);
        match submit::submit(&self.state, submit, &facts) {
            Ok(Submitted::New(events)) => {
                let meta = self.input_meta(submit, admission, turn);
                let named = name.is_some().then(|| (submit.clone(), request.to_owned()));
                let mut all = self.before_input(name);
                all.extend(events);
                let commit = self.commit(all, meta);
                Box::pin(commit.then(move |done, session: &mut Session, ctx: &mut Context<Session>| {
                    match (done, named) {
                        // Another session got the name in the same moment: the next one is looked for.
                        (Err(Refusal::NameTaken(_)), Some((submit, request))) => {
                            session.name_then_submit(submit, request, reply)
                        }
                        (done, _) => {
                            session.tell(done.map(drop), reply, |session| session.receipt(admission, false), ctx);
                            Box::pin(fut::ready(()))
                        }
                    }
                }))
            }
            Ok(Submitted::Redirect(queued)) => {
                let meta = self.input_meta(submit, admission, turn);
                self.redirect(queued, turn, meta, reply)
            }
            Ok(Submitted::Repeated(before)) => {
                let receipt = self.receipt(before, true);
                answer(reply, receipt);
                Box::pin(fut::ready(()))
            }
            Err(refusal) => {
                answer(reply, Err(refusal));
                Box::pin(fut::ready(()))
            }
        }
    }

    /// Stops the running turn, then records the input, the stop and the next turn as one.
    fn redirect(&mut self, queued: InputQueued, next_turn: TurnId, meta: Meta, reply: Reply<Receipt>) -> Done {
        let Some(turn) = self.state.admissions.started().and_then(|admission| admission.turn) else {
            answer(reply, Err(Refusal::Storage("the running input has no turn".to_owned())));
            return Box::pin(fut::ready(()));
        };
        let stopped = self.stop_turn(turn);
        Box::pin(stopped.then(move |left, session: &mut Session, _: &mut Context<Session>| {
            let claim = crate::decide::settle::ClaimFacts { next_turn, ..session.claim_facts() };
            let events = interrupt::redirect(&session.state, &queued, turn, left.as_left(), claim);
            let admission = queued.admission;
            session.commit_and_answer(events, meta, reply, move |session| session.receipt(admission, false))
        }))
    }

    /// Whether a tool runs whose work a stop would destroy.
    fn delegates(&self) -> bool {
        let Some(turn) = self.state.admissions.started().and_then(|admission| admission.turn) else { return false };
        self.state
            .tools
            .open(turn)
            .filter(|open| matches!(open.state, CallState::Started { .. }))
            .filter_map(|open| self.state.transcript.call(open.call))
            .filter_map(|call| self.shared.toolbox.tool(&call.tool))
            .any(|tool| tool.delegates())
    }

    fn input_meta(&self, submit: &Submit, admission: AdmissionId, turn: TurnId) -> Meta {
        Meta {
            correlation: turn.into(),
            causation: EventId(admission.0),
            principal: self.shared.principal_id(&submit.principal),
        }
    }

    /// What is known of an admission now.
    pub(super) fn receipt(&self, id: AdmissionId, repeated: bool) -> Result<Receipt, Refusal> {
        let admission =
            self.state.admissions.get(id).ok_or_else(|| Refusal::Storage("the admission is not in the log".into()))?;
        Ok(Receipt {
            session: self.id,
            name: self.state.name.clone(),
            admission: id,
            request_id: admission.request.clone(),
            intent: admission.intent,
            demoted: admission.demoted,
            seq: admission.seq,
            state: admission.state,
            outcome: admission.outcome,
            turn: admission.turn,
            position: admission.position,
            version: admission.version,
            paused: self.state.admissions.unknown().and_then(|paused| paused.unknown.clone()),
            as_of: self.state.version,
            repeated,
        })
    }
}
