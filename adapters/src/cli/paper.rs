//! Where results and notes go. Results to stdout, notes to stderr, colour only on a terminal.
#![expect(clippy::print_stderr, reason = "the command line speaks to people here, and only here")]

pub mod progress;
pub mod words;

use super::{arguments::Global, exit::Failure};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;
use std::{
    fmt::Display,
    io::{self, IsTerminal, Write},
};

/// Narrower than this a table is unreadable; wider than this nobody follows a line.
const WIDTHS: std::ops::RangeInclusive<u16> = 60..=200;

/// Output of one verb.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// JSON instead of text.
    pub json: bool,
    /// No notes.
    pub quiet: bool,
    /// Whether stdout is a terminal.
    pub terminal: bool,
    styled: bool,
    styled_notes: bool,
    width: u16,
}

impl Paper {
    /// Output as the flags, the terminal and `NO_COLOR` want it.
    pub fn new(global: &Global) -> Self {
        let terminal = io::stdout().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let width = terminal_size::terminal_size().map_or(100, |(width, _)| width.0);
        Self {
            json: global.json,
            quiet: global.quiet,
            terminal,
            styled: terminal && !plain && !global.json,
            styled_notes: io::stderr().is_terminal() && !plain,
            width: width.clamp(*WIDTHS.start(), *WIDTHS.end()),
        }
    }

    /// One line of the result.
    pub fn line(&self, text: impl Display) -> Result<(), Failure> {
        self.write(&format!("{text}\n"))
    }

    /// A piece of the result, shown at once.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::reader_gone(),
            _ => Failure::failed(format!("the result could not be written: {error}")),
        })
    }

    /// The result as one JSON document; indented for people, on one line for programs.
    pub fn document(&self, value: &Value) -> Result<(), Failure> {
        if self.terminal { self.line(format_args!("{value:#}")) } else { self.line(value) }
    }

    /// One JSON document of many, on its line.
    pub fn record(&self, value: &Value) -> Result<(), Failure> {
        self.line(value)
    }

    /// A word beside the result, on stderr.
    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    /// A table: the first row is the heading.
    pub fn table<const N: usize>(&self, heading: [&str; N], rows: &[[String; N]]) -> Result<(), Failure> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(heading);
        if self.terminal {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width);
        }
        for row in rows {
            table.add_row(row.to_vec());
        }
        for (index, line) in table.lines().enumerate() {
            let line = line.strip_prefix(' ').unwrap_or(&line).trim_end();
            if index == 0 { self.line(self.dim(line))? } else { self.line(line)? }
        }
        Ok(())
    }

    /// Characters that are left on a line behind so many; a file has room for more than a terminal.
    pub fn room(&self, taken: usize) -> usize {
        let width = if self.terminal { usize::from(self.width) } else { usize::from(*WIDTHS.end()) };
        width.saturating_sub(taken).max(20)
    }

    /// Grey.
    pub fn dim(&self, text: impl Display) -> String {
        self.paint("2", text)
    }

    /// Grey, for a note.
    pub fn dim_note(&self, text: impl Display) -> String {
        if self.styled_notes { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_string() }
    }

    /// Bold.
    pub fn bold(&self, text: impl Display) -> String {
        self.paint("1", text)
    }

    /// Green: it is as it should be.
    pub fn good(&self, text: impl Display) -> String {
        self.paint("32", text)
    }

    /// Yellow: look at it.
    pub fn odd(&self, text: impl Display) -> String {
        self.paint("33", text)
    }

    /// Red: it is not as it should be.
    pub fn bad(&self, text: impl Display) -> String {
        self.paint("31", text)
    }

    /// Cyan: a name.
    pub fn name(&self, text: impl Display) -> String {
        self.paint("36", text)
    }

    fn paint(&self, code: &str, text: impl Display) -> String {
        if self.styled { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }
}

/// An error, on stderr.
pub(super) fn say_error(message: &str, code: &str) {
    let code = if code.is_empty() { String::new() } else { format!(" [{code}]") };
    let styled = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let label = if styled { "\u{1b}[31merror\u{1b}[0m" } else { "error" };
    eprintln!("{label}: {message}{code}");
}
