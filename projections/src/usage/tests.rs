use super::UsageTotals;
use crate::table::*;
use dispatch_events::{Event, catalogue::model::Usage};

fn tokens(input: u64, cached: Option<u64>, output: u64) -> Option<Usage> {
    Some(Usage { input, cached, output, reasoning: None })
}

#[test]
fn tokens_are_summed_and_what_is_unknown_is_counted() {
    let totals = |answers, unknown, input_tokens, cached_tokens, output_tokens| UsageTotals {
        answers,
        unknown,
        input_tokens,
        cached_tokens,
        output_tokens,
    };
    let table: Vec<(Vec<Option<Usage>>, UsageTotals)> = vec![
        (vec![], totals(0, 0, 0, 0, 0)),
        (vec![tokens(10, Some(4), 2)], totals(1, 0, 10, 4, 2)),
        (vec![tokens(10, Some(4), 2), tokens(20, None, 3)], totals(2, 0, 30, 4, 5)),
        (vec![None], totals(1, 1, 0, 0, 0)),
        (vec![None, tokens(1, Some(0), 1)], totals(2, 1, 1, 0, 1)),
    ];
    for (usages, expected) in table {
        let events: Vec<Event> = usages.iter().map(|usage| responded(1, 1, *usage)).collect();
        assert_eq!(given(events).usage, expected, "{usages:?}");
    }
}

#[test]
fn a_request_without_an_answer_counts_nothing() {
    assert_eq!(given([requested(1, 1, "h", 0, &["a"])]).usage, UsageTotals::default());
}
