//! Takes a frame that a model repeats out of its answer, while the answer streams in pieces of any size.

use super::{CLOSE, OPEN};

/// Blanks that may stand between an opening tag and its newline.
const TRAILING_BLANKS: usize = 64;

/// Takes frames out of a stream.
///
/// An opening tag counts only where nothing but blanks stands before it on its line, and a newline behind it; so a
/// sentence about the tag passes. What could still become a tag is held back until it is one or is not. A frame that
/// never ends is left out to the end.
#[derive(Clone, Debug)]
pub struct Scrubber {
    state: State,
    /// What could be the start of an opening tag.
    held: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing but blanks on this line so far.
    LineStart,
    /// Behind other text on the line.
    InLine,
    /// In the frame; so many characters of the closing tag have come.
    Inside(usize),
    /// Right behind a frame: one newline belongs to it.
    Behind,
}

impl Default for Scrubber {
    fn default() -> Self {
        Self { state: State::LineStart, held: String::new() }
    }
}

impl Scrubber {
    /// Takes the next piece of the stream and gives what may be shown.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len() + self.held.len());
        for c in piece.chars() {
            self.take(c, &mut out);
        }
        out
    }

    /// The stream is over: gives what was held back and became no tag.
    pub fn finish(&mut self) -> String {
        self.state = State::LineStart;
        std::mem::take(&mut self.held)
    }

    fn take(&mut self, c: char, out: &mut String) {
        match self.state {
            State::Inside(matched) => self.state = closing(matched, c),
            State::Behind if c == '\n' => self.state = State::LineStart,
            State::Behind if c == '\r' => {}
            State::Behind => {
                self.state = State::LineStart;
                self.take(c, out);
            }
            State::InLine => {
                out.push(c);
                self.see_shown(c);
            }
            State::LineStart => self.line_start(c, out),
        }
    }

    fn line_start(&mut self, c: char, out: &mut String) {
        match after_held(&self.held, c) {
            Held::Tag => {
                self.held.clear();
                self.state = State::Inside(0);
            }
            Held::Maybe => self.held.push(c),
            Held::No if self.held.is_empty() => {
                out.push(c);
                self.see_shown(c);
            }
            Held::No => {
                // A false start: it is shown, and `c` is looked at as what follows it.
                out.push_str(&std::mem::take(&mut self.held));
                self.state = State::InLine;
                self.take(c, out);
            }
        }
    }

    fn see_shown(&mut self, c: char) {
        self.state = match c {
            '\n' => State::LineStart,
            ' ' | '\t' | '\r' if self.state == State::LineStart => State::LineStart,
            _ => State::InLine,
        };
    }
}

enum Held {
    Maybe,
    Tag,
    No,
}

fn after_held(held: &str, c: char) -> Held {
    if held.len() < OPEN.len() {
        let expected = char::from(OPEN.as_bytes()[held.len()]);
        return if c.eq_ignore_ascii_case(&expected) { Held::Maybe } else { Held::No };
    }
    match c {
        '\n' => Held::Tag,
        ' ' | '\t' | '\r' if held.len() < OPEN.len() + TRAILING_BLANKS => Held::Maybe,
        _ => Held::No,
    }
}

fn closing(matched: usize, c: char) -> State {
    if c.eq_ignore_ascii_case(&char::from(CLOSE.as_bytes()[matched])) {
        let matched = matched + 1;
        return if matched == CLOSE.len() { State::Behind } else { State::Inside(matched) };
    }
    // `<` stands only at the tag's start, so it is the one place where a new attempt can begin.
    State::Inside(usize::from(c == '<'))
}

/// A whole text without frames.
pub fn scrubbed_output(text: &str) -> String {
    let mut scrubber = Scrubber::default();
    let mut out = scrubber.push(text);
    out.push_str(&scrubber.finish());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CASES: &[(&str, &str)] = &[
        ("plain\ntext", "plain\ntext"),
        ("<memory-context>\nsecret\n</memory-context>\nanswer", "answer"),
        ("a\n<memory-context>\nsecret</memory-context>\nb", "a\nb"),
        ("a\n  <MEMORY-context> \r\nsecret</Memory-Context>b", "a\n  b"),
        ("the tag <memory-context>\nstays", "the tag <memory-context>\nstays"),
        ("<memory-context> stays", "<memory-context> stays"),
        ("<memory-context>", "<memory-context>"),
        ("<memory-con", "<memory-con"),
        ("<memory\n<memory-context>\nx</memory-context>\ny", "<memory\ny"),
        ("<<memory-context>\nstays", "<<memory-context>\nstays"),
        ("a\n<memory-context>\nnever ends", "a\n"),
        ("<memory-context>\n<</memory-context>\nb", "b"),
        ("<memory-context>\na</memory-context>\n<memory-context>\nb</memory-context>\nc", "c"),
        ("stray </memory-context> stays", "stray </memory-context> stays"),
        ("日本語\n<memory-context>\n秘密</memory-context>\n答え", "日本語\n答え"),
    ];

    #[test]
    fn frames_go_and_the_rest_stays() {
        for (text, left) in CASES {
            assert_eq!(scrubbed_output(text), *left, "{text:?}");
        }
    }

    #[test]
    fn every_cut_gives_the_same() {
        for (text, left) in CASES {
            for first in 0..=text.len() {
                for second in first..=text.len() {
                    if !text.is_char_boundary(first) || !text.is_char_boundary(second) {
                        continue;
                    }
                    let mut scrubber = Scrubber::default();
                    let mut out = scrubber.push(&text[..first]);
                    out += &scrubber.push(&text[first..second]);
                    out += &scrubber.push(&text[second..]);
                    out += &scrubber.finish();
                    assert_eq!(out, *left, "{text:?} cut at {first} and {second}");
                }
            }
        }
    }

    #[test]
    fn what_can_be_no_tag_is_not_held_back() {
        let mut scrubber = Scrubber::default();
        assert_eq!(scrubber.push("a < b, <p"), "a < b, <p");
        assert_eq!(scrubber.push("\n<mem"), "\n");
        assert_eq!(scrubber.push("o"), "");
        assert_eq!(scrubber.push("!"), "<memo!");
    }

    proptest! {
        #[test]
        fn text_without_a_tag_passes_whole(text in "[a-z<>/ \n-]{0,60}") {
            prop_assume!(!text.contains(OPEN));
            prop_assert_eq!(scrubbed_output(&text), text);
        }
    }
}
