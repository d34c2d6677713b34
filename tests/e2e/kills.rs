//! SIGKILL at random moments under load: every receipt and every answer that a client held is in the log, once.
//!
//! `DISPATCH_KILLS` sets the number of rounds (20). Each round loads sessions of its own with inputs from 10 bytes to
//! 2 MB, kills the host, starts it again, and waits until it has carried on with what it found; every fourth one is
//! killed once more on its way up.

use crate::support::{asked, events, host, idle, random, said, verified};
use far_side::{Answer, HostClient, HostProcess, ScriptedModel, sha256};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SESSIONS: usize = 4;
/// Inputs that the clients of one session send at most; a kill comes long before.
const INPUTS: usize = 40;

/// What the clients of one session hold in their hands.
#[derive(Default)]
struct Held {
    /// Of each receipt: place in the queue, digest of the text.
    receipts: Vec<(u64, String)>,
    /// Of each whole answer: digest of the question, and of the answer.
    answers: Vec<(String, String)>,
    /// Of each event that a viewer saw: version and id.
    seen: Vec<(u64, String)>,
}

type Hands = Arc<Mutex<Held>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_or_doubled_by_a_kill() {
    let rounds: usize = std::env::var("DISPATCH_KILLS").map_or(20, |rounds| rounds.parse().unwrap());
    let model = ScriptedModel::start();
    model.strict(true);
    model.keep(1);
    model.fallback(|request| answer_to(&asked(request)));
    let mut host = host().model(&model).start().await;
    let (mut receipts, mut answers, mut kilobytes) = (0, 0, 0);
    for round in 0..rounds {
        let delay = Duration::from_millis(20 + random(500));
        let sessions: Vec<(String, Hands)> =
            (0..SESSIONS).map(|at| (format!("r{round}-{at}"), Hands::default())).collect();
        load(&mut host, &sessions, delay).await;
        host.restart().await;
        if round % 4 == 3 {
            tokio::time::sleep(Duration::from_millis(random(60))).await;
            host.sigkill();
            host.restart().await;
        }
        for (session, hands) in &sessions {
            let held = std::mem::take(&mut *hands.lock().unwrap());
            let context = format!("round {round} of {rounds}, killed after {delay:?}, `{session}`");
            kilobytes += check(host.client(), session, &held, &context).await / 1024;
            receipts += held.receipts.len();
            answers += held.answers.len();
        }
        verified(host.client()).await;
    }
    let report = host.run_cli(["audit", "verify", "--json"]).await.ok().json();
    println!("{rounds} kills: {receipts} receipts, {answers} answers, {kilobytes} KiB, {} events", report["events"]);
    assert_eq!(model.refusals(), Vec::<String>::new());
    assert!(receipts >= rounds * 2 && answers >= rounds, "{receipts} receipts and {answers} answers: too weak a load");
}

/// Loads the sessions, and kills the host in the middle of it.
async fn load(host: &mut HostProcess, sessions: &[(String, Hands)], delay: Duration) {
    let mut clients = tokio::task::JoinSet::new();
    for (at, (session, hands)) in sessions.iter().enumerate() {
        let (client, session) = (host.client().clone(), session.clone());
        match at {
            0 => drop(clients.spawn(submits(client.clone(), session.clone(), hands.clone()))),
            1 => drop(clients.spawn(chats(client.clone(), session.clone(), hands.clone(), true))),
            _ => drop(clients.spawn(chats(client.clone(), session.clone(), hands.clone(), false))),
        }
        if at == 0 {
            clients.spawn(watches(client, session, hands.clone()));
        }
    }
    tokio::time::sleep(delay).await;
    host.sigkill();
    // Each ends at its first broken connection.
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
}

/// A text of 10 bytes to 2 MB, most of them short, that says how long its answer is to be.
fn text() -> String {
    let long = |exponent: u64| usize::try_from(random(1 << exponent)).unwrap();
    let (asks, length) = match random(12) {
        0 => (long(4), long(21)),
        1 => (long(21), long(6)),
        2..=4 => (long(12), long(16)),
        _ => (long(8), long(8)),
    };
    let mark = format!("{asks}|{}|", &uuid::Uuid::new_v4().simple().to_string()[..10]);
    let filling = "žluťoučký kůň 日本🙂 ".chars().cycle();
    let mut text = mark;
    for c in filling {
        if text.len() + c.len_utf8() > length.max(16) {
            return text;
        }
        text.push(c);
    }
    text
}

/// The model's answer to a text: the same for a repeat.
fn answer_to(text: &str) -> Answer {
    let said = expected(text);
    let mut middle = said.len() / 2;
    while !said.is_char_boundary(middle) {
        middle += 1;
    }
    Answer::chunks([said[..middle].to_owned(), said[middle..].to_owned()])
}

fn expected(text: &str) -> String {
    let (asks, rest) = text.split_once('|').unwrap_or(("0", text));
    let id: String = rest.chars().take(10).collect();
    format!("to {id}: {}", "é".repeat(asks.parse::<usize>().unwrap_or(0) / 2))
}

