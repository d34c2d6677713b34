//! Which part of an answer has left already, and what has to follow so that it is complete.
//!
//! What left can't be taken back. So text of a repeated attempt is sent only from where it goes beyond what the reader
//! has, and when the message is recorded, what is missing of it follows. Should the record begin differently (an attempt
//! was void, or live text was lost on the way), it follows whole, in a paragraph of its own.

/// The text that left.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Of the message that comes in.
    sent: String,
    /// Bytes of `sent` that the current attempt has said again.
    matched: usize,
    /// The current attempt.
    attempt: u32,
    /// The current attempt says something else than `sent`, so nothing of it goes out before the record.
    astray: bool,
    /// An earlier message of the turn had text.
    earlier: bool,
}

impl Shown {
    /// A piece of live text with the bytes before it; gives what leaves. Once a piece is missing, nothing of the attempt
    /// leaves before the record.
    pub fn delta(&mut self, attempt: u32, at: u64, text: &str) -> Option<String> {
        if attempt != self.attempt {
            self.astray = false;
            self.attempt = attempt;
            self.matched = 0;
        }
        self.astray |= at != self.matched as u64;
        if self.astray || text.is_empty() {
            return None;
        }
        let again = &self.sent[self.matched..];
        if let Some(new) = text.strip_prefix(again) {
            self.matched = self.sent.len() + new.len();
            return self.leave(new);
        }
        if again.starts_with(text) {
            self.matched += text.len();
        } else {
            self.astray = true;
        }
        None
    }

    /// The message is recorded; gives what is missing of it.
    pub fn recorded(&mut self, text: &str) -> Option<String> {
        let left = match text.strip_prefix(self.sent.as_str()) {
            Some(missing) => self.leave(missing),
            None => {
                self.earlier = true;
                self.sent.clear();
                self.leave(text)
            }
        };
        self.earlier |= !text.is_empty();
        self.sent.clear();
        self.matched = 0;
        self.astray = false;
        left
    }

    fn leave(&mut self, new: &str) -> Option<String> {
        if new.is_empty() {
            return None;
        }
        let first = self.sent.is_empty() && self.earlier;
        self.sent.push_str(new);
        Some(if first { format!("\n\n{new}") } else { new.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Step {
        Delta(u32, u64, &'static str),
        Recorded(&'static str),
    }
    use Step::{Delta, Recorded};

    fn check(mut shown: Shown, steps: &[Step], expected: &[Option<&str>]) {
        let left: Vec<_> = steps
            .iter()
            .map(|step| match step {
                Delta(attempt, at, text) => shown.delta(*attempt, *at, text),
                Recorded(text) => shown.recorded(text),
            })
            .collect();
        let left: Vec<_> = left.iter().map(Option::as_deref).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn live_text_leaves_at_once_and_the_record_adds_nothing() {
        let steps = [Delta(1, 0, "He"), Delta(1, 2, "llo"), Recorded("Hello")];
        check(Shown::default(), &steps, &[Some("He"), Some("llo"), None]);
    }

    #[test]
    fn what_was_missed_follows_with_the_record() {
        check(Shown::default(), &[Delta(1, 0, "He"), Recorded("Hello")], &[Some("He"), Some("llo")]);
        check(Shown::default(), &[Recorded("Hello")], &[Some("Hello")]);
    }

    #[test]
    fn a_second_attempt_is_shown_from_where_it_goes_beyond_the_first() {
        let steps =
            [Delta(1, 0, "Hell"), Delta(2, 0, "He"), Delta(2, 2, "llo"), Delta(2, 5, " you"), Recorded("Hello you")];
        check(Shown::default(), &steps, &[Some("Hell"), None, Some("o"), Some(" you"), None]);
    }

    #[test]
    fn an_attempt_that_says_something_else_is_held_back_and_then_whole() {
        let steps = [Delta(1, 0, "Hell"), Delta(2, 0, "Good"), Delta(2, 4, " day"), Recorded("Good day")];
        check(Shown::default(), &steps, &[Some("Hell"), None, None, Some("\n\nGood day")]);
    }

    #[test]
    fn a_third_attempt_may_match_again() {
        let steps = [Delta(1, 0, "Hell"), Delta(2, 0, "Good"), Delta(3, 0, "Hello"), Recorded("Hello")];
        check(Shown::default(), &steps, &[Some("Hell"), None, Some("o"), None]);
    }

    #[test]
    fn messages_of_a_turn_are_paragraphs() {
        let steps =
            [Delta(1, 0, "I look."), Recorded("I look."), Delta(2, 0, "Fo"), Delta(2, 2, "und."), Recorded("Found.")];
        check(Shown::default(), &steps, &[Some("I look."), None, Some("\n\nFo"), Some("und."), None]);
        let silent = [Recorded(""), Delta(2, 0, "Found."), Recorded("Found.")];
        check(Shown::default(), &silent, &[None, Some("Found."), None]);
    }

    #[test]
    fn whoever_missed_a_piece_gets_the_rest_with_the_record() {
        let late = [Delta(3, 2, "llo"), Delta(3, 5, "!"), Recorded("Hello!"), Delta(4, 0, "And")];
        check(Shown::default(), &late, &[None, None, Some("Hello!"), Some("\n\nAnd")]);
        let gap = [Delta(3, 0, "He"), Delta(3, 4, "o"), Recorded("Hello")];
        check(Shown::default(), &gap, &[Some("He"), None, Some("llo")]);
        let again = [Delta(3, 2, "llo"), Delta(4, 0, "Hello"), Recorded("Hello")];
        check(Shown::default(), &again, &[None, Some("Hello"), None]);
    }
}
