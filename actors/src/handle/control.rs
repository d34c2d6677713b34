//! Stopping, withdrawing, settling, attaching.

use super::{HostHandle, Subscription};
use crate::{
    command::{Attached, Interrupted, Receipt, Reconcile, Refusal, SessionRef, Snapshot, Stop},
    session::SessionCommand,
};
use dispatch_events::{AdmissionId, catalogue::input::Principal};
use dispatch_projections::view::{SummaryView, UnknownsView};

impl HostHandle {
    /// Stops the running turn, if there is one; what it leaves behind is recorded when this answers. With a name nothing
    /// else is stopped.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::StaleTurn`], [`Refusal::StaleGeneration`], or the log's reason.
    pub async fn interrupt(
        &self,
        session: &SessionRef,
        principal: Principal,
        stop: Stop,
    ) -> Result<Interrupted, Refusal> {
        let id = self.resolve(session).await?;
        self.ask(id, None, |reply| SessionCommand::Interrupt { principal: principal.clone(), stop, reply }).await
    }

    /// Withdraws an input that waits. One that is finished already answers with its receipt as it is.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::Started`] for one that runs, [`Refusal::Paused`] for one that is unknown.
    pub async fn cancel(
        &self,
        session: &SessionRef,
        admission: AdmissionId,
        principal: Principal,
    ) -> Result<Receipt, Refusal> {
        let id = self.resolve(session).await?;
        self.ask(id, None, |reply| SessionCommand::Cancel { admission, principal: principal.clone(), reply }).await
    }

    /// What nobody knows of a session's turn, with what is known about it.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or the log's reason.
    pub async fn unknowns(&self, session: &SessionRef) -> Result<UnknownsView, Refusal> {
        Ok(UnknownsView::of(&self.state(session, None).await?))
    }

    /// Takes a person's word for what became of it.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::Invalid`] when nothing, or more than one thing, is meant.
    pub async fn reconcile(&self, session: &SessionRef, reconcile: Reconcile) -> Result<SummaryView, Refusal> {
        let id = self.resolve(session).await?;
        self.ask(id, None, |reply| SessionCommand::Reconcile { reconcile: reconcile.clone(), reply }).await
    }

    /// The session as it is now, and everything that comes after.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or the log's reason.
    pub async fn attach(&self, session: &SessionRef) -> Result<Attached, Refusal> {
        let id = self.resolve(session).await?;
        // Before the session is read, so that live text which comes meanwhile is not missed.
        let mut updates = Subscription::attached(self.shared.clone(), id).await.ok_or(Refusal::Draining)?;
        let snapshot = Snapshot::of(&self.state(&SessionRef::Id(id), None).await?);
        updates.begin(snapshot.version.next(), false);
        Ok(Attached { snapshot, updates })
    }
}
