use super::{SessionState, history::history};
use crate::{
    obligations::ObligationState,
    table::{fold, restored, stream, turn},
    tools::CallState,
    view::{LeaseView, MemoryView, ObligationsView, PromptView, QueueView, SummaryView, ToolsView, TranscriptView},
};
use dispatch_events::Recorded;
use proptest::prelude::*;
use serde::Serialize;

fn histories() -> impl Strategy<Value = Vec<Recorded>> {
    proptest::collection::vec(any::<u8>(), 0..120).prop_map(|choices| history(&choices))
}

fn json(view: impl Serialize) -> String {
    serde_json::to_string(&view).expect("a view is plain data")
}

/// Every view.
fn views(state: &SessionState) -> Vec<String> {
    vec![
        json(TranscriptView::of(state)),
        json(QueueView::of(state)),
        json(LeaseView::of(state)),
        json(PromptView::of(state)),
        json(MemoryView::of(state)),
        json(ToolsView::of(state)),
        json(ObligationsView::of(state)),
        json(state.usage),
        json(SummaryView::of(state)),
    ]
}

/// Every field, private ones included, in an order that does not depend on the hash maps.
pub(crate) fn portrait(state: &SessionState) -> Vec<String> {
    let mut lines: Vec<_> = format!("{state:#?}").lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

fn wire(state: &SessionState) -> Vec<crate::replay::WireMessage> {
    state.transcript.wire_messages(0).collect()
}

/// Events that change nothing that a person sees.
fn invisible(kind: &str) -> bool {
    let groups = ["lease.", "model.", "memory.", "prompt.", "toolset.", "obligation.", "prefix."];
    let kinds = ["turn.started", "turn.completed", "tool.requested", "tool.started", "input.started"];
    groups.iter().any(|group| kind.starts_with(group)) || kinds.contains(&kind)
}

proptest! {
    #[test]
    fn a_fold_can_be_stopped_and_continued(records in histories(), cut in any::<prop::sample::Index>()) {
        let whole = fold(&records);
        let cut = cut.index(records.len() + 1);
        let before = fold(&records[..cut]);
        let mut after = before.clone();
        for recorded in &records[cut..] {
            after.apply(recorded)?;
        }
        prop_assert_eq!(views(&after), views(&whole));
        prop_assert_eq!(portrait(&after), portrait(&whole));
        prop_assert_eq!(portrait(&before), portrait(&fold(&records[..cut])), "the state of the cut is as it was");
    }

    #[test]
    fn a_snapshot_and_the_tail_give_what_the_whole_gives(records in histories(), cut in any::<prop::sample::Index>()) {
        let whole = fold(&records);
        let cut = cut.index(records.len() + 1);
        let mut after = restored(&fold(&records[..cut]).to_bytes()?)?;
        for recorded in &records[cut..] {
            after.apply(recorded)?;
        }
        prop_assert_eq!(views(&after), views(&whole));
        prop_assert_eq!(wire(&after), wire(&whole));
        prop_assert_eq!(portrait(&after), portrait(&whole));
        prop_assert_eq!(after.to_bytes()?, whole.to_bytes()?);
    }

    #[test]
    fn folding_twice_gives_the_same(records in histories()) {
        let (once, again) = (fold(&records), fold(&records));
        prop_assert_eq!(views(&once), views(&again));
        prop_assert_eq!(portrait(&once), portrait(&again));
        prop_assert_eq!(once.transcript.problems(), Vec::<String>::new(), "such a history is sound");
    }

    /// What the model was sent stays what it was: a request can only extend the one before it.
    #[test]
    fn final_messages_never_change(records in histories()) {
        let whole = wire(&fold(&records));
        let mut state = SessionState::empty(stream());
        for recorded in &records {
            state.apply(recorded)?;
            let last = state.transcript.whole_len();
            let nothing_open = (1..=u8::MAX).all(|number| state.tools.open(turn(number)).next().is_none());
            if last == state.transcript.wire_len() {
                prop_assert!(nothing_open, "a call without a result at version {}", state.version);
            }
            prop_assert_eq!(&wire(&state)[..last], &whole[..last], "at version {}", state.version);
        }
    }

    #[test]
    fn the_revision_follows_what_a_person_sees(records in histories()) {
        let mut state = SessionState::empty(stream());
        for recorded in &records {
            let (revision, seen) = (state.revision, person_sees(&state));
            state.apply(recorded)?;
            let raised = state.revision > revision;
            if person_sees(&state) != seen {
                prop_assert!(raised, "{} at {} is seen", recorded.kind, recorded.version);
            }
            if invisible(&recorded.kind) || recorded.event().is_none() {
                prop_assert!(!raised, "{} at {} is not seen", recorded.kind, recorded.version);
            }
        }
    }

    /// The short lists of what is open say what a walk over everything says.
    #[test]
    fn what_is_open_is_what_has_no_end(records in histories()) {
        let mut state = SessionState::empty(stream());
        for recorded in &records {
            state.apply(recorded)?;
            let owed: Vec<_> = state.obligations.open().map(|it| it.id).collect();
            let walked: Vec<_> =
                state.obligations.iter().filter(|it| it.state == ObligationState::Open).map(|it| it.id).collect();
            prop_assert_eq!(owed, walked);
            for started in state.turns.iter() {
                let open: Vec<_> = state.tools.open(started.id).map(|it| it.call).collect();
                let walked = state.tools.iter().filter(|it| it.turn == started.id);
                let walked = walked.filter(|it| !matches!(it.state, CallState::Finished { .. }));
                prop_assert_eq!(open, walked.map(|it| it.call).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_tool_line_finds_its_call(records in histories()) {
        let state = fold(&records);
        for used in state.tools.iter() {
            let id = state.transcript.call(used.call).map(|call| call.id.clone());
            prop_assert_eq!(id, Some(format!("c{}", used.call.index)));
        }
        if let Some(last) = state.calls.requests().last() {
            prop_assert_eq!(state.calls.fragments().len(), last.messages as usize);
            prop_assert!(state.calls.requests().iter().all(|request| request.extends_previous));
        }
    }
}

/// The conversation, and which inputs wait.
fn person_sees(state: &SessionState) -> (String, Vec<u64>, String) {
    let waiting = state.admissions.pending().map(|admission| admission.seq).collect();
    (json(TranscriptView::of(state)), waiting, state.name.clone())
}
