//! Inputs that wait: taken once, withdrawn, refused when their turn comes.

use crate::support::*;
use dispatch_actors::{HostHandle, Stop, Submit, ports::Policy};
use dispatch_events::{
    AdmissionId,
    catalogue::input::{Outcome, Principal},
};
use dispatch_projections::{admissions::AdmissionState, view::QueueView};
use std::sync::{Arc, Mutex, atomic::Ordering};

/// Whoever is named may not run, from the moment on that they are named.
#[derive(Debug, Default)]
struct Withdrawn(Mutex<Vec<String>>);

impl Policy for Withdrawn {
    fn may_run(&self, principal: &Principal) -> Result<(), String> {
        match self.0.lock().unwrap().contains(&principal.subject) {
            true => Err(format!("{} was withdrawn", principal.subject)),
            false => Ok(()),
        }
    }
}

fn by(subject: &str, text: &str) -> Submit {
    Submit { principal: Principal { adapter: "test".into(), subject: subject.into() }, ..say(text) }
}

/// A host whose turn hangs, and a session that waits behind it.
async fn busy() -> (Arc<Outside>, HostHandle) {
    let outside = outside();
    outside.script([Act::Held("first")]);
    let (host, _) = outside.host(settings(), false).await;
    host.submit(&"s".into(), say("go")).await.unwrap();
    until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
    (outside, host)
}

#[test]
fn ten_at_once_with_one_key_are_one_admission() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("once")]);
        let (host, _) = outside.host(settings(), false).await;
        let ten = (0..10).map(|_| {
            let (host, submit) = (host.clone(), Submit { request: Some("key".into()), ..say("hello") });
            async move { host.submit(&"s".into(), submit).await.unwrap() }
        });
        let receipts = futures_util::future::join_all(ten).await;
        assert!(receipts.iter().all(|receipt| receipt.admission == receipts[0].admission));
        assert_eq!(receipts.iter().filter(|receipt| !receipt.repeated).count(), 1);
        assert_eq!(host.wait(&receipts[0]).await.unwrap().answer, "once");
        assert_eq!((outside.count("input.queued"), outside.bodies.lock().unwrap().len()), (1, 1));
    });
}

#[test]
fn a_message_that_a_platform_sends_again_is_not_taken_again_also_after_a_restart() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("once")]);
        let numbered = |text: &str| Submit { message: Some("m7".into()), ..say(text) };
        let (host, _) = outside.host(settings(), false).await;
        let first = host.submit(&"s".into(), numbered("hello")).await.unwrap();
        host.wait(&first).await.unwrap();
        for host in [&host, &outside.host(settings(), false).await.0] {
            let again = host.submit(&"s".into(), numbered("hello again")).await.unwrap();
            assert_eq!(
                (again.admission, again.repeated, again.outcome),
                (first.admission, true, Some(Outcome::Completed))
            );
        }
        assert_eq!(outside.count("input.queued"), 1);
    });
}

#[test]
fn what_waits_is_withdrawn_and_what_runs_is_not() {
    block_on(async {
        let (outside, host) = busy().await;
        let waits = host.submit(&"s".into(), say("never")).await.unwrap();
        let runs = host.state(&"s".into(), None).await.unwrap().admissions.started().unwrap().id;
        let cancel = |admission| {
            let host = host.clone();
            async move { host.cancel(&"s".into(), admission, me()).await }
        };
        assert_eq!(cancel(runs).await.unwrap_err().code(), "stale_generation");
        assert_eq!(cancel(AdmissionId::fresh()).await.unwrap_err().code(), "not_found");
        let (ended, receipt) = tokio::join!(host.wait(&waits), cancel(waits.admission));
        assert_eq!((ended.unwrap().outcome, receipt.unwrap().outcome), (Outcome::Cancelled, Some(Outcome::Cancelled)));
        let again = cancel(waits.admission).await.unwrap();
        assert_eq!((again.state, again.outcome), (AdmissionState::Terminal, Some(Outcome::Cancelled)));
        outside.let_go.store(true, Ordering::SeqCst);
        until("the first is done", || outside.count("turn.completed") == 1).await;
        assert_eq!((outside.count("input.cancelled"), outside.count("turn.started")), (1, 1), "it is never run");
        let ended = host.ending(waits.session, waits.admission).await.unwrap().unwrap();
        assert_eq!(ended.outcome, Outcome::Cancelled);
    });
}