async fn submits(client: HostClient, session: String, hands: Hands) {
    for _ in 0..INPUTS {
        let text = text();
        let body = json!({"parts": [text], "open": true, "request_id": uuid::Uuid::new_v4().to_string()}).to_string();
        let request = client.request("POST".parse().unwrap(), &format!("/api/sessions/{session}/input"));
        let request = request.header("content-type", "application/json").body(body);
        let Ok(reply) = client.try_send(request).await else { return };
        match reply.status {
            202 => {
                let seq = reply.json()["seq"].as_u64().unwrap();
                hands.lock().unwrap().receipts.push((seq, sha256(&text)));
            }
            // Too many wait: the refusal is the host's word that this one is not taken.
            429 => tokio::time::sleep(Duration::from_millis(10)).await,
            _ => panic!("{} {}", reply.status, reply.body),
        }
    }
}

async fn chats(client: HostClient, session: String, hands: Hands, streams: bool) {
    for _ in 0..INPUTS {
        let text = text();
        let Ok(response) = client.chat_request(&session, &text, streams).send().await else { return };
        let Ok(bytes) = response.bytes().await else { return };
        let body = String::from_utf8(bytes.into()).unwrap();
        let answer = if streams {
            if !body.ends_with("data: [DONE]\n\n") {
                return;
            }
            let data = body.lines().filter_map(|line| line.strip_prefix("data: ").filter(|data| *data != "[DONE]"));
            let piece = |data: &str| {
                let chunk: Value = serde_json::from_str(data).unwrap();
                chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default().to_owned()
            };
            data.map(piece).collect::<String>()
        } else {
            let whole: Value = serde_json::from_str(&body).unwrap();
            whole["choices"][0]["message"]["content"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned()
        };
        assert_eq!(answer, expected(&text));
        hands.lock().unwrap().answers.push((sha256(&text), sha256(&answer)));
    }
}

async fn watches(client: HostClient, session: String, hands: Hands) {
    let path = format!("/api/sessions/{session}/events");
    let mut stream = loop {
        let probe = client.try_send(client.request("GET".parse().unwrap(), &format!("/api/sessions/{session}"))).await;
        match probe {
            Err(_) => return,
            Ok(reply) if reply.status == 200 => break client.request("GET".parse().unwrap(), &path).send().await,
            Ok(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let Ok(response) = &mut stream else { return };
    let mut text = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        text.extend_from_slice(&bytes);
    }
    let mut held = hands.lock().unwrap();
    for block in String::from_utf8_lossy(&text).split_inclusive("\n\n").filter(|block| block.ends_with("\n\n")) {
        let Some(data) = block.lines().find_map(|line| line.strip_prefix("data: ")) else { continue };
        let event: Value = serde_json::from_str(data).unwrap();
        if let (Some(version), Some(id)) = (event["version"].as_u64(), event["id"].as_str()) {
            held.seen.push((version, id.to_owned()));
        }
    }
}

/// Compares the log with what the clients hold, and gives the bytes of the transcript.
async fn check(client: &HostClient, session: &str, held: &Held, context: &str) -> usize {
    if client.get(&format!("/api/sessions/{session}")).await.status == 404 {
        assert!(held.receipts.is_empty() && held.answers.is_empty() && held.seen.is_empty(), "{context}: gone");
        return 0;
    }
    idle(client, session).await;
    let (users, answers) = pairs(client, session, context).await;
    let digests: Vec<String> = users.iter().map(sha256).collect();
    let mut receipts = held.receipts.clone();
    receipts.sort_unstable();
    let places: Vec<usize> = receipts
        .iter()
        .map(|(seq, digest)| {
            let found: Vec<usize> = (0..digests.len()).filter(|at| digests[*at] == *digest).collect();
            assert_eq!(found.len(), 1, "{context}: the input with place {seq} is there {} times", found.len());
            found[0]
        })
        .collect();
    assert!(places.is_sorted(), "{context}: inputs were answered out of order: {places:?}");
    for (question, answer) in &held.answers {
        let found: Vec<usize> = (0..digests.len()).filter(|at| digests[*at] == *question).collect();
        assert_eq!(found.len(), 1, "{context}: an answered question is there {} times", found.len());
        assert_eq!(sha256(&answers[found[0]]), *answer, "{context}: an answer that was delivered is another one");
    }
    let unique: std::collections::BTreeSet<&String> = digests.iter().collect();
    assert_eq!(unique.len(), digests.len(), "{context}: an input was doubled");

    let log = events(client, session).await;
    for (version, id) in &held.seen {
        let event = &log[usize::try_from(version - 1).unwrap()];
        assert_eq!((event["version"].as_u64(), event["id"].as_str()), (Some(*version), Some(id.as_str())), "{context}");
    }
    let next = text();
    assert_eq!(client.chat(session, &next).await.ok().text(), expected(&next), "{context}: the next turn");
    users.iter().chain(&answers).map(String::len).sum()
}

/// What was said, and what was answered to each: every input has one whole answer, right behind it.
async fn pairs(client: &HostClient, session: &str, context: &str) -> (Vec<String>, Vec<String>) {
    let transcript = client.view(session, "transcript").await;
    let (users, answers) = (said(&transcript, "user"), said(&transcript, "assistant"));
    let all = transcript["messages"].as_array().unwrap().iter().map(|it| it["role"].as_str().unwrap());
    // A notice says that an attempt was void; it is the host's word, not a part of the conversation.
    let roles: Vec<&str> = all.filter(|role| *role != "notice").collect();
    assert_eq!(users.len(), answers.len(), "{context}: {roles:?}");
    assert!(roles.chunks(2).all(|pair| pair == ["user", "assistant"]), "{context}: {roles:?}");
    for (user, answer) in users.iter().zip(&answers) {
        assert_eq!(*answer, expected(user), "{context}");
    }
    (users, answers)
}
