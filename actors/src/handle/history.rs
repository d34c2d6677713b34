//! Changes of a session's own history, and forks.

use super::HostHandle;
use crate::{
    command::{Change, Changed, ForkRequest, HistoryChange, Refusal, SessionRef},
    session::SessionCommand,
};
use dispatch_projections::view::SummaryView;

impl HostHandle {
    /// Changes what of its history a session goes on from.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::RevisionConflict`], [`Refusal::Invalid`], [`Refusal::AtWork`] while a turn
    /// runs that the change would pull the ground from.
    pub async fn change(&self, session: &SessionRef, change: HistoryChange, asked: Change) -> Result<Changed, Refusal> {
        let id = self.resolve(session).await?;
        self.ask(id, None, |reply| SessionCommand::Change { change: change.clone(), asked: asked.clone(), reply }).await
    }

    /// Begins a session that inherits another one's events up to a version. Nothing is copied.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::NameTaken`], [`Refusal::Invalid`] for a version or a profile that is not there.
    pub async fn fork(&self, session: &SessionRef, fork: ForkRequest) -> Result<SummaryView, Refusal> {
        let _ = (self.resolve(session).await?, fork);
        Err(Refusal::NotBuilt("forking a session".into()))
    }
}
