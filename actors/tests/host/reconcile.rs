use crate::support::*;
use dispatch_actors::{
    HostHandle, HostSettings,
    command::{Reconcile, ReconcileVerdict},
    settings::Recovery,
};
use std::{sync::Arc, time::Duration};

fn word(verdict: ReconcileVerdict) -> Reconcile {
    Reconcile { principal: me(), call: None, verdict, why: "I looked".into() }
}

/// A session that paused over a tool of which nobody knows how it ended.
async fn paused(tool: &'static str, resume: bool) -> (Arc<Outside>, HostHandle, HostHandle) {
    let outside = outside();
    outside.script([Act::Call(vec![(tool, "{\"to\":\"x\"}")])]);
    let (lost, _) = outside.host(settings(), false).await;
    lost.submit(&"s".into(), say("go")).await.unwrap();
    until("the tool runs", || outside.tool_runs.lock().unwrap().len() == 1).await;
    if tool == "talk" {
        until("it says something", || outside.count("tool.progressed") > 0).await;
    }
    let policy = if resume { Recovery::Resume } else { Recovery::Pause };
    let (host, _) = outside.host(HostSettings { recovery: policy, ..settings() }, false).await;
    (outside, lost, host)
}

#[test]
fn what_is_known_of_an_unknown_call_and_the_word_that_settles_it() {
    block_on(async {
        let (outside, _lost, host) = paused("talk", false).await;
        until("it pauses", || outside.count("input.unknown") == 1).await;
        let row = host.unknowns(&"s".into()).await.unwrap().unknowns.remove(0);
        assert_eq!((row.tool.as_deref(), row.arguments.as_deref()), (Some("talk"), Some("{\"to\":\"x\"}")));
        assert!(row.last_output.unwrap().ends_with("word "));
        assert!(row.ran_ms.unwrap() >= 900 && row.started_at.is_some(), "{:?}", row.ran_ms);
        outside.script([Act::Say("good")]);
        let settled = host.reconcile(&"s".into(), word(ReconcileVerdict::Finished("sent".into()))).await.unwrap();
        assert_eq!(settled.name, "s");
        until("the turn is settled", || outside.count("input.settled") == 1).await;
        assert!(outside.bodies.lock().unwrap()[1].contains("sent"), "the model reads what the person said");
        assert_eq!((outside.count("input.requeued"), outside.count("turn.completed")), (0, 1));
        let nothing = host.reconcile(&"s".into(), word(ReconcileVerdict::NotDone)).await.unwrap_err();
        assert_eq!(nothing.code(), "invalid_params");
        assert_eq!(outside.tool_runs.lock().unwrap().len(), 1);
    });
}

#[test]
fn given_up_the_queue_goes_on() {
    block_on(async {
        let (outside, _lost, host) = paused("slow", false).await;
        until("it pauses", || outside.count("input.unknown") == 1).await;
        host.reconcile(&"s".into(), word(ReconcileVerdict::GiveUp)).await.unwrap();
        outside.script([Act::Say("on we go")]);
        assert_eq!(turn(&host, "s", "more").await.answer, "on we go");
        assert_eq!(outside.count("turn.interrupted"), 1);
    });
}

#[test]
fn with_the_policy_to_go_on_nobody_is_asked() {
    block_on(async {
        let (outside, _lost, _host) = paused("slow", true).await;
        outside.script([Act::Say("I shall look")]);
        until("the turn is settled", || outside.count("input.settled") == 1).await;
        assert_eq!((outside.count("input.unknown"), outside.count("tool.reconciled")), (0, 1));
        assert!(outside.bodies.lock().unwrap()[1].contains("may or may not have happened"));
        assert_eq!(outside.tool_runs.lock().unwrap().len(), 1);
    });
}

#[test]
fn a_host_that_recovers_nothing_records_the_word_and_leaves_the_turn() {
    block_on(async {
        let (outside, _lost, seen) = paused("slow", false).await;
        until("it pauses", || outside.count("input.unknown") == 1).await;
        drop(seen);
        let (inside, _) = outside.host(HostSettings { recover: false, ..settings() }, false).await;
        inside.reconcile(&"s".into(), word(ReconcileVerdict::NotDone)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert_eq!((outside.count("input.reconciled"), outside.bodies.lock().unwrap().len()), (1, 1));
        outside.script([Act::Say("then not")]);
        let (_next, _) = outside.host(settings(), false).await;
        until("the turn is settled", || outside.count("turn.completed") == 1).await;
        assert_eq!(outside.count("input.requeued"), 0);
    });
}
