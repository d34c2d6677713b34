//! Sessions, input, views, memory.

use super::rig::{BEARER, HOST, JSON, Rig};
use serde_json::{Value, json};

#[actix_rt::test]
async fn sessions_are_opened_listed_and_renamed() {
    let rig = Rig::start().await;
    let made = rig.post("/api/sessions", &json!({"name": "b", "system": "Be brief."})).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let place = made.header("location").unwrap().to_owned();
    assert_eq!(rig.get(&place).await.json()["name"], "b");
    assert_eq!(rig.post("/api/sessions", &json!({"name": "b"})).await.refusal(), (409, "name_taken".into()));
    for name in ["a", "c"] {
        rig.post("/api/sessions", &json!({"name": name})).await;
    }
    let page = rig.get("/api/sessions?limit=2").await.json();
    let names = |page: &Value| -> Vec<String> {
        page["sessions"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    // In the order in which they began; a page begins behind an id.
    assert_eq!((names(&page), &page["next"]), (vec!["b".into(), "a".into()], &page["sessions"][1]["id"]));
    let rest = rig.get(&format!("/api/sessions?limit=2&after={}", page["next"].as_str().unwrap())).await.json();
    assert_eq!((names(&rest), &rest["next"]), (vec!["c".to_owned()], &Value::Null));
    let change = |name: &str, to: &str| (format!("PATCH /api/sessions/{name}"), json!({"name": to}).to_string());
    let (line, body) = change("b", "d");
    assert_eq!(rig.raw(&line, &[HOST, BEARER, JSON], body.as_bytes()).await.json()["name"], "d");
    let (line, body) = change("d", "a");
    assert_eq!(rig.raw(&line, &[HOST, BEARER, JSON], body.as_bytes()).await.refusal(), (409, "name_taken".into()));
    assert_eq!(rig.get("/api/sessions/b").await.status, 404);
    let unnamed = rig.raw("POST /api/sessions", &[HOST, BEARER], b"").await;
    assert_eq!(unnamed.status, 201, "{}", unnamed.text());
}

#[actix_rt::test]
async fn an_input_is_answered_when_it_is_durable() {
    let rig = Rig::start().await;
    let parts = json!({"parts": ["hi", {"type": "text", "text": "there"}]});
    assert_eq!(rig.post("/api/sessions/demo/input", &parts).await.refusal(), (404, "not_found".into()));
    rig.post("/api/sessions", &json!({"name": "demo"})).await;
    let headers = [("idempotency-key", "k")];
    let reply = rig.post_with("/api/sessions/demo/input", &headers, &parts).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    let receipt = reply.json();
    assert_eq!(
        (&receipt["request_id"], &receipt["seq"], &receipt["state"]),
        (&json!("k"), &json!(1), &json!("started"))
    );
    assert_eq!(reply.header("x-dispatch-turn"), receipt["turn"].as_str());
    let admission = receipt["admission"].as_str().unwrap().parse().unwrap();
    let session = receipt["session"].as_str().unwrap().parse().unwrap();
    while rig.host.ending(session, admission).await.unwrap().is_none() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let (role, text) = rig.transcript("demo").await.swap_remove(0);
    assert_eq!((role.as_str(), text.as_str()), ("user", "hi\nthere"));
    for bad in [json!({"parts": [{"type": "image"}]}), json!({"parts": "x"}), json!({"parts": ["x"], "intnt": "queue"})]
    {
        assert_eq!(rig.post("/api/sessions/demo/input", &bad).await.refusal(), (400, "invalid_params".into()), "{bad}");
    }
}

#[actix_rt::test]
async fn a_view_can_be_asked_as_of_any_version() {
    let rig = Rig::start().await;
    rig.chat("demo", "one").await;
    let version = rig.get("/api/sessions/demo").await.json()["version"].as_u64().unwrap();
    rig.chat("demo", "two").await;
    let before = rig.get(&format!("/api/sessions/demo/view/transcript?at={version}")).await.json();
    let after = rig.get("/api/sessions/demo/view/transcript").await.json();
    assert_eq!((before["messages"].as_array().unwrap().len(), after["messages"].as_array().unwrap().len()), (2, 4));
    let wire = rig.get("/api/sessions/demo/view/wire").await.json();
    assert_eq!(wire["requests"][1]["extends_previous"], true);
    let prefix = rig.get("/api/audit/prefix?session=demo").await.json();
    assert_eq!(prefix["requests"].as_array().unwrap().len(), 2);
    let unknown = rig.get("/api/sessions/demo/view/nothing").await;
    assert_eq!(unknown.refusal(), (400, "invalid_params".into()));
    assert!(unknown.text().contains("transcript, wire"), "it names what there is");
    assert_eq!(rig.get("/api/audit/verify").await.json()["sound"], true);
}

#[actix_rt::test]
async fn memory_is_edited_and_its_life_is_told() {
    let rig = Rig::start().await;
    let add = json!({"target": "user", "operations": [{"op": "add", "content": "Likes tea."}]});
    let reply = rig.post("/api/memory", &add).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let files = rig.get("/api/memory").await.json();
    let user = files["files"].as_array().unwrap().iter().find(|file| file["file"] == "USER.md").unwrap();
    assert_eq!(user["entries"], json!(["Likes tea."]));
    let timeline = rig.get("/api/memory/timeline").await.json();
    assert_eq!((&timeline["moments"][0]["what"], &timeline["moments"][0]["writer"]), (&json!("noted"), &json!("http")));
    let missing = json!({"target": "user", "operations": [{"op": "remove", "old_text": "coffee"}]});
    assert_eq!(rig.post("/api/memory", &missing).await.refusal(), (400, "invalid_params".into()));
    let none = json!({"target": "user", "operations": []});
    assert_eq!(rig.post("/api/memory", &none).await.refusal(), (400, "invalid_params".into()));
}

#[actix_rt::test]
async fn a_chat_has_one_session_however_often_it_is_opened() {
    let rig = Rig::start().await;
    let chat = json!({"route": {"platform": "telegram", "chat_type": "group", "chat_id": "-42", "user_id": "7"}});
    let firsts = futures_util::future::join_all((0..10).map(|_| rig.post("/api/sessions", &chat))).await;
    let opened = firsts.iter().filter(|reply| reply.status == 201).count();
    let ids: std::collections::BTreeSet<_> = firsts.iter().map(|reply| reply.json()["id"].to_string()).collect();
    assert_eq!((opened, ids.len()), (1, 1), "{:?}", firsts.iter().map(|reply| reply.status).collect::<Vec<_>>());
    let id = firsts[0].json()["id"].clone();
    assert_eq!(firsts[0].json()["name"], "agent:main:telegram:group:-42:7");
    // The key stays with the session, whatever it is called.
    let line = format!("PATCH /api/sessions/{}", id.as_str().unwrap());
    let renamed = rig.raw(&line, &[HOST, BEARER, JSON], json!({"name": "the group"}).to_string().as_bytes()).await;
    assert_eq!(renamed.json()["name"], "the group");
    assert_eq!(rig.post("/api/sessions", &chat).await.json()["id"], id);
    let other = json!({"route": {"platform": "telegram", "chat_type": "group", "chat_id": "-42", "user_id": "8"}});
    assert_ne!(rig.post("/api/sessions", &other).await.json()["id"], id);
    // Erased, it begins anew.
    assert_eq!(
        rig.raw(&format!("DELETE /api/sessions/{}", id.as_str().unwrap()), &[HOST, BEARER], b"").await.status,
        200
    );
    let again = rig.post("/api/sessions", &chat).await;
    assert_eq!(again.status, 201, "{}", again.text());
    assert_ne!(again.json()["id"], id);
    let bad = json!({"route": {"platform": "telegram", "chat_id": "../x"}});
    assert_eq!(rig.post("/api/sessions", &bad).await.refusal(), (400, "invalid_params".into()));
}
