//! Two clients of one session at one instant: two turns, one after the other; nothing is refused, merged or lost.

use crate::support::{assert_prefixes, host, idle, kinds, said, submit, verified};
use far_side::{Answer, HostProcess, ScriptedModel};
use std::time::Duration;

async fn race(host: &HostProcess, model: &ScriptedModel, rounds: usize) {
    for round in 0..rounds {
        let (here, there) = (format!("http {round}"), format!("cli {round}"));
        let cli = ["submit", "shared", &there, "--wait", "--json"];
        let (reply, output) = tokio::join!(host.chat("shared", &here), host.run_cli(cli));
        assert_eq!(reply.ok().text(), "answered");
        assert_eq!(output.ok().json()["answer"], "answered");
    }
    let transcript = host.view("shared", "transcript").await;
    let users = said(&transcript, "user");
    assert_eq!(users.len(), 2 * rounds);
    for (round, pair) in users.chunks(2).enumerate() {
        let mut pair = pair.to_vec();
        pair.sort();
        assert_eq!(pair, [format!("cli {round}"), format!("http {round}")]);
    }
    assert_eq!(model.max_in_flight(), 1, "one turn at a time");
    let roles = transcript["messages"].as_array().unwrap().iter().map(|it| it["role"].as_str().unwrap());
    assert!(roles.collect::<Vec<_>>().chunks(2).all(|pair| pair == ["user", "assistant"]));
    assert_prefixes(&host.get("/api/audit/prefix?session=shared").await.json(), 2 * rounds);
    verified(host.client()).await;
}

#[tokio::test]
async fn the_command_line_and_http_at_the_same_instant_twenty_times() {
    let model = ScriptedModel::start();
    model.strict(true);
    model.always(Answer::chunks(["ans", "wered"]).pause_between(Duration::from_millis(60)));
    let host = host().model(&model).start().await;
    race(&host, &model, 20).await;
    assert_eq!(model.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn two_first_requests_for_one_name_make_one_session() {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered"));
    let host = host().model(&model).start().await;
    for round in 0..10 {
        let name = format!("new-{round}");
        let (one, other, third) =
            tokio::join!(host.chat(&name, "one"), host.chat(&name, "other"), submit(host.client(), &name, "third"));
        assert_eq!((one.ok().text(), other.ok().text(), third.status), ("answered".into(), "answered".into(), 202));
        idle(host.client(), &name).await;
        let mut users = said(&host.view(&name, "transcript").await, "user");
        users.sort();
        assert_eq!(users, ["one", "other", "third"]);
    }
    assert_eq!(host.get("/api/sessions").await.json()["sessions"].as_array().unwrap().len(), 10);
}

#[tokio::test]
async fn queued_messages_keep_their_bounds_and_their_order_over_a_kill() {
    let model = ScriptedModel::start();
    model.push(Answer::text("never").stall_before_headers(Duration::from_secs(60)));
    model.always(Answer::text("answered"));
    let mut host = host().model(&model).start().await;
    let texts = ["running", "a", "b", "c"];
    for text in texts {
        let receipt = submit(host.client(), "s", text).await;
        assert_eq!(receipt.status, 202);
        if text == "running" {
            model.wait_for(1).await;
        }
    }
    let queue = host.view("s", "queue").await;
    let rows: Vec<(&str, &str)> = queue["pending"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["text"].as_str().unwrap(), row["state"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("running", "started"), ("a", "queued"), ("b", "queued"), ("c", "queued")]);
    assert!(!host.view("s", "lease").await["holder"].is_null());
    submit(host.client(), "other", "elsewhere").await.ok();
    host.sigkill();
    host.restart().await;
    idle(host.client(), "s").await;
    idle(host.client(), "other").await;
    let transcript = host.view("s", "transcript").await;
    assert_eq!(said(&transcript, "user"), texts);
    assert_eq!(said(&transcript, "assistant"), ["answered"; 4]);
    assert_eq!(said(&host.view("other", "transcript").await, "assistant"), ["answered"]);
    let requests = model.requests();
    assert_eq!(
        requests[0].body,
        requests
            .iter()
            .find(|it| crate::support::asked(it) == "running" && it.arrived > requests[0].arrived)
            .unwrap()
            .body,
        "a turn that goes on after a crash sends the same bytes"
    );
    let log = crate::support::events(host.client(), "s").await;
    assert_eq!(kinds(&log).iter().filter(|kind| **kind == "input.requeued").count(), 1);
    assert!(host.view("s", "lease").await["holder"].is_null());
}

#[tokio::test]
async fn a_hundred_inputs_in_a_burst_are_answered_once_and_in_order() {
    let model = ScriptedModel::start();
    model.keep(1);
    model.always(Answer::text("answered"));
    let host = host().model(&model).start().await;
    let mut taken = Vec::new();
    for at in 0..100 {
        let reply = submit(host.client(), "burst", &format!("input {at}")).await;
        match reply.status {
            202 => taken.push(format!("input {at}")),
            429 => {
                assert_eq!(reply.code(), "queue_full");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            _ => panic!("{} {}", reply.status, reply.body),
        }
    }
    idle(host.client(), "burst").await;
    assert_eq!(said(&host.view("burst", "transcript").await, "user"), taken);
    assert_eq!(model.received(), taken.len());
    assert!(taken.len() > 50, "{}", taken.len());
}
