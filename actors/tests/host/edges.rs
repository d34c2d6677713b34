//! The edges where words, answers or stops could be lost: between being shown and recorded, between two turns, at a limit.

use crate::support::*;
use dispatch_actors::Stop;
use dispatch_actors::command::Change;
use dispatch_actors::{HostSettings, Opening};
use dispatch_events::catalogue::{input::Outcome, message::GivenRole};
use dispatch_projections::view::TranscriptView;
use std::{sync::Mutex, time::Duration};

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

async fn said(host: &dispatch_actors::HostHandle, session: &str) -> Vec<(String, String)> {
    let state = host.state(&session.into(), None).await.unwrap();
    TranscriptView::of(&state).messages.into_iter().map(|row| (row.role.to_owned(), row.content)).collect()
}

#[test]
fn words_of_a_turn_that_is_stopped_while_it_recalls_stay_in_the_transcript() {
    block_on(async {
        let outside = outside();
        *outside.recall.lock().unwrap() = Some(("slow".into(), Duration::from_secs(5)));
        let (host, _) = outside.host(settings(), true).await;
        let receipt = host.submit(&"s".into(), say("my important words")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        assert_eq!(host.wait(&receipt).await.unwrap().outcome, Outcome::Interrupted);
        let said = said(&host, "s").await;
        assert!(said.iter().any(|(_, content)| content == "my important words"), "{said:?}");
    });
}

#[test]
fn an_answer_that_was_shown_whole_is_kept_when_the_stop_overtakes_its_record() {
    block_on(async {
        let outside = outside();
        for round in 0..60 {
            let session = format!("s{round}");
            outside.script([Act::Say("an answer that was shown whole")]);
            let (host, _) = outside.host(settings(), false).await;
            let (receipt, mut updates) = host.submit_and_follow(&session.as_str().into(), say("go")).await.unwrap();
            let mut shown = false;
            let stopping = loop {
                match updates.next().await.unwrap().unwrap() {
                    dispatch_actors::handle::Update::Delta { .. } => {
                        shown = true;
                        break host.interrupt(&session.as_str().into(), me(), Stop::default()).await.unwrap();
                    }
                    dispatch_actors::handle::Update::Event(e) if e.kind == "input.settled" => {
                        break host.interrupt(&session.as_str().into(), me(), Stop::default()).await.unwrap();
                    }
                    _ => {}
                }
            };
            let ending = host.wait(&receipt).await.unwrap();
            if shown && stopping.turn.is_some() {
                let said = said(&host, &session).await;
                assert!(said.iter().any(|(role, _)| role == "assistant"), "round {round}: {ending:?} {said:?}");
            }
        }
    });
}

#[test]
fn a_host_that_does_not_recover_starts_no_turn_for_a_rename() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("…"), Act::Hang("…")]);
        let (lost, _) = outside.host(settings(), false).await;
        lost.submit(&"s".into(), say("go")).await.unwrap();
        until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
        let (host, _) = outside.host(HostSettings { recover: false, ..settings() }, false).await;
        host.rename(&"s".into(), "other", Change::by(me())).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(outside.bodies.lock().unwrap().len(), 1, "a rename asked the model");
        assert_eq!(outside.count("input.requeued"), 0, "a rename used up one of three restarts");
    });
}

#[test]
fn an_input_behind_a_paused_turn_does_not_wait_for_ever_and_a_stop_opens_the_lane() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("slow", "{}")])]);
        let (lost, _) = outside.host(settings(), false).await;
        lost.submit(&"s".into(), say("go")).await.unwrap();
        until("the tool runs", || outside.count("tool.started") > 0).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        let (host, _) = outside.host(settings(), false).await;
        until("the outcome is unknown", || outside.count("input.unknown") == 1).await;
        outside.script([Act::Say("next")]);
        if let Ok(receipt) = host.submit(&"s".into(), say("more")).await {
            host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
            let ended = tokio::time::timeout(Duration::from_secs(3), host.wait(&receipt)).await;
            assert!(ended.is_ok(), "the waiter waits for ever, and nothing in this build ends the pause");
        }
    });
}

#[test]
fn a_tool_that_panics_takes_no_other_tool_with_it() {
    block_on(async {
        let outside = outside();
        outside.script([
            Act::Call(vec![("look", "{}")]),
            Act::Say("one"),
            Act::Call(vec![("look", "{}")]),
            Act::Say("two"),
        ]);
        let (host, _) = outside.host(settings(), false).await;
        poison(&outside.tool_runs);
        turn(&host, "s", "go").await;
        outside.tool_runs.clear_poison();
        assert_eq!(turn(&host, "t", "go").await.answer, "two");
        assert_eq!(outside.tool_runs.lock().unwrap().len(), 1, "no tool runs on this host any more");
    });
}

