//! The host over a store in memory, with every port scripted: what is recorded before what is done, what a crash or a
//! refusing store leaves behind, how many commits a turn awaits.

#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion, also in what tests share")]

mod admissions;
mod approvals;
mod commits;
mod door;
mod edges;
mod erasure;
mod fencing;
mod fork;
mod inside;
mod interrupts;
mod memory;
mod naming;
mod panics;
mod passivation;
mod reconcile;
mod recovery;
mod refusals;
mod snapshots;
mod steering;
mod support;
mod watchdog;
