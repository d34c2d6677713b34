//! Withdraws an input that waits.

use super::{
    Session,
    commands::{Done, Reply, answer},
    commit::Meta,
};
use crate::{
    command::{Receipt, Refusal},
    decide::cancel::cancel,
};
use actix::fut;
use dispatch_events::{AdmissionId, EventId, catalogue::input::Principal};

impl Session {
    /// Withdraws an input that waits; one that is finished already gives its receipt as it is.
    pub(super) fn cancel(&mut self, admission: AdmissionId, principal: &Principal, reply: Reply<Receipt>) -> Done {
        match cancel(&self.state, admission, principal) {
            Ok(events) => {
                let finished = events.is_empty();
                let meta = Meta { causation: EventId(admission.0), ..self.command_meta(principal) };
                self.commit_and_answer(events, meta, reply, move |session| session.receipt(admission, finished))
            }
            Err(refusal) => {
                answer(reply, Err::<Receipt, Refusal>(refusal));
                Box::pin(fut::ready(()))
            }
        }
    }
}