#[test]
fn who_saw_another_revision_is_told_and_who_asks_again_is_not() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        turn(&host, "s", "hello").await;
        let seen = host.summary(&"s".into()).await.unwrap().revision;
        let asked = Submit { expected_revision: Some(seen), request: Some("key".into()), ..say("more") };
        let first = host.submit(&"s".into(), asked.clone()).await.unwrap();
        host.wait(&first).await.unwrap();
        assert!(host.submit(&"s".into(), asked).await.unwrap().repeated, "a retry is a retry");
        let stale = Submit { expected_revision: Some(seen), ..say("new") };
        assert_eq!(host.submit(&"s".into(), stale).await.unwrap_err().code(), "revision_conflict");
    });
}

#[test]
fn who_is_withdrawn_while_the_input_waits_is_refused_when_its_turn_comes() {
    block_on(async {
        let policy = Arc::new(Withdrawn::default());
        let outside = outside();
        *outside.policy.lock().unwrap() = policy.clone();
        outside.script([Act::Held("first"), Act::Say("to alice")]);
        let (host, _) = outside.host(settings(), false).await;
        host.submit(&"s".into(), say("go")).await.unwrap();
        let eve = host.submit(&"s".into(), by("eve", "mine")).await.unwrap();
        let alice = host.submit(&"s".into(), by("alice", "hers")).await.unwrap();
        policy.0.lock().unwrap().push("eve".into());
        outside.let_go.store(true, Ordering::SeqCst);
        let ended = host.wait(&eve).await.unwrap();
        let refused = Some(("permission_denied".to_owned(), "eve was withdrawn".to_owned()));
        assert_eq!((ended.outcome, ended.error), (Outcome::Rejected, refused.clone()));
        assert_eq!(host.wait(&alice).await.unwrap().answer, "to alice");
        assert_eq!(host.ending(eve.session, eve.admission).await.unwrap().unwrap().error, refused);
        assert_eq!(host.submit(&"s".into(), by("eve", "more")).await.unwrap_err().code(), "permission_denied");
        let queue = QueueView::of(&host.state(&"s".into(), None).await.unwrap());
        assert_eq!(queue.finished[1].why.as_deref(), Some("eve was withdrawn"));
    });
}

#[test]
fn what_comes_while_a_session_is_paused_waits_and_runs_when_the_turn_is_given_up() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("slow", "{}")])]);
        let (lost, _) = outside.host(settings(), false).await;
        lost.submit(&"s".into(), say("go")).await.unwrap();
        until("the tool runs", || outside.count("tool.started") == 1).await;
        let (host, _) = outside.host(settings(), false).await;
        until("it is paused", || outside.count("input.unknown") == 1).await;
        let waits = host.submit(&"s".into(), say("more")).await.unwrap();
        assert_eq!(waits.state, AdmissionState::Queued);
        assert_eq!(host.wait(&waits).await.unwrap_err().code(), "unknown_execution", "who waits is not left waiting");
        let paused = host.state(&"s".into(), None).await.unwrap().admissions.unknown().unwrap().id;
        assert_eq!(host.cancel(&"s".into(), paused, me()).await.unwrap_err().code(), "unknown_execution");
        outside.script([Act::Say("at last")]);
        host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        assert_eq!(host.wait(&waits).await.unwrap().answer, "at last");
        assert_eq!(outside.count("tool.reconciled"), 1, "who gave it up is on record");
    });
}
