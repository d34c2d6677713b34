use crate::support::*;
use dispatch_actors::{HostHandle, HostSettings, Receipt, Stop, handle::TurnEnding, tool_runner::WORKERS};
use dispatch_events::{Event, catalogue::tool::EffectDisposition};
use std::{sync::atomic::Ordering, time::Duration};

fn impatient() -> HostSettings {
    HostSettings { idle_limit_ms: 400, ..settings() }
}

/// How an input ended; a watchdog that sleeps is not waited for.
async fn ending(host: &HostHandle, receipt: &Receipt) -> TurnEnding {
    let waited = tokio::time::timeout(Duration::from_secs(20), host.wait(receipt)).await;
    waited.expect("it ends within twenty seconds").unwrap()
}

/// Code and words of the turns that failed.
fn failed(outside: &Outside) -> Vec<(String, String)> {
    let failed = |event: &Event| match event {
        Event::TurnFailed(failed) => Some((failed.code.clone(), failed.message.clone())),
        _ => None,
    };
    outside.events().iter().filter_map(|recorded| recorded.event().and_then(failed)).collect()
}

#[test]
fn a_tool_that_can_not_be_cancelled_does_not_hold_the_lane() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("deaf", "{}"), ("look", "{}")])]);
        outside.script(["a", "b", "c"].map(Act::Say));
        let (host, _) = outside.host(impatient(), false).await;
        host.submit(&"s".into(), say("go")).await.unwrap();
        let mut waiting = Vec::new();
        for text in ["one", "two", "three"] {
            waiting.push(host.submit(&"s".into(), say(text)).await.unwrap());
        }
        for (receipt, answer) in waiting.iter().zip(["a", "b", "c"]) {
            assert_eq!(ending(&host, receipt).await.answer, answer);
        }
        let (code, message) = failed(&outside).remove(0);
        assert_eq!(code, "stalled");
        assert!(message.contains("while the tool `deaf` ran"), "{message}");
        let effects: Vec<_> = outside
            .events()
            .iter()
            .filter_map(|recorded| match recorded.event() {
                Some(Event::ToolFinished(finished)) => Some(finished.effect),
                _ => None,
            })
            .collect();
        assert_eq!(effects, [EffectDisposition::Unknown, EffectDisposition::None], "each call its one result");
    });
}

#[test]
fn a_model_that_says_nothing_is_named_and_a_renewal_is_no_sign_of_life() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("half"), Act::Say("next")]);
        let (host, _) = outside.host(HostSettings { lease_renew_ms: 30, ..impatient() }, false).await;
        let receipt = host.submit(&"s".into(), say("go")).await.unwrap();
        ending(&host, &receipt).await;
        assert!(outside.count("lease.renewed") > 2);
        let (code, message) = failed(&outside).remove(0);
        assert_eq!(code, "stalled");
        assert!(message.contains("while it waited for the model (request 1 of the turn)"), "{message}");
        let state = host.state(&"s".into(), None).await.unwrap();
        let kept = dispatch_projections::view::TranscriptView::of(&state);
        assert!(
            kept.messages.iter().any(|row| row.role == "assistant" && row.content == "half"),
            "what was shown stays"
        );
        assert_eq!(turn(&host, "s", "more").await.answer, "next");
    });
}

#[test]
fn a_tool_that_says_something_is_alive() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("talk", "{}")])]);
        let (host, _) = outside.host(impatient(), false).await;
        host.submit(&"s".into(), say("go")).await.unwrap();
        until("it has said something twice", || outside.count("tool.progressed") >= 2).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(failed(&outside).is_empty());
        assert!(outside.count("tool.progressed") <= 3, "at most once a second");
    });
}

#[test]
fn a_turn_whose_host_stood_still_is_not_killed_for_it() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Late("alive", 300), Act::Freeze("and me", 1_200)]);
        let (host, _) = outside.host(impatient(), false).await;
        let late = host.submit(&"late".into(), say("go")).await.unwrap();
        until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
        // Both sessions have one thread: while the second one holds it up, nobody sees that the first one's answer is there.
        assert_eq!(turn(&host, "cold", "go").await.answer, "and me");
        assert_eq!(ending(&host, &late).await.answer, "alive");
        assert!(failed(&outside).is_empty());
    });
}

#[test]
fn a_tool_whose_turn_was_stopped_while_it_waited_for_a_worker_never_begins() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        for n in 0..WORKERS {
            outside.script([Act::Call(vec![("hold", "{}")])]);
            host.submit(&format!("s{n}").as_str().into(), say("hold")).await.unwrap();
            until("it holds a worker", || outside.tool_runs.lock().unwrap().len() == n + 1).await;
        }
        outside.script([Act::Call(vec![("act", "{}")])]);
        host.submit(&"late".into(), say("act")).await.unwrap();
        until("it is announced", || outside.count("tool.started") == WORKERS + 1).await;
        host.interrupt(&"late".into(), me(), Stop::default()).await.unwrap();
        outside.let_go.store(true, Ordering::SeqCst);
        until("the others are done", || outside.count("turn.completed") == WORKERS).await;
        assert_eq!(outside.tool_runs.lock().unwrap().iter().filter(|run| run.starts_with("act")).count(), 0);
    });
}
