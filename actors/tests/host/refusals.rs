use crate::support::*;
use dispatch_actors::SessionRef;
use dispatch_events::store::faulty::Fault;
use std::time::Duration;

/// Three model calls and two tools.
fn reference() -> Vec<Act> {
    vec![Act::Call(vec![("look", "{}"), ("act", "{}")]), Act::Call(vec![("look", "{\"again\":1}")]), Act::Say("done")]
}

const REFERENCE_APPENDS: u64 = 10;

/// Runs the reference session over a store that misbehaves from its n-th append on, then again over a healthy one.
fn run(fault: Fault, from: u64) {
    block_on(async move {
        let outside = outside();
        outside.script(reference());
        let (host, _) = outside.faulty_host(settings(), false, fault, from).await;
        if let Ok(receipt) = host.submit(&SessionRef::from("s"), say("do it")).await {
            let waited = tokio::time::timeout(Duration::from_secs(2), host.wait(&receipt)).await;
            assert!(waited.is_ok(), "append {from}: nobody told the waiter");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        let unannounced = outside.unannounced.lock().unwrap().clone();
        assert!(unannounced.is_empty(), "append {from}: happened without its event: {unannounced:?}");
        let requests = outside.bodies.lock().unwrap().len();
        assert!(requests <= outside.count("model.requested"), "append {from}");
        assert!(outside.tool_runs.lock().unwrap().len() <= outside.count("tool.started"), "append {from}");
        drop(host);
        actix_rt::System::current().stop();
    });
}

#[test]
fn nothing_happens_without_its_event_when_the_store_refuses_at_any_append() {
    for from in 1..=REFERENCE_APPENDS + 1 {
        run(Fault::Refuse, from);
    }
}

#[test]
fn nothing_happens_without_its_event_when_an_answer_of_the_store_is_lost() {
    for from in 1..=REFERENCE_APPENDS + 1 {
        run(Fault::Tear, from);
    }
}

#[test]
fn the_reference_session_has_as_many_appends_as_the_matrix_visits() {
    block_on(async {
        let outside = outside();
        outside.script(reference());
        let (host, store) = outside.host(settings(), false).await;
        assert_eq!(turn(&host, "s", "do it").await.answer, "done");
        assert_eq!(store.appends() - 1, REFERENCE_APPENDS, "{:?}", outside.kinds());
        assert_eq!(outside.tool_runs.lock().unwrap().len(), 3);
    });
}

#[test]
fn after_a_refusal_the_session_goes_on_when_the_store_does() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("never seen"), Act::Say("here"), Act::Say("and here")]);
        {
            let (host, _) = outside.faulty_host(settings(), false, Fault::Refuse, 3).await;
            let receipt = host.submit(&"s".into(), say("one")).await.unwrap();
            let refused = host.wait(&receipt).await.unwrap_err();
            assert_eq!(refused.code(), "persistence_failed");
        }
        // The next host finds the turn and carries it to its end, with the same admission.
        let (host, _) = outside.host(settings(), false).await;
        until("the turn is settled", || outside.count("input.settled") == 1).await;
        assert_eq!(turn(&host, "s", "two").await.answer, "and here");
        assert_eq!(outside.count("input.queued"), 2);
        let bodies = outside.bodies.lock().unwrap().clone();
        assert_eq!(bodies[0], bodies[1], "the repeated request has the same bytes");
    });
}
