use super::*;
use dispatch_events::catalogue::input::Intent;
use dispatch_events::{
    Body, CorrelationId, Digest, Epoch, EventId, Generation, PrincipalId, StreamId, Timestamp, Version,
    catalogue::{
        input::{InputSettled, InputStarted, InputUnknown},
        message::{GivenRole, MessageRecorded},
        model::ModelResponded,
        turn::TurnFailed,
    },
    keys::KeyId,
};
use dispatch_projections::admissions::AdmissionState;
use std::sync::Arc;

struct Case {
    follower: Follower,
    admission: AdmissionId,
    turn: TurnId,
}

impl Case {
    fn new(repeated: bool, state: AdmissionState) -> Self {
        let receipt = Receipt {
            intent: Intent::Queue,
            demoted: None,
            paused: None,
            as_of: Version(1),
            session: StreamId::fresh(),
            name: "s".into(),
            admission: AdmissionId::fresh(),
            request_id: "r".into(),
            seq: 1,
            state,
            outcome: None,
            turn: None,
            position: Position(1),
            version: Version(2),
            repeated,
        };
        Self { follower: Follower::of(&receipt), admission: receipt.admission, turn: TurnId::fresh() }
    }

    fn started(repeated: bool) -> Self {
        let mut case = Self::new(repeated, AdmissionState::Started);
        let (admission, turn) = (case.admission, case.turn);
        assert_eq!(case.event(InputStarted { admission, turn, generation: Generation(1) }), Step::Nothing);
        case
    }

    fn event(&mut self, event: impl Into<Event>) -> Step {
        let event = event.into();
        self.follower.apply(&Update::Event(Arc::new(Recorded {
            position: Position(7),
            stream: StreamId::fresh(),
            version: Version(3),
            id: EventId::fresh(),
            recorded_at: Timestamp(0),
            epoch: Epoch(1),
            correlation: CorrelationId::default(),
            causation: EventId::default(),
            principal: PrincipalId::default(),
            kind: event.name().into(),
            schema: event.schema(),
            key: KeyId::default(),
            hash: Digest::default(),
            body: Body::Known(event),
            shared: Vec::new(),
        })))
    }

    fn delta(&mut self, turn: TurnId, at: u64, text: &str) -> Step {
        self.follower.apply(&Update::Delta { turn, attempt: 1, at, text: text.into() })
    }

    fn said(&mut self, turn: TurnId, text: &str) -> Step {
        let message = Message::Assistant {
            parts: vec![Part::Text(text.into())],
            reasoning: None,
            calls: Vec::new(),
            extra: None,
            partial: false,
        };
        self.event(MessageRecorded { turn, message, api_content: None })
    }

    fn responded(&mut self, usage: Option<Usage>) -> Step {
        let (turn, finish) = (self.turn, "stop".to_owned());
        let (response, cost, first_token_ms) = (None, None, None);
        self.event(ModelResponded { turn, attempt: 1, response, finish, usage, cost, first_token_ms, duration_ms: 1 })
    }

    fn settled(&mut self, outcome: Outcome) -> Step {
        let admission = self.admission;
        self.event(InputSettled { admission, outcome, why: None })
    }
}

fn text(text: &str) -> Step {
    Step::Text(text.into())
}

#[test]
fn a_turn_is_told_in_full_and_ends_when_it_is_settled() {
    let mut case = Case::started(false);
    let turn = case.turn;
    let tokens = |input, output| Some(Usage { input, output, cached: None, reasoning: None });
    assert_eq!(case.delta(turn, 0, "Hel"), text("Hel"));
    assert_eq!(case.responded(tokens(3, 2)), Step::Nothing);
    assert_eq!(case.said(turn, "Hello"), text("lo"));
    assert_eq!(case.responded(tokens(5, 1)), Step::Nothing);
    let ending = Ending {
        outcome: Outcome::Completed,
        finish: Some("stop".into()),
        usage: tokens(8, 3),
        turn: Some(turn),
        position: Position(7),
    };
    assert_eq!(case.settled(Outcome::Completed), Step::Settled(ending));
}

