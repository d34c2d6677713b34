//! A fork goes on from its parent's conversation, byte for byte, and neither hears of the other after that.

use crate::support::*;
use dispatch_actors::{Forks, HostHandle, HostSettings, SessionRef, command::ForkRequest};
use dispatch_events::{Event, StreamId, Version};
use dispatch_projections::{
    transcript::Said,
    view::{SessionStatus, SummaryView, ViewName},
};
use std::sync::Arc;

fn wanted(name: &str) -> ForkRequest {
    ForkRequest { principal: me(), at: None, name: Some(name.into()), profile: None, source: "test".into() }
}

async fn fork(host: &HostHandle, parent: &str, name: &str) -> SummaryView {
    host.fork(&parent.into(), wanted(name)).await.unwrap()
}

/// The conversation of the n-th request, without the parameters behind it.
fn conversation(outside: &Outside, request: usize) -> String {
    let bodies = outside.bodies.lock().unwrap();
    bodies[request].rsplit_once('\n').unwrap().0.to_owned()
}

/// Every request of the session is proven, and how many there are.
async fn proven(host: &HostHandle, session: &str) -> usize {
    let rows = host.prefix(&session.into()).await.unwrap().requests;
    assert!(rows.iter().all(|row| row.proven), "{session}: {rows:?}");
    let wire = host.wire(&session.into(), None).await.unwrap().requests;
    assert!(wire.iter().all(|row| row.proven) && wire.len() == rows.len());
    rows.len()
}

async fn said(host: &HostHandle, session: &str) -> Vec<String> {
    let state = host.state(&session.into(), None).await.unwrap();
    let lines = state.transcript.entries().iter().map(|entry| match &entry.said {
        Said::User { content, .. } => format!("user: {content}"),
        Said::Assistant { content, .. } => format!("model: {content}"),
        Said::Tool { result, .. } => format!("tool: {}", result.as_ref().map_or("nothing", |(_, output)| output)),
        Said::Notice { content } => format!("notice: {content}"),
    });
    lines.collect()
}

/// A parent with two turns, one of them with a tool.
async fn parent(outside: &Arc<Outside>, host: &HostHandle) -> StreamId {
    outside.script([Act::Call(vec![("look", "{}")]), Act::Say("one"), Act::Say("two")]);
    turn(host, "p", "look around").await;
    turn(host, "p", "and then?").await;
    host.resolve(&"p".into()).await.unwrap()
}

#[test]
fn the_first_request_of_a_fork_extends_the_last_of_its_parent() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let id = parent(&outside, &host).await;
        let child = fork(&host, "p", "c").await;
        assert_eq!((child.name.as_str(), child.version, child.model_calls), ("c", Version(2), 0));
        assert_eq!((child.profile.as_deref(), child.input_tokens), (Some("scripted"), 0));
        outside.script([Act::Say("of the child"), Act::Say("of the parent")]);
        turn(&host, "c", "go on as a child").await;
        let (last, first) = (conversation(&outside, 2), conversation(&outside, 3));
        assert!(first.starts_with(&last), "byte for byte");
        assert!(first.contains("\"two\"") && first.contains("go on as a child"));
        turn(&host, "p", "go on as a parent").await;
        let of_parent = conversation(&outside, 4);
        assert!(of_parent.starts_with(&last) && !of_parent.contains("as a child"));
        assert!(!said(&host, "c").await.contains(&"user: go on as a parent".to_owned()));
        assert_eq!((proven(&host, "c").await, proven(&host, "p").await), (1, 4));
        let rows = host.prefix(&"c".into()).await.unwrap().requests;
        assert!(rows[0].extends_previous && rows[0].diverged_at.is_none());
        let state = host.state(&"c".into(), None).await.unwrap();
        assert_eq!(state.transcript.entries()[0].stream, id);
        assert_eq!(state.prompt.built.as_ref().map(|built| built.text().is_empty()), Some(false));
        assert_eq!(outside.count("prompt.built"), 1, "the prompt is inherited, not built");
        for view in ViewName::EVERY {
            host.view(&"c".into(), view, None).await.unwrap();
            host.view(&"c".into(), view, Some(Version(1))).await.unwrap();
        }
        assert!(outside.unannounced.lock().unwrap().is_empty());
    });
}

/// The host stops in between, and the fork has rested with a snapshot before.
#[test]
fn a_restart_changes_nothing() {
    let request = |restarts: bool| {
        block_on(async {
            let outside = outside();
            let quick = || HostSettings { idle_ms: 20, ..settings() };
            let (mut host, _) = outside.host(quick(), false).await;
            parent(&outside, &host).await;
            fork(&host, "p", "c").await;
            outside.script([Act::Call(vec![("look", "{}")]), Act::Say("three"), Act::Say("four")]);
            turn(&host, "c", "look again").await;
            if restarts {
                until("it rests", || host.health().sessions_active == 0).await;
                drop(host);
                (host, _) = outside.host(quick(), false).await;
            }
            turn(&host, "c", "and now?").await;
            assert_eq!(proven(&host, "c").await, 3);
            conversation(&outside, 5).split_once('|').unwrap().1.to_owned()
        })
    };
    assert_eq!(request(true), request(false));
}

