//! The conformance of the one door: what every adapter may rely on, using `HostHandle` and nothing else.

use crate::support::*;
use dispatch_actors::Stop;
use dispatch_actors::command::Change;
use dispatch_actors::{Opening, SessionRef, handle::Update};
use dispatch_events::{Position, Version, catalogue::input::Outcome};
use dispatch_projections::view::ViewName;

#[test]
fn two_first_requests_for_one_name_make_one_session() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let name = SessionRef::from("same");
        let both = futures_util::future::join_all((0..10).map(|_| host.submit(&name, say("hello")))).await;
        let receipts: Vec<_> = both.into_iter().map(Result::unwrap).collect();
        assert!(receipts.iter().all(|receipt| receipt.session == receipts[0].session));
        for receipt in &receipts {
            assert_eq!(host.wait(receipt).await.unwrap().outcome, Outcome::Completed);
        }
        assert_eq!(outside.count("session.opened"), 1);
    });
}

#[test]
fn first_requests_at_the_same_moment_are_never_refused() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        for round in 0..40 {
            let name = SessionRef::from(format!("n{round}").as_str());
            let some = futures_util::future::join_all((0..6u64).map(|late| {
                let (host, name) = (host.clone(), name.clone());
                async move {
                    tokio::time::sleep(std::time::Duration::from_micros(late * 150)).await;
                    host.submit(&name, say("hello")).await
                }
            }));
            for receipt in some.await {
                receipt.unwrap();
            }
        }
        assert_eq!(outside.count("session.opened"), 40);
        assert_eq!(outside.count("input.queued"), 240);
    });
}

#[test]
fn a_host_that_drains_leaves_what_waits_to_the_next_one() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("…"), Act::Say("a"), Act::Say("b")]);
        {
            let (host, _) = outside.host(settings(), false).await;
            host.submit(&"s".into(), say("one")).await.unwrap();
            host.submit(&"s".into(), say("two")).await.unwrap();
            until("it asks", || outside.bodies.lock().unwrap().len() == 1).await;
            let stopping = host.clone();
            let drain = actix_rt::spawn(async move { stopping.drain("test").await });
            until("it drains", || host.health().draining).await;
            host.interrupt(&"s".into(), me(), Stop::default()).await.unwrap();
            assert_eq!(drain.await.unwrap().turns, 0);
        }
        assert_eq!(outside.bodies.lock().unwrap().len(), 1, "the second input did not start");
        let (_host, _) = outside.host(settings(), false).await;
        until("it is answered", || outside.count("turn.completed") == 1).await;
        assert_eq!(outside.count("input.requeued"), 0);
    });
}

#[test]
fn the_same_request_ten_times_at_once_is_one_admission() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let mut submit = say("hello");
        submit.request = Some("one".into());
        let name = SessionRef::from("s");
        let all = futures_util::future::join_all((0..10).map(|_| host.submit(&name, submit.clone()))).await;
        let ids: Vec<_> = all.into_iter().map(|receipt| receipt.unwrap().admission).collect();
        assert!(ids.iter().all(|id| *id == ids[0]));
        assert_eq!(outside.count("input.queued"), 1);
    });
}

#[test]
fn names_are_unique_and_free_again_after_a_rename() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let open = |name: &str| host.open(Some(name.into()), Opening::plain("test"), me());
        let first = open("a").await.unwrap();
        assert_eq!(open("a").await.unwrap_err().code(), "name_taken");
        open("b").await.unwrap();
        assert_eq!(host.rename(&"b".into(), "a", Change::by(me())).await.unwrap_err().code(), "name_taken");
        host.rename(&"a".into(), "c", Change::by(me())).await.unwrap();
        host.rename(&"b".into(), "a", Change::by(me())).await.unwrap();
        assert_eq!(host.resolve(&"c".into()).await.unwrap(), first.id);
        let names: Vec<_> =
            host.list(None, 10, Default::default()).await.unwrap().into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["c", "a"], "in the order in which they began");
        for bad in ["", " a", "x/y", "a\nb", &"x".repeat(300)] {
            assert_eq!(open(bad).await.unwrap_err().code(), "invalid_params", "{bad:?}");
        }
    });
}

#[test]
fn what_is_not_there_is_not_found() {
    block_on(async {
        let outside = outside();
        let (host, store) = outside.host(settings(), false).await;
        let nowhere = SessionRef::from("nowhere");
        assert_eq!(host.interrupt(&nowhere, me(), Stop::default()).await.unwrap_err().code(), "not_found");
        assert_eq!(host.view(&nowhere, ViewName::All, None).await.unwrap_err().code(), "not_found");
        let mut closed = say("hello");
        closed.opening = None;
        assert_eq!(host.submit(&nowhere, closed).await.unwrap_err().code(), "not_found");
        let agent = dispatch_actors::shared::agent_stream("main").to_string();
        assert_eq!(host.summary(&agent.as_str().into()).await.unwrap_err().code(), "not_found");
        assert_eq!(store.appends(), 1);
    });
}

#[test]
fn a_bad_input_writes_nothing() {
    block_on(async {
        let outside = outside();
        let (host, store) = outside.host(settings(), false).await;
        let mut long = say("hello");
        long.request = Some("x".repeat(1025));
        for bad in [say("  \n "), long] {
            assert_eq!(host.submit(&"s".into(), bad).await.unwrap_err().code(), "invalid_params");
        }
        assert_eq!(store.appends(), 1);
    });
}

#[test]
fn a_full_queue_says_so_and_loses_nothing() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Hang("…")]);
        let (host, _) = outside.host(settings(), false).await;
        for _ in 0..33 {
            host.submit(&"s".into(), say("more")).await.unwrap();
        }
        assert_eq!(host.submit(&"s".into(), say("more")).await.unwrap_err().code(), "queue_full");
        assert_eq!(host.state(&"s".into(), None).await.unwrap().admissions.waiting_len(), 32);
    });
}

#[test]
fn every_view_is_there_at_every_version() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Call(vec![("look", "{}")]), Act::Say("done")]);
        let (host, _) = outside.host(settings(), true).await;
        turn(&host, "s", "hello").await;
        let last = host.state(&"s".into(), None).await.unwrap().version;
        for version in 1..=last.0 {
            for view in ViewName::EVERY {
                host.view(&"s".into(), view, Some(Version(version))).await.unwrap();
            }
        }
        let name = SessionRef::from("s");
        let at = |version| host.state(&name, Some(Version(version)));
        assert_eq!(at(2).await.unwrap().admissions.pending_len(), 1);
        assert_eq!(at(2).await.unwrap().transcript.entries().len(), 0);
    });
}

#[test]
fn a_viewer_of_the_whole_log_sees_every_position_once() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        let (host, _) = outside.host(settings(), false).await;
        turn(&host, "a", "hello").await;
        let mut viewer = host.subscribe_log(Position(1));
        turn(&host, "b", "hello").await;
        let last = host.health().position.0;
        for position in 1..=last {
            let Update::Event(recorded) = viewer.next().await.unwrap().unwrap() else { panic!("a delta") };
            assert_eq!(recorded.position.0, position);
        }
    });
}

#[test]
fn a_host_that_drains_takes_nothing_new_and_says_that_it_stopped() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one")]);
        let (host, _) = outside.host(settings(), false).await;
        turn(&host, "s", "hello").await;
        host.drain("test").await;
        assert_eq!(host.submit(&"s".into(), say("more")).await.unwrap_err().code(), "draining");
        assert_eq!(outside.kinds().last().unwrap(), "host.stopped");
        assert!(host.verify().await.unwrap().is_sound());
    });
}
