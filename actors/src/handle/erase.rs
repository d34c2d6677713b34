//! Erasing a session, and what becomes of its forks.

use super::HostHandle;
use crate::{
    command::{Erased, Forks, Refusal, SessionRef},
    session::{SessionCommand, barely_read, newest},
};
use dispatch_events::{
    Event, Log, StreamId, Version,
    catalogue::{input::Principal, session::SessionBranched},
};
use futures_util::{FutureExt, future::BoxFuture};

/// The forks of a session.
struct Found {
    /// All that its log names.
    named: Vec<StreamId>,
    /// Those that are there, with what they are called.
    living: Vec<(StreamId, String)>,
}

impl HostHandle {
    /// Erases a session: its key is destroyed, its blobs and snapshots are removed, its name is free. A turn that runs is
    /// dropped. Finishes an erasure that was begun.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::Erased`] if it is done already, [`Refusal::Invalid`] for a session with forks,
    /// unless `forks` says what becomes of them, [`Refusal::Persistence`]: then ask again, or let the next start finish it.
    pub async fn erase(&self, session: &SessionRef, principal: Principal, forks: Forks) -> Result<Erased, Refusal> {
        let id = self.resolve(session).await?;
        self.erase_line(id, principal, forks).await
    }

    /// The newest come first: each step leaves sessions that can be read.
    fn erase_line(&self, id: StreamId, principal: Principal, forks: Forks) -> BoxFuture<'_, Result<Erased, Refusal>> {
        async move {
            let log = self.shared.log.clone();
            let Found { named, living } = self.blocking(move || found(&log, id)).await?;
            if forks == Forks::Refuse && !living.is_empty() {
                return Err(Refusal::Invalid(refusal(&living)));
            }
            for (fork, _) in living {
                if forks == Forks::Keep {
                    self.ask(fork, None, |reply| SessionCommand::Keep { principal: principal.clone(), reply }).await?;
                    continue;
                }
                match self.erase_line(fork, principal.clone(), forks).await {
                    Ok(_) | Err(Refusal::Erased(_)) => {}
                    Err(refusal) => return Err(refusal),
                }
            }
            let command = |reply| SessionCommand::Erase { principal: principal.clone(), forks: named.clone(), reply };
            self.ask(id, None, command).await
        }
        .boxed()
    }
}

fn found(log: &Log, id: StreamId) -> Result<Found, String> {
    let state = match newest(log, id) {
        Ok(folded) => folded.state,
        Err(_) => barely_read(log, id)?,
    };
    let mut found = Found { named: Vec::new(), living: Vec::new() };
    for SessionBranched { child, .. } in &state.family.branches {
        found.named.push(*child);
        if let Some(name) = living(log, id, *child)? {
            found.living.push((*child, name));
        }
    }
    Ok(found)
}

/// The name of a fork that is there: it was opened, and its key was not destroyed.
fn living(log: &Log, parent: StreamId, child: StreamId) -> Result<Option<String>, String> {
    let first = log.read_stream(child, Version(1), 1).map_err(|error| error.to_string())?;
    match first.first().and_then(|first| first.event()) {
        Some(Event::SessionOpened(opened)) if opened.parent.is_some_and(|from| from.stream == parent) => {
            Ok(Some(newest(log, child).map_or_else(|_| opened.name.clone(), |folded| folded.state.name)))
        }
        _ => Ok(None),
    }
}

fn refusal(living: &[(StreamId, String)]) -> String {
    let names: Vec<_> = living.iter().map(|(_, name)| format!("`{name}`")).collect();
    format!(
        "the session has forks that inherit from it: {}. Keep them (`dispatch sessions erase --forks keep`: they \
         take over what they inherit), or erase all of them with it (`--forks erase`)",
        names.join(", ")
    )
}