#[test]
fn a_fork_of_a_long_session_has_a_snapshot_that_does_not_outlive_its_parent() {
    block_on(async {
        let outside = outside();
        let quick = || HostSettings { idle_ms: 20, ..settings() };
        let (host, _) = outside.host(quick(), false).await;
        let mut last = Version(0);
        while last.0 < 201 {
            outside.script([Act::Call(vec![("look", "{}"), ("look", "{}")]), Act::Say("an answer")]);
            turn(&host, "p", "look").await;
            last = host.state(&"p".into(), None).await.unwrap().version;
        }
        let child = fork(&host, "p", "c").await;
        let file = outside.snapshots().join(child.id.to_string());
        until("the fork has a snapshot", || file.exists()).await;
        until("all rest", || host.health().sessions_active == 0).await;
        let before = said(&host, "c").await;
        std::fs::remove_file(&file).unwrap();
        assert_eq!(said(&host, "c").await, before, "the log says what the snapshot said");
        turn(&host, "c", "once more").await;
        until("it has one again", || file.exists()).await;
        until("all rest", || host.health().sessions_active == 0).await;
        drop(host);
        // The parent's key is gone, however that came.
        let log = outside.log();
        let first = &log.read_stream(host_id(&outside, "p"), Version(1), 1).unwrap()[0];
        log.keys().destroy(first.key).unwrap();
        drop(log);
        let (host, _) = outside.host(quick(), false).await;
        unreadable(&host, child.id).await;
    });
}

fn host_id(outside: &Outside, name: &str) -> StreamId {
    outside.log().store().named(name).unwrap().unwrap()
}

/// A conversation that is not whole is not shown, and says why.
async fn unreadable(host: &HostHandle, child: StreamId) {
    let refusal = host.state(&SessionRef::from(child), None).await.unwrap_err();
    assert_eq!(refusal.code(), "storage_unavailable");
    assert!(refusal.to_string().contains("was erased"), "{refusal}");
    let refusal = host.submit(&SessionRef::from(child), say("still there?")).await.unwrap_err();
    assert!(refusal.to_string().contains("was erased"), "{refusal}");
    let rows = host.list(None, 10, Default::default()).await.unwrap();
    let row = rows.iter().find(|row| row.id == child).unwrap();
    assert_eq!(row.status, SessionStatus::Unreadable);
    assert!(row.problems[0].contains("was erased"), "{:?}", row.problems);
    host.erase(&SessionRef::from(child), me(), Forks::Refuse).await.unwrap();
}

#[test]
fn a_fork_of_a_fork_has_both_conversations_and_behind_sixteen_it_holds_them_itself() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        parent(&outside, &host).await;
        let mut before = "p".to_owned();
        for depth in 1..=16 {
            let name = format!("f{depth}");
            fork(&host, &before, &name).await;
            if depth <= 2 {
                outside.script([Act::Say("deeper")]);
                turn(&host, &name, &format!("at depth {depth}")).await;
            }
            before = name;
        }
        assert_eq!(outside.count("session.inherited"), 0);
        fork(&host, "f16", "f17").await;
        until("it holds what it inherits", || outside.count("session.inherited") > 0).await;
        fork(&host, "f17", "f18").await;
        for deep in ["f17", "f18"] {
            assert_eq!(said(&host, deep).await, said(&host, "f16").await, "{deep}");
        }
        outside.script([Act::Say("deepest")]);
        turn(&host, "f16", "at the end").await;
        let (second, last) = (conversation(&outside, 4), conversation(&outside, 5));
        assert!(last.starts_with(&second) && last.contains("at depth 1") && last.contains("at depth 2"));
        assert_eq!(proven(&host, "f16").await, 1);
        drop(host);
        let (host, _) = outside.host(settings(), false).await;
        assert_eq!(proven(&host, "f16").await, 1);
        turn(&host, "f16", "after a restart").await;
        assert!(conversation(&outside, 6).starts_with(&last));
        turn(&host, "f18", "deeper still").await;
        assert!(conversation(&outside, 7).starts_with(&second));
        assert_eq!(proven(&host, "f18").await, 1);
    });
}

