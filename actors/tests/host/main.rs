//! The host over a store in memory, with every port scripted: what is recorded before what is done, what a crash or a
//! refusing store leaves behind, how many commits a turn awaits.

mod commits;
mod door;
mod edges;
mod interrupts;
mod memory;
mod panics;
mod passivation;
mod recovery;
mod refusals;
mod support;
