//! How far long work is, on one line of the terminal that is gone when the work is done.
#![expect(clippy::print_stderr, reason = "a note to the person at the terminal")]

use super::{
    Paper,
    words::{grouped, number},
};
use dispatch_actors::handle::Step;
use serde_json::Value;
use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

/// Faster than this nobody reads.
const PAUSE: Duration = Duration::from_millis(100);

/// The line. Without a terminal, or with `--quiet`, it says nothing.
pub struct Progress {
    shown: bool,
    last: Option<Instant>,
}

impl Paper {
    /// A line for long work.
    pub fn progress(&self) -> Progress {
        Progress { shown: !self.quiet && std::io::stderr().is_terminal(), last: None }
    }
}

impl Progress {
    /// Shows how far the work is.
    pub fn tell(&mut self, step: Step) {
        if !self.shown || self.last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        self.last = Some(Instant::now());
        eprint!("\r\u{1b}[K{}", words(step.stage, step.done, step.of));
    }

    /// As [`Self::tell`], with the words of a host elsewhere.
    pub fn tell_far(&mut self, step: &Value) {
        let stage = ["log", "blobs", "files", "verifying"].into_iter().find(|stage| step["stage"] == *stage);
        self.tell(Step { stage: stage.unwrap_or("working"), done: number(step, "done"), of: number(step, "of") });
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last.is_some() {
            eprint!("\r\u{1b}[K");
        }
    }
}

fn words(stage: &str, done: u64, of: u64) -> String {
    let what = match stage {
        "log" => "writing events",
        "blobs" => "writing blobs",
        "files" => "writing files",
        "verifying" => "reading it and checking",
        "comparing" => "comparing the indexes with the events",
        "indexes" => "writing the indexes",
        other => other,
    };
    if of == 0 {
        return format!("{what}: {}", grouped(done));
    }
    let share = (done * 100).checked_div(of).unwrap_or(100).min(100);
    format!("{what}: {} of {} ({share} %)", grouped(done), grouped(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_much_of_how_much() {
        assert_eq!(words("verifying", 1_500, 6_000), "reading it and checking: 1,500 of 6,000 (25 %)");
        assert_eq!(words("log", 0, 0), "writing events: 0");
    }
}
