//! Lines of one page, numbered; the rest is only counted.

use std::fmt::Write;

/// Characters of a page, numbers included (hermes-behaviour.md §4.3); room for the note is kept.
const PAGE_CHARS: usize = 99_000;
/// Characters of one line.
const LINE_CHARS: usize = 2000;

pub(super) struct Page {
    first: u64,
    /// Behind the last line that is wanted.
    end: u64,
    number: u64,
    line: String,
    /// Characters of the current line.
    length: u64,
    text: String,
    chars: usize,
    /// The first line that found no room.
    full_at: Option<u64>,
    /// Whether a `\r` waits to be the first half of a line's end.
    carriage: bool,
}

impl Page {
    pub(super) fn new(first: u64, limit: u64) -> Self {
        let end = first.saturating_add(limit);
        let (line, text) = (String::new(), String::new());
        Self { first, end, number: 1, line, length: 0, text, chars: 0, full_at: None, carriage: false }
    }

    pub(super) fn take(&mut self, c: char) {
        if c == '\n' {
            self.carriage = false;
            self.close_line();
            return;
        }
        if std::mem::replace(&mut self.carriage, c == '\r') {
            self.put('\r');
        }
        if c != '\r' {
            self.put(c);
        }
    }

    fn put(&mut self, c: char) {
        self.length += 1;
        if self.wanted() && self.length <= LINE_CHARS as u64 {
            // A control character could reach a terminal, or end a request early.
            self.line.push(if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c });
        }
    }

    fn wanted(&self) -> bool {
        self.number >= self.first && self.number < self.end && self.full_at.is_none()
    }

    fn close_line(&mut self) {
        if self.wanted() {
            let mut line = format!("{}|{}", self.number, self.line);
            if let Some(more) = self.length.checked_sub(LINE_CHARS as u64).filter(|more| *more > 0) {
                // Writing to a String does not fail.
                let _infallible = write!(line, " [{more} more characters]");
            }
            line.push('\n');
            let chars = line.chars().count();
            if self.chars + chars > PAGE_CHARS {
                self.full_at = Some(self.number);
            } else {
                self.chars += chars;
                self.text.push_str(&line);
            }
        }
        self.line.clear();
        self.length = 0;
        self.number += 1;
    }

    /// The page, with a note where it is not the whole file. `unread` says that the scan stopped before the end.
    pub(super) fn finish(mut self, shown: &str, unread: bool) -> Result<String, String> {
        if self.carriage {
            self.put('\r');
        }
        if self.length > 0 {
            self.close_line();
        }
        let total = self.number - 1;
        let at_least = if unread { "at least " } else { "" };
        if total == 0 {
            return Ok(format!("[`{shown}` is empty]"));
        }
        if self.first > total {
            return Err(format!("`{shown}` has {at_least}{total} lines; `offset` {} is behind them", self.first));
        }
        let next = self.full_at.unwrap_or(self.end).min(total + 1);
        if self.first > 1 || next <= total || unread {
            let more = if next <= total { format!("; go on with offset={next}") } else { String::new() };
            let last = next - 1;
            self.text.push_str(&format!("[lines {} to {last} of {at_least}{total} in `{shown}`{more}]\n", self.first));
        }
        Ok(self.text)
    }
}
