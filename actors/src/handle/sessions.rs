//! Sessions: open, speak, stop, name, list.

use super::{HostHandle, Subscription};
use crate::{
    command::{Change, Opening, Receipt, Refusal, SessionRef, Submit},
    decide::submit::check_name,
    host::{IdForNew, ToSession},
    routing::{self, RouteSource},
    session::{SessionCommand, newest},
};
use dispatch_events::{AdmissionId, StreamId, catalogue::input::Principal, store::index::route_name};
use dispatch_projections::view::{SessionStatus, SummaryView};
use tokio::sync::oneshot;

/// How often a command is decided again because another host was faster.
const MOVED_MAX: u32 = 8;

impl HostHandle {
    /// Opens a session; without a name it is named by its id.
    ///
    /// # Errors
    /// [`Refusal::NameTaken`], [`Refusal::Invalid`] for a name that can't be one.
    pub async fn open(
        &self,
        name: Option<String>,
        opening: Opening,
        principal: Principal,
    ) -> Result<SummaryView, Refusal> {
        // Without a name it is called by its id, which stays good whatever it is called later.
        let Some(name) = name else {
            let id = StreamId::fresh();
            return self.opened(id, id.to_string(), opening, principal).await;
        };
        self.is_free(&name).await?;
        let id = self.id_for_new(&name).await?;
        self.opened(id, name, opening, principal).await
    }

    /// Refuses a name that a new session can't have.
    pub(super) async fn is_free(&self, name: &str) -> Result<(), Refusal> {
        check_name(name)?;
        match self.named(name).await? {
            Some(_) => Err(Refusal::NameTaken(name.to_owned())),
            None => Ok(()),
        }
    }

    async fn opened(
        &self,
        id: StreamId,
        name: String,
        opening: Opening,
        principal: Principal,
    ) -> Result<SummaryView, Refusal> {
        self.ask(id, Some(name), |reply| SessionCommand::Open {
            opening: opening.clone(),
            principal: principal.clone(),
            reply,
        })
        .await
    }

    /// As [`HostHandle::open`], for a chat that may have its session already: then that one, and `false`.
    ///
    /// # Errors
    /// As [`HostHandle::open`].
    pub async fn find_or_open(
        &self,
        name: Option<String>,
        opening: Opening,
        principal: Principal,
    ) -> Result<(SummaryView, bool), Refusal> {
        let Some(route) = opening.route.clone() else {
            return self.open(name, opening, principal).await.map(|opened| (opened, true));
        };
        let there = SessionRef::Route(route.clone());
        if let Some(id) = self.find(&there).await? {
            return Ok((self.summary(&SessionRef::Id(id)).await?, false));
        }
        let name = self.name_for(name, &route).await?;
        match self.open(Some(name), opening, principal).await {
            // The chat's session was opened in the same moment.
            Err(Refusal::NameTaken(_)) if self.find(&there).await?.is_some() => {
                Ok((self.summary(&there).await?, false))
            }
            opened => opened.map(|opened| (opened, true)),
        }
    }

    /// The routing key of a chat.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a source that can't have one.
    pub fn route(&self, source: &RouteSource) -> Result<String, Refusal> {
        routing::key(&self.shared.settings.agent, source, self.shared.settings.sharing)
    }

    /// A chat's session is called like its routing key, unless a name is given or another session is called so.
    async fn name_for(&self, name: Option<String>, route: &str) -> Result<String, Refusal> {
        Ok(match name {
            Some(name) => name,
            None if check_name(route).is_ok() && self.named(route).await?.is_none() => route.to_owned(),
            None => format!("chat {}", StreamId::fresh()),
        })
    }

    /// The id of a session that is there.
    ///
    /// # Errors
    /// [`Refusal::NotFound`].
    pub async fn resolve(&self, session: &SessionRef) -> Result<StreamId, Refusal> {
        self.find(session).await?.ok_or_else(|| Refusal::NotFound(words(session)))
    }

    /// Takes an input; the receipt is durable.
    ///
    /// # Errors
    /// [`Refusal`]; nothing was written, unless it is [`Refusal::Persistence`]: then it may have been, and the same
    /// request id tells.
    pub async fn submit(&self, session: &SessionRef, submit: Submit) -> Result<Receipt, Refusal> {
        self.take(session, &submit, false).await.map(|(receipt, _)| receipt)
    }

