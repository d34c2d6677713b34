//! A thousand sessions with five inputs each, at one time, on one host. A process of its own: it looks at its threads and
//! its memory.

#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion, also in what tests share")]

#[allow(dead_code, reason = "this suite needs a small part of it")]
#[path = "host/support.rs"]
mod support;

use dispatch_actors::SessionRef;
use futures_util::future::join_all;
use std::{fs, sync::atomic::Ordering, time::Duration};
use support::*;

const SESSIONS: usize = 1_000;
const INPUTS: usize = 5;

#[test]
fn a_thousand_sessions_with_five_inputs_each_are_done_in_order_and_bounded() {
    // As many threads for reads as each arbiter has.
    let runtime =
        || tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(16).build().unwrap();
    actix_rt::System::with_tokio_rt(runtime).block_on(async {
        let outside = outside();
        outside.unwatched.store(true, Ordering::SeqCst);
        let (host, _) = outside.host(settings(), false).await;
        // Warm: what a host has anyway.
        turn(&host, "first", "hello").await;
        let before = usage();
        let names: Vec<SessionRef> = (0..SESSIONS).map(|n| SessionRef::Name(format!("s{n}"))).collect();
        let all = names.iter().map(|name| async {
            let mut last = None;
            for number in 1..=INPUTS {
                last = Some(host.submit(name, say(&format!("input {number}"))).await.unwrap());
            }
            host.wait(&last.unwrap()).await.unwrap()
        });
        let done = tokio::time::timeout(Duration::from_secs(120), join_all(all)).await.expect("they end");
        assert_eq!(done.len(), SESSIONS);
        let after = usage();
        for name in &names {
            let state = host.state(name, None).await.unwrap();
            let said: Vec<_> = state.transcript.entries().iter().filter_map(user).collect();
            assert_eq!(said, (1..=INPUTS).map(|number| format!("input {number}")).collect::<Vec<_>>(), "{name:?}");
            assert_eq!((state.admissions.pending_len(), state.turns.len()), (0, INPUTS));
        }
        if let (Some(before), Some(after)) = (before, after) {
            // Here and on each arbiter at most 16 threads for reads, and none for a session.
            assert!(after.threads <= before.threads + 40, "{before:?} {after:?}");
            // The log is in memory here, some 10 KiB a turn; the rest is what a session costs (BENCHMARKS.md: 31 KiB).
            assert!(after.resident_kib <= before.resident_kib + 400 * 1024, "{before:?} {after:?}");
        }
    });
}

fn user(entry: &dispatch_projections::transcript::Entry) -> Option<String> {
    match &entry.said {
        dispatch_projections::transcript::Said::User { content, .. } => Some(content.to_string()),
        _ => None,
    }
}

/// What this process has, where the system tells.
#[derive(Debug)]
struct Usage {
    threads: u64,
    resident_kib: u64,
}

fn usage() -> Option<Usage> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some(Usage { threads: number("Threads:")?, resident_kib: number("VmRSS:")? })
}
