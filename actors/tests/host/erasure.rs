//! An erased session is gone for everybody, also when the host stops in between, and the chains still verify.

use crate::support::*;
use dispatch_actors::command::Change;
use dispatch_actors::handle::Besides;
use dispatch_actors::{Forks, Opening, SessionRef, handle::Update};
use dispatch_events::{
    Body, CorrelationId, Draft, Event, EventId, PrincipalId, StreamId, Version,
    catalogue::session::SessionEraseRequested, store::faulty::Fault, verify::verify,
};
use dispatch_projections::view::SessionStatus;
use std::{sync::Arc, time::Duration};

/// A turn, and the session that had it.
async fn session(host: &dispatch_actors::HostHandle, name: &str, text: &str) -> StreamId {
    let receipt = host.submit(&SessionRef::from(name), say(text)).await.unwrap();
    host.wait(&receipt).await.unwrap();
    receipt.session
}

/// Everything that has to be true of a session that was erased.
async fn is_gone(outside: &Arc<Outside>, host: &dispatch_actors::HostHandle, id: StreamId, name: &str) {
    let session = SessionRef::from(id);
    assert_eq!(host.state(&session, None).await.unwrap_err().code(), "not_found");
    assert_eq!(host.submit(&session, say("still there?")).await.unwrap_err().code(), "not_found");
    assert_eq!(host.rename(&session, "other", Change::by(me())).await.unwrap_err().code(), "not_found");
    assert_eq!(host.erase(&session, me(), Forks::Refuse).await.unwrap_err().code(), "not_found");
    assert!(host.list(None, 100, Default::default()).await.unwrap().iter().all(|row| row.id != id));
    let row = host
        .list(None, 100, Besides { erased: true, ..Besides::default() })
        .await
        .unwrap()
        .into_iter()
        .find(|row| row.id == id)
        .unwrap();
    assert_eq!((row.status, row.name.as_str(), row.messages), (SessionStatus::Erased, "", 0));

    let events: Vec<_> = outside.events().into_iter().filter(|event| event.stream == id).collect();
    let (last, rest) = events.split_last().unwrap();
    assert!(rest.iter().all(|event| event.body == Body::Erased), "{rest:?}");
    let Some(Event::SessionErased(erased)) = last.event() else { panic!("{last:?}") };
    assert_eq!(erased.events, rest.len() as u64);
    assert!(!outside.store.open_streams().unwrap().contains(&id));
    let report = verify(&outside.log()).unwrap();
    assert!(report.is_sound() && report.unreadable == 0, "{report:?}");
    assert!(!outside.keep.folder.path().join("blobs").join(id.to_string()).exists());
    assert!(!outside.snapshots().join(id.to_string()).exists());

    // The name is free, and the new session knows nothing of the old one.
    let new = host.open(Some(name.into()), Opening::plain("test"), me()).await.unwrap();
    assert_ne!(new.id, id);
    assert_eq!(new.messages, 0);
}

#[test]
fn an_erased_session_is_gone_for_everybody() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two"), Act::Say("three")]);
        let (host, _) = outside.host(settings(), true).await;
        let id = session(&host, "a", &"a long story ".repeat(10_000)).await;
        turn(&host, "b", "stays").await;
        assert!(outside.keep.folder.path().join("blobs").join(id.to_string()).exists());
        let erased = host.erase(&"a".into(), me(), Forks::Refuse).await.unwrap();
        assert_eq!(erased.session, id);
        is_gone(&outside, &host, id, "a").await;
        turn(&host, "b", "goes on").await;
        // A later host finds the same.
        let (host, _) = outside.host(settings(), true).await;
        assert_eq!(host.state(&SessionRef::from(id), None).await.unwrap_err().code(), "not_found");
    });
}

/// The three places where a stop can fall between its steps.
#[test]
fn a_start_finishes_what_it_finds_half_done() {
    block_on(async {
        for steps in 0..3 {
            let outside = outside();
            outside.script([Act::Say("one")]);
            let (host, _) = outside.host(settings(), false).await;
            let id = session(&host, "a", &"a long story ".repeat(10_000)).await;
            drop(host);
            let log = outside.log();
            let tip = log.tip(id).unwrap().unwrap();
            let asked = SessionEraseRequested { name: "a".into(), route: None, by: me() };
            let draft = Draft {
                event: asked.into(),
                correlation: CorrelationId::fresh(),
                causation: EventId::default(),
                principal: PrincipalId::default(),
            };
            log.append(tip, vec![draft]).await.unwrap();
            if steps > 0 {
                log.keys().destroy(tip.key).unwrap();
            }
            if steps > 1 {
                log.blobs().purge(id).unwrap();
            }
            drop(log);
            let (host, _) = outside.host(settings(), false).await;
            until("it is finished", || outside.count("session.erased") == 1).await;
            is_gone(&outside, &host, id, "a").await;
        }
    });
}

