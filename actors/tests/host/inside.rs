//! A host that carries no turn until it is asked to, as the command line runs one inside; and what a repeat of a request
//! gets that was once unknown.

use crate::support::*;
use dispatch_actors::{
    HostHandle, HostSettings, Stop, Submit,
    command::{Change, HistoryChange, Reconcile, ReconcileVerdict},
};
use dispatch_events::{Event, catalogue::input::Outcome};
use std::sync::Arc;

/// A host whose session `s` paused over a tool of which nobody knows how it ended.
async fn paused(outside: &Arc<Outside>) -> HostHandle {
    let (lost, _) = outside.host(settings(), false).await;
    let input = Submit { request: Some("key".into()), ..say("go") };
    lost.submit(&"s".into(), input).await.unwrap();
    until("the tool runs", || outside.tool_runs.lock().unwrap().len() == 1).await;
    let (host, _) = outside.host(settings(), false).await;
    until("it pauses", || outside.count("input.unknown") == 1).await;
    host
}

fn inside() -> HostSettings {
    HostSettings { recover: false, ..settings() }
}

#[test]
fn a_retry_is_carried_out_by_the_host_that_is_asked_for_it() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        let (host, _) = outside.host(settings(), false).await;
        turn(&host, "s", "hello").await;
        drop(host);
        let (host, _) = outside.host(inside(), false).await;
        let changed = host.change(&"s".into(), HistoryChange::Retry, Change::by(me())).await.unwrap();
        let receipt = changed.receipt.unwrap();
        assert_eq!(host.wait(&receipt).await.unwrap().answer, "two");
        let again = outside.events().into_iter().rev().find_map(|recorded| match recorded.event() {
            Some(Event::InputQueued(event)) => Some(event.again),
            _ => None,
        });
        let first = host.state(&"s".into(), None).await.unwrap().admissions.iter().next().map(|admission| admission.id);
        assert_eq!(again, Some(first), "it says which input it repeats");
    });
}

#[test]
fn a_stop_on_a_host_that_carries_nothing_claims_nothing() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("slow", "{}")])]);
        paused(&outside).await.submit(&"s".into(), say("next")).await.unwrap();
        let (host, _) = outside.host(inside(), false).await;
        host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        drop(host);
        let requeued = outside.count("input.requeued");
        let (host, _) = outside.host(settings(), false).await;
        until("the next input is done", || outside.count("turn.completed") == 1).await;
        assert_eq!(outside.count("input.requeued"), requeued, "nothing was lost, so nothing is started again");
        drop(host);
    });
}

#[test]
fn a_repeat_gets_the_stored_answer_though_the_input_was_once_unknown() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("slow", "{}")]), Act::Say("done")]);
        let host = paused(&outside).await;
        let verdict = ReconcileVerdict::Finished("it is done".into());
        let word = Reconcile { principal: me(), call: None, verdict, why: "I looked".into() };
        host.reconcile(&"s".into(), word).await.unwrap();
        until("the turn is over", || outside.count("turn.completed") == 1).await;
        let repeat = Submit { request: Some("key".into()), ..say("go") };
        let receipt = host.submit(&"s".into(), repeat).await.unwrap();
        assert!(receipt.repeated);
        let ending = host.wait(&receipt).await.unwrap();
        assert_eq!((ending.outcome, ending.answer.as_str()), (Outcome::Completed, "done"));
    });
}
