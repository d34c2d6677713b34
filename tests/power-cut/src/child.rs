//! Writers in a process of its own: it opens the log, and says on its stdout what was acknowledged.
//!
//! The process is the test's own binary, started again with one test chosen: [`run`] is that test.

use crate::{
    kernel,
    writer::{self, Written},
};
use dispatch_events::{Log, SystemClock, store::EngineKind};
use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, mpsc},
    thread::{Builder, JoinHandle},
    time::{Duration, Instant},
};

const FOLDER: &str = "DISPATCH_POWER_CUT_FOLDER";
const ENGINE: &str = "DISPATCH_POWER_CUT_ENGINE";
const LOSES: &str = "DISPATCH_POWER_CUT_LOSES";

/// A child whose parent is gone ends by itself.
const LONGEST: Duration = Duration::from_secs(30);
/// Longest wait for an open log.
const OPENING: Duration = Duration::from_secs(120);

/// What a child's log does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Loses {
    /// Nothing: the log as it is.
    #[default]
    Nothing,
    /// `fdatasync`: what hardens sled, which syncs nothing by itself.
    Fdatasync,
    /// `fsync`: what makes key slabs, blobs and the names in folders durable.
    Fsync,
    /// Both.
    Both,
}

/// A running child.
pub struct Child {
    process: std::process::Child,
    lines: mpsc::Receiver<String>,
    reader: Option<JoinHandle<()>>,
}

/// The child's side, as the test `name` of its binary; without its variables it does nothing.
pub fn run() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let word = |name| std::env::var(name).expect("the parent sets every variable");
    let engine: EngineKind = word(ENGINE).parse().expect("the parent knows the engines");
    match word(LOSES).as_str() {
        "Fdatasync" => kernel::lose(false, true),
        "Fsync" => kernel::lose(true, false),
        "Both" => kernel::lose(true, true),
        _ => {}
    }
    // The harness has begun a line.
    say("");
    let log = match Log::open(Path::new(&folder), engine, Arc::new(SystemClock)) {
        Ok(log) => log,
        Err(error) => return say(&format!("refused {error}")),
    };
    say("ready");
    let start = Instant::now();
    writer::write(&log, &|answer| {
        match answer {
            Ok(written) => say(written.iter().map(|event| format!("ack {event}\n")).collect::<String>().trim_end()),
            Err(error) => say(&format!("refused {error}")),
        }
        answer.is_ok() && start.elapsed() < LONGEST
    });
    // The parent ends this process; an end by itself would look like an answer.
    std::thread::sleep(LONGEST);
}

/// One write, so that a line is never mixed with another writer's.
fn say(lines: &str) {
    let mut out = std::io::stdout().lock();
    let said = out.write_all(format!("{lines}\n").as_bytes()).and_then(|()| out.flush());
    said.expect("the parent listens");
}

impl Child {
    /// Starts this test's binary again, as its test `name`, which calls [`run`] for the log in `folder`.
    pub fn start(name: &str, folder: PathBuf, engine: EngineKind, loses: Loses) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("a test has a binary"))
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder)
            .env(ENGINE, engine.name())
            .env(LOSES, format!("{loses:?}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut output = BufReader::new(process.stdout.take().expect("it was asked for"));
        let (sender, lines) = mpsc::channel();
        let read = move || {
            let mut line = String::new();
            // The last line may be cut off: nobody was told what it would have said.
            while output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) && line.ends_with('\n') {
                if sender.send(line.trim_end().to_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        };
        let reader = Builder::new().name("child's words".into()).spawn(read).expect("a thread");
        Self { process, lines, reader: Some(reader) }
    }

    /// Waits until its log is open.
    ///
    /// # Errors
    /// What it said instead.
    pub fn wait_ready(&mut self) -> Result<(), String> {
        let start = Instant::now();
        loop {
            match self.lines.recv_timeout(OPENING.saturating_sub(start.elapsed())) {
                Ok(line) if line == "ready" => return Ok(()),
                Ok(line) if line.starts_with("refused ") => return Err(format!("the log does not open: {line}")),
                Ok(_) => {}
                Err(_) => return Err(format!("the child did not open the log: {}", self.complaint())),
            }
        }
    }

    /// What was acknowledged since the last call.
    ///
    /// # Errors
    /// What a writer was refused with: with the power on, nothing may be refused.
    pub fn acknowledged(&mut self) -> Result<Vec<Written>, String> {
        let mut written = Vec::new();
        for line in self.lines.try_iter() {
            match line.split_once(' ') {
                Some(("ack", event)) => written.push(event.parse()?),
                Some(("refused", why)) => return Err(format!("a writer was refused: {why}")),
                _ => {}
            }
        }
        match self.process.try_wait() {
            Ok(None) => Ok(written),
            ended => Err(format!("the child ended by itself ({ended:?}): {}", self.complaint())),
        }
    }

    /// Stops it in its tracks: what its calls of the kernel do goes on, but no answer to them gets out any more. A cut
    /// takes time, and while it lasts a sync may come back as done; with the power really off nobody would hear of it.
    pub fn freeze(&self) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-STOP", &id]).status().expect("there is a `kill`");
        assert!(sent.success(), "the child is there to be stopped");
        // When its first thread is stopped, every other stops before it gets back from the kernel.
        let is_stopped = || {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("the child is not reaped");
            stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 'Z']))
        };
        while !is_stopped() {
            std::thread::yield_now();
        }
    }

    /// Kills it; what was acknowledged since. Refusals don't count now: the power may be off.
    ///
    /// # Errors
    /// A line that is none.
    pub fn kill(mut self) -> Result<Vec<Written>, String> {
        self.end();
        self.lines.try_iter().filter_map(|line| Some(line.strip_prefix("ack ")?.parse())).collect()
    }

    fn end(&mut self) {
        // It may have ended already; `wait` says what there is to say.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }

    fn complaint(&mut self) -> String {
        self.end();
        let mut text = String::new();
        if let Some(mut stderr) = self.process.stderr.take() {
            let _ = stderr.read_to_string(&mut text);
        }
        text
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}
