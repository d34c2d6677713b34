//! Changes what of its history a session goes on from.

use super::{
    Session,
    commands::{Done, Reply, answer},
    commit::Meta,
};
use crate::{
    command::{Change, Changed, HistoryChange, Refusal, Submit},
    decide::{
        rewrite::{retried, rewrite},
        submit::{self, Submitted},
    },
};
use actix::{ActorFutureExt, Context, fut};
use dispatch_events::{AdmissionId, Event, EventId};

impl Session {
    /// In a host that recovers nothing by itself, the input of a retry is what asks for it.
    pub(super) fn recover_then_change(&mut self, change: HistoryChange, asked: Change, reply: Reply<Changed>) -> Done {
        let left = match change {
            HistoryChange::Retry => self.left_behind(),
            _ => Vec::new(),
        };
        let meta = self.turn_meta(None);
        let recovered = self.commit(left, meta);
        Box::pin(recovered.then(move |recovered, session: &mut Session, ctx: &mut Context<Session>| match recovered {
            Ok(_) => session.change(&change, &asked, reply),
            Err(refusal) => {
                answer(reply, Err(refusal.clone()));
                session.after_refusal(&refusal, ctx);
                Box::pin(fut::ready(()))
            }
        }))
    }

    fn change(&mut self, change: &HistoryChange, asked: &Change, reply: Reply<Changed>) -> Done {
        let decided = match change {
            HistoryChange::Retry => self.retry(asked),
            _ => rewrite(&self.state, change, asked).map(|events| (events, self.command_meta(&asked.principal), None)),
        };
        match decided {
            Ok((events, meta, admission)) => self.commit_and_answer(events, meta, reply, move |session| {
                Ok(Changed {
                    session: session.id,
                    version: session.state.version,
                    revision: session.state.revision,
                    receipt: admission.map(|admission| session.receipt(admission, false)).transpose()?,
                })
            }),
            Err(refusal) => {
                answer(reply, Err(refusal));
                Box::pin(fut::ready(()))
            }
        }
    }

    /// The rewind, and the same input again, as one append.
    fn retry(&self, asked: &Change) -> Result<(Vec<Event>, Meta, Option<AdmissionId>), Refusal> {
        let mut events = rewrite(&self.state, &HistoryChange::Retry, asked)?;
        let (before, parts) = retried(&self.state)?;
        let again = Submit { again: Some(before), ..Submit::new(asked.principal.clone(), parts) };
        let request = AdmissionId::fresh().to_string();
        let facts = self.submit_facts(&request);
        let (admission, turn) = (facts.admission, facts.claim.next_turn);
        match submit::submit(&self.state, &again, &facts)? {
            Submitted::New(submitted) => events.extend(submitted),
            // Nothing runs, and the request id is new.
            Submitted::Redirect(_) | Submitted::Repeated(_) => return Err(Refusal::AtWork),
        }
        let meta = Meta {
            correlation: turn.into(),
            causation: EventId(admission.0),
            principal: self.shared.principal_id(&asked.principal),
        };
        Ok((events, meta, Some(admission)))
    }
}
