//! Tools over the wire, against a vendor that refuses every request with a call that lacks its result.

use crate::support::{assert_extends, assert_prefixes, events, host, idle, kinds, said, verified};
use far_side::{Answer, Call, HostProcess, Request, ScriptedModel};
use serde_json::{Value, json};
use std::time::Duration;

async fn rig() -> (HostProcess, ScriptedModel) {
    let model = ScriptedModel::start();
    model.strict(true);
    let host = host().model(&model).start().await;
    (host, model)
}

/// The results that a request carries, by call id.
fn result(request: &Request, call: &str) -> String {
    let body = request.json();
    let found = body["messages"].as_array().unwrap().iter().find(|message| message["tool_call_id"] == call);
    crate::support::text_of(&found.unwrap_or_else(|| panic!("no result of {call}: {body}"))["content"])
}

async fn three_more_turns(host: &HostProcess, model: &ScriptedModel, session: &str) {
    for turn in 0..3 {
        model.push(Answer::text(format!("turn {turn}")));
        assert_eq!(host.chat(session, "go on").await.ok().text(), format!("turn {turn}"));
    }
    assert_eq!(model.refusals(), Vec::<String>::new());
    let count = host.view(session, "wire").await["requests"].as_array().unwrap().len();
    assert_prefixes(&host.get(&format!("/api/audit/prefix?session={session}")).await.json(), count);
    verified(host.client()).await;
}

