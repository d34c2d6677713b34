//! May this input be accepted, and does a turn start?

use super::settle::claim;
use crate::command::{Opening, Refusal, Submit};
use dispatch_events::{
    AdmissionId, Digest, Epoch, Event, Part, TurnId,
    catalogue::{
        input::{InputQueued, Intent},
        message::{Message, MessageRecorded},
        session::SessionOpened,
    },
};
use dispatch_projections::SessionState;

/// Longest idempotency key in characters.
pub const REQUEST_MAX: usize = 1024;
/// Longest session name in bytes.
pub const NAME_MAX: usize = 200;

/// Ids and limits that the decision needs and must not make up.
#[derive(Clone, Debug)]
pub struct SubmitFacts<'a> {
    /// Id of the admission, if there will be one.
    pub admission: AdmissionId,
    /// Id of the turn, if one starts.
    pub turn: TurnId,
    /// Idempotency key.
    pub request: &'a str,
    /// Name that a new session gets.
    pub name: &'a str,
    /// Agent that a new session speaks for.
    pub agent: &'a str,
    /// Most inputs that wait.
    pub queue_limit: usize,
    /// Host run that would hold the lease.
    pub epoch: Epoch,
    /// Life of the lease in milliseconds.
    pub lease_ttl_ms: u64,
}

/// What becomes of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Submitted {
    /// An earlier request made this admission.
    Repeated(AdmissionId),
    /// Append this.
    New(Vec<Event>),
}

/// Decides over an input.
///
/// # Errors
/// [`Refusal`]; nothing is to be written.
pub fn submit(state: &SessionState, submit: &Submit, facts: &SubmitFacts<'_>) -> Result<Submitted, Refusal> {
    check(submit, facts.request)?;
    let digest = digest(submit);
    if let Some(before) = state.admissions.by_request(&submit.principal, facts.request) {
        return if before.digest == digest {
            Ok(Submitted::Repeated(before.id))
        } else {
            Err(Refusal::AdmissionConflict(facts.request.to_owned()))
        };
    }
    if let Some(unknown) = state.admissions.unknown() {
        return Err(Refusal::Paused(unknown.unknown.clone().unwrap_or_default()));
    }
    if state.admissions.pending_len() >= facts.queue_limit {
        return Err(Refusal::QueueFull(state.admissions.pending_len()));
    }
    let intent = submit.intent.unwrap_or(Intent::Queue);
    if intent != Intent::Queue {
        return Err(Refusal::NotBuilt("steering and redirecting a running turn".into()));
    }
    let mut events = Vec::new();
    if state.opened.is_none() {
        let opening = submit.opening.as_ref().ok_or_else(|| Refusal::NotFound(facts.name.to_owned()))?;
        events = open(facts.name, facts.agent, opening, facts.turn)?;
    }
    events.push(
        InputQueued {
            admission: facts.admission,
            principal: submit.principal.clone(),
            request: facts.request.to_owned(),
            digest,
            intent,
            seq: state.admissions.next_seq(),
            parts: submit.parts.clone(),
            message: submit.message.clone(),
            demoted: None,
        }
        .into(),
    );
    if state.admissions.pending_len() == 0 {
        let generation = state.lease.generation.next();
        events.extend(claim(facts.admission, facts.turn, true, generation, facts.epoch, facts.lease_ttl_ms));
    }
    Ok(Submitted::New(events))
}

/// Most messages of a history that the caller gives.
pub const HISTORY_MAX: usize = 900;

/// The events that open a session.
///
/// # Errors
/// [`Refusal::Invalid`] for a name that can't be one, or a history that is too long.
pub fn open(name: &str, agent: &str, opening: &Opening, turn: TurnId) -> Result<Vec<Event>, Refusal> {
    check_name(name)?;
    if opening.history.len() > HISTORY_MAX {
        let given = opening.history.len();
        let why = format!(
            "a history has at most {HISTORY_MAX} messages, this one {given}: give the newest, or use a durable session"
        );
        return Err(Refusal::Invalid(why));
    }
    let mut events = vec![
        SessionOpened {
            name: name.to_owned(),
            route: opening.route.clone(),
            source: opening.source.clone(),
            agent: agent.to_owned(),
            parent: None,
            system: opening.system.clone(),
        }
        .into(),
    ];
    events.extend(opening.history.iter().map(|(role, text)| {
        let message = Message::Given { role: *role, parts: vec![Part::Text(text.clone())] };
        MessageRecorded { turn, message, api_content: None }.into()
    }));
    Ok(events)
}

/// Whether a text can be a session's name.
///
/// # Errors
/// [`Refusal::Invalid`], with the rule.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() || name.trim() != name {
        return Err(Refusal::Invalid("a session name is not empty and has no blank at its ends".into()));
    }
    if name.len() > NAME_MAX {
        return Err(Refusal::Invalid(format!("a session name has at most {NAME_MAX} bytes, this one {}", name.len())));
    }
    if name.chars().any(|c| c.is_control() || c == '/' || c == '\\') {
        return Err(Refusal::Invalid("a session name has no control characters, slashes or backslashes".into()));
    }
    Ok(())
}

fn check(submit: &Submit, request: &str) -> Result<(), Refusal> {
    if request.is_empty() || request.chars().count() > REQUEST_MAX {
        return Err(Refusal::Invalid(format!("a request id has 1 to {REQUEST_MAX} characters")));
    }
    if Part::joined(&submit.parts).trim().is_empty()
        && !submit.parts.iter().any(|part| matches!(part, Part::Blob { .. }))
    {
        return Err(Refusal::Invalid("the input is empty: say something".into()));
    }
    Ok(())
}

/// Digest of what is asked, so that a key is not used for two different inputs.
fn digest(submit: &Submit) -> Digest {
    let mut pieces = vec![match submit.intent {
        None | Some(Intent::Queue) => b"queue".to_vec(),
        Some(Intent::Steer) => b"steer".to_vec(),
        Some(Intent::Redirect) => b"redirect".to_vec(),
    }];
    for part in &submit.parts {
        match part {
            Part::Text(text) => {
                pieces.push(format!("text {}\n", text.len()).into_bytes());
                pieces.push(text.clone().into_bytes());
            }
            Part::Blob { media_type, name, address, length } => {
                pieces.push(format!("blob {media_type:?} {name:?} {address} {length}\n").into_bytes());
            }
        }
    }
    // A conversation that the caller gives with the input is part of what is asked.
    if let Some(opening) = submit.opening.as_ref().filter(|given| given.system.is_some() || !given.history.is_empty()) {
        pieces.push(format!("opening {:?}\n", (&opening.system, &opening.history)).into_bytes());
    }
    Digest::of_pieces(pieces.iter().map(Vec::as_slice))
}
