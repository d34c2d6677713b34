use crate::support::*;
use dispatch_actors::{
    HostHandle, HostSettings,
    ports::{ErrorClass, MemoryEdit, MemoryOperation, MemoryReply},
};
use dispatch_events::{
    Event,
    catalogue::{input::Outcome, memory::MemoryTarget},
};
use std::{
    sync::{Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

fn short_recall() -> HostSettings {
    HostSettings { recall_timeout_ms: 200, ..settings() }
}

#[test]
fn recall_is_sent_but_never_shown_and_the_next_turn_sends_the_same_bytes() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        let (host, _) = outside.host(settings(), true).await;
        *outside.recall.lock().unwrap() = Some(("R1".into(), Duration::ZERO));
        turn(&host, "s", "first words").await;
        *outside.recall.lock().unwrap() = Some(("R2".into(), Duration::ZERO));
        turn(&host, "s", "second words").await;
        let bodies = outside.bodies.lock().unwrap().clone();
        let conversation = |body: &str| body.rsplit_once('\n').unwrap().0.to_owned();
        assert!(conversation(&bodies[1]).starts_with(&conversation(&bodies[0])), "request 2 extends request 1");
        assert!(bodies[1].contains("R1") && bodies[1].contains("R2") && bodies[1].contains("<memory-context>"));
        let shown = host.view(&"s".into(), dispatch_projections::view::ViewName::Transcript, None).await.unwrap();
        assert!(!shown.to_string().contains("R1"), "{shown}");
        let wire = host.wire(&"s".into(), None).await.unwrap();
        assert_eq!(wire.requests.iter().map(|row| row.body.clone()).collect::<Vec<_>>(), bodies);
        assert!(wire.requests.iter().all(|row| row.proven && row.extends_previous));
    });
}

#[test]
fn a_slow_backend_costs_the_recall_limit_once_and_is_not_asked_twice_at_once() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        *outside.recall.lock().unwrap() = Some(("late".into(), Duration::from_millis(900)));
        let (host, _) = outside.host(short_recall(), true).await;
        for text in ["first", "second"] {
            let began = Instant::now();
            turn(&host, "s", text).await;
            assert!(began.elapsed() < Duration::from_millis(600), "{text}: {:?}", began.elapsed());
        }
        assert_eq!(outside.count("memory.recall_skipped"), 2);
        assert_eq!(outside.recalls.load(Ordering::SeqCst), 1, "the second turn found it busy");
        until("both turns are synced", || outside.synced.lock().unwrap().len() == 2).await;
        assert_eq!(outside.most_at_once.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_failed_turn_is_never_synced() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Fail(ErrorClass::Auth), Act::Say("fine")]);
        let (host, _) = outside.host(settings(), true).await;
        let ending = turn(&host, "s", "first").await;
        assert_eq!(ending.error.unwrap().0, "model_failed");
        turn(&host, "s", "second").await;
        until("one turn is synced", || outside.count("memory.warmed") == 1).await;
        let synced: Vec<_> = outside.synced.lock().unwrap().iter().map(words).collect();
        assert_eq!(synced, [("second".to_owned(), "fine".to_owned())]);
    });
}

#[test]
fn a_write_that_fails_is_tried_again_with_the_same_key_and_in_order() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        outside.sync_failures.store(1, Ordering::SeqCst);
        let (host, _) = outside.host(settings(), true).await;
        turn(&host, "s", "first").await;
        turn(&host, "s", "second").await;
        until("both are synced", || outside.synced.lock().unwrap().len() == 2).await;
        let order: Vec<_> = outside.synced.lock().unwrap().iter().map(|exchange| exchange.user.clone()).collect();
        assert_eq!(order, ["first", "second"]);
        assert_eq!(outside.count("obligation.failed"), 1);
    });
}

#[test]
fn what_is_owed_at_the_end_is_met_after_the_next_start() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one")]);
        outside.sync_failures.store(1, Ordering::SeqCst);
        {
            let quick = HostSettings { drain_timeout_ms: 1, ..settings() };
            let (host, _) = outside.host(quick, true).await;
            turn(&host, "s", "first").await;
            until("it failed once", || outside.count("obligation.failed") == 1).await;
            host.drain("test").await;
        }
        assert_eq!(outside.synced.lock().unwrap().len(), 0);
        let (_host, _) = outside.host(settings(), true).await;
        until("it is synced", || outside.count("memory.synced") == 1).await;
        until("it is warmed", || outside.count("memory.warmed") == 1).await;
        assert_eq!(outside.synced.lock().unwrap().len(), 1);
    });
}

#[test]
fn in_mode_best_effort_what_a_crash_left_is_abandoned_by_name() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one")]);
        outside.sync_failures.store(usize::MAX, Ordering::SeqCst);
        let best_effort = || HostSettings { durable_memory: false, ..settings() };
        let (_lost, _) = outside.host(best_effort(), true).await;
        turn(&_lost, "s", "first").await;
        until("it failed once", || outside.count("obligation.failed") == 1).await;
        let (_next, _) = outside.host(best_effort(), true).await;
        until("both are abandoned", || outside.count("obligation.abandoned") == 2).await;
        assert_eq!(outside.synced.lock().unwrap().len(), 0);
        assert_eq!(outside.count("turn.completed"), 1, "the turn itself is not lost");
    });
}

