//! What a turn costs, on this machine and now: the built binary over real sockets, printed as one table.
//!
//! `cargo bench --bench table`; with `-- --quick` or `BENCH_QUICK=1` a short form that only shows that all of it works.
//! The scripted model and the client run in this process, so the model's own time can be subtracted and what remains is
//! the host's. Every row stands beside the disk's floor, an append with fdatasync, taken a moment before: on a machine
//! that does other work, only the ratio of the two means something. The same rows go to `target/bench.json`.
//!
//! | module | what it measures |
//! |---|---|
//! | [`turn`] | the host's own time in a plain turn, at the session's beginning and far into it |
//! | [`first_token`] | the same up to the first piece of a stream, alone and among 32 |
//! | [`tools`] | a turn with five tool calls |
//! | [`rate`] | turns per second and CPU per turn, beside the same client straight to the model |
//! | [`memory`] | resident memory of a session, active and passivated |
//! | [`start`] | from spawn to ready, with an empty log and a full one |
//! | [`log`] | the log alone: the cost of an event, durable appends of each engine beside a bare file |
//! | [`million`] | a long history; only when it is named, because filling it takes minutes |

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops where something is wrong, and prints")]

mod cpu;
mod disk;
mod first_token;
mod host;
mod log;
mod machine;
mod memory;
mod million;
#[path = "../../projections/benches/fold/plain_turn.rs"]
mod plain_turn;
mod process;
mod rate;
mod report;
mod sample;
mod start;
mod tools;
mod turn;
mod wire;

use report::Report;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Scale {
    /// The short form.
    pub quick: bool,
}

impl Scale {
    /// The number of the whole form, or of the short one.
    pub fn of<T>(self, whole: T, quick: T) -> T {
        if self.quick { quick } else { whole }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let quick = arguments.iter().any(|argument| argument == "--quick")
        || std::env::var("BENCH_QUICK").is_ok_and(|value| value == "1");
    // Any other argument names a section: a person who works on one thing measures that.
    let chosen: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let wanted = |section: &str| chosen.is_empty() || chosen.iter().any(|name| *name == section);
    let scale = Scale { quick };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut report = Report::new();
    machine::describe(&mut report, scale);
    runtime.block_on(async {
        if wanted("turn") {
            turn::measure(&mut report, scale).await;
        }
        if wanted("first_token") {
            first_token::measure(&mut report, scale).await;
        }
        if wanted("tools") {
            tools::measure(&mut report, scale).await;
        }
        if wanted("rate") {
            rate::measure(&mut report, scale).await;
        }
        if wanted("memory") {
            memory::measure(&mut report, scale).await;
        }
        if wanted("start") {
            start::measure(&mut report, scale).await;
        }
        if wanted("log") {
            log::measure(&mut report, scale).await;
        }
        if chosen.iter().any(|name| *name == "million") {
            million::measure(&mut report, &million::Wanted::of(&arguments, scale)).await;
        }
    });
    report.save();
}
