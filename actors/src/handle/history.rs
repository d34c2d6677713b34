//! Changes of a session's own history, and forks.

use super::HostHandle;
use crate::{
    command::{Change, Changed, ForkRequest, HistoryChange, Refusal, SessionRef},
    session::{Beginning, SessionCommand},
};
use dispatch_events::{StreamId, catalogue::session::ForkPoint};
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
        let parent = self.resolve(session).await?;
        let ForkRequest { principal, at, name, profile, source } = fork;
        if let Some(profile) = &profile
            && self.shared.models.model(profile).is_none()
        {
            let there: Vec<_> = self.models().into_iter().map(|profile| profile.name).collect();
            let why = format!("there is no model profile `{profile}`: there is {}", there.join(", "));
            return Err(Refusal::Invalid(why));
        }
        if let Some(name) = &name {
            self.is_free(name).await?;
        }
        let child = StreamId::fresh();
        let branch = |reply| SessionCommand::Branch { child, at, principal: principal.clone(), reply };
        let from = ForkPoint { stream: parent, version: self.ask(parent, None, branch).await? };
        let begin = Beginning { from, profile, source };
        let name = name.unwrap_or_else(|| child.to_string());
        self.ask(child, Some(name), |reply| SessionCommand::Begin {
            begin: begin.clone(),
            principal: principal.clone(),
            reply,
        })
        .await
    }
}
