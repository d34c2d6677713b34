//! Two owners of one session over one store. A late one writes nothing and starts nothing, and what it wanted is on
//! record; an input waits for the lease, and is refused when that takes too long.

use crate::support::*;
use dispatch_actors::{HostHandle, HostSettings, Ownership, Stop};
use dispatch_events::{
    Clock, Epoch, Event, Timestamp,
    catalogue::{host::AppendRefused, input::Outcome},
    store::faulty::FaultyStore,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

/// One of several hosts. A lease lives half a second, and is renewed ten times in that.
fn shared() -> HostSettings {
    HostSettings { ownership: Ownership::Shared, lease_ttl_ms: 500, lease_renew_ms: 50, ..settings() }
}

/// Two hosts; the first carries a turn whose model says nothing more.
async fn two(outside: &Arc<Outside>, first: Act) -> ((HostHandle, Arc<FaultyStore>), HostHandle) {
    outside.script([first]);
    let (one, store) = outside.host(shared(), false).await;
    let (other, _) = outside.host(shared(), false).await;
    one.submit(&"s".into(), say("go")).await.unwrap();
    until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
    ((one, store), other)
}

fn refusals(outside: &Outside) -> Vec<AppendRefused> {
    let refused = |event: &Event| if let Event::AppendRefused(refused) = event { Some(refused.clone()) } else { None };
    outside.events().iter().filter_map(|recorded| recorded.event().and_then(refused)).collect()
}

/// The epochs that wrote to the session, in the order of their first events after `kind`.
fn writers_after(outside: &Outside, kind: &str) -> Vec<Epoch> {
    let events = outside.events();
    let at = events.iter().rposition(|recorded| recorded.kind == kind).unwrap();
    let session = events[at].stream;
    let mut writers: Vec<_> =
        events[at..].iter().filter(|recorded| recorded.stream == session).map(|recorded| recorded.epoch).collect();
    writers.dedup();
    writers
}

#[test]
fn a_host_that_slept_through_a_takeover_writes_nothing_and_starts_nothing() {
    block_on(async {
        for first in [Act::Hang("half an ans"), Act::Call(vec![("slow", "{}")])] {
            let outside = outside();
            let tool = matches!(first, Act::Call(_));
            let ((one, store), other) = two(&outside, first).await;
            if tool {
                until("its tool runs", || outside.tool_runs.lock().unwrap().len() == 1).await;
            }
            store.hold();
            outside.script([Act::Say("taken over"), Act::Say("and on")]);
            if tool {
                // What it did nobody knows, so the session pauses.
                other.submit(&"s".into(), say("more")).await.unwrap();
                assert_eq!(outside.count("input.unknown"), 1);
            } else {
                assert_eq!(turn(&other, "s", "more").await.answer, "and on");
            }
            let told = outside.count("lease.lost");
            assert_eq!(told, 1, "the takeover is on record");
            let asked = outside.bodies.lock().unwrap().len();
            store.go_on();
            until("the refusal is on record", || outside.count("append.refused") == 1).await;
            tokio::time::sleep(Duration::from_millis(600)).await;
            let refused = refusals(&outside);
            assert_eq!(
                (refused.len(), refused[0].owner, refused[0].what.clone()),
                (1, Epoch(1), vec!["lease.renewed".to_owned()])
            );
            assert!(refused[0].actual > refused[0].expected);
            assert_eq!(writers_after(&outside, "lease.lost"), [Epoch(2)], "nothing of the late host landed");
            assert_eq!(outside.bodies.lock().unwrap().len(), asked, "it asks no model");
            assert_eq!(outside.tool_runs.lock().unwrap().len(), usize::from(tool), "it starts no tool");
            assert!(outside.unannounced.lock().unwrap().is_empty());
            let (of_one, of_other) =
                (one.state(&"s".into(), None).await.unwrap(), other.state(&"s".into(), None).await.unwrap());
            assert_eq!(of_one.hash, of_other.hash);
        }
    });
}

#[test]
fn an_input_waits_while_the_lease_is_renewed_and_is_refused_in_the_end_with_nothing_written() {
    block_on(async {
        let outside = outside();
        let ((_one, _), _) = two(&outside, Act::Hang("…")).await;
        // Twice the life of the lease: without the renewals it would be taken.
        let (other, _) = outside.host(HostSettings { lease_wait_ms: 1_200, ..shared() }, false).await;
        let began = std::time::Instant::now();
        let session = "s".into();
        let waiting = other.submit(&session, say("more"));
        let stop = other.interrupt(&session, me(), Stop::default());
        let (waited, stopped) = futures_util::future::join(waiting, stop).await;
        assert_eq!(waited.unwrap_err().code(), "session_busy");
        assert_eq!(stopped.unwrap_err().code(), "session_busy");
        assert!(began.elapsed() >= Duration::from_millis(1_200));
        assert_eq!((outside.count("input.queued"), outside.count("lease.lost")), (1, 0));
        assert!(outside.events().iter().all(|recorded| recorded.epoch == Epoch(1) || recorded.kind == "host.started"));
    });
}

#[test]
fn a_lease_that_is_given_back_is_taken_at_once() {
    block_on(async {
        let outside = outside();
        let long = || HostSettings { lease_ttl_ms: 300_000, lease_renew_ms: 60_000, ..shared() };
        *outside.recall.lock().unwrap() = Some(("what was".into(), Duration::from_millis(400)));
        outside.script([Act::Say("one"), Act::Say("two")]);
        let (one, _) = outside.host(long(), true).await;
        let (other, _) = outside.host(long(), true).await;
        let first = one.submit(&"s".into(), say("first")).await.unwrap();
        assert_eq!(turn(&other, "s", "second").await.answer, "two");
        assert_eq!(one.wait(&first).await.unwrap().answer, "one");
        let kinds = outside.kinds();
        assert!(
            !kinds.contains(&"lease.lost".to_owned()) && !kinds.contains(&"append.refused".to_owned()),
            "{kinds:?}"
        );
    });
}

#[test]
fn a_session_at_rest_goes_from_host_to_host_without_a_refusal() {
    block_on(async {
        let outside = outside();
        let (one, _) = outside.host(shared(), false).await;
        let (other, _) = outside.host(shared(), false).await;
        for round in 0..3 {
            for (host, words) in [(&one, "at one"), (&other, "at the other")] {
                outside.script([Act::Say(words)]);
                assert_eq!(turn(host, "s", words).await.answer, words, "round {round}");
            }
        }
        assert_eq!(outside.count("append.refused"), 0);
        assert_eq!(outside.count("turn.completed"), 6);
        // In the same moment: one after the other, nothing refused, nothing lost.
        outside.script([Act::Say("a"), Act::Say("b")]);
        let both = futures_util::future::join(turn(&one, "s", "a"), turn(&other, "s", "b")).await;
        assert_eq!((both.0.outcome, both.1.outcome), (Outcome::Completed, Outcome::Completed));
        assert_eq!(outside.count("turn.completed"), 8);
    });
}

/// A clock that is set back by an hour each time somebody looks.
struct Backwards(AtomicI64);

impl Clock for Backwards {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_sub(3_600_000_000, Ordering::SeqCst))
    }
}

