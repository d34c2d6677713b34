//! Inputs that go into the running turn, or stop it and are the next.

use crate::support::*;
use dispatch_actors::{HostHandle, HostSettings, Receipt, Stop, Submit, ports::ErrorClass};
use dispatch_events::{
    Event, Part,
    catalogue::{
        input::{Intent, Outcome},
        session::BusyMode,
    },
};
use dispatch_projections::{admissions::AdmissionState, view::TranscriptView};
use std::sync::{Arc, atomic::Ordering};

fn wants(intent: Intent, text: &str) -> Submit {
    Submit { intent: Some(intent), ..say(text) }
}

fn steer(text: &str) -> Submit {
    wants(Intent::Steer, text)
}

fn redirect(text: &str) -> Submit {
    wants(Intent::Redirect, text)
}

async fn submit(host: &HostHandle, submit: Submit) -> Receipt {
    host.submit(&"s".into(), submit).await.unwrap()
}

/// A host whose turn runs these acts, once it is `there`.
async fn running(acts: Vec<Act>, there: &str) -> (Arc<Outside>, HostHandle, Receipt) {
    let outside = outside();
    outside.script(acts);
    let (host, _) = outside.host(settings(), true).await;
    let first = submit(&host, say("go")).await;
    until(there, || outside.count(there) > 0).await;
    (outside, host, first)
}

fn let_go(outside: &Outside) {
    outside.let_go.store(true, Ordering::SeqCst);
}

async fn said(host: &HostHandle) -> Vec<(String, String)> {
    let state = host.state(&"s".into(), None).await.unwrap();
    assert_eq!(state.transcript.problems(), &[] as &[String]);
    TranscriptView::of(&state).messages.into_iter().map(|row| (row.role.to_owned(), row.content)).collect()
}

fn line(role: &str, content: &str) -> (String, String) {
    (role.to_owned(), content.to_owned())
}

/// Every request repeats all that went out before it, and nothing was announced late.
async fn sound(outside: &Outside, host: &HostHandle) {
    let state = host.state(&"s".into(), None).await.unwrap();
    assert!(state.calls.requests().iter().all(|request| request.extends_previous), "{:?}", state.calls.requests());
    assert_eq!(*outside.unannounced.lock().unwrap(), Vec::<String>::new());
}

#[test]
fn while_a_tool_runs_it_is_a_message_of_its_own_behind_the_result() {
    block_on(async {
        let acts = vec![Act::Call(vec![("hold", "{}"), ("look", "{}")]), Act::Say("as you wish")];
        let (outside, host, first) = running(acts, "tool.started").await;
        let receipts = [submit(&host, steer("no, left")).await, submit(&host, steer("and slowly")).await];
        assert_eq!(receipts.each_ref().map(|receipt| receipt.state), [AdmissionState::Queued; 2]);
        let_go(&outside);
        for receipt in &receipts {
            let ending = host.wait(receipt).await.unwrap();
            let whole = (ending.outcome, ending.answer.as_str(), ending.turn);
            assert_eq!(whole, (Outcome::Completed, "as you wish", first.turn), "the answer of the turn that took it");
            let after = host.ending(receipt.session, receipt.admission).await.unwrap().unwrap();
            assert_eq!((after.answer, after.turn), (ending.answer, ending.turn));
        }
        assert_eq!(host.wait(&first).await.unwrap().answer, "as you wish");
        let call = line("assistant", "");
        let results = [line("tool", "hold done"), line("tool", "look done")];
        let expected = [
            &[line("user", "go"), call][..],
            &results,
            &[line("user", "no, left"), line("user", "and slowly"), line("assistant", "as you wish")],
        ];
        assert_eq!(said(&host).await, expected.concat());
        let body = outside.bodies.lock().unwrap()[1].clone();
        assert_eq!((body.matches("no, left").count(), body.matches("and slowly").count()), (1, 1));
        assert!(body.find("look done") < body.find("no, left") && body.find("no, left") < body.find("and slowly"));
        until("it is synced", || outside.synced.lock().unwrap().len() == 1).await;
        let synced = words(&outside.synced.lock().unwrap()[0]);
        assert_eq!(synced, ("go".to_owned(), "as you wish".to_owned()), "what the turn began with");
        assert_eq!(outside.count("turn.started"), 1);
        sound(&outside, &host).await;
    });
}

