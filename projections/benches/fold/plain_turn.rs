//! A turn as most are: a question, one request, one answer, and what is owed for it. Thirteen events, and one more
//! where something was recalled.

use dispatch_events::{
    AdmissionId, Digest, Epoch, Event, Generation, ObligationId, Part, RawJson, TurnId,
    catalogue::{
        input::{InputQueued, InputSettled, InputStarted, Intent, Outcome, Principal},
        lease::{LeaseAcquired, LeaseReleased},
        memory::MemoryRecalled,
        message::{ApiContent, Message, MessageRecorded, Piece},
        model::{ModelRequested, ModelResponded},
        obligation::{ObligationCreated, ObligationKind, ObligationMet},
        turn::{TurnCompleted, TurnStarted},
    },
};

/// Events of one turn without recall.
pub const TURN_EVENTS: usize = 13;

/// Bytes of the texts of a turn.
#[derive(Clone, Copy)]
pub struct Texts {
    /// Of the question.
    pub question: usize,
    /// Of the recalled block; zero for none.
    pub recalled: usize,
    /// Of the answer.
    pub answer: usize,
}

/// The appends of turn `number` (from 0) of a session, as a host makes them: the claim, the request, the answer, what was
/// owed.
pub fn plain_turn(number: usize, texts: Texts) -> [Vec<Event>; 4] {
    let (turn, admission, generation) = (TurnId::fresh(), AdmissionId::fresh(), Generation(number as u64 + 1));
    let question = text("question", number, texts.question);
    let claim = vec![
        queued(admission, number, &question).into(),
        InputStarted { admission, turn, generation }.into(),
        LeaseAcquired { holder: Epoch(1), generation, ttl_ms: 30_000 }.into(),
        TurnStarted { turn, admission }.into(),
    ];
    let mut request = Vec::with_capacity(3);
    let mut api_content = None;
    if texts.recalled > 0 {
        let block = text("recalled", number, texts.recalled);
        let digest = Digest::of(format!("{question}\n\n{block}").as_bytes());
        api_content = Some(ApiContent::Appended { pieces: vec![Piece::Text("\n\n".into()), Piece::Recalled], digest });
        request.push(MemoryRecalled { turn, backend: "files".into(), block, took_ms: 1 }.into());
    }
    request.push(MessageRecorded { turn, message: Message::User { admission }, api_content }.into());
    request.push(requested(turn, number).into());
    let message = Message::Assistant {
        parts: vec![Part::Text(text("answer", number, texts.answer))],
        reasoning: None,
        calls: Vec::new(),
        extra: None,
        partial: false,
    };
    let (obligation, kind) = (ObligationId::fresh(), ObligationKind::MemorySync);
    let answer = vec![
        responded(turn).into(),
        MessageRecorded { turn, message, api_content: None }.into(),
        TurnCompleted { turn }.into(),
        InputSettled { admission, outcome: Outcome::Completed, why: None }.into(),
        LeaseReleased { generation }.into(),
        ObligationCreated { obligation, kind, key: format!("{turn}"), turn }.into(),
    ];
    [claim, request, answer, vec![ObligationMet { obligation, attempts: 1 }.into()]]
}

fn text(what: &str, number: usize, bytes: usize) -> String {
    const SENTENCE: &str = "a sentence of some length; ";
    format!("{what} {number}: ") + &SENTENCE.repeat(bytes.div_ceil(SENTENCE.len()))
}

fn queued(admission: AdmissionId, number: usize, question: &str) -> InputQueued {
    InputQueued {
        admission,
        principal: Principal { adapter: "http".into(), subject: "somebody".into() },
        request: admission.to_string(),
        digest: Digest::of(&number.to_be_bytes()),
        intent: Intent::Queue,
        seq: number as u64 + 1,
        parts: vec![Part::Text(question.to_owned())],
        message: None,
        demoted: None,
        again: None,
    }
}

fn requested(turn: TurnId, number: usize) -> ModelRequested {
    let (messages, digest) = (number as u32 * 2 + 1, Digest::of(&number.to_be_bytes()));
    ModelRequested {
        turn,
        attempt: 1,
        purpose: "turn".into(),
        profile: "local".into(),
        model: "m".into(),
        dialect: "chat_completions".into(),
        dialect_version: 1,
        head: Digest::of(b"head"),
        parameters: RawJson(r#"{"stream":true}"#.into()),
        messages,
        extends: messages.saturating_sub(2),
        fragments: vec![digest; if number == 0 { 1 } else { 2 }],
        prefix: digest,
        length: 4096,
    }
}

fn responded(turn: TurnId) -> ModelResponded {
    ModelResponded {
        turn,
        attempt: 1,
        response: None,
        finish: "stop".into(),
        usage: None,
        cost: None,
        first_token_ms: Some(1),
        duration_ms: 2,
    }
}
