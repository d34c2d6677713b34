use super::{answered, ask, digest, refused};
use crate::{
    decide::{interrupt::interrupt, table::*},
    ports::Approval,
};
use dispatch_events::{
    Digest, Event, RawJson,
    catalogue::tool::{ApprovalScope, CallRef},
};
use dispatch_projections::SessionState;

/// A turn that waits for consent, and what is shown.
fn waiting() -> (SessionState, CallRef, Digest) {
    let mut state = given(running());
    let call = asks(&mut state, &["act"])[0];
    let shown = digest("act", &RawJson("{}".into()));
    let question = ask(&state, turn_id(1), call, shown, "it writes").expect("nobody was asked yet");
    apply(&mut state, question);
    (state, call, shown)
}

fn given_for(digest: Digest) -> Approval {
    Approval::Given { digest, by: me(), scope: ApprovalScope::Once }
}

#[test]
fn an_answer_counts_once_and_only_for_what_was_shown() {
    let (mut state, call, shown) = waiting();
    assert_eq!(ask(&state, turn_id(1), call, shown, "it writes"), None, "the question stands already");
    let other = answered(&state, turn_id(1), call, &given_for(digest("act", &RawJson("{\"all\":1}".into()))));
    assert_eq!(names(&other), ["tool.approval_denied", "tool.finished"], "consent for something else is none");
    let yes = answered(&state, turn_id(1), call, &given_for(shown));
    assert_eq!(names(&yes), ["tool.approval_given"]);
    yes.into_iter().for_each(|event| apply(&mut state, event));
    assert!(answered(&state, turn_id(1), call, &given_for(shown)).is_empty(), "answered once");
}

#[test]
fn a_no_is_the_result_of_the_call() {
    let (state, call, _) = waiting();
    let no = answered(&state, turn_id(1), call, &Approval::Denied { by: me(), why: "not today".into() });
    assert_eq!(names(&no), ["tool.approval_denied", "tool.finished"]);
    assert!(matches!(&no[1], Event::ToolFinished(result) if result.output == refused("not today")));
}

#[test]
fn after_a_stop_a_late_answer_changes_nothing() {
    let (mut state, call, shown) = waiting();
    let stopped = interrupt(&state, turn_id(1), "stopped", "", CLAIM);
    assert_eq!(names(&stopped), ["tool.finished", "turn.interrupted", "input.settled", "lease.released"]);
    stopped.into_iter().for_each(|event| apply(&mut state, event));
    assert!(answered(&state, turn_id(1), call, &given_for(shown)).is_empty());
}

#[test]
fn the_digest_holds_name_and_arguments_apart() {
    let of = |tool, arguments: &str| digest(tool, &RawJson(arguments.into()));
    assert_ne!(of("ac", "t{}"), of("act", "{}"));
    assert_eq!(of("act", "{}"), of("act", "{}"));
}
