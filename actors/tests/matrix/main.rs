//! The crash matrix: one reference session, cut off at every single append in three ways, must always come to the same
//! end. Nothing is picked by hand: an uninterrupted run says how many appends there are, and each is visited.
//!
//! | module | what it is |
//! |---|---|
//! | [`model`] | a model that refuses every conversation that a vendor could refuse, and answers by what it reads |
//! | [`strict`] | what a vendor would refuse |
//! | [`session`] | the reference session, and one run of it with a fault |
//! | [`oracle`] | what must hold afterwards, read off the log |

#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion, also in what tests share")]

mod model;
mod oracle;
mod session;
mod strict;
#[path = "../host/support.rs"]
#[allow(dead_code, reason = "the tests of the host use the rest of it")]
mod support;

use session::{Loss, run};

/// Runs every cell of a row on two threads; what fails says which cell it was.
fn row(loss: Loss) {
    let appends = run(Loss::None, 0).appends;
    assert!(appends > 20, "the reference session has only {appends} appends");
    let cells = move |odd: u64| {
        for n in (1..=appends).filter(|n| n % 2 == odd) {
            let run = std::panic::catch_unwind(|| run(loss, n));
            assert!(run.is_ok(), "{loss:?} at append {n} of {appends}: see above");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(move || cells(0));
        scope.spawn(move || cells(1));
    });
}

#[test]
fn the_host_is_lost_at_every_append_that_is_refused() {
    row(Loss::Refused);
}

#[test]
fn the_host_is_lost_between_every_append_and_its_effect() {
    row(Loss::Torn);
}

#[test]
fn the_host_that_finds_the_session_is_lost_over_it_too() {
    row(Loss::TornTwice);
}

#[test]
fn with_the_policy_to_go_on_nothing_ever_pauses() {
    row(Loss::Resumed);
}

#[test]
fn every_actor_is_thrown_away_and_rebuilt_from_the_log_after_every_append() {
    row(Loss::Rebuilt);
}