#[test]
fn a_clock_that_is_set_back_an_hour_between_any_two_events_changes_nothing() {
    block_on(async {
        let mut seen = Vec::new();
        for clock in [
            Arc::new(dispatch_events::SystemClock) as Arc<dyn Clock>,
            Arc::new(Backwards(AtomicI64::new(1_900_000_000_000_000))),
        ] {
            let outside = outside_at(clock);
            outside.script([Act::Call(vec![("look", "{}")]), Act::Say("done"), Act::Hang("…")]);
            let (one, _) = outside.host(shared(), false).await;
            let (other, _) = outside.host(shared(), false).await;
            assert_eq!(turn(&one, "s", "first").await.answer, "done");
            one.submit(&"s".into(), say("second")).await.unwrap();
            until("it is renewed", || outside.count("lease.renewed") >= 20).await;
            assert_eq!(outside.count("lease.lost"), 0, "twice the life of the lease, and nobody took it");
            one.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
            outside.script([Act::Say("third")]);
            assert_eq!(turn(&other, "s", "third").await.answer, "third");
            let state = other.state(&"s".into(), None).await.unwrap();
            let view = dispatch_projections::view::TranscriptView::of(&state);
            let rows: Vec<_> = view.messages.into_iter().map(|row| (row.role, row.content)).collect();
            let mut kinds = outside.kinds();
            kinds.retain(|kind| kind != "lease.renewed");
            seen.push((kinds, rows));
        }
        assert_eq!(seen[0], seen[1]);
    });
}
