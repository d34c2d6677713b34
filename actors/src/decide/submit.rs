//! May this input be accepted, and does a turn start?

use super::settle::{Besides, ClaimFacts, claim_first};
use crate::command::{Opening, Refusal, Submit};
use dispatch_events::{
    AdmissionId, Digest, Event, Part, TurnId,
    catalogue::{
        input::{InputQueued, Intent},
        message::{Message, MessageRecorded},
        session::{BusyMode, SessionOpened},
    },
};
use dispatch_projections::SessionState;

/// Longest idempotency key in characters.
pub const REQUEST_MAX: usize = 1024;
/// Longest platform's id of a message in characters.
pub const MESSAGE_MAX: usize = 1024;
/// Most bytes of text in one input: an append that the log can't take must not be the end of what runs.
pub const INPUT_MAX: usize = 8 * 1024 * 1024;
/// Longest session name in bytes.
pub const NAME_MAX: usize = 200;

/// Ids and limits that the decision needs and must not make up.
#[derive(Clone, Debug)]
pub struct SubmitFacts<'a> {
    /// Id of the admission, if there will be one.
    pub admission: AdmissionId,
    /// Idempotency key.
    pub request: &'a str,
    /// Name that a new session gets.
    pub name: &'a str,
    /// Agent that a new session speaks for.
    pub agent: &'a str,
    /// Most inputs that wait; the one that runs does not wait.
    pub queue_limit: usize,
    /// What an input that does not say wants, where the session has no setting of its own.
    pub busy: BusyMode,
    /// Whether a tool runs whose work a stop would destroy.
    pub delegating: bool,
    /// For the turn, if one starts.
    pub claim: ClaimFacts<'a>,
}

/// What becomes of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Submitted {
    /// An earlier request made this admission.
    Repeated(AdmissionId),
    /// Append this.
    New(Vec<Event>),
    /// Stop the running turn; then append what [`redirect`](super::interrupt::redirect) makes of this.
    Redirect(InputQueued),
}

/// Decides over an input.
///
/// # Errors
/// [`Refusal`]; nothing is to be written.
pub fn submit(state: &SessionState, submit: &Submit, facts: &SubmitFacts<'_>) -> Result<Submitted, Refusal> {
    check(submit, facts.request)?;
    let digest = digest(submit);
    let same = state.admissions.by_request(&submit.principal, facts.request);
    // A message that the platform delivers again is the same message, also where its text was edited since.
    let again = submit.message.as_deref().and_then(|id| state.admissions.by_message(&submit.principal.adapter, id));
    if let Some(before) = same.filter(|before| before.digest == digest).or(again) {
        return Ok(Submitted::Repeated(before.id));
    }
    if same.is_some() {
        return Err(Refusal::AdmissionConflict(facts.request.to_owned()));
    }
    let mut events = Vec::new();
    if state.opened.is_none() {
        let opening = submit.opening.as_ref().ok_or_else(|| Refusal::NotFound(facts.name.to_owned()))?;
        events = open(facts.name, facts.agent, opening, facts.claim.next_turn)?;
    }
    let (intent, demoted) = intent(state, submit, facts);
    let running = state.admissions.started().is_some();
    let redirects = running && intent == Intent::Redirect;
    admit(state, submit, facts, redirects)?;
    let queued = InputQueued {
        admission: facts.admission,
        principal: submit.principal.clone(),
        request: facts.request.to_owned(),
        digest,
        intent,
        seq: state.admissions.next_seq(),
        parts: submit.parts.clone(),
        message: submit.message.clone(),
        demoted,
        again: submit.again,
    };
    if redirects {
        return Ok(Submitted::Redirect(queued));
    }
    events.push(queued.clone().into());
    if !running && state.admissions.unknown().is_none() {
        events.extend(claim_first(state, Besides::New(&queued), facts.claim));
    }
    Ok(Submitted::New(events))
}

/// Whether a new input is taken at all.
fn admit(state: &SessionState, submit: &Submit, facts: &SubmitFacts<'_>, redirects: bool) -> Result<(), Refusal> {
    facts.claim.policy.may_run(&submit.principal).map_err(Refusal::Denied)?;
    if let Some(expected) = submit.expected_revision.filter(|expected| *expected != state.revision) {
        return Err(Refusal::RevisionConflict { expected, actual: state.revision });
    }
    if let Some(paused) = state.admissions.unknown().filter(|_| submit.not_while_paused) {
        return Err(Refusal::Paused(paused.unknown.clone().unwrap_or_default()));
    }
    let waiting = state.admissions.waiting_len();
    // One that stops the turn does not wait: it is the next.
    if waiting >= facts.queue_limit && !redirects {
        return Err(Refusal::QueueFull(waiting));
    }
    Ok(())
}

/// What an input wants of a running turn, and what it had wanted, if that would destroy running work.
fn intent(state: &SessionState, submit: &Submit, facts: &SubmitFacts<'_>) -> (Intent, Option<Intent>) {
    let runs = state.admissions.started().is_some();
    let intent = submit.intent.unwrap_or(match state.busy.unwrap_or(facts.busy) {
        BusyMode::Steer if runs => Intent::Steer,
        BusyMode::Interrupt if runs => Intent::Redirect,
        _ => Intent::Queue,
    });
    match intent {
        Intent::Redirect if runs && facts.delegating => (Intent::Queue, Some(Intent::Redirect)),
        intent => (intent, None),
    }
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
    if name.chars().any(|c| c.is_control() || is_invisible(c) || c == '/' || c == '\\') {
        return Err(Refusal::Invalid(
            "a session name has no control or invisible characters, slashes or backslashes".into(),
        ));
    }
    if matches!(name, "." | "..") {
        return Err(Refusal::Invalid("a session name is not `.` or `..`: no address could hold it".into()));
    }
    Ok(())
}

/// Characters that nobody sees, so that two names would look alike.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

fn check(submit: &Submit, request: &str) -> Result<(), Refusal> {
    if submit.message.as_ref().is_some_and(|id| id.is_empty() || id.chars().count() > MESSAGE_MAX) {
        return Err(Refusal::Invalid(format!("a platform's id of a message has 1 to {MESSAGE_MAX} characters")));
    }
    let bytes: usize = submit.parts.iter().map(|part| if let Part::Text(text) = part { text.len() } else { 0 }).sum();
    if bytes > INPUT_MAX {
        return Err(Refusal::Invalid(format!(
            "an input has at most {INPUT_MAX} bytes, this one {bytes}: send less at once"
        )));
    }
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
        // What an input that does not say wants follows from settings, and settings are not what was asked.
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