#[test]
fn a_note_is_visible_to_tools_at_once_and_adopted_only_by_the_next_session() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two"), Act::Say("three")]);
        let (host, _) = outside.host(settings(), false).await;
        turn(&host, "s", "first").await;
        let operations = vec![MemoryOperation::Add { content: "likes tea".into() }];
        host.memory_edit(MemoryEdit { target: MemoryTarget::User, operations }, "cli").await.unwrap();
        assert_eq!(host.memory_show().await.unwrap().files[1].entries, ["likes tea"]);
        turn(&host, "s", "second").await;
        turn(&host, "other", "third").await;
        let bodies = outside.bodies.lock().unwrap().clone();
        let has = |body: &String| body.contains("likes tea");
        assert_eq!(bodies.iter().map(has).collect::<Vec<_>>(), [false, false, true]);
        let kinds: Vec<_> = outside.kinds().into_iter().filter(|kind| kind.starts_with("memory.")).collect();
        assert_eq!(kinds, ["memory.adopted", "memory.noted", "memory.written", "memory.adopted"]);
    });
}

async fn note(host: &HostHandle, content: &str) -> MemoryReply {
    let operations = vec![MemoryOperation::Add { content: content.into() }];
    let edit = MemoryEdit { target: MemoryTarget::Memory, operations };
    host.memory_edit(edit, "cli").await.map_err(|refusal| refusal.to_string())
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_memory_that_a_person_took_out_by_hand_does_not_come_back_at_the_next_start() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        note(&host, "a wrong memory").await.unwrap();
        *outside.files.lock().unwrap() = Default::default();
        let (_host, _) = outside.host(settings(), false).await;
        assert_eq!(outside.files.lock().unwrap()[0], [""; 0]);
    });
}

#[test]
fn a_write_that_did_not_happen_is_made_once_by_the_next_start() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        note(&host, "first").await.unwrap();
        outside.write_failures.store(1, Ordering::SeqCst);
        let why = note(&host, "second").await.unwrap_err();
        assert!(why.contains("the next start makes it"), "{why}");
        assert_eq!(outside.files.lock().unwrap()[0], ["first"]);
        let _next = outside.host(settings(), false).await;
        assert_eq!(outside.files.lock().unwrap()[0], ["first", "second"]);
        outside.files.lock().unwrap()[0] = texts(&["first"]);
        let _after = outside.host(settings(), false).await;
        assert_eq!(outside.files.lock().unwrap()[0], ["first"], "it was taken out by hand after that");
        assert_eq!((outside.count("memory.noted"), outside.count("memory.written")), (2, 2));
    });
}

#[test]
fn a_hand_edit_before_the_next_start_settles_a_write_that_did_not_happen() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        outside.write_failures.store(1, Ordering::SeqCst);
        note(&host, "noted").await.unwrap_err();
        outside.files.lock().unwrap()[0] = texts(&["by hand"]);
        let _next = outside.host(settings(), false).await;
        assert_eq!(outside.files.lock().unwrap()[0], ["by hand"]);
        *outside.files.lock().unwrap() = Default::default();
        let _after = outside.host(settings(), false).await;
        assert_eq!(outside.files.lock().unwrap()[0], [""; 0], "the file is as before the change, and by wish");
    });
}

#[test]
fn the_text_of_a_note_stands_in_the_log_once() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        for text in ["the first of them", "the second of them"] {
            note(&host, text).await.unwrap();
        }
        let said: Vec<_> =
            outside.events().iter().filter_map(|recorded| recorded.event().map(Event::to_json)).collect();
        let said = serde_json::to_string(&said).unwrap();
        assert_eq!(said.matches("the first of them").count(), 1, "{said}");
    });
}

/// Makes the next holder of a lock panic.
fn poison<T: Send>(lock: &Mutex<T>) {
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| {
            let _held = lock.lock().unwrap();
            panic!("poisoned on purpose");
        });
        assert!(holder.join().is_err());
    });
}

#[test]
fn a_backend_that_panics_when_it_recalls_costs_one_recall() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        let (host, _) = outside.host(settings(), true).await;
        poison(&outside.recall);
        assert_eq!(turn(&host, "s", "go").await.outcome, Outcome::Completed);
        outside.recall.clear_poison();
        *outside.recall.lock().unwrap() = Some(("found again".into(), Duration::ZERO));
        assert_eq!(turn(&host, "t", "go").await.outcome, Outcome::Completed);
        assert_eq!((outside.count("memory.recall_skipped"), outside.count("memory.recalled")), (1, 1));
        let whys: Vec<_> = outside
            .events()
            .into_iter()
            .filter_map(|recorded| match recorded.event() {
                Some(Event::MemoryRecallSkipped(skipped)) => Some(skipped.why.clone()),
                _ => None,
            })
            .collect();
        assert!(whys[0].contains("fault"), "{whys:?}");
    });
}

#[test]
fn a_backend_that_panics_when_it_syncs_is_asked_again() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one")]);
        let (host, _) = outside.host(settings(), true).await;
        poison(&outside.synced);
        turn(&host, "s", "go").await;
        until("it failed once", || outside.count("obligation.failed") == 1).await;
        outside.synced.clear_poison();
        until("it is synced", || outside.count("memory.synced") == 1).await;
        assert_eq!(outside.synced.lock().unwrap().len(), 1);
    });
}
