//! May a session be forked here, and what does the fork begin with?

use crate::{command::Refusal, ports::ModelProfile};
use dispatch_events::{
    Event, Version,
    catalogue::session::{SessionForked, SessionOpened},
};
use dispatch_projections::{SessionState, fork::Inherited};

/// Most forks between a session and one that is none, each of them one more history to fold (design §5). A fork behind them
/// holds itself what it inherits.
pub const DEPTH_MAX: u32 = 16;
/// Most forks that are folded in a line at all: a log that names a session as its own parent ends somewhere.
pub const LINE_MAX: u32 = 4 * DEPTH_MAX;

/// The one result, in the fork, of a call that had none in its parent.
pub const UNFINISHED: &str = "Unknown: the conversation was forked before this call had a result. What it did, if it ran, \
                              is known only to the conversation that made it.";

/// The last version that the fork inherits.
///
/// # Errors
/// [`Refusal::Invalid`] for a version that is not there.
pub fn branch(state: &SessionState, at: Option<Version>) -> Result<Version, Refusal> {
    match at {
        None => Ok(state.version),
        Some(Version(0)) => Err(Refusal::Invalid("a fork inherits at least version 1: the first event".to_owned())),
        Some(at) if at > state.version => {
            Err(Refusal::Invalid(format!("there is no version {at}: the session's last one is {}", state.version)))
        }
        Some(at) => Ok(at),
    }
}

/// What the decision needs besides the inherited state.
#[derive(Clone, Copy, Debug)]
pub struct ForkFacts<'a> {
    /// Name of the fork.
    pub name: &'a str,
    /// Surface that asks.
    pub source: &'a str,
    /// Agent that it speaks for.
    pub agent: &'a str,
    /// The model that it uses instead of its parent's.
    pub profile: Option<&'a ModelProfile>,
}

/// The first events of a fork.
pub fn begin(inherited: &SessionState, origin: Inherited, facts: ForkFacts<'_>) -> Vec<Event> {
    let Inherited { from, depth } = origin;
    let opened = SessionOpened {
        name: facts.name.to_owned(),
        route: None,
        source: facts.source.to_owned(),
        agent: facts.agent.to_owned(),
        parent: Some(from),
        // The caller's system message is inherited too.
        system: None,
    };
    let forked = SessionForked {
        from,
        depth,
        profile: facts.profile.map(|profile| profile.name.clone()),
        unfinished: (inherited.transcript.unfinished() > 0).then(|| UNFINISHED.to_owned()),
        dropped: facts.profile.and_then(|profile| dropped(inherited, profile)),
    };
    vec![opened.into(), forked.into()]
}

/// What the new model can't take back of what another one said.
fn dropped(inherited: &SessionState, profile: &ModelProfile) -> Option<String> {
    let last = inherited.calls.last()?;
    let same = last.model == profile.model && last.dialect == profile.dialect;
    (!same && inherited.transcript.has_foreign()).then(|| {
        let (before, now) = (&last.model, &profile.model);
        format!("the reasoning and the vendor's own fields in the answers of {before}: {now} does not take them back")
    })
}

#[cfg(test)]
mod tests;