    /// As [`HostHandle::submit`], with a subscription that misses nothing of the turn, its first live text included.
    ///
    /// # Errors
    /// [`Refusal`]; nothing was written.
    pub async fn submit_and_follow(
        &self,
        session: &SessionRef,
        submit: Submit,
    ) -> Result<(Receipt, Subscription), Refusal> {
        let (receipt, updates) = self.take(session, &submit, true).await?;
        Ok((receipt, updates.ok_or(Refusal::Draining)?))
    }

    async fn take(
        &self,
        session: &SessionRef,
        submit: &Submit,
        follows: bool,
    ) -> Result<(Receipt, Option<Subscription>), Refusal> {
        let request = submit.request.clone().unwrap_or_else(|| AdmissionId::fresh().to_string());
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (id, fresh) = self.find_or_new(session, submit.opening.is_some()).await?;
            // Before the input is taken, so that nothing of its turn is missed.
            let updates = match follows {
                true => Subscription::attached(self.shared.clone(), id).await,
                false => None,
            };
            let mut submit = submit.clone();
            if let (SessionRef::Route(route), Some(opening)) = (session, &mut submit.opening) {
                opening.route = Some(route.clone());
            }
            let command = |reply| SessionCommand::Submit { submit: submit.clone(), request: request.clone(), reply };
            match self.ask(id, fresh, command).await {
                Ok(receipt) => {
                    let updates = updates.map(|mut updates| {
                        updates.begin(receipt.version, !receipt.repeated);
                        updates
                    });
                    return Ok((receipt, updates));
                }
                // Somebody else took the name in the same moment. An input that opens a session of that name belongs to
                // theirs; one whose session was to be called so finds another name.
                Err(Refusal::NameTaken(_)) if attempts < 3 => {}
                Err(refusal) => return Err(refusal),
            }
        }
    }

    /// Gives a session another name.
    ///
    /// # Errors
    /// [`Refusal::NameTaken`], [`Refusal::NotFound`], [`Refusal::RevisionConflict`].
    pub async fn rename(&self, session: &SessionRef, name: &str, asked: Change) -> Result<SummaryView, Refusal> {
        let id = self.resolve(session).await?;
        if name != id.to_string() {
            no_id(name)?;
        }
        let command = |reply| SessionCommand::Rename { name: name.to_owned(), asked: asked.clone(), reply };
        self.ask(id, None, command).await
    }

    /// A session in one row.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or the log's reason.
    pub async fn summary(&self, session: &SessionRef) -> Result<SummaryView, Refusal> {
        let id = self.resolve(session).await?;
        Ok(SummaryView::of(&self.state_of(id, None).await?))
    }

    /// Sessions in the order in which they began, after the session `after`, at most `limit`; fewer only at the end.
    ///
    /// # Errors
    /// The log's reason.
    pub async fn list(
        &self,
        after: Option<StreamId>,
        limit: usize,
        besides: Besides,
    ) -> Result<Vec<SummaryView>, Refusal> {
        let (log, agent) = (self.shared.log.clone(), self.shared.settings.agent.clone());
        self.blocking(move || {
            let mut rows = Vec::new();
            let mut after = after;
            while rows.len() < limit {
                let page = log.store().streams(after, limit - rows.len()).map_err(|error| error.to_string())?;
                let Some((last, _)) = page.last() else { break };
                after = Some(*last);
                let sessions = page.into_iter().filter(|(id, _)| crate::start::is_session(*id, &agent));
                let row = |(id, _)| match newest(&log, id) {
                    Ok(folded) => SummaryView::of(&folded.state),
                    Err(why) => SummaryView::unreadable(id, String::new(), why),
                };
                rows.extend(sessions.map(row).filter(|row| besides.shows(row)));
            }
            Ok(rows)
        })
        .await
    }

    /// Does a read where such work is done.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> Result<T, Refusal> {
        let read = self.shared.settings.blocking.run(read).await;
        read.map_err(|cut_off| Refusal::Storage(cut_off.to_string()))?.map_err(Refusal::Storage)
    }

    pub(crate) async fn wake(&self, session: StreamId) -> Result<(), Refusal> {
        self.ask(session, None, |reply| SessionCommand::Wake { reply }).await
    }

    /// The session, if it is there. What looks like an id is tried as one first.
    pub(super) async fn find(&self, session: &SessionRef) -> Result<Option<StreamId>, Refusal> {
        let (id, name) = match session {
            SessionRef::Id(id) => (Some(*id), None),
            SessionRef::Name(name) => (name.parse().ok(), Some(name.clone())),
            SessionRef::Route(route) => (None, Some(route_name(route))),
        };
        if let Some(id) = name.as_deref().and_then(|name| self.shared.remembered(name)) {
            return Ok(Some(id));
        }
        let (log, agent) = (self.shared.log.clone(), self.shared.settings.agent.clone());
        self.blocking(move || {
            let store = log.store();
            if let Some(id) = id.filter(|id| crate::start::is_session(*id, &agent))
                && store.head(id).map_err(|error| error.to_string())?.is_some()
            {
                return Ok(Some(id));
            }
            name.map_or(Ok(None), |name| store.named(&name).map_err(|error| error.to_string()))
        })
        .await
    }

    /// The session, or the id and the name of the one that is opened for it.
    async fn find_or_new(&self, session: &SessionRef, opens: bool) -> Result<(StreamId, Option<String>), Refusal> {
        if let Some(id) = self.find(session).await? {
            return Ok((id, None));
        }
        match session {
            SessionRef::Name(name) if opens => {
                check_name(name)?;
                Ok((self.id_for_new(name).await?, Some(name.clone())))
            }
            // By the key, so that two first messages of a chat make one session.
            SessionRef::Route(route) if opens => {
                let name = self.name_for(None, route).await?;
                Ok((self.id_for_new(&route_name(route)).await?, Some(name)))
            }
            _ => Err(Refusal::NotFound(words(session))),
        }
    }

    async fn named(&self, name: &str) -> Result<Option<StreamId>, Refusal> {
        let (log, name) = (self.shared.log.clone(), name.to_owned());
        self.blocking(move || log.store().named(&name).map_err(|error| error.to_string())).await
    }

    async fn id_for_new(&self, name: &str) -> Result<StreamId, Refusal> {
        self.host.send(IdForNew(name.to_owned())).await.map_err(|_| Refusal::Draining)
    }

    /// Asks a session. If its actor died over the question, the session is rebuilt and asked once more: commands are
    /// safe to repeat, because an input carries its idempotency key.
    pub(super) async fn ask<T>(
        &self,
        session: StreamId,
        fresh: Option<String>,
        command: impl Fn(oneshot::Sender<Result<T, Refusal>>) -> SessionCommand,
    ) -> Result<T, Refusal> {
        let (mut died, mut moved) = (false, 0);
        loop {
            let (reply, answer) = oneshot::channel();
            let message = ToSession { session, fresh: fresh.clone(), command: command(reply) };
            self.host.send(message).await.map_err(|_| Refusal::Draining)?;
            match answer.await {
                // Nothing was written: decided again on what the other host wrote.
                Ok(Err(Refusal::Moved)) if moved < MOVED_MAX => moved += 1,
                Ok(answer) => return answer,
                Err(_) if died => break,
                Err(_) => {
                    died = true;
                    tracing::warn!(%session, "the session's actor died over a command; it is asked once more");
                }
            }
        }
        Err(Refusal::Storage("the session's actor died twice over this command: see the host's log".to_owned()))
    }
}

/// What a list shows besides the sessions that are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Besides {
    /// Those that were erased.
    pub erased: bool,
    /// Those that were archived.
    pub archived: bool,
}

impl Besides {
    fn shows(self, row: &SummaryView) -> bool {
        (self.erased || row.status != SessionStatus::Erased) && (self.archived || !row.archived)
    }
}

/// A name that is an id would address another session.
fn no_id(name: &str) -> Result<(), Refusal> {
    match name.parse::<StreamId>() {
        Ok(_) => Err(Refusal::Invalid("a session name is not an id: choose words".to_owned())),
        Err(_) => Ok(()),
    }
}

pub(super) fn words(session: &SessionRef) -> String {
    match session {
        SessionRef::Id(id) => id.to_string(),
        SessionRef::Name(name) | SessionRef::Route(name) => name.clone(),
    }
}
