use super::Said;
use crate::{SessionState, replay::WireMessage, table::*};
use dispatch_events::{
    AdmissionId, Digest, Event, Part, RawJson, Timestamp, Version,
    catalogue::{
        input::InputRequeued,
        memory::MemoryRecalled,
        message::{ApiContent, GivenRole, Message, MessageRecorded, Piece},
        turn::{TurnFailed, TurnInterrupted},
    },
};

mod results;

fn began() -> Vec<Event> {
    all([vec![opened(), queued(1)], claimed(1, 1)])
}

fn appended(pieces: Vec<Piece>, whole: &str) -> Option<ApiContent> {
    Some(ApiContent::Appended { pieces, digest: Digest::of(whole.as_bytes()) })
}

fn recalled(number: u8, block: &str) -> Event {
    MemoryRecalled { turn: turn(number), backend: "mem0".into(), block: block.into(), took_ms: 1 }.into()
}

fn recorded(message: Message, api_content: Option<ApiContent>) -> Event {
    MessageRecorded { turn: turn(1), message, api_content }.into()
}

fn given_message(role: GivenRole, text: &str) -> Event {
    recorded(Message::Given { role, parts: vec![Part::Text(text.into())] }, None)
}

fn partial(text: &str) -> Event {
    let parts = vec![Part::Text(text.into())];
    recorded(Message::Assistant { parts, reasoning: None, calls: vec![], extra: None, partial: true }, None)
}

/// Role and text of each line that people see.
fn lines(state: &SessionState) -> Vec<(&'static str, String)> {
    crate::view::TranscriptView::of(state).messages.into_iter().map(|row| (row.role, row.content)).collect()
}

/// Role and text of each message that the model gets.
fn wire(state: &SessionState) -> Vec<(&'static str, String)> {
    state.transcript.wire_messages(0).map(short).collect()
}

fn short(message: WireMessage) -> (&'static str, String) {
    match message {
        WireMessage::User { text } => ("user", text),
        WireMessage::Assistant { text, .. } => ("assistant", text),
        WireMessage::Tool { output, .. } => ("tool", output),
    }
}

/// Name, what was recalled, api_content, what is sent, how many problems are named.
type Row<'a> = (&'a str, Option<&'a str>, Option<ApiContent>, &'a str, usize);

#[test]
fn people_see_the_content_and_the_model_gets_the_api_content() {
    let separator = || Piece::Text("\n\n".into());
    let api = |text: &str| Some(ApiContent::Exact(text.into()));
    let whole = "input 1\n\n<m>\n é \n</m>";
    #[rustfmt::skip]
    let table: Vec<Row<'_>> = vec![
        ("nothing added",              None, None, "input 1", 0),
        ("text added",                 None, appended(vec![separator(), Piece::Text("note".into())], "input 1\n\nnote"),
                                       "input 1\n\nnote", 0),
        ("recall added",               Some("<m>\n é \n</m>"), appended(vec![separator(), Piece::Recalled], whole), whole, 0),
        ("no pieces",                  None, appended(vec![], "input 1"), "input 1", 0),
        ("other bytes, not sanitised", None, api("  <m>\r\nother\u{0}\n "), "  <m>\r\nother\u{0}\n ", 0),
        ("empty bytes",                None, api(""), "", 0),
        ("the digest is another's",    None, appended(vec![Piece::Text("!".into())], "input 1?"), "input 1", 1),
        ("another recall",             Some("<other>"), appended(vec![separator(), Piece::Recalled], whole), "input 1", 1),
        ("no recall in this turn",     None, appended(vec![separator(), Piece::Recalled], whole), "input 1", 1),
    ];
    for (name, block, api_content, sent, problems) in table {
        let differs = api_content.is_some() && problems == 0;
        let message = vec![said(1, api_content)];
        let block = block.map(|block| recalled(1, block)).into_iter().collect();
        let state = given(all([began(), block, message]));
        assert_eq!(lines(&state), [("user", "input 1".to_owned())], "{name}: people");
        assert_eq!(wire(&state), [("user", sent.to_owned())], "{name}: the model");
        assert_eq!(state.transcript.problems().len(), problems, "{name}: problems");
        let row = &crate::view::TranscriptView::of(&state).messages[0];
        assert_eq!(row.has_api_content, differs, "{name}");
    }
}

#[test]
fn a_problem_names_its_version() {
    let state = given(all([began(), vec![said(1, appended(vec![], "another"))]]));
    assert_eq!(
        state.transcript.problems(),
        ["version 6: api_content does not give its digest, so the content is sent"]
    );
    let state = given([opened(), said(1, None)]);
    let lost = AdmissionId::from_bytes([1; 16]);
    let expected = format!("version 2: the admission {lost} of a user message is not in the log");
    assert_eq!(state.transcript.problems(), [expected]);
}

