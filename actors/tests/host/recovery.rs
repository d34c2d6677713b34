use crate::support::*;
use dispatch_actors::{
    Stop, Submit,
    command::{Reconcile, ReconcileVerdict},
};
use dispatch_events::{
    Event,
    catalogue::{host::PreviousRun, input::Outcome},
};
use std::time::Duration;

/// Runs a turn until `there`, throws the host away as a crash would, and starts another one.
async fn crash_when(acts: Vec<Act>, there: &str) -> (std::sync::Arc<Outside>, dispatch_actors::HostHandle) {
    let outside = outside();
    outside.script(acts);
    let (host, _) = outside.host(settings(), false).await;
    host.submit(&"s".into(), say("go")).await.unwrap();
    until(there, || outside.count(there) > 0).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    // What the lost host still writes is refused by the version, as after a takeover.
    let (next, _) = outside.host(settings(), false).await;
    (outside, next)
}

#[test]
fn a_call_without_answer_is_made_again_with_the_same_bytes_under_the_same_admission() {
    block_on(async {
        let (outside, host) = crash_when(vec![Act::Hang("half"), Act::Say("whole")], "model.requested").await;
        until("the turn is settled", || outside.count("input.settled") == 1).await;
        let bodies = outside.bodies.lock().unwrap().clone();
        assert_eq!(bodies.len(), 2);
        assert_eq!(bodies[0], bodies[1]);
        assert_eq!(outside.count("input.queued"), 1);
        assert_eq!(outside.count("turn.started"), 1, "the same turn, another generation");
        assert_eq!(outside.count("input.requeued"), 1);
        let state = host.state(&"s".into(), None).await.unwrap();
        assert_eq!(state.lease.generation.0, 2);
        assert_eq!(state.admissions.pending_len(), 0);
    });
}

#[test]
fn a_tool_that_only_looks_runs_again_and_one_that_acts_pauses_the_session() {
    block_on(async {
        let (outside, host) = crash_when(vec![Act::Call(vec![("slow", "{}")])], "tool.started").await;
        until("the outcome is unknown", || outside.count("input.unknown") == 1).await;
        assert_eq!(outside.tool_runs.lock().unwrap().len(), 1, "it never runs again by itself");
        let impatient = Submit { not_while_paused: true, ..say("more") };
        let paused = host.submit(&"s".into(), impatient).await.unwrap_err();
        assert_eq!(paused.code(), "unknown_execution", "{paused}");
        host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        outside.script([Act::Say("on we go")]);
        assert_eq!(turn(&host, "s", "more").await.answer, "on we go", "somebody gave it up, the session goes on");
    });
}

#[test]
fn a_turn_is_started_again_three_times_at_most() {
    block_on(async {
        let outside = outside();
        outside.script(std::iter::repeat_n(Act::Hang("…"), 8));
        let mut hosts = Vec::new();
        for attempt in 0..5 {
            let (host, _) = outside.host(settings(), false).await;
            if attempt == 0 {
                host.submit(&"s".into(), say("go")).await.unwrap();
            }
            if attempt < 4 {
                until("it asks", || outside.bodies.lock().unwrap().len() == attempt + 1).await;
            }
            hosts.push(host);
        }
        until("it pauses", || outside.count("input.unknown") == 1).await;
        assert_eq!(outside.count("input.requeued"), 3);
        assert_eq!(outside.bodies.lock().unwrap().len(), 4);
        // Somebody who looked has it tried again: the same turn, the same bytes, counted anew.
        *outside.script.lock().unwrap() = [Act::Say("at last")].into();
        let (verdict, why) = (ReconcileVerdict::NotDone, "the endpoint is back".to_owned());
        let word = Reconcile { principal: me(), call: None, verdict, why };
        hosts.last().unwrap().reconcile(&"s".into(), word).await.unwrap();
        until("it ends", || outside.count("turn.completed") == 1).await;
        assert_eq!((outside.count("input.reconciled"), outside.count("turn.started")), (1, 1));
        let bodies = outside.bodies.lock().unwrap().clone();
        assert_eq!(bodies.first(), bodies.last());
    });
}

#[test]
fn inputs_that_waited_run_in_order_after_a_crash() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("…"), Act::Say("a"), Act::Say("b"), Act::Say("c")]);
        let (lost, _) = outside.host(settings(), false).await;
        for text in ["one", "two", "three"] {
            lost.submit(&"s".into(), say(text)).await.unwrap();
        }
        until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
        let (host, _) = outside.host(settings(), false).await;
        until("all are settled", || outside.count("input.settled") == 3).await;
        let state = host.state(&"s".into(), None).await.unwrap();
        let said: Vec<_> = dispatch_projections::view::TranscriptView::of(&state)
            .messages
            .into_iter()
            .filter(|row| row.role == "user" || row.role == "assistant")
            .map(|row| row.content)
            .collect();
        assert_eq!(said, ["one", "a", "two", "b", "three", "c"]);
    });
}

#[test]
fn a_late_write_of_a_lost_host_lands_nowhere() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("…"), Act::Say("answer of the new host")]);
        let (lost, _) = outside.host(settings(), false).await;
        lost.submit(&"s".into(), say("go")).await.unwrap();
        until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
        let (_host, _) = outside.host(settings(), false).await;
        until("the turn is settled", || outside.count("input.settled") == 1).await;
        let before = outside.events().len();
        let refused = lost.interrupt(&"s".into(), me(), Stop::default()).await.unwrap_err();
        assert_eq!(refused.code(), "persistence_failed", "{refused}");
        until("it is on record", || outside.events().len() > before).await;
        let late: Vec<_> = outside.events().into_iter().skip(before).map(|recorded| recorded.kind).collect();
        assert_eq!(late, ["append.refused"], "and that is on record");
    });
}

#[test]
fn an_answer_that_was_recorded_is_returned_to_the_same_request_after_a_restart() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("once")]);
        let mut submit = say("go");
        submit.request = Some("key-1".into());
        {
            let (host, _) = outside.host(settings(), false).await;
            let receipt = host.submit(&"s".into(), submit.clone()).await.unwrap();
            host.wait(&receipt).await.unwrap();
        }
        let (host, _) = outside.host(settings(), false).await;
        let again = host.submit(&"s".into(), submit.clone()).await.unwrap();
        assert!(again.repeated);
        let ending = host.wait(&again).await.unwrap();
        assert_eq!((ending.answer.as_str(), ending.outcome), ("once", Outcome::Completed));
        submit.parts = vec![dispatch_events::Part::Text("something else".into())];
        assert_eq!(host.submit(&"s".into(), submit).await.unwrap_err().code(), "admission_conflict");
        assert_eq!(outside.events().iter().filter(|e| matches!(e.event(), Some(Event::InputQueued(_)))).count(), 1);
    });
}

#[test]
fn a_start_says_how_the_run_before_it_ended() {
    block_on(async {
        let outside = outside();
        let (first, _) = outside.host(settings(), false).await;
        drop(first);
        let (second, _) = outside.host(settings(), false).await;
        second.drain("test").await;
        outside.host(settings(), false).await;
        let said: Vec<_> = outside
            .events()
            .iter()
            .filter_map(|recorded| match recorded.event() {
                Some(Event::HostStarted(started)) => Some(started.previous),
                _ => None,
            })
            .collect();
        assert_eq!(said, [PreviousRun::None, PreviousRun::Lost, PreviousRun::Stopped]);
    });
}