#[test]
fn a_history_that_is_too_long_is_the_callers_error_and_not_the_stores() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let mut submit = say("go");
        let history = (0..1100).map(|n| (GivenRole::User, format!("line {n}"))).collect();
        submit.opening = Some(Opening { history, ..Opening::plain("test") });
        let answer = host.submit(&"s".into(), submit).await;
        assert!(answer.as_ref().map_or_else(|refusal| refusal.code() == "invalid_params", |_| true), "{answer:?}");
    });
}

#[test]
fn a_stop_that_comes_late_does_not_end_the_next_input() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("first"), Act::Hang("second")]);
        let (host, _) = outside.host(settings(), false).await;
        let first = host.submit(&"s".into(), say("one")).await.unwrap();
        let second = host.submit(&"s".into(), say("two, from somebody else")).await.unwrap();
        host.wait(&first).await.unwrap();
        // The person saw the first turn run and pressed stop; it had ended by then.
        let late = host.interrupt(&"s".into(), me(), Stop { turn: first.turn, ..Stop::default() }).await.unwrap_err();
        assert_eq!(late.code(), "stale_generation");
        assert!(host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap().turn.is_some(), "{second:?}");
    });
}

/// An answer that the log can't take has to fail the turn; asking again costs money and gives the same.
async fn unrecordable(act: Act) {
    let outside = outside();
    outside.script(std::iter::repeat_n(act, 6));
    let (host, _) = outside.host(settings(), false).await;
    host.submit(&"s".into(), say("go")).await.unwrap();
    until("the turn ends or pauses", || outside.count("input.settled") + outside.count("input.unknown") > 0).await;
    let asked = outside.bodies.lock().unwrap().len();
    assert_eq!((asked, outside.count("input.unknown")), (1, 0), "(times the model was asked, paused for ever)");
}

#[test]
fn an_answer_with_more_calls_than_an_append_takes_fails_the_turn() {
    block_on(unrecordable(Act::Call(vec![("look", "{}"); 1100])));
}

#[test]
fn an_answer_that_is_larger_than_a_payload_fails_the_turn() {
    block_on(unrecordable(Act::Say(Box::leak("x".repeat(17 << 20).into_boxed_str()))));
}

#[test]
fn what_a_shutdown_leaves_for_the_next_start_is_not_called_abandoned() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one")]);
        outside.sync_failures.store(100, std::sync::atomic::Ordering::SeqCst);
        let (host, _) = outside.host(HostSettings { drain_timeout_ms: 100, ..settings() }, true).await;
        turn(&host, "s", "go").await;
        host.drain("test").await;
        let named = outside.events().into_iter().find_map(|recorded| match recorded.event() {
            Some(dispatch_events::Event::HostStopped(stopped)) => Some(stopped.abandoned.len()),
            _ => None,
        });
        assert_eq!(named, Some(0), "mode durable: the next start meets it");
    });
}

#[test]
fn one_session_that_cannot_be_read_does_not_hide_all_others_from_the_list() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        let (host, _) = outside.host(settings(), false).await;
        let first = host.submit(&"a".into(), say("go")).await.unwrap();
        host.wait(&first).await.unwrap();
        turn(&host, "b", "go").await;
        let key = outside.events().into_iter().find(|e| e.stream == first.session).unwrap().key;
        let folder = outside.keep.folder.path().join("keys");
        dispatch_events::keys::Keyring::open(&folder).unwrap().destroy(key).unwrap();
        let (host, _) = outside.host(settings(), false).await;
        let listed = host.list(None, 100, Default::default()).await;
        assert!(listed.as_ref().is_ok_and(|rows| rows.iter().any(|row| row.name == "b")), "{listed:?}");
    });
}

/// The session's mailbox has 64 places; what is beyond them has to be refused, not piled up.
#[test]
fn a_full_mailbox_is_an_answer() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("half")]);
        let slow = dispatch_events::store::faulty::Fault::DelayMs(10);
        let (host, _) = outside.faulty_host(settings(), false, slow, 4).await;
        let session = host.submit(&"s".into(), say("go")).await.unwrap().session;
        let flood = (0..300).map(|n| {
            let host = host.clone();
            async move {
                host.rename(&session.into(), &format!("s{n}"), Change::by(me())).await.map_err(|refusal| refusal.code())
            }
        });
        let answers = futures_util::future::join_all(flood).await;
        let busy = answers.iter().filter(|answer| answer.as_ref().err() == Some(&"session_busy")).count();
        assert!(busy > 0, "all {} were taken", answers.len());
    });
}
