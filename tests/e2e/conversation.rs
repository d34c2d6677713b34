//! The sponsor's conversation: a fact that memory recalls reaches the model, and nobody else; what was sent once is
//! repeated byte for byte, whatever happened between the turns.

use crate::support::{asked, assert_extends, assert_prefixes, assert_wire, host, idle, said};
use far_side::{Answer, HostProcess, MemoryAnswer, ScriptedMemory, ScriptedModel};
use serde_json::Value;
use std::time::Duration;

const FIRST: &str = "remember: the staging PostgreSQL port of this project is 55432";
const SECOND: &str = "check the staging database";
const THIRD: &str = "and the production one?";
/// In other words than the person's, so that it can be told from what was said.
const FACT: &str = "Staging database: PostgreSQL listens on 55432 (noted by the user)";

struct Talk {
    host: HostProcess,
    model: ScriptedModel,
    memory: ScriptedMemory,
}

impl Talk {
    async fn begin() -> Self {
        Self::begin_in("sled").await
    }

    /// On this engine.
    async fn begin_in(engine: &str) -> Self {
        let (model, memory) = (ScriptedModel::start(), ScriptedMemory::start());
        model.strict(true);
        model.push_all([Answer::text("Noted."), Answer::chunks(["It ", "answers."]), Answer::text("I don't know.")]);
        let host = host().model(&model).mem0(&memory).env("DISPATCH_LOG__ENGINE", engine).start().await;
        assert_eq!(host.chat("ops", FIRST).await.ok().text(), "Noted.");
        memory.wait_for_additions(1).await;
        memory.always_search(MemoryAnswer::results([(FACT, 0.93)]));
        Self { host, model, memory }
    }

    /// The second and third turn, and everything that anybody can see of them.
    async fn go_on(mut self) {
        let mut live = self.host.client().follow("/api/sessions/ops/events").await;
        let mut stream = self.host.chat_stream("ops", SECOND).await;
        assert_eq!(stream.text().await, "It answers.");
        idle(self.host.client(), "ops").await;
        let requests = self.model.requests();
        assert_eq!(requests.len(), 2);
        assert_extends(&requests[0], &requests[1]);
        let (first, second) = (asked(&requests[0]), asked(&requests[1]));
        assert_eq!(first, FIRST, "nothing was recalled for the first turn, so its words go out as they are");
        assert!(second.starts_with(SECOND), "{second}");
        let (open, fact, close) =
            (second.find("<memory-context>"), second.find(FACT), second.find("</memory-context>"));
        assert!(open.is_some() && open < fact && fact < close, "{second}");

        let mut deltas = String::new();
        while let Some(event) = live.next_event().await.unwrap() {
            let data: Value = serde_json::from_str(&event.data).unwrap();
            match event.name.as_deref() {
                Some("delta") => deltas.push_str(data["text"].as_str().unwrap()),
                _ if data["type"] == "turn.completed" && deltas.contains("answers") => break,
                _ => {}
            }
        }
        assert_eq!(deltas, "It answers.");
        self.only_clean_words(2).await;
        self.wire_and_audit(2).await;

        // The recalled block of the second turn is history now: it is sent again as it was.
        self.memory.always_search(MemoryAnswer::nothing());
        assert_eq!(self.host.chat("ops", THIRD).await.ok().text(), "I don't know.");
        let requests = self.model.requests();
        assert_extends(&requests[1], &requests[2]);
        assert_eq!(asked(&requests[2]), THIRD);
        assert_eq!(self.model.refusals(), Vec::<String>::new());
        self.wire_and_audit(3).await;

        self.host.sigterm();
        assert!(self.host.ended(Duration::from_secs(15)).await.success());
        self.only_clean_words_offline().await;
        self.wire_and_audit_offline(3).await;
    }

    async fn only_clean_words(&self, turns: usize) {
        let transcript = self.host.view("ops", "transcript").await;
        assert_eq!(said(&transcript, "user"), [FIRST, SECOND, THIRD][..turns]);
        clean("the transcript of the API", &transcript.to_string());
        let show = self.host.get("/api/sessions/ops").await.ok();
        clean("the session", &show.body);
        self.only_clean_words_offline().await;
    }

    /// What the command line shows; it asks the host if one runs, and the log itself if none does.
    async fn only_clean_words_offline(&self) {
        let transcript = ["replay", "ops", "--view", "transcript", "--json"];
        assert_eq!(said(&self.host.run_cli(transcript).await.ok().json(), "user")[..2], [FIRST, SECOND]);
        for args in [
            &transcript[..],
            &["replay", "ops", "--view", "transcript"],
            &["replay", "ops"],
            &["sessions", "export", "ops"],
            &["sessions", "export", "ops", "--format", "json"],
            &["sessions", "export", "ops", "--format", "jsonl"],
            &["sessions", "show", "ops", "--json"],
            &["sessions", "list", "--json"],
        ] {
            let shown = self.host.run_cli(args.iter().copied()).await.ok().stdout;
            clean(&args.join(" "), &shown);
        }
    }

    async fn wire_and_audit(&self, count: usize) {
        assert_wire(&self.host.view("ops", "wire").await, &self.model.requests());
        let audit = self.host.get("/api/audit/prefix?session=ops").await.ok().json();
        assert_prefixes(&audit, count);
        self.wire_and_audit_offline(count).await;
    }

    async fn wire_and_audit_offline(&self, count: usize) {
        let wire = self.host.run_cli(["replay", "ops", "--view", "wire", "--json"]).await.ok().json();
        assert_wire(&wire, &self.model.requests());
        let audit = self.host.run_cli(["audit", "prefix", "ops", "--json"]).await.ok().json();
        assert_prefixes(&audit, count);
        // For people too: every body stands there as it was sent.
        let shown = self.host.run_cli(["replay", "ops", "--view", "wire"]).await.ok().stdout;
        for request in self.model.requests() {
            assert!(shown.contains(request.text()), "{shown}");
        }
    }
}

fn clean(what: &str, text: &str) {
    assert!(text.contains("ops") || text.contains(FIRST), "{what} shows nothing: {text}");
    for trace in ["memory-context", FACT] {
        assert!(!text.contains(trace), "{what} shows {trace:?}: {text}");
    }
}

#[tokio::test]
async fn a_recalled_fact_reaches_the_model_and_nobody_else() {
    Talk::begin().await.go_on().await;
}

#[tokio::test]
async fn a_kill_between_the_turns_changes_no_byte() {
    let mut talk = Talk::begin().await;
    talk.host.sigkill();
    talk.host.restart().await;
    talk.go_on().await;
}

#[tokio::test]
async fn a_kill_between_the_turns_changes_no_byte_on_sqlite() {
    let mut talk = Talk::begin_in("sqlite").await;
    talk.host.sigkill();
    talk.host.restart().await;
    talk.go_on().await;
}

#[tokio::test]
async fn an_orderly_restart_between_the_turns_changes_no_byte() {
    let mut talk = Talk::begin().await;
    talk.host.restart().await;
    talk.go_on().await;
}

#[tokio::test]
async fn catalog_and_snapshots_can_be_deleted_between_the_turns() {
    let mut talk = Talk::begin().await;
    talk.host.sigkill();
    for name in ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"] {
        std::fs::remove_file(talk.host.data().join(name)).ok();
    }
    std::fs::remove_dir_all(talk.host.data().join("snapshots")).ok();
    talk.host.restart().await;
    talk.go_on().await;
}
