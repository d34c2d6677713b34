//! The simulated host: one thread, a clock that stands still until everybody waits, the committer in line, and a world
//! that is scripted by chance. A seed is a run; a run that fails says its seed, and `DISPATCH_SEED=N` runs it again.
//! `DISPATCH_SEEDS=N` says how many seeds are run.
//!
//! | module | what it is |
//! |---|---|
//! | [`random`] | chance that can be had again |
//! | [`world`] | everything outside of the host |
//! | [`store`] | a store that refuses, loses answers and takes its time |
//! | [`strict`] | what a vendor would refuse |
//! | [`model`], [`tools`] | a model, tools and a memory backend, also in bad moods |
//! | [`commands`] | what clients do |
//! | [`run`] | lives of a host, each ended by a crash, and a last one in which all comes to rest |
//! | [`oracle`] | what must hold afterwards, read off the log |

#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion, also in what tests share")]

mod commands;
mod model;
mod oracle;
mod random;
mod run;
mod store;
#[path = "../matrix/strict.rs"]
mod strict;
mod tools;
mod world;

use std::{
    env,
    sync::atomic::{AtomicU64, Ordering},
};

/// Seeds of a run without a word from outside.
const SEEDS: u64 = 1_000;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{value}`")))
}

#[test]
fn whatever_happens_the_log_says_what_is_true() {
    let seeds = match number("DISPATCH_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("DISPATCH_SEEDS").unwrap_or(SEEDS),
    };
    let next = AtomicU64::new(seeds.start);
    let failed = AtomicU64::new(u64::MAX);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= seeds.end || failed.load(Ordering::SeqCst) != u64::MAX {
                        return;
                    }
                    if std::panic::catch_unwind(|| run::run(seed)).is_err() {
                        failed.fetch_min(seed, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    assert_eq!(failed, u64::MAX, "a seed failed, see above; DISPATCH_SEED={failed} runs it again");
}

#[test]
fn a_seed_is_the_same_run_each_time() {
    for seed in 0..12 {
        assert_eq!(run::run(seed), run::run(seed), "seed {seed}");
    }
}
