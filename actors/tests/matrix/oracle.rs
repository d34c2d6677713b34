//! What must hold, read off the log with no help from the code under test.

use crate::{model::Strict, support::Outside};
use dispatch_events::{
    AdmissionId, Event, Recorded,
    catalogue::{
        input::Outcome,
        message::Message,
        tool::{CallRef, EffectClass},
    },
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What the table of design §8 says that follows, as the names of the first events of whoever finds the session, with the
/// policy to go on or without.
pub fn follows(before: &[Recorded], resumes: bool) -> Option<Vec<&'static str>> {
    let mut carried: Option<AdmissionId> = None;
    let mut requeues: HashMap<AdmissionId, u32> = HashMap::new();
    let mut doubt: BTreeSet<CallRef> = BTreeSet::new();
    for recorded in before {
        match recorded.event() {
            Some(Event::InputStarted(event)) => carried = Some(event.admission),
            Some(Event::InputSettled(event)) if carried == Some(event.admission) => carried = None,
            Some(Event::InputRequeued(event)) => {
                requeues.insert(event.admission, event.times);
            }
            Some(Event::ToolStarted(event)) if event.class == EffectClass::Effect => {
                doubt.insert(event.call);
            }
            Some(Event::ToolFinished(event)) => {
                doubt.remove(&event.call);
            }
            _ => {}
        }
    }
    let admission = carried?;
    let mut names = vec!["lease.lost"];
    if !doubt.is_empty() && resumes {
        names.extend(doubt.iter().flat_map(|_| ["tool.unknown", "tool.reconciled", "tool.finished"]));
        names.extend(["input.requeued", "input.started", "lease.acquired"]);
    } else if !doubt.is_empty() {
        names.extend(doubt.iter().map(|_| "tool.unknown"));
        names.push("input.unknown");
    } else if requeues.get(&admission).is_some_and(|times| *times >= 3) {
        names.push("input.unknown");
    } else {
        names.extend(["input.requeued", "input.started", "lease.acquired"]);
    }
    Some(names)
}

/// The session's events at the moment of the loss, and the ones behind it, without inputs that came in meanwhile.
pub fn around_the_loss(events: &[Recorded]) -> Option<(&[Recorded], Vec<&str>)> {
    let at = events.iter().position(|recorded| recorded.kind == "lease.lost")?;
    let behind = events[at..].iter().filter(|recorded| recorded.stream == events[at].stream);
    Some((
        &events[..at],
        behind.map(|recorded| recorded.kind.as_str()).filter(|kind| *kind != "input.queued").collect(),
    ))
}

/// What holds at the end, whatever happened on the way.
pub fn check(outside: &Outside, strict: &Strict, requests: &[&str]) {
    let events = outside.events();
    let complaints = strict.complaints.lock().unwrap().clone();
    assert!(complaints.is_empty(), "the model refused: {complaints:?}");
    let unannounced = outside.unannounced.lock().unwrap().clone();
    assert!(unannounced.is_empty(), "happened without its event: {unannounced:?}");
    let runs = outside.tool_runs.lock().unwrap().clone();
    let acts: Vec<_> = runs.iter().filter(|run| run.starts_with("act")).collect();
    assert_eq!(acts.iter().collect::<HashSet<_>>().len(), acts.len(), "an effect happened twice: {runs:?}");
    inputs(&events, requests);
    turns(&events);
    calls(&events);
    prefixes(&events, &strict.bodies.lock().unwrap());
}

/// Every input is there once, in the order in which it was accepted, and finished.
fn inputs(events: &[Recorded], requests: &[&str]) {
    let mut queued = BTreeMap::new();
    let mut outcomes = HashMap::new();
    for recorded in events {
        match recorded.event() {
            Some(Event::InputQueued(event)) => {
                let before = queued.insert(event.request.clone(), event.admission);
                assert_eq!(before, None, "{} was accepted twice", event.request);
            }
            Some(Event::InputSettled(event)) => {
                assert_eq!(outcomes.insert(event.admission, event.outcome), None, "settled twice");
            }
            _ => {}
        }
    }
    for request in requests {
        let admission = queued.get(*request).unwrap_or_else(|| panic!("{request} is not in the log"));
        assert_eq!(outcomes.get(admission), Some(&Outcome::Completed), "{request}");
    }
    assert_eq!(queued.len(), requests.len(), "an input that nobody gave");
}

/// A turn begins once, says once what the person said, recalls once, and ends once.
fn turns(events: &[Recorded]) {
    let mut seen = HashMap::new();
    for recorded in events {
        let happened = match recorded.event() {
            Some(Event::TurnStarted(event)) => (event.turn.to_string(), "started"),
            Some(Event::MemoryRecalled(event)) => (event.turn.to_string(), "recalled"),
            Some(Event::TurnCompleted(event)) => (event.turn.to_string(), "completed"),
            Some(Event::MessageRecorded(event)) => match event.message {
                Message::User { admission } => (admission.to_string(), "said"),
                _ => continue,
            },
            _ => continue,
        };
        *seen.entry(happened).or_insert(0) += 1;
    }
    for ((whose, what), times) in seen {
        assert_eq!(times, 1, "{whose} {what}");
    }
}

/// Every call has exactly one result, and none that was asked about ran without consent.
fn calls(events: &[Recorded]) {
    let mut results: BTreeMap<CallRef, u32> = BTreeMap::new();
    let mut waits = HashSet::new();
    for recorded in events {
        match recorded.event() {
            Some(Event::ToolRequested(event)) => assert_eq!(results.insert(event.call, 0), None),
            Some(Event::ToolApprovalAsked(event)) => assert!(waits.insert(event.call), "asked twice"),
            Some(Event::ToolApprovalGiven(event)) => assert!(waits.remove(&event.call), "given without a question"),
            Some(Event::ToolStarted(event)) => assert!(!waits.contains(&event.call), "it ran without consent"),
            Some(Event::ToolFinished(event)) => *results.get_mut(&event.call).expect("asked for") += 1,
            _ => {}
        }
    }
    assert!(results.values().all(|many| *many == 1), "{results:?}");
}

/// Every request is the one before, or goes on behind it; nothing else has a cause here.
fn prefixes(events: &[Recorded], bodies: &[String]) {
    assert!(!events.iter().any(|recorded| recorded.kind == "prefix.diverged"));
    let conversation = |body: &str| body.rsplit_once('\n').map(|(head, _)| head.to_owned()).unwrap();
    for pair in bodies.windows(2) {
        let (before, now) = (conversation(&pair[0]), conversation(&pair[1]));
        assert!(now == before || now.starts_with(&format!("{before}\n")), "a request does not extend the one before");
    }
}
