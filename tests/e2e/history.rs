//! What a person changes of a session's past, and forks: over HTTP and on the command line, with a host and without.

use crate::support::{asked, assert_extends, events, host, idle, kinds, said, submit, verified};
use far_side::{Answer, HostProcess, Method, ScriptedModel, message_elements};
use serde_json::{Value, json};

async fn talk(host: &HostProcess, session: &str, texts: &[&str]) {
    for text in texts {
        host.chat(session, text).await.ok();
    }
}

async fn users(host: &HostProcess, session: &str) -> Vec<String> {
    said(&host.view(session, "transcript").await, "user")
}

#[tokio::test]
async fn what_is_taken_back_is_not_sent_and_comes_back() {
    let model = ScriptedModel::start();
    model.strict(true);
    model.always(Answer::text("noted"));
    let mut host = host().model(&model).start().await;
    talk(&host, "s", &["one", "two", "three"]).await;
    host.run_cli(["sessions", "undo", "s", "2"]).await.ok();
    assert_eq!(users(&host, "s").await, ["one"]);
    host.run_cli(["sessions", "restore", "s"]).await.ok();
    assert_eq!(users(&host, "s").await, ["one", "two", "three"]);
    let transcript = host.view("s", "transcript").await;
    let third = transcript["messages"].as_array().unwrap().iter().find(|row| row["content"] == "three").unwrap();
    let revision = host.get("/api/sessions/s").await.json()["revision"].as_u64().unwrap();
    let rewind = json!({"to": third["version"], "expected_revision": revision});
    host.post("/api/sessions/s/rewind", &rewind).await.ok();
    // Somebody who looked before that decides on what is not there any more.
    let stale = host.post("/api/sessions/s/undo", &json!({"expected_revision": revision})).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "revision_conflict"));
    host.sigkill();
    host.restart().await;
    talk(&host, "s", &["four"]).await;
    assert_eq!(users(&host, "s").await, ["one", "two", "four"]);
    let sent = model.requests().last().unwrap().clone();
    let texts: Vec<String> =
        sent.json()["messages"].as_array().unwrap().iter().map(|message| message["content"].to_string()).collect();
    assert!(!texts.iter().any(|text| text.contains("three")), "{texts:?}");
    let audit = host.get("/api/audit/prefix?session=s").await.json();
    let last = audit["requests"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["extends_previous"], &last["proven"]), (&json!(false), &json!(true)), "{last}");
    assert!(last["cause"].as_str().is_some_and(|cause| cause.contains("rewound")), "{last}");
    assert!(!kinds(&events(host.client(), "s").await).contains(&"prefix.diverged"), "it has a cause");
    // Nothing is removed: the log has every word.
    let log = host.run_cli(["events", "s", "--json"]).await.ok().stdout;
    assert!(log.contains("three"));
    assert_eq!(model.refusals(), Vec::<String>::new());
    verified(host.client()).await;
}

#[tokio::test]
async fn a_retry_sends_the_same_text_and_a_reset_begins_anew() {
    let model = ScriptedModel::start();
    model.push_all(["first", "second", "third"].map(Answer::text));
    let host = host().model(&model).start().await;
    talk(&host, "s", &["hello"]).await;
    let retried = host.run_cli(["sessions", "retry", "s", "--wait"]).await.ok();
    assert_eq!(retried.stdout.trim(), "second");
    let requests = model.requests();
    assert_eq!(asked(&requests[1]), "hello");
    assert_eq!(message_elements(&requests[0].body), message_elements(&requests[1].body));
    assert_eq!(said(&host.view("s", "transcript").await, "assistant"), ["second"]);
    host.run_cli(["sessions", "reset", "s"]).await.ok();
    talk(&host, "s", &["again"]).await;
    let sent = model.requests()[2].json().to_string();
    assert!(!sent.contains("hello") && sent.contains("again"), "{sent}");
    assert_eq!(kinds(&events(host.client(), "s").await).iter().filter(|kind| **kind == "prompt.built").count(), 2);
}

#[tokio::test]
async fn a_fork_goes_on_from_its_parent_and_stores_nothing_of_it() {
    let model = ScriptedModel::start();
    model.always(Answer::text("noted"));
    let mut host = host().model(&model).start().await;
    talk(&host, "parent", &["one", "two"]).await;
    let forked = host.run_cli(["sessions", "fork", "parent", "--name", "child", "--json"]).await.ok().json();
    assert_eq!(forked["name"], "child");
    assert_eq!(users(&host, "child").await, ["one", "two"]);
    talk(&host, "child", &["three"]).await;
    talk(&host, "parent", &["elsewhere"]).await;
    let requests = model.requests();
    assert_extends(&requests[1], &requests[2]);
    assert_eq!(users(&host, "child").await, ["one", "two", "three"]);
    assert_eq!(users(&host, "parent").await, ["one", "two", "elsewhere"]);
    let own = kinds_of(&host, "child").await;
    assert!(own.len() < 16, "only what is its own: {own:?}");
    host.sigkill();
    host.restart().await;
    talk(&host, "child", &["four"]).await;
    assert_extends(&requests[2], &model.requests()[4]);
    let first = host.view("parent", "transcript").await["messages"][0]["version"].clone();
    let early = host.post("/api/sessions/parent/fork", &json!({"at": first, "name": "early"})).await.ok().json();
    assert_eq!(early["name"], "early");
    assert_eq!(users(&host, "early").await, ["one"]);
    talk(&host, "early", &["another way"]).await;
    assert_eq!(users(&host, "early").await, ["one", "another way"]);
    verified(host.client()).await;
}