#[test]
fn a_fork_of_an_early_version_has_what_was_said_until_then() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let id = parent(&outside, &host).await;
        let events = outside.log().read_stream(id, Version(1), 500).unwrap();
        let last = events.last().unwrap().version;
        let turn_one = events.iter().find(|event| event.kind == "turn.completed").unwrap().version;
        let request = ForkRequest { at: Some(turn_one), ..wanted("early") };
        host.fork(&"p".into(), request).await.unwrap();
        assert_eq!(said(&host, "early").await.last().map(String::as_str), Some("model: one"));
        outside.script([Act::Say("otherwise")]);
        turn(&host, "early", "another way").await;
        let first = conversation(&outside, 3);
        assert!(first.starts_with(&conversation(&outside, 1)) && !first.contains("and then?"));
        // From the very first event a fork builds its own prompt.
        host.fork(&"p".into(), ForkRequest { at: Some(Version(1)), ..wanted("empty") }).await.unwrap();
        outside.script([Act::Say("anew")]);
        turn(&host, "empty", "hello").await;
        assert_eq!(outside.count("prompt.built"), 2);
        assert_eq!((proven(&host, "early").await, proven(&host, "empty").await), (1, 1));
        for at in [Version(0), Version(last.0 + 100)] {
            let refusal = host.fork(&"p".into(), ForkRequest { at: Some(at), ..wanted("no") }).await.unwrap_err();
            assert_eq!(refusal.code(), "invalid_params", "{refusal}");
        }
        assert_eq!(host.fork(&"p".into(), wanted("early")).await.unwrap_err().code(), "name_taken");
        assert_eq!(outside.count("session.branched"), 2, "what is refused leaves nothing in the parent");
    });
}

/// Every version can be forked, in the middle of a turn too; none of these forks asks for what only the parent knows.
#[test]
fn every_version_of_a_session_can_be_forked() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), true).await;
        *outside.recall.lock().unwrap() = Some(("likes tea".into(), std::time::Duration::ZERO));
        let id = parent(&outside, &host).await;
        let last = outside.log().tip(id).unwrap().unwrap().version;
        for version in 1..=last.0 {
            let name = format!("at {version}");
            host.fork(&"p".into(), ForkRequest { at: Some(Version(version)), ..wanted(&name) }).await.unwrap();
            outside.script([Act::Say("fine")]);
            turn(&host, &name, "go on").await;
            assert_eq!(proven(&host, &name).await, 1);
            let rows = host.prefix(&name.as_str().into()).await.unwrap().requests;
            assert!(rows[0].extends_previous, "at {version}: {rows:?}");
        }
        assert!(outside.unannounced.lock().unwrap().is_empty());
    });
}

#[test]
fn a_running_turn_is_its_parents_alone() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        outside.script([Act::Call(vec![("slow", "{}"), ("look", "{}")])]);
        let receipt = host.submit(&"p".into(), say("take your time")).await.unwrap();
        until("its tool runs", || outside.count("tool.started") == 1).await;
        fork(&host, "p", "c").await;
        let forked = outside.events().into_iter().find_map(|recorded| match recorded.event() {
            Some(Event::SessionForked(forked)) => Some(forked.clone()),
            _ => None,
        });
        assert!(forked.unwrap().unfinished.unwrap().starts_with("Unknown"));
        outside.script([Act::Say("I do not wait")]);
        turn(&host, "c", "what now?").await;
        let first = conversation(&outside, 1);
        assert!(first.starts_with(&conversation(&outside, 0)));
        assert_eq!(first.matches("the conversation was forked before").count(), 2);
        assert_eq!(proven(&host, "c").await, 1);
        let state = host.state(&"p".into(), None).await.unwrap();
        assert!(state.admissions.get(receipt.admission).is_some_and(|one| one.outcome.is_none()), "it runs on");
        assert_eq!(outside.tool_runs.lock().unwrap().len(), 1, "no tool runs for the fork");
    });
}

#[test]
fn a_fork_with_another_model_leaves_out_what_that_one_does_not_take() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        outside.script([Act::Think("a thought", "one"), Act::Say("two"), Act::Say("three"), Act::Say("four")]);
        turn(&host, "p", "think").await;
        let refusal = host.fork(&"p".into(), ForkRequest { profile: Some("nope".into()), ..wanted("no") }).await;
        let refusal = refusal.unwrap_err();
        assert_eq!(refusal.code(), "invalid_params");
        assert!(refusal.to_string().contains("scripted"), "{refusal}");
        assert_eq!(outside.count("session.branched"), 0);
        fork(&host, "p", "same").await;
        let other = ForkRequest { profile: Some("other".into()), ..wanted("other") };
        let summary = host.fork(&"p".into(), other).await.unwrap();
        assert_eq!(summary.profile.as_deref(), Some("other"));
        turn(&host, "same", "go on").await;
        assert!(conversation(&outside, 1).contains("a thought"));
        turn(&host, "other", "go on").await;
        let first = conversation(&outside, 2);
        assert!(first.starts_with("other-1|") && !first.contains("a thought") && first.contains("\"one\""));
        let rows = host.prefix(&"other".into()).await.unwrap().requests;
        assert_eq!((rows[0].extends_previous, rows[0].diverged_at), (false, Some(0)));
        assert_eq!(rows[0].cause.as_deref(), Some("the model changed from scripted-1 to other-1"));
        let dropped = outside.events().into_iter().find_map(|recorded| match recorded.event() {
            Some(Event::SessionForked(forked)) => forked.dropped.clone(),
            _ => None,
        });
        assert!(dropped.unwrap().contains("reasoning"));
        turn(&host, "other", "and on").await;
        assert!(conversation(&outside, 3).starts_with(&first), "the model stays");
        assert_eq!((proven(&host, "other").await, proven(&host, "same").await), (2, 1));
    });
}

