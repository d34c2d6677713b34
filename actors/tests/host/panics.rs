use crate::support::*;
use dispatch_events::catalogue::input::Outcome;
use std::sync::atomic::Ordering;

#[test]
fn a_panic_of_the_session_actor_loses_nothing_that_was_acknowledged() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("look", "{}")]), Act::Say("done"), Act::Say("next")]);
        outside.panics.store(1, Ordering::SeqCst);
        let (host, _) = outside.host(settings(), false).await;
        let receipt = host.submit(&"s".into(), say("go")).await.unwrap();
        let waiting = host.submit(&"s".into(), say("and then")).await.unwrap();
        assert_eq!(host.wait(&receipt).await.unwrap().answer, "done");
        assert_eq!(host.wait(&waiting).await.unwrap().answer, "next");
        assert_eq!(outside.count("input.requeued"), 1);
        assert_eq!(outside.tool_runs.lock().unwrap().len(), 1);
        assert_eq!(outside.bodies.lock().unwrap().len(), 3, "the recorded answer was not asked for again");
        until("nothing is counted as running", || host.health().turns_running == 0).await;
    });
}

#[test]
fn a_turn_that_panics_every_time_pauses_the_session() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("look", "{}")])]);
        outside.panics.store(usize::MAX, Ordering::SeqCst);
        let (host, _) = outside.host(settings(), false).await;
        let receipt = host.submit(&"s".into(), say("go")).await.unwrap();
        assert_eq!(host.wait(&receipt).await.unwrap_err().code(), "unknown_execution");
        assert_eq!(outside.count("input.requeued"), 3);
        outside.panics.store(0, Ordering::SeqCst);
        assert_eq!(turn(&host, "other", "hello").await.outcome, Outcome::Completed, "the host stays up");
    });
}