async fn kinds_of(host: &HostProcess, session: &str) -> Vec<String> {
    events(host.client(), session).await.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_archived_session_is_out_of_lists_and_an_unnamed_one_gets_a_name() {
    let model = ScriptedModel::start();
    model.always(Answer::text("noted"));
    let host = host().model(&model).start().await;
    let made = host.run_cli(["sessions", "new", "--json"]).await.ok().json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["name"], id, "without a name it is called by its id");
    let names = async || -> Vec<Value> {
        let listed = host.run_cli(["sessions", "list", "--json"]).await.ok().json();
        listed["sessions"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect()
    };
    submit(host.client(), id, "Plan the trip to Lisbon").await.ok();
    idle(host.client(), id).await;
    assert_eq!(names().await, ["Plan the trip to Lisbon"]);
    // A second one of that name gets a number, and a name that a person gave stays.
    let other = host.run_cli(["sessions", "new", "--json"]).await.ok().json();
    talk(&host, other["id"].as_str().unwrap(), &["Plan the trip to Lisbon"]).await;
    assert_eq!(names().await, ["Plan the trip to Lisbon", "Plan the trip to Lisbon (2)"]);
    talk(&host, "mine", &["Plan the trip to Lisbon"]).await;
    assert_eq!(names().await[2], "mine");
    host.run_cli(["sessions", "archive", "mine"]).await.ok();
    assert_eq!(names().await.len(), 2);
    talk(&host, "mine", &["still here"]).await;
    assert_eq!(names().await.len(), 2, "an archived session can be spoken to");
    host.run_cli(["sessions", "archive", "mine", "--undo"]).await.ok();
    assert_eq!(names().await.len(), 3);
}

#[tokio::test]
async fn an_input_is_withdrawn_before_its_turn_and_not_after() {
    let model = ScriptedModel::start();
    model.push(Answer::text("first").stall_before_headers(std::time::Duration::from_secs(600)));
    model.always(Answer::text("noted"));
    let host = host().model(&model).start().await;
    let running = submit(host.client(), "s", "running").await.ok().json();
    model.wait_for(1).await;
    let waiting = submit(host.client(), "s", "waiting").await.ok().json();
    let path = |receipt: &Value| format!("/api/sessions/s/input/{}", receipt["admission"].as_str().unwrap());
    let client = host.client();
    let gone = client.send(client.request(Method::DELETE, &path(&waiting))).await.ok().json();
    assert_eq!((&gone["state"], &gone["outcome"]), (&json!("terminal"), &json!("cancelled")));
    let late = client.send(client.request(Method::DELETE, &path(&running))).await;
    assert_eq!((late.status, late.code().as_str()), (409, "stale_generation"));
    host.run_cli(["interrupt", "s"]).await.ok();
    idle(client, "s").await;
    assert_eq!(users(&host, "s").await, ["running"]);
    assert_eq!(model.received(), 1, "what was withdrawn never reached the model");
}

#[tokio::test]
async fn a_fork_goes_on_from_its_parents_bytes_and_is_erased_with_it_or_not_at_all() {
    let model = ScriptedModel::start();
    model.strict(true);
    model.always(Answer::text("noted"));
    let mut host = host().model(&model).start().await;
    talk(&host, "s", &["one", "two"]).await;
    host.run_cli(["sessions", "fork", "s", "--name", "c"]).await.ok();
    host.sigkill();
    host.restart().await;
    talk(&host, "c", &["of the fork"]).await;
    talk(&host, "s", &["of the parent"]).await;
    assert_eq!(users(&host, "c").await, ["one", "two", "of the fork"]);
    assert_eq!(users(&host, "s").await, ["one", "two", "of the parent"]);
    let sent: Vec<_> = model.requests().iter().map(|request| message_elements(&request.body)).collect();
    assert!(sent[2].starts_with(&sent[1]), "the fork's first request extends its parent's last one");
    let audit = host.get("/api/audit/prefix?session=c").await.json();
    let rows = audit["requests"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["extends_previous"], &rows[0]["proven"]), (1, &json!(true), &json!(true)));
    let refused = host.run_cli(["sessions", "erase", "s", "--yes"]).await;
    assert!(refused.status != Some(0) && refused.stderr.contains("`c`"), "{refused:?}");
    host.run_cli(["sessions", "erase", "s", "--yes", "--forks", "erase"]).await.ok();
    assert_eq!(host.get("/api/sessions/c").await.status, 404);
    verified(host.client()).await;
}