/// The caller is told, nothing is half true, and the next try or the next start finishes it.
#[test]
fn a_log_that_refuses_erases_nothing_or_is_finished_later() {
    block_on(async {
        for refused in 0..2 {
            let outside = outside();
            outside.script([Act::Say("one")]);
            let (host, _) = outside.host(settings(), false).await;
            let id = session(&host, "a", "hello").await;
            drop(host);
            let (host, _) = outside.faulty_host(settings(), false, Fault::Refuse, refused + 1).await;
            assert_eq!(host.erase(&"a".into(), me(), Forks::Refuse).await.unwrap_err().code(), "persistence_failed");
            assert_eq!(outside.count("session.erased"), 0);
            let readable = host.state(&SessionRef::from(id), None).await.is_ok();
            assert_eq!(readable, refused == 0, "the request is what decides");
            let (host, _) = outside.host(settings(), false).await;
            if refused == 0 {
                host.erase(&"a".into(), me(), Forks::Refuse).await.unwrap();
            }
            until("it is finished", || outside.count("session.erased") == 1).await;
            is_gone(&outside, &host, id, "a").await;
        }
    });
}

#[test]
fn a_running_turn_ends_with_its_session() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("half an answ")]);
        let (host, _) = outside.host(settings(), true).await;
        let receipt = host.submit(&"a".into(), say("go")).await.unwrap();
        until("it asks the model", || outside.bodies.lock().unwrap().len() == 1).await;
        let mut seen = host.subscribe(receipt.session, Version(1));
        let waits = host.wait(&receipt);
        let erased = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            host.erase(&"a".into(), me(), Forks::Refuse).await.unwrap()
        };
        let (ending, erased) = tokio::join!(tokio::time::timeout(Duration::from_secs(5), waits), erased);
        assert!(ending.is_ok(), "who waits for the turn hears of its end");
        let mut last = None;
        while last.is_none_or(|version| version < erased.version) {
            match tokio::time::timeout(Duration::from_secs(5), seen.next()).await.unwrap().unwrap().unwrap() {
                Update::Event(event) => last = Some(event.version),
                Update::Delta { .. } | Update::Broken { .. } => {}
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(
            outside.log().tip(receipt.session).unwrap().unwrap().version,
            erased.version,
            "nothing comes after it"
        );
        is_gone(&outside, &host, receipt.session, "a").await;
        outside.script([Act::Say("fine")]);
        turn(&host, "b", "go on").await;
    });
}

/// One blob is gone: nothing of the session can be folded, and all the rest of it has to go as well.
#[test]
fn a_session_that_cannot_be_read_can_be_erased() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one")]);
        let (host, _) = outside.host(settings(), false).await;
        let id = session(&host, "a", &"a long story ".repeat(10_000)).await;
        drop(host);
        std::fs::remove_dir_all(outside.keep.folder.path().join("blobs").join(id.to_string())).unwrap();
        let (host, _) = outside.host(settings(), false).await;
        assert_eq!(
            host.submit(&SessionRef::from(id), say("still there?")).await.unwrap_err().code(),
            "storage_unavailable"
        );
        host.erase(&"a".into(), me(), Forks::Refuse).await.unwrap();
        is_gone(&outside, &host, id, "a").await;
    });
}

/// The backend is down when the session is erased, and comes back: it hears nothing of it any more.
#[test]
fn what_is_owed_of_an_erased_session_is_not_sent() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        outside.sync_failures.store(1, std::sync::atomic::Ordering::SeqCst);
        let (host, _) = outside.host(settings(), true).await;
        session(&host, "a", "a secret").await;
        until("the first attempt failed", || outside.sync_failures.load(std::sync::atomic::Ordering::SeqCst) == 0)
            .await;
        host.erase(&"a".into(), me(), Forks::Refuse).await.unwrap();
        session(&host, "b", "hello").await;
        until("what others owe is sent", || !outside.synced.lock().unwrap().is_empty()).await;
        let synced: Vec<_> = outside.synced.lock().unwrap().iter().map(|exchange| exchange.user.clone()).collect();
        assert_eq!(synced, ["hello"]);
    });
}
