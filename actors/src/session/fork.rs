//! Forks: the parent records that there is one, then the fork begins with what it inherits.

use super::{
    Session,
    commands::{Done, Reply, answer},
    load::inherited,
};
use crate::{
    command::Refusal,
    decide::{
        fork::{self, DEPTH_MAX, ForkFacts},
        submit::check_name,
    },
};
use actix::{ActorFutureExt, Context, WrapFuture, fut};
use dispatch_events::{
    StreamId, Version,
    catalogue::{
        input::Principal,
        session::{ForkPoint, SessionBranched},
    },
};
use dispatch_projections::{SessionState, view::SummaryView};
use tokio::sync::oneshot;

/// How a fork begins.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// The place in its parent.
    pub from: ForkPoint,
    /// Model profile that it uses instead of its parent's.
    pub profile: Option<String>,
    /// Surface that asks.
    pub source: String,
}

impl Session {
    /// Records that this session has a fork; answers with the last version that it inherits. A turn that runs goes on.
    pub(super) fn branch(
        &mut self,
        child: StreamId,
        at: Option<Version>,
        principal: &Principal,
        reply: Reply<Version>,
    ) -> Done {
        if self.state.opened.is_none() {
            answer(reply, Err(Refusal::NotFound(self.id.to_string())));
            return Box::pin(fut::ready(()));
        }
        match fork::branch(&self.state, at) {
            Ok(at) => {
                let meta = self.command_meta(principal);
                let event = SessionBranched { child, at, by: principal.clone() }.into();
                self.commit_and_answer(vec![event], meta, reply, move |_| Ok(at))
            }
            Err(refusal) => {
                answer(reply, Err(refusal));
                Box::pin(fut::ready(()))
            }
        }
    }

    /// Begins this session as a fork.
    pub(super) fn begin(&mut self, begin: Beginning, principal: &Principal, reply: Reply<SummaryView>) -> Done {
        if self.state.version.0 > 0 {
            // The command came twice: an actor died over it after its events were written.
            let same = self.state.family.inherited.is_some_and(|inherited| inherited.from == begin.from);
            let name = self.state.name.clone();
            answer(reply, if same { Ok(SummaryView::of(&self.state)) } else { Err(Refusal::NameTaken(name)) });
            return Box::pin(fut::ready(()));
        }
        let (log, id, from) = (self.shared.log.clone(), self.id, begin.from);
        let read = self.shared.settings.blocking.run(move || inherited(&log, id, from));
        let principal = principal.clone();
        let begun = read.into_actor(self).then(move |state, session: &mut Self, _: &mut Context<Self>| {
            match state.map_err(|error| error.to_string()).and_then(|state| state) {
                Ok(state) => session.begin_with(state, &begin, &principal, reply),
                Err(why) => {
                    answer(reply, Err(Refusal::Storage(why)));
                    Box::pin(fut::ready(()))
                }
            }
        });
        Box::pin(begun.map(|(), session, _| {
            if session.state.version.0 == 0 {
                session.state = SessionState::empty(session.id);
            }
        }))
    }

    fn begin_with(
        &mut self,
        inherited: SessionState,
        begin: &Beginning,
        principal: &Principal,
        reply: Reply<SummaryView>,
    ) -> Done {
        let name = self.fresh.clone().unwrap_or_else(|| self.id.to_string());
        let model = begin.profile.as_deref().and_then(|profile| self.shared.models.model(profile));
        let facts = ForkFacts {
            name: &name,
            source: &begin.source,
            agent: &self.shared.settings.agent,
            profile: model.as_ref().map(|model| &model.profile),
        };
        let decided = check_name(&name).and_then(|()| {
            let origin =
                inherited.family.inherited.ok_or_else(|| Refusal::Storage("nothing is inherited".to_owned()))?;
            Ok(fork::begin(&inherited, origin, facts))
        });
        match decided {
            Ok(events) => {
                let deep = inherited.family.inherited.is_some_and(|inherited| inherited.depth > DEPTH_MAX);
                self.state = inherited;
                let meta = self.command_meta(principal);
                if !deep {
                    return self.commit_and_answer(events, meta, reply, |session| Ok(SummaryView::of(&session.state)));
                }
                let (commit, by) = (self.commit(events, meta), principal.clone());
                Box::pin(commit.then(move |committed, session: &mut Self, ctx: &mut Context<Self>| {
                    let begun = committed.is_ok();
                    session.tell(committed.map(drop), reply, |session| Ok(SummaryView::of(&session.state)), ctx);
                    // The next one who reads it has less to read. It can be read without that, so nobody waits.
                    if !begun {
                        return Box::pin(fut::ready(())) as Done;
                    }
                    let (nobody, _) = oneshot::channel();
                    session.keep_inherited(&by, nobody)
                }))
            }
            Err(refusal) => {
                answer(reply, Err(refusal));
                Box::pin(fut::ready(()))
            }
        }
    }
}