#[test]
fn what_belongs_to_others_is_not_told() {
    let mut case = Case::started(false);
    let other = TurnId::fresh();
    assert_eq!(case.delta(other, 0, "x"), Step::Nothing);
    assert_eq!(case.said(other, "x"), Step::Nothing);
    let given = Message::Given { role: GivenRole::Assistant, parts: vec![Part::Text("before".into())] };
    let turn = case.turn;
    assert_eq!(case.event(MessageRecorded { turn, message: given, api_content: None }), Step::Nothing);
    let settled = InputSettled { admission: AdmissionId::fresh(), outcome: Outcome::Completed, why: None };
    assert_eq!(case.event(settled), Step::Nothing);
}

#[test]
fn tokens_that_one_request_did_not_say_are_not_made_up() {
    let mut case = Case::started(false);
    case.responded(None);
    case.responded(Some(Usage::default()));
    assert!(matches!(case.settled(Outcome::Completed), Step::Settled(Ending { usage: None, .. })));
}

#[test]
fn an_interrupted_turn_has_an_answer() {
    let mut case = Case::started(false);
    let turn = case.turn;
    case.delta(turn, 0, "Hel");
    assert!(matches!(case.settled(Outcome::Interrupted), Step::Settled(Ending { outcome: Outcome::Interrupted, .. })));
}

#[test]
fn a_turn_without_an_answer_says_why() {
    let mut case = Case::started(false);
    let turn = case.turn;
    case.event(TurnFailed { turn, code: "persistence_failed".into(), message: "the disk is full".into() });
    assert_eq!(case.settled(Outcome::Failed), Step::Failed(Code::PersistenceFailed, "the disk is full".into()));
    let mut case = Case::started(false);
    let turn = case.turn;
    case.event(TurnFailed { turn, code: "some new word".into(), message: "why".into() });
    assert_eq!(case.settled(Outcome::Failed), Step::Failed(Code::ModelFailed, "why".into()));
    let mut case = Case::started(false);
    let unknown = InputUnknown { admission: case.admission, why: "a crash".into() };
    assert_eq!(case.event(unknown), Step::Failed(Code::UnknownExecution, "a crash".into()));
    let mut case = Case::started(false);
    let broken = Update::Broken { turn: case.turn, code: "persistence_failed".into(), message: "why".into() };
    assert_eq!(case.follower.apply(&broken), Step::Failed(Code::PersistenceFailed, "why".into()));
}

#[test]
fn a_repeat_that_joins_a_running_turn_gets_the_record() {
    let mut case = Case::started(true);
    let turn = case.turn;
    assert_eq!(case.delta(turn, 3, "lo"), Step::Nothing);
    assert_eq!(case.said(turn, "Hello"), text("Hello"));
}

#[test]
fn live_text_that_comes_after_its_record_is_not_told_again() {
    let mut case = Case::started(false);
    let turn = case.turn;
    case.responded(None);
    assert_eq!(case.said(turn, "Hello"), text("Hello"));
    assert_eq!(case.delta(turn, 0, "Hel"), Step::Nothing);
}

#[test]
fn an_input_behind_one_whose_outcome_is_unknown_does_not_wait_for_ever() {
    let unknown = || InputUnknown { admission: AdmissionId::fresh(), why: "a tool ran".into() };
    let mut waiting = Case::new(false, AdmissionState::Queued);
    assert_eq!(waiting.event(unknown()), Step::Failed(Code::UnknownExecution, "a tool ran".into()));
    // What a running or a settled one finds of others in the log is over.
    for mut other in [Case::started(false), Case::new(true, AdmissionState::Terminal)] {
        assert_eq!(other.event(unknown()), Step::Nothing);
    }
}
