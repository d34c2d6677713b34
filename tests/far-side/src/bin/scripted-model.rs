//! The scripted model as a process: one text for every request, for benchmarks and for trying the host without a key.
//!
//! Prints the base URL on one line when it listens, and ends at SIGTERM or SIGINT.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use far_side::{Answer, ScriptedModel};
use tokio::signal::unix::{SignalKind, signal};

/// A model that always says the same, over OpenAI chat completions.
#[derive(Parser)]
#[command(name = "scripted-model")]
struct Flags {
    /// Address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The text of every answer, streamed word by word.
    #[arg(long, default_value = "This is a scripted answer.")]
    text: String,
    /// Milliseconds to wait before each answer.
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
}

/// A few are enough to look at; keeping all would fill the memory in a long benchmark.
const KEPT_REQUESTS: usize = 16;

fn main() -> io::Result<()> {
    let flags = Flags::parse();
    let model = ScriptedModel::start_on(flags.listen)?;
    model.keep(KEPT_REQUESTS);
    let words = flags.text.split_inclusive(' ');
    model.always(Answer::chunks(words).stall_before_headers(Duration::from_millis(flags.delay_ms)));
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", model.base_url())?;
    stdout.flush()?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(told_to_end())
}

async fn told_to_end() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        interrupted = tokio::signal::ctrl_c() => interrupted,
    }
}