#[test]
fn the_next_turn_repeats_what_this_one_sent() {
    let whole = "input 1\n\n<m>";
    let first = vec![recalled(1, "<m>"), said(1, appended(vec![Piece::Text("\n\n".into()), Piece::Recalled], whole))];
    let mut state = given(all([began(), first, vec![answered(1, "yes", &[])], completed(1, 1)]));
    let before: Vec<_> = state.transcript.wire_messages(0).collect();
    for event in all([vec![queued(2)], claimed(2, 2), vec![recalled(2, "<other>"), said(2, None)]]) {
        then(&mut state, event);
    }
    let after: Vec<_> = state.transcript.wire_messages(0).collect();
    assert_eq!(after[..before.len()], before);
    assert_eq!(wire(&state)[0].1, whole);
    assert_eq!(state.transcript.wire_messages(2).map(short).collect::<Vec<_>>(), [("user", "input 2".into())]);
}

#[test]
fn parts_are_joined_and_a_model_field_comes_back_as_it_came() {
    let parts = vec![Part::Text("a".into()), Part::Text("b".into())];
    let (reasoning, extra) = (Some("hm".to_owned()), Some(RawJson("{\"x\":1e3}".into())));
    let message =
        Message::Assistant { parts, reasoning: reasoning.clone(), calls: vec![], extra: extra.clone(), partial: false };
    let state = given([recorded(message, None)]);
    let sent: Vec<_> = state.transcript.wire_messages(0).collect();
    assert_eq!(sent, [WireMessage::Assistant { text: "a\nb".into(), reasoning, calls: vec![], extra }]);
}

#[test]
fn a_notice_is_for_people_alone() {
    let interrupted = TurnInterrupted { turn: turn(1), why: "by me".into() };
    let failed = TurnFailed { turn: turn(1), code: "model_failed".into(), message: "no answer".into() };
    let requeued = InputRequeued { admission: admission(1), why: "the host stopped".into(), times: 1 };
    let table: [(Event, &str); 3] = [
        (interrupted.into(), "The turn was stopped: by me."),
        (failed.into(), "The turn failed: no answer"),
        (requeued.into(), "The turn was aborted (the host stopped) and starts again."),
    ];
    for (event, word) in table {
        let state = given(all([began(), vec![said(1, None), event]]));
        assert_eq!(lines(&state), [("user", "input 1".to_owned()), ("notice", word.to_owned())]);
        assert_eq!(wire(&state), [("user", "input 1".to_owned())]);
        assert_eq!(state.transcript.wire_len(), 1);
        let entry = state.transcript.entries().last().unwrap();
        assert_eq!((entry.turn, entry.version, entry.at), (turn(1), Version(7), Timestamp(7_000_000)));
        assert!(matches!(entry.said, Said::Notice { .. }));
    }
}

#[test]
fn a_partial_answer_is_kept_and_marked() {
    let stopped = TurnInterrupted { turn: turn(1), why: "by me".into() };
    let state = given(all([began(), vec![said(1, None), partial("He"), stopped.into()]]));
    assert_eq!(wire(&state), [("user", "input 1".to_owned()), ("assistant", "He".to_owned())]);
    let rows = crate::view::TranscriptView::of(&state).messages;
    assert_eq!(
        rows.iter().map(|row| (row.role, row.partial)).collect::<Vec<_>>(),
        [("user", false), ("assistant", true), ("notice", false)]
    );
}

#[test]
fn the_exchange_of_a_turn() {
    let given_history = [given_message(GivenRole::User, "old"), given_message(GivenRole::Assistant, "older")];
    let first = all([given_history.to_vec(), began(), vec![said(1, None)]]);
    let tools =
        vec![answered(1, "let me see", &["todo"]), tool_finished(1, call(9, 0), "list"), answered(1, "yes", &[])];
    let second = all([vec![queued(2)], claimed(2, 2), vec![said(2, None), answered(2, "no", &[])]]);
    #[rustfmt::skip]
    let table = [
        ("nothing yet",            vec![],                                                 1, (None, None)),
        ("no answer",              first.clone(),                                          1, (Some("input 1"), None)),
        ("a partial is no answer", all([first.clone(), vec![partial("He")]]),              1, (Some("input 1"), None)),
        ("the last answer",        all([first.clone(), tools.clone()]),                    1, (Some("input 1"), Some("yes"))),
        ("behind a later turn",    all([first.clone(), tools.clone(), second.clone()]),    1, (Some("input 1"), Some("yes"))),
        ("of the later turn",      all([first, tools, second]),                            2, (Some("input 2"), Some("no"))),
    ];
    for (name, events, number, expected) in table {
        let state = given(events);
        let said = state.turns.get(turn(number)).and_then(|turn| turn.user_message);
        let (user, assistant) = state.transcript.exchange(turn(number), said);
        assert_eq!((user.as_deref(), assistant.as_deref()), expected, "{name}");
    }
}

#[test]
fn a_line_costs_at_most_this_beside_its_texts() {
    // A long session has tens of thousands of lines in memory.
    assert!(size_of::<super::Entry>() <= 192, "{}", size_of::<super::Entry>());
}