#[tokio::test]
async fn parallel_calls_with_real_files_a_list_and_a_memory() {
    let (host, model) = rig().await;
    std::fs::write(host.work().join("notes 日本.txt"), "port = 55432\nosm 🙂\n").unwrap();
    std::fs::create_dir(host.work().join("src")).unwrap();
    std::fs::write(host.work().join("src/lib.rs"), "fn main() {}\n").unwrap();
    let todo = r#"{"todos":[{"id":"1","content":"plan","status":"in_progress"}]}"#;
    model.push_all([
        Answer::calls([
            Call::new("call_a", "read_file", "").in_fragments([r#"{"path":"no"#, r#"tes \u65e5\u67"#, r#"2c.txt"}"#]),
            Call::new("call_b", "list_files", "").in_fragments([r#"{"recursi"#, r#"ve":true}"#]),
            Call::new("call_c", "todo", todo),
            Call::new("call_d", "memory", r#"{"action":"add","target":"memory","content":"CI runs on 2 cores"}"#),
        ])
        .interleaved(),
        Answer::text("Done.").and_calls([Call::new("call_e", "todo", "{}")]),
        Answer::text("All done."),
    ]);
    let reply = host.chat("s", "work").await.ok();
    assert!(reply.text().ends_with("All done."), "{}", reply.text());
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    assert_extends(&requests[0], &requests[1]);
    assert_extends(&requests[1], &requests[2]);
    let read = result(&requests[1], "call_a");
    assert!(read.contains("port = 55432") && read.contains("osm 🙂"), "{read}");
    let listed = result(&requests[1], "call_b");
    assert!(listed.contains("src/lib.rs") && listed.contains("notes 日本.txt"), "{listed}");
    assert!(result(&requests[1], "call_c").contains("in_progress"));
    assert_eq!(result(&requests[2], "call_e"), result(&requests[1], "call_c"), "the list is kept");
    let file = std::fs::read_to_string(host.data().join("memories/main/MEMORY.md")).unwrap();
    assert!(file.contains("CI runs on 2 cores"), "{file}");
    let order: Vec<String> = requests[1].json()["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["tool_call_id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(order, ["call_a", "call_b", "call_c", "call_d"]);
    // Each started before it finished, and after it was asked for; one append starts a segment.
    let log = events(host.client(), "s").await;
    let at = |kind: &str| (0..log.len()).filter(|at| log[*at]["type"] == kind).collect::<Vec<_>>();
    assert_eq!((at("tool.requested").len(), at("tool.started").len(), at("tool.finished").len()), (5, 5, 5));
    for call in ["requested", "started", "finished"].windows(2) {
        for (earlier, later) in at(&format!("tool.{}", call[0])).iter().zip(at(&format!("tool.{}", call[1]))) {
            assert!(*earlier < later);
        }
    }
    let calls = host.view("s", "tools").await;
    assert_eq!(calls["calls"].as_array().unwrap().len(), 5);
    three_more_turns(&host, &model, "s").await;
}

/// Two reads, of `a` and of `b`, in the shapes that vendors have streamed them in.
fn odd_shapes() -> [(&'static str, Vec<String>); 5] {
    let chunk = |calls: Value| {
        json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": null}]}).to_string()
    };
    let end = || json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}).to_string();
    let read = |path: &str| format!("{{\"path\":\"{path}\"}}");
    let head = |id: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": ""}});
    let with = |mut call: Value, index: Option<u64>, arguments: &str| {
        if let Some(index) = index {
            call["index"] = json!(index);
        }
        call["function"]["arguments"] = json!(arguments);
        call
    };
    let (half, rest) = (r#"{"pa"#, r#"th":"a"}"#);
    [
        (
            "no-index",
            vec![
                chunk(json!([with(head("a"), None, half)])),
                chunk(json!([{"function": {"arguments": rest}}])),
                chunk(json!([with(head("b"), None, &read("b"))])),
                end(),
            ],
        ),
        (
            "always-zero",
            vec![
                chunk(json!([with(head("a"), Some(0), &read("a"))])),
                chunk(json!([with(head("b"), Some(0), &read("b"))])),
                end(),
            ],
        ),
        (
            "interleaved",
            vec![
                chunk(json!([with(head("a"), Some(0), half), with(head("b"), Some(1), "")])),
                chunk(json!([{"index": 1, "function": {"arguments": read("b")}}])),
                chunk(json!([{"index": 0, "function": {"arguments": rest}}])),
                end(),
            ],
        ),
        (
            "backwards",
            vec![
                chunk(json!([with(head("b"), Some(1), &read("b"))])),
                chunk(json!([with(head("a"), Some(0), &read("a"))])),
                end(),
            ],
        ),
        (
            "name-repeated",
            vec![
                chunk(json!([with(head("a"), Some(0), half)])),
                chunk(json!([with(head("a"), Some(0), rest)])),
                chunk(json!([with(head("b"), Some(1), &read("b"))])),
                end(),
            ],
        ),
    ]
}

#[tokio::test]
async fn calls_in_every_odd_shape() {
    let (host, model) = rig().await;
    std::fs::write(host.work().join("a"), "alpha\n").unwrap();
    std::fs::write(host.work().join("b"), "beta\n").unwrap();
    for (session, frames) in odd_shapes() {
        model.push_all([Answer::frames(frames), Answer::text("seen")]);
        let reply = host.chat(session, "read both").await;
        assert_eq!(reply.status, 200, "{session}: {} {:?}", reply.body, model.refusals());
        let request = model.requests().last().unwrap().clone();
        assert!(result(&request, "a").contains("alpha"), "{session}: {}", request.text());
        assert!(result(&request, "b").contains("beta"), "{session}: {}", request.text());
    }
    assert_eq!(model.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn calls_that_cannot_be_carried_out_get_a_result_that_says_why() {
    let (host, model) = rig().await;
    let secret = host.data().join("token");
    let outside = json!({"path": secret}).to_string();
    std::os::unix::fs::symlink(&secret, host.work().join("link")).unwrap();
    std::fs::write(host.work().join("zip"), b"PK\x03\x04\0\xff\xfe\0").unwrap();
    model.push_all([
        Answer::calls([
            Call::new("c0", "no_such_tool", "{}"),
            Call::new("c1", "read_file", "{\"path\": "),
            Call::new("c2", "read_file", "{}"),
            Call::new("c3", "read_file", outside),
            Call::new("c4", "read_file", r#"{"path":"../../etc/passwd"}"#),
            Call::new("c5", "read_file", r#"{"path":"link"}"#),
            Call::new("c6", "read_file", r#"{"path":"zip"}"#),
            Call::new("c7", "read_file", r#"{"path":"missing"}"#),
            Call::new("c8", "todo", r#"{"force":true}"#),
        ]),
        Answer::text("I see."),
    ]);
    assert_eq!(host.chat("s", "try").await.ok().text(), "I see.");
    let request = model.requests()[1].clone();
    let causes = ["no_such_tool", "JSON", "path", "outside", "outside", "", "no text", "missing", "force"];
    for (call, cause) in causes.into_iter().enumerate() {
        let text = result(&request, &format!("c{call}"));
        assert!(text.contains(cause) && text.len() > 10, "c{call}: {text}");
        assert!(!text.contains(host.token()) && !text.contains("root:"), "c{call}: {text}");
    }
    three_more_turns(&host, &model, "s").await;
}

#[tokio::test]
async fn an_interrupt_while_the_model_asks_for_tools_leaves_nothing_open() {
    let (host, model) = rig().await;
    let call = || Answer::call("c1", "list_files", "{}");
    model.push_all([call(), Answer::text("never").stall_before_headers(Duration::from_secs(60))]);
    let client = host.client().clone();
    let waiting = tokio::task::JoinSet::from_iter([async move { client.chat("s", "work").await }]);
    model.wait_for(2).await;
    host.post("/api/sessions/s/interrupt", &json!({})).await.ok();
    waiting.join_all().await;
    idle(host.client(), "s").await;
    let log = events(host.client(), "s").await;
    assert!(kinds(&log).contains(&"turn.interrupted"), "{:?}", kinds(&log));
    three_more_turns(&host, &model, "s").await;
    // While a call streams in: it was never whole, so it never was.
    let half = Answer::calls([Call::new("c2", "todo", "").in_fragments([r#"{"to"#, r#"dos":[]}"#])]);
    model.push(half.stall_after(2, Duration::from_secs(60)));
    let client = host.client().clone();
    let waiting = tokio::task::JoinSet::from_iter([async move { client.chat("half", "work").await }]);
    model.wait_for(6).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    host.post("/api/sessions/half/interrupt", &json!({})).await.ok();
    waiting.join_all().await;
    three_more_turns(&host, &model, "half").await;
}

#[tokio::test]
async fn a_kill_between_tools_and_answer_goes_on_with_the_same_bytes() {
    let (mut host, model) = rig().await;
    std::fs::write(host.work().join("a"), "alpha\n").unwrap();
    model.push_all([
        Answer::calls([Call::new("c1", "read_file", r#"{"path":"a"}"#), Call::new("c2", "todo", "{}")]),
        Answer::text("never").stall_before_headers(Duration::from_secs(60)),
        Answer::text("after the kill"),
    ]);
    crate::support::submit(host.client(), "s", "work").await.ok();
    let requests = model.wait_for(2).await;
    host.sigkill();
    host.restart().await;
    idle(host.client(), "s").await;
    let again = model.requests();
    assert_eq!(again.len(), 3);
    assert_eq!(again[2].body, requests[1].body, "the same request goes out again");
    assert_eq!(said(&host.view("s", "transcript").await, "assistant").last().unwrap(), "after the kill");
    let log = events(host.client(), "s").await;
    assert_eq!(kinds(&log).iter().filter(|kind| **kind == "tool.started").count(), 2, "no tool ran twice");
    three_more_turns(&host, &model, "s").await;
}

#[tokio::test]
async fn a_loop_of_calls_ends_at_the_limit() {
    let model = ScriptedModel::start();
    model.strict(true);
    let host = host().config("[turn]\nmax_model_calls = 3\n").model(&model).start().await;
    model.fallback(|request| {
        let closing = request.text().contains("\"tool_choice\":\"none\"");
        if closing { Answer::text("enough") } else { Answer::call("c", "todo", "{}") }
    });
    let reply = host.chat("s", "loop").await;
    assert!(model.received() <= 4, "{}", model.received());
    assert!(
        reply.status == 200 || reply.json()["detail"].as_str().is_some_and(|it| it.contains("max_model_calls")),
        "{}",
        reply.body
    );
    model.always(Answer::text("good"));
    assert_eq!(host.chat("s", "again").await.ok().text(), "good");
    assert_eq!(model.refusals(), Vec::<String>::new());
}