#[test]
fn between_two_segments_of_one_batch_it_waits_for_the_last_result() {
    block_on(async {
        let acts = vec![Act::Call(vec![("act", "{}"), ("spawn", "{}")]), Act::Say("done")];
        let (outside, host, first) = running(acts, "tool.finished").await;
        submit(&host, steer("hurry")).await;
        let_go(&outside);
        host.wait(&first).await.unwrap();
        let kinds = outside.kinds();
        let steered = kinds.iter().position(|kind| kind == "turn.steered").unwrap();
        assert_eq!(kinds[steered - 1], "tool.finished");
        let behind = ["turn.steered", "message.recorded", "input.settled", "model.requested"];
        assert_eq!(kinds[steered..steered + 4], behind);
        assert_eq!(kinds[..steered].iter().filter(|kind| *kind == "tool.finished").count(), 2);
        sound(&outside, &host).await;
    });
}

#[test]
fn while_the_model_streams_its_last_answer_it_is_the_next_turn_ahead_of_the_queue() {
    block_on(async {
        let acts = vec![Act::Held("my answer"), Act::Say("to the steer"), Act::Say("to the queue")];
        let (outside, host, first) = running(acts, "model.requested").await;
        let queued = submit(&host, say("later")).await;
        let steered = submit(&host, steer("but")).await;
        let_go(&outside);
        assert_eq!(host.wait(&first).await.unwrap().answer, "my answer");
        assert_eq!(host.wait(&steered).await.unwrap().answer, "to the steer");
        assert_eq!(host.wait(&queued).await.unwrap().answer, "to the queue");
        let users: Vec<_> = said(&host).await.into_iter().filter(|(role, _)| role == "user").collect();
        assert_eq!(users, [line("user", "go"), line("user", "but"), line("user", "later")]);
        assert_eq!((outside.count("turn.steered"), outside.count("turn.started")), (0, 3));
        sound(&outside, &host).await;
    });
}

#[test]
fn during_back_off_behind_a_result_it_goes_with_the_next_request() {
    block_on(async {
        let acts = vec![Act::Call(vec![("hold", "{}")]), Act::Fail(ErrorClass::ServerError), Act::Say("done")];
        let (outside, host, first) = running(acts, "tool.started").await;
        let_go(&outside);
        until("it failed", || outside.count("model.failed") == 1).await;
        let steered = submit(&host, steer("one more thing")).await;
        assert_eq!(host.wait(&first).await.unwrap().answer, "done");
        host.wait(&steered).await.unwrap();
        let sent =
            outside.bodies.lock().unwrap().iter().map(|body| body.matches("one more thing").count()).sum::<usize>();
        assert_eq!(sent, 1, "once, in the turn or in the next one");
        assert_eq!(said(&host).await.iter().filter(|(_, content)| content == "one more thing").count(), 1);
        sound(&outside, &host).await;
    });
}

