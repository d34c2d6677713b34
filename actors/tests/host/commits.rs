use crate::support::*;
use dispatch_events::catalogue::input::Outcome;
use std::time::Duration;

#[test]
fn a_plain_turn_awaits_three_commits_the_first_turn_and_memory_included() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        *outside.recall.lock().unwrap() = Some(("the port is 55432".into(), Duration::ZERO));
        let (host, store) = outside.host(settings(), true).await;
        for (before, text) in [(1, "first"), (6, "second")] {
            assert_eq!(store.appends(), before);
            assert_eq!(turn(&host, "s", text).await.outcome, Outcome::Completed);
            // The two memory obligations follow: one commit for each attempt.
            until("both obligations are met", || store.appends() == before + 5).await;
        }
        assert_eq!(outside.count("obligation.met"), 4);
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(store.appends(), 11, "nothing else is written");
        let kinds = outside.kinds();
        let first: Vec<_> = kinds.iter().skip(1).take(18).map(String::as_str).collect();
        assert_eq!(
            first,
            [
                "session.opened",
                "input.queued",
                "input.started",
                "lease.acquired",
                "turn.started",
                "prompt.built",
                "memory.adopted",
                "toolset.frozen",
                "memory.recalled",
                "message.recorded",
                "model.requested",
                "model.responded",
                "message.recorded",
                "turn.completed",
                "input.settled",
                "lease.released",
                "obligation.created",
                "obligation.created",
            ]
        );
    });
}

#[test]
fn a_turn_without_memory_backend_awaits_three_commits() {
    block_on(async {
        let outside = outside();
        let (host, store) = outside.host(settings(), false).await;
        for turns in 1..=5 {
            outside.script([Act::Say("yes")]);
            turn(&host, "s", "again").await;
            assert_eq!(store.appends(), 1 + 3 * turns);
        }
    });
}

#[test]
fn inputs_that_wait_are_answered_in_order_without_another_commit() {
    block_on(async {
        let outside = outside();
        let (host, store) = outside.host(settings(), false).await;
        let mut receipts = Vec::new();
        for text in ["a", "b", "c"] {
            outside.script([Act::Say(text)]);
            receipts.push(host.submit(&"s".into(), say(text)).await.unwrap());
        }
        for (receipt, text) in receipts.iter().zip(["a", "b", "c"]) {
            assert_eq!(host.wait(receipt).await.unwrap().answer, text);
        }
        // Each of the three was one append to accept, one to request, one to answer; starting the next rides along.
        assert_eq!(store.appends(), 1 + 9);
        let state = host.state(&"s".into(), None).await.unwrap();
        let said: Vec<_> = dispatch_projections::view::TranscriptView::of(&state)
            .messages
            .into_iter()
            .map(|row| (row.role, row.content))
            .collect();
        let expected = ["a", "a", "b", "b", "c", "c"].iter().zip(["user", "assistant"].iter().cycle());
        assert!(said.iter().map(|(role, text)| (text.as_str(), *role)).eq(expected.map(|(text, role)| (*text, *role))));
    });
}
