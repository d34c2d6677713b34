//! What must hold at the end, read off the log.

use crate::world::World;
use dispatch_actors::{HostHandle, Receipt, SessionRef};
use dispatch_events::{
    AdmissionId, Event, Recorded, StreamId,
    catalogue::{input::Intent, tool::CallRef},
};
use dispatch_projections::SessionState;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

pub async fn check(world: &Arc<World>, host: &HostHandle, sessions: &[StreamId], receipts: &[Receipt]) {
    let events = world.events();
    let report = host.verify().await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(*world.complaints.lock().unwrap(), [""; 0], "the model could not have accepted this");
    for id in sessions {
        let own: Vec<_> = events.iter().filter(|recorded| recorded.stream == *id).collect();
        let state = host.state(&SessionRef::Id(*id), None).await.unwrap();
        rebuilt(&state, &own);
        settled(&state);
        inputs(&own);
        turns(&own);
        calls(&own);
        let prefix = host.prefix(&SessionRef::Id(*id)).await.unwrap();
        for row in prefix.requests {
            assert!(row.proven, "{row:?}");
            assert!(row.extends_previous || row.cause.is_some(), "{row:?}");
        }
    }
    acknowledged(&events, receipts);
    announced(world, &events);
    effects(world);
}

/// The state that the host has is the one that the events give.
fn rebuilt(state: &SessionState, own: &[&Recorded]) {
    // A fork begins with what its parent was, which its own events do not say.
    if matches!(own[0].event(), Some(Event::SessionOpened(opened)) if opened.parent.is_some()) {
        return;
    }
    let mut folded = SessionState::empty(state.stream);
    if state.version.0 == own.len() as u64 {
        for recorded in own {
            folded.apply(recorded).unwrap();
        }
        assert!(folded.to_bytes().unwrap() == state.to_bytes().unwrap(), "rebuilt is not live");
    }
}

fn settled(state: &SessionState) {
    assert_eq!(state.admissions.pending_len(), 0);
    assert!(state.lease.held.is_none(), "{:?}", state.lease);
    assert!(state.obligations.open().next().is_none());
}

/// Every input is there once, ends once, and those that only wait begin in the order of their numbers.
fn inputs(own: &[&Recorded]) {
    let mut queued: HashMap<AdmissionId, (u64, Intent)> = HashMap::new();
    let mut requests = HashSet::new();
    let mut ends: HashMap<AdmissionId, u32> = HashMap::new();
    let mut begun = HashSet::new();
    let mut last = 0;
    for recorded in own {
        match recorded.event() {
            Some(Event::InputQueued(event)) => {
                assert!(queued.insert(event.admission, (event.seq, event.intent)).is_none());
                assert!(requests.insert(&event.request), "{} was accepted twice", event.request);
            }
            Some(Event::InputStarted(event)) => {
                let (seq, intent) = queued[&event.admission];
                if begun.insert(event.admission) && intent == Intent::Queue {
                    assert!(seq > last, "input {seq} began behind input {last}");
                    last = seq;
                }
            }
            Some(Event::InputSettled(event)) => *ends.entry(event.admission).or_default() += 1,
            Some(Event::InputCancelled(event)) => *ends.entry(event.admission).or_default() += 1,
            _ => {}
        }
    }
    for (admission, (seq, intent)) in queued {
        assert_eq!(ends.get(&admission), Some(&1), "ends of input {seq} ({intent:?})");
    }
}

/// A turn ends once.
fn turns(own: &[&Recorded]) {
    let mut ends = BTreeMap::new();
    for recorded in own {
        let ended = match recorded.event() {
            Some(Event::TurnStarted(event)) => {
                assert_eq!(ends.insert(event.turn, 0), None);
                continue;
            }
            Some(Event::TurnCompleted(event)) => event.turn,
            Some(Event::TurnInterrupted(event)) => event.turn,
            Some(Event::TurnFailed(event)) => event.turn,
            _ => continue,
        };
        *ends.get_mut(&ended).unwrap() += 1;
    }
    assert!(ends.values().all(|times| *times == 1), "{ends:?}");
}

/// Every call has exactly one result.
fn calls(own: &[&Recorded]) {
    let mut results: BTreeMap<CallRef, u32> = BTreeMap::new();
    for recorded in own {
        match recorded.event() {
            Some(Event::ToolRequested(event)) => assert_eq!(results.insert(event.call, 0), None),
            Some(Event::ToolFinished(event)) => *results.get_mut(&event.call).unwrap() += 1,
            _ => {}
        }
    }
    assert!(results.values().all(|times| *times == 1), "{results:?}");
}

/// What somebody got a receipt for is in the log, once, and finished.
fn acknowledged(events: &[Recorded], receipts: &[Receipt]) {
    for receipt in receipts {
        let of = |recorded: &&Recorded| match recorded.event() {
            Some(Event::InputQueued(event)) => event.admission == receipt.admission,
            _ => false,
        };
        let found: Vec<_> = events.iter().filter(of).collect();
        assert_eq!(found.len(), 1, "{receipt:?}");
        assert_eq!((found[0].stream, found[0].version), (receipt.session, receipt.version));
    }
}

/// Nothing left the process before the event that says so: of the first n calls, n were announced.
fn announced(world: &World, events: &[Recorded]) {
    let said =
        |kind: &str| events.iter().filter(|event| event.kind == kind).map(|event| event.position).collect::<Vec<_>>();
    let (requested, started) = (said("model.requested"), said("tool.started"));
    for (n, (at, length)) in world.calls.lock().unwrap().iter().enumerate() {
        assert!(requested.iter().filter(|position| *position <= at).count() > n, "model call {n} was not announced");
        let same = events.iter().take_while(|event| event.position <= *at).any(|event| match event.event() {
            Some(Event::ModelRequested(requested)) => requested.length == *length,
            _ => false,
        });
        assert!(same, "the body of model call {n} was not announced");
    }
    for (n, (at, name, _)) in world.runs.lock().unwrap().iter().enumerate() {
        assert!(started.iter().filter(|position| *position <= at).count() > n, "run {n} of {name} was not announced");
    }
}

/// What can't be repeated was not.
fn effects(world: &World) {
    let mut seen = HashSet::new();
    for (_, name, arguments) in world.runs.lock().unwrap().iter().filter(|(_, name, _)| *name == "act") {
        assert!(seen.insert(arguments.clone()), "{name} {arguments} ran twice");
    }
}