/// The steer races the end of the turn, a little later each time.
#[test]
fn in_the_last_moment_it_is_in_the_turn_or_the_next_turn_and_never_both() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        for round in 0..60_u64 {
            outside.script([Act::Call(vec![("look", "{}")]), Act::Say("first"), Act::Say("second")]);
            let first = submit(&host, say(&format!("go {round}"))).await;
            tokio::time::sleep(std::time::Duration::from_micros(round * 50)).await;
            let steered = submit(&host, steer(&format!("steer {round}."))).await;
            let answers = [host.wait(&first).await.unwrap().answer, host.wait(&steered).await.unwrap().answer];
            let in_turn = outside.script.lock().unwrap().len() == 1;
            let expected = if in_turn { ["first", "first"] } else { ["first", "second"] };
            assert_eq!(answers, expected, "round {round}");
            outside.script.lock().unwrap().clear();
        }
        let said = said(&host).await;
        for round in 0..60 {
            let times = said.iter().filter(|(role, content)| role == "user" && *content == format!("steer {round}."));
            assert_eq!(times.count(), 1, "round {round}");
        }
        sound(&outside, &host).await;
    });
}

#[test]
fn what_was_accepted_is_not_lost_to_a_crash() {
    block_on(async {
        let acts = vec![Act::Call(vec![("hold", "{}")]), Act::Say("after the crash")];
        let (outside, _lost, first) = running(acts, "tool.started").await;
        let steered = submit(&_lost, steer("mind the gap")).await;
        let (host, _) = outside.host(settings(), true).await;
        // The lost host lives on in this process: from here on nothing of it lands.
        until("the turn has another owner", || outside.count("input.requeued") == 1).await;
        let_go(&outside);
        let ending = host.wait(&steered).await.unwrap();
        assert_eq!((ending.answer.as_str(), ending.turn), ("after the crash", first.turn));
        assert_eq!(outside.count("turn.steered"), 1, "the tool ran again, and the steer goes behind its result");
        let (host, _) = outside.host(settings(), true).await;
        let after = host.ending(steered.session, steered.admission).await.unwrap().unwrap();
        assert_eq!((after.answer.as_str(), after.turn), ("after the crash", first.turn));
        sound(&outside, &host).await;
    });
}

#[test]
fn a_turn_that_takes_a_steer_and_fails_says_so_to_who_steered() {
    block_on(async {
        let acts = vec![Act::Call(vec![("hold", "{}")]), Act::Fail(ErrorClass::Auth), Act::Say("to the steer")];
        let (outside, host, first) = running(acts, "tool.started").await;
        let steered = submit(&host, steer("left")).await;
        let_go(&outside);
        let ending = host.wait(&steered).await.unwrap();
        assert_eq!((ending.outcome, ending.turn), (Outcome::Failed, first.turn));
        assert_eq!(ending.error.unwrap().0, "model_failed");
    });
}

#[test]
fn a_turn_at_its_limit_leaves_the_steer_to_the_next() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("hold", "{}")]), Act::Say("to the steer")]);
        let (host, _) = outside.host(HostSettings { max_model_calls: 1, ..settings() }, false).await;
        let first = submit(&host, say("go")).await;
        until("it runs", || outside.count("tool.started") == 1).await;
        let steered = submit(&host, steer("left")).await;
        let_go(&outside);
        assert_eq!(host.wait(&first).await.unwrap().outcome, Outcome::Failed);
        assert_eq!(host.wait(&steered).await.unwrap().answer, "to the steer", "no model had read it");
    });
}

#[test]
fn without_a_turn_a_steer_is_an_input() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("yes")]);
        let (host, _) = outside.host(settings(), false).await;
        let receipt = submit(&host, steer("hello")).await;
        assert_eq!(receipt.state, AdmissionState::Started);
        assert_eq!(host.wait(&receipt).await.unwrap().answer, "yes");
    });
}

