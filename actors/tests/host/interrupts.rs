use crate::support::*;
use dispatch_actors::Stop;
use dispatch_actors::ports::ErrorClass;
use dispatch_events::{
    Event,
    catalogue::{input::Outcome, tool::ToolOutcome},
};
use std::time::{Duration, Instant};

/// Interrupts a turn once `ready` says that it is where it should be, and checks that it ends at once.
async fn interrupt_when(acts: Vec<Act>, backend: bool, ready: &str) -> std::sync::Arc<Outside> {
    let outside = outside();
    outside.script(acts);
    let (host, _) = outside.host(settings(), backend).await;
    let receipt = host.submit(&"s".into(), say("go")).await.unwrap();
    until(ready, || outside.count(ready) > 0).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let began = Instant::now();
    let stopped = host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
    assert_eq!(stopped.turn, receipt.turn);
    assert_eq!(host.wait(&receipt).await.unwrap().outcome, Outcome::Interrupted);
    assert!(began.elapsed() < Duration::from_secs(1));
    outside.script.lock().unwrap().clear();
    outside.script([Act::Say("next")]);
    assert_eq!(turn(&host, "s", "again").await.answer, "next", "the lane is open");
    outside
}

#[test]
fn while_the_model_streams_what_was_shown_is_kept_and_marked() {
    block_on(async {
        let outside = interrupt_when(vec![Act::Hang("half an ans")], true, "model.requested").await;
        let partial = outside.events().iter().any(|recorded| match recorded.event() {
            Some(Event::MessageRecorded(message)) => format!("{:?}", message.message).contains("partial: true"),
            _ => false,
        });
        assert!(partial);
        until("the second turn is synced", || outside.synced.lock().unwrap().len() == 1).await;
        let synced: Vec<_> = outside.synced.lock().unwrap().iter().map(words).collect();
        assert_eq!(synced, [("again".to_owned(), "next".to_owned())], "an interrupted turn is never synced");
    });
}

#[test]
fn while_tools_run_every_call_gets_one_result() {
    block_on(async {
        let calls = vec![("look", "{}"), ("slow", "{}"), ("act", "{}")];
        let outside = interrupt_when(vec![Act::Call(calls)], false, "tool.finished").await;
        assert_eq!(outside.count("tool.requested"), 3);
        assert_eq!(outside.count("tool.finished"), 3);
        assert_eq!(*outside.tool_runs.lock().unwrap(), ["look {}", "slow {}"], "the third was never started");
    });
}

#[test]
fn a_stream_that_breaks_after_text_was_shown_fails_the_turn_and_keeps_the_text() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Break("half an ans"), Act::Say("next")]);
        let (host, _) = outside.host(settings(), false).await;
        let ending = turn(&host, "s", "go").await;
        assert_eq!((ending.outcome, ending.answer.as_str()), (Outcome::Failed, "half an ans"));
        assert_eq!(outside.bodies.lock().unwrap().len(), 1, "never tried again once text was shown");
        assert_eq!(turn(&host, "s", "again").await.answer, "next");
    });
}

/// Stops the running turn, and gives the time that it took.
async fn stop(host: &dispatch_actors::HostHandle, receipt: &dispatch_actors::Receipt) {
    let began = Instant::now();
    let stopped = host.interrupt(&"s".into(), me(), Stop { turn: receipt.turn, ..Stop::default() }).await.unwrap();
    assert_eq!(stopped.turn, receipt.turn);
    assert_eq!(host.wait(receipt).await.unwrap().outcome, Outcome::Interrupted);
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

#[test]
fn during_back_off() {
    block_on(async {
        let outside = outside();
        let later = Act::FailFor(ErrorClass::ServerError, 60_000);
        outside.script([later, Act::Say("next")]);
        let (host, _) = outside.host(settings(), false).await;
        let receipt = host.submit(&"s".into(), say("go")).await.unwrap();
        until("it failed once", || outside.count("model.failed") == 1).await;
        stop(&host, &receipt).await;
        assert_eq!(turn(&host, "s", "again").await.answer, "next");
    });
}

#[test]
fn before_the_first_byte() {
    block_on(async {
        interrupt_when(vec![Act::Hang("")], false, "model.requested").await;
    });
}

#[test]
fn during_recall() {
    block_on(async {
        let outside = outside();
        *outside.recall.lock().unwrap() = Some(("slow".into(), Duration::from_secs(5)));
        let (host, _) = outside.host(settings(), true).await;
        let receipt = host.submit(&"s".into(), say("go")).await.unwrap();
        until("it recalls", || outside.recalls.load(std::sync::atomic::Ordering::SeqCst) == 1).await;
        stop(&host, &receipt).await;
        assert_eq!(outside.bodies.lock().unwrap().len(), 0, "no model was asked");
        assert!(outside.synced.lock().unwrap().is_empty());
    });
}

#[test]
fn of_a_turn_that_was_just_claimed() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        for round in 0..30 {
            outside.script.lock().unwrap().clear();
            outside.script([Act::Hang("never whole")]);
            let receipt = host.submit(&"s".into(), say(&format!("go {round}"))).await.unwrap();
            stop(&host, &receipt).await;
        }
        assert_eq!((outside.count("turn.started"), outside.count("turn.interrupted")), (30, 30));
    });
}

#[test]
fn what_only_waits_is_not_stopped_and_runs_next() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("half"), Act::Say("next")]);
        let (host, _) = outside.host(settings(), false).await;
        let first = host.submit(&"s".into(), say("go")).await.unwrap();
        let waits = host.submit(&"s".into(), say("more")).await.unwrap();
        until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
        stop(&host, &first).await;
        assert_eq!(host.wait(&waits).await.unwrap().answer, "next");
    });
}

#[test]
fn nothing_running_is_said_and_changes_nothing() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("yes")]);
        let (host, store) = outside.host(settings(), false).await;
        turn(&host, "s", "go").await;
        let before = store.appends();
        assert_eq!(host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap().turn, None);
        assert_eq!(store.appends(), before);
    });
}

#[test]
fn a_call_that_had_finished_keeps_its_result_though_its_neighbour_is_stopped() {
    block_on(async {
        let calls = vec![("look", "{}"), ("hold", "{}")];
        let outside = interrupt_when(vec![Act::Call(calls)], false, "tool.started").await;
        let outputs: Vec<_> = outside
            .events()
            .iter()
            .filter_map(|recorded| match recorded.event() {
                Some(Event::ToolFinished(end)) => Some((end.outcome, end.output.clone())),
                _ => None,
            })
            .collect();
        assert_eq!(outputs[0], (ToolOutcome::Ok, "look done".to_owned()));
        assert_eq!((outputs.len(), outputs[1].0), (2, ToolOutcome::Cancelled));
    });
}
