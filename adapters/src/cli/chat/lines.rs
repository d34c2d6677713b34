//! Lines from standard input. Reading blocks, so it has a thread of its own; the terminal edits the line.

use crate::cli::{exit::Failure, paper::Paper};
use std::io::{self, BufRead, IsTerminal};
use tokio::sync::mpsc;

/// Lines that were typed ahead.
const AHEAD: usize = 64;

/// The lines.
pub struct Lines {
    paper: Paper,
    prompt: Option<String>,
    typed: mpsc::Receiver<String>,
}

impl Lines {
    /// Begins to read. The thread ends with the input, or with the process.
    pub fn start(paper: Paper, session: &str) -> Result<Self, Failure> {
        let (send, typed) = mpsc::channel(AHEAD);
        let read = move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if send.blocking_send(line).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(read)
            .map_err(|error| Failure::failed(format!("standard input can't be read: {error}")))?;
        let person = io::stdin().is_terminal() && paper.terminal && !paper.json;
        // The empty line parts one exchange from the next.
        let prompt = person.then(|| format!("\n{} ", paper.name(format_args!("{session}>"))));
        Ok(Self { paper, prompt, typed })
    }

    /// The next line; `None` at the end. Cancel safe.
    pub async fn next(&mut self) -> Option<String> {
        if let Some(prompt) = &self.prompt {
            self.paper.write(prompt).ok()?;
        }
        let line = self.typed.recv().await;
        if line.is_none() && self.prompt.is_some() {
            self.paper.note("");
        }
        line
    }
}