#[test]
fn a_redirect_stops_the_turn_and_is_the_next_in_one_append() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("half an ans"), Act::Say("redirected"), Act::Say("next"), Act::Say("last")]);
        let (host, _) = outside.host(settings(), true).await;
        let (first, mut viewer) = host.submit_and_follow(&"s".into(), say("go")).await.unwrap();
        while !matches!(viewer.next().await.unwrap().unwrap(), dispatch_actors::handle::Update::Delta { .. }) {}
        let queued = submit(&host, say("later")).await;
        let steered = submit(&host, steer("steer")).await;
        let now = submit(&host, redirect("now")).await;
        assert_eq!((now.state, now.demoted), (AdmissionState::Started, None));
        assert_eq!(host.wait(&first).await.unwrap().outcome, Outcome::Interrupted);
        assert_eq!(host.wait(&now).await.unwrap().answer, "redirected");
        assert_eq!(host.wait(&steered).await.unwrap().answer, "next");
        assert_eq!(host.wait(&queued).await.unwrap().answer, "last");
        let events = outside.events();
        let at = |kind: &str, nth: usize| events.iter().filter(|event| event.kind == kind).nth(nth).unwrap().version.0;
        assert!(
            at("input.queued", 3) < at("turn.interrupted", 0) && at("turn.interrupted", 0) < at("input.started", 1)
        );
        let users: Vec<_> = said(&host).await.into_iter().filter(|(role, _)| role == "user").collect();
        assert_eq!(
            users.iter().map(|(_, content)| content.as_str()).collect::<Vec<_>>(),
            ["go", "now", "steer", "later"]
        );
        assert!(said(&host).await.contains(&line("assistant", "half an ans")), "what was shown stays");
        until("three are synced", || outside.synced.lock().unwrap().len() == 3).await;
        assert!(outside.synced.lock().unwrap().iter().all(|exchange| exchange.user != "go"));
        sound(&outside, &host).await;
    });
}

#[test]
fn a_redirect_that_would_destroy_running_work_waits_and_says_so_and_a_stop_stops() {
    block_on(async {
        let (outside, host, first) =
            running(vec![Act::Call(vec![("spawn", "{}")]), Act::Say("on")], "tool.started").await;
        let waits = submit(&host, redirect("now")).await;
        let taken = (waits.state, waits.intent, waits.demoted);
        assert_eq!(taken, (AdmissionState::Queued, Intent::Queue, Some(Intent::Redirect)));
        assert_eq!(outside.count("turn.interrupted"), 0);
        host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        assert_eq!(host.wait(&first).await.unwrap().outcome, Outcome::Interrupted);
        assert_eq!(host.wait(&waits).await.unwrap().answer, "on");
    });
}

#[test]
fn the_busy_mode_of_the_host_says_what_an_input_wants_that_does_not() {
    block_on(async {
        for (busy_mode, intent) in [
            (BusyMode::Queue, Intent::Queue),
            (BusyMode::Steer, Intent::Steer),
            (BusyMode::Interrupt, Intent::Redirect),
        ] {
            let outside = outside();
            outside.script([Act::Call(vec![("hold", "{}")]), Act::Say("a"), Act::Say("b")]);
            let (host, _) = outside.host(HostSettings { busy_mode, ..settings() }, false).await;
            let first = submit(&host, say("go")).await;
            assert_eq!(first.intent, Intent::Queue, "nothing ran");
            until("it runs", || outside.count("tool.started") == 1).await;
            let second = submit(&host, say("and")).await;
            assert_eq!(second.intent, intent);
            let_go(&outside);
            host.wait(&first).await.unwrap();
            assert_eq!(host.wait(&second).await.unwrap().outcome, Outcome::Completed);
        }
    });
}

#[test]
fn an_input_that_no_log_takes_stops_no_turn() {
    block_on(async {
        let (outside, host, first) = running(vec![Act::Hang("half")], "model.requested").await;
        let huge = Submit { parts: vec![Part::Text("x".repeat(17 << 20))], ..redirect("") };
        let refused = host.submit(&"s".into(), huge).await.unwrap_err();
        assert_eq!(refused.code(), "invalid_params");
        let stopped = host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        assert_eq!(stopped.turn, first.turn, "it went on");
        let queued =
            outside.events().iter().filter(|recorded| matches!(recorded.event(), Some(Event::InputQueued(_)))).count();
        assert_eq!(queued, 1);
    });
}
