//! A person's word for what nobody knows.

use super::{Session, commands::Done, commands::Reply, commands::answer, commit::Meta};
use crate::{
    command::{Reconcile, Refusal},
    decide::{reconcile::reconcile, settle::ClaimFacts},
};
use actix::{ActorFutureExt, Context, fut};
use dispatch_projections::view::SummaryView;

impl Session {
    /// A host that recovers nothing by itself first records what an earlier run left, and leaves the turn for the host
    /// that will carry it.
    pub(super) fn recover_then_reconcile(&mut self, word: Reconcile, reply: Reply<SummaryView>) -> Done {
        let left = match self.recovered {
            true => Vec::new(),
            false => self.lost(ClaimFacts { may_start: false, ..self.claim_facts() }),
        };
        if left.is_empty() {
            return self.reconcile(&word, reply);
        }
        let commit = self.commit(left, self.turn_meta(None));
        Box::pin(commit.then(move |committed, session: &mut Session, ctx: &mut Context<Session>| match committed {
            Ok(_) => session.reconcile(&word, reply),
            Err(refusal) => {
                answer(reply, Err(refusal.clone()));
                session.after_refusal(&refusal, ctx);
                Box::pin(fut::ready(()))
            }
        }))
    }

    fn reconcile(&mut self, word: &Reconcile, reply: Reply<SummaryView>) -> Done {
        if self.state.opened.is_none() {
            answer(reply, Err(Refusal::NotFound(self.id.to_string())));
            return Box::pin(fut::ready(()));
        }
        let facts = self.claim_facts();
        let facts = ClaimFacts { may_start: facts.may_start && self.recovered, ..facts };
        match reconcile(&self.state, word, facts) {
            Ok(events) => {
                let turn = self.state.admissions.unknown().and_then(|paused| paused.turn);
                let meta = Meta { principal: self.shared.principal_id(&word.principal), ..self.turn_meta(turn) };
                self.commit_and_answer(events, meta, reply, |session| Ok(SummaryView::of(&session.state)))
            }
            Err(refusal) => {
                answer(reply, Err(refusal));
                Box::pin(fut::ready(()))
            }
        }
    }
}