#[test]
fn a_session_with_forks_is_erased_with_them_or_not_at_all() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        let id = parent(&outside, &host).await;
        let child = fork(&host, "p", "c").await.id;
        let grandchild = fork(&host, "c", "g").await.id;
        let gone = fork(&host, "p", "gone").await.id;
        host.erase(&"gone".into(), me(), Forks::Refuse).await.unwrap();
        let refusal = host.erase(&"p".into(), me(), Forks::Refuse).await.unwrap_err();
        assert_eq!(refusal.code(), "invalid_params");
        let words = refusal.to_string();
        assert!(words.contains("`c`") && !words.contains("gone") && !words.contains("`g`"), "{words}");
        assert_eq!(said(&host, "g").await.last().map(String::as_str), Some("model: two"), "nothing happened");
        host.erase(&"p".into(), me(), Forks::EraseAll).await.unwrap();
        for session in [id, child, grandchild, gone] {
            let state = host.state(&SessionRef::from(session), None).await;
            assert_eq!(state.unwrap_err().code(), "not_found");
        }
        assert_eq!(outside.count("session.erased"), 4);
        assert_eq!(host.list(None, 10, Default::default()).await.unwrap().len(), 0);
    });
}

/// The host stopped between the parent's event and the fork's first: a fork that is not there stands in nobody's way.
#[test]
fn a_fork_that_was_never_opened_is_harmless() {
    block_on(async {
        use dispatch_events::store::faulty::Fault;
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        parent(&outside, &host).await;
        drop(host);
        let (host, _) = outside.faulty_host(settings(), false, Fault::Refuse, 2).await;
        host.fork(&"p".into(), wanted("c")).await.unwrap_err();
        drop(host);
        let (host, _) = outside.host(settings(), false).await;
        assert_eq!(outside.count("session.branched"), 1);
        assert_eq!(host.resolve(&"c".into()).await.unwrap_err().code(), "not_found");
        fork(&host, "p", "c").await;
        host.erase(&"c".into(), me(), Forks::Refuse).await.unwrap();
        host.erase(&"p".into(), me(), Forks::Refuse).await.unwrap();
    });
}

#[test]
fn a_fork_that_is_kept_holds_what_it_inherits_when_those_before_it_are_gone() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(settings(), false).await;
        parent(&outside, &host).await;
        fork(&host, "p", "c").await;
        outside.script([Act::Say("in the child")]);
        turn(&host, "c", "of the child").await;
        fork(&host, "c", "g").await;
        outside.script([Act::Say("in the grandchild")]);
        turn(&host, "g", "of the grandchild").await;
        let (of_child, of_grandchild) = (said(&host, "c").await, said(&host, "g").await);
        let last = outside.bodies.lock().unwrap().len() - 1;
        host.erase(&"p".into(), me(), Forks::Keep).await.unwrap();
        assert_eq!(said(&host, "c").await, of_child);
        host.erase(&"c".into(), me(), Forks::Keep).await.unwrap();
        let kept = outside.count("session.inherited");
        drop(host);
        let (host, _) = outside.host(settings(), false).await;
        assert_eq!(said(&host, "g").await, of_grandchild);
        assert_eq!(proven(&host, "g").await, 1, "what was sent can still be shown");
        outside.script([Act::Say("and on")]);
        turn(&host, "g", "further").await;
        let (before, after) = (conversation(&outside, last), conversation(&outside, last + 1));
        assert!(after.starts_with(&before), "{before}\n{after}");
        fork(&host, "g", "another").await;
        assert_eq!(said(&host, "another").await, said(&host, "g").await);
        assert_eq!(outside.count("session.inherited"), kept, "what is there is not taken over again");
        let gone = host.summary(&"p".into()).await.unwrap_err();
        assert_eq!(gone.code(), "not_found");
    });
}
