use crate::support::*;
use dispatch_actors::{
    Stop,
    ports::{Approval, ApprovalGate, ApprovalRequest},
};
use dispatch_events::{Digest, Event, catalogue::tool::ApprovalScope};
use futures_util::{FutureExt, future::BoxFuture};
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// Asks about `act`, and answers as it was told.
struct Gate {
    outside: Arc<Outside>,
    asked: Mutex<Vec<ApprovalRequest>>,
    says: Says,
}

#[derive(Clone, Copy)]
enum Says {
    Yes(ApprovalScope),
    YesToSomethingElse,
    No,
    Nothing,
}

impl ApprovalGate for Gate {
    fn needed(&self, request: &ApprovalRequest) -> Option<String> {
        (request.tool == "act").then(|| "it writes".to_owned())
    }
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<'static, Approval> {
        assert!(self.outside.count("tool.approval_asked") > 0, "asked before the question was durable");
        let digest = request.digest;
        self.asked.lock().unwrap().push(request);
        let given = |digest, scope| Approval::Given { digest, by: me(), scope };
        match self.says {
            Says::Yes(scope) => futures_util::future::ready(given(digest, scope)).boxed(),
            Says::YesToSomethingElse => {
                futures_util::future::ready(given(Digest::of(b"else"), ApprovalScope::Session)).boxed()
            }
            Says::No => futures_util::future::ready(Approval::Denied { by: me(), why: "not today".into() }).boxed(),
            Says::Nothing => futures_util::future::pending().boxed(),
        }
    }
}

fn gate(outside: &Arc<Outside>, says: Says) -> Arc<Gate> {
    let gate = Arc::new(Gate { outside: outside.clone(), asked: Mutex::default(), says });
    *outside.gate.lock().unwrap() = gate.clone();
    gate
}

fn asks_twice() -> [Act; 3] {
    [Act::Call(vec![("look", "{}"), ("act", "{}")]), Act::Call(vec![("act", "{}")]), Act::Say("done")]
}

#[test]
fn the_question_and_the_answer_are_durable_before_the_tool_runs() {
    block_on(async {
        for (scope, questions) in [(ApprovalScope::Once, 2), (ApprovalScope::Session, 1)] {
            let outside = outside();
            outside.script(asks_twice());
            let gate = gate(&outside, Says::Yes(scope));
            let (host, _) = outside.host(settings(), false).await;
            assert_eq!(turn(&host, "s", "go").await.answer, "done");
            assert_eq!(outside.tool_runs.lock().unwrap().len(), 3);
            assert_eq!(gate.asked.lock().unwrap().len(), questions, "{scope:?}");
            let of_calls = ["tool.approval_asked", "tool.approval_given", "tool.started", "tool.finished"];
            let kinds: Vec<_> = outside.kinds().into_iter().filter(|kind| of_calls.contains(&kind.as_str())).collect();
            assert_eq!(kinds[..2], ["tool.started", "tool.finished"], "what comes before it is done");
            assert_eq!(kinds[2..6], of_calls);
        }
    });
}

#[test]
fn a_no_and_a_consent_to_something_else_are_results_and_nothing_runs() {
    block_on(async {
        for says in [Says::No, Says::YesToSomethingElse] {
            let outside = outside();
            outside.script([Act::Call(vec![("act", "{}")]), Act::Say("then not")]);
            gate(&outside, says);
            let (host, _) = outside.host(settings(), false).await;
            assert_eq!(turn(&host, "s", "go").await.answer, "then not");
            assert_eq!((outside.count("tool.started"), outside.count("tool.approval_denied")), (0, 1));
            assert!(outside.bodies.lock().unwrap()[1].contains("Refused: this call was not allowed"));
        }
    });
}

#[test]
fn a_question_without_an_answer_is_asked_again_after_a_crash() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("act", "{}")])]);
        let silent = gate(&outside, Says::Nothing);
        let (_lost, _) = outside.host(settings(), false).await;
        _lost.submit(&"s".into(), say("go")).await.unwrap();
        until("somebody is asked", || silent.asked.lock().unwrap().len() == 1).await;
        let asked = gate(&outside, Says::Yes(ApprovalScope::Once));
        outside.script([Act::Say("done")]);
        let (_host, _) = outside.host(settings(), false).await;
        until("the turn is settled", || outside.count("turn.completed") == 1).await;
        assert_eq!(asked.asked.lock().unwrap()[0], silent.asked.lock().unwrap()[0], "the same question");
        assert_eq!((outside.count("tool.approval_asked"), outside.tool_runs.lock().unwrap().len()), (1, 1));
    });
}

#[test]
fn a_stop_closes_the_question_at_once() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("act", "{}")]), Act::Say("next")]);
        let silent = gate(&outside, Says::Nothing);
        let (host, _) = outside.host(settings(), false).await;
        host.submit(&"s".into(), say("go")).await.unwrap();
        until("somebody is asked", || silent.asked.lock().unwrap().len() == 1).await;
        let shown = host.attach(&"s".into()).await.unwrap().snapshot.questions.remove(0);
        let digest = silent.asked.lock().unwrap()[0].digest.hex();
        assert_eq!((shown.tool.as_str(), shown.why.as_str(), shown.digest), ("act", "it writes", digest));
        let began = Instant::now();
        host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        assert_eq!(turn(&host, "s", "more").await.answer, "next");
        assert!(began.elapsed() < Duration::from_secs(1));
        assert!(host.attach(&"s".into()).await.unwrap().snapshot.questions.is_empty(), "the question is closed");
        let results =
            outside.events().into_iter().filter(|event| matches!(event.event(), Some(Event::ToolFinished(_))));
        assert_eq!((results.count(), outside.count("tool.started")), (1, 0));
    });
}

#[test]
fn who_attaches_sees_the_open_question() {
    block_on(async {
        let outside = outside();
        outside.script(asks_twice());
        let gate = gate(&outside, Says::Nothing);
        let (host, _) = outside.host(settings(), false).await;
        host.submit(&"s".into(), say("go")).await.unwrap();
        until("it is asked", || !gate.asked.lock().unwrap().is_empty()).await;
        let snapshot = host.attach(&"s".into()).await.unwrap().snapshot;
        let [question] = &snapshot.questions[..] else { panic!("{:?}", snapshot.questions) };
        assert_eq!(
            (question.tool.as_str(), question.arguments.as_str(), question.why.as_str()),
            ("act", "{}", "it writes")
        );
        assert_eq!(question.digest, gate.asked.lock().unwrap()[0].digest.hex());
        host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
        assert!(host.attach(&"s".into()).await.unwrap().snapshot.questions.is_empty());
    });
}
