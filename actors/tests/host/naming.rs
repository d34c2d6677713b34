//! Names that the host gives, and conversations that begin anew by themselves.

use crate::support::*;
use dispatch_actors::command::Change;
use dispatch_actors::{HostSettings, Opening, SessionRef, decide::reset::ResetPolicy};
use dispatch_events::{Event, catalogue::session::ResetReason};
use futures_util::future::join_all;

#[test]
fn unnamed_sessions_are_named_apart_and_a_persons_name_stays() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let opened = join_all((0..12).map(|_| host.open(None, Opening::plain("test"), me()))).await;
        let ids: Vec<_> = opened.into_iter().map(|opened| opened.unwrap().id).collect();
        // At one moment, so that they want the same name.
        let refs: Vec<SessionRef> = ids.iter().map(|id| (*id).into()).collect();
        let receipts = join_all(refs.iter().map(|session| host.submit(session, say("Plan the trip")))).await;
        let mut names: Vec<_> = receipts.iter().map(|receipt| receipt.as_ref().unwrap().name.clone()).collect();
        names.sort();
        let mut expected = vec!["Plan the trip".to_owned()];
        expected.extend((2..=12).map(|number| format!("Plan the trip ({number})")));
        expected.sort();
        assert_eq!(names, expected);
        for (id, receipt) in ids.iter().zip(receipts) {
            let receipt = receipt.unwrap();
            host.wait(&receipt).await.unwrap();
            let renamed = host.rename(&(*id).into(), &format!("mine {id}"), Change::by(me())).await.unwrap();
            turn(&host, &id.to_string(), "something else").await;
            assert_eq!(host.summary(&(*id).into()).await.unwrap().name, renamed.name);
        }
        let off = HostSettings { titles: false, ..settings() };
        drop(host);
        let (host, _) = outside.host(off, false).await;
        let bare = host.open(None, Opening::plain("test"), me()).await.unwrap();
        turn(&host, &bare.name, "hello").await;
        assert_eq!(host.summary(&bare.id.into()).await.unwrap().name, bare.id.to_string());
    });
}

#[test]
fn a_conversation_begins_anew_after_silence_and_the_model_is_told_once() {
    block_on(async {
        let outside = outside();
        // No silence at all is too long: every input but the first finds it.
        let reset = ResetPolicy { idle_minutes: Some(0), at_hour: None };
        let (host, _) = outside.host(HostSettings { reset, ..settings() }, false).await;
        turn(&host, "s", "my name is Ada").await;
        turn(&host, "s", "who am I?").await;
        let reasons: Vec<_> = outside
            .events()
            .iter()
            .filter_map(|recorded| match recorded.event() {
                Some(Event::SessionReset(event)) => Some(event.reason),
                _ => None,
            })
            .collect();
        assert_eq!(reasons, [ResetReason::Idle]);
        let bodies = outside.bodies.lock().unwrap().clone();
        assert!(!bodies[1].contains("Ada"), "{}", bodies[1]);
        assert_eq!(bodies[1].matches("began anew").count(), 1, "{}", bodies[1]);
        let transcript =
            serde_json::to_string(&host.view(&"s".into(), "transcript".parse().unwrap(), None).await.unwrap());
        assert!(!transcript.unwrap().contains("[The conversation began anew"), "people read clean text");
    });
}
