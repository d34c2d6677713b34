//! How an answer travels, and what goes wrong on the way.

use std::time::Duration;

use serde_json::Value;

use super::answer::Answer;

/// The way an answer takes.
///
/// A *piece* is one frame with something in it: a chunk of text or reasoning, the head of a call, a fragment of its
/// arguments. The frame that opens the stream with the role is no piece. Counts above the number of pieces mean "after
/// the last one".
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    pub(super) before_headers: Duration,
    pub(super) after_headers: Duration,
    pub(super) between: Duration,
    /// A wait after so many pieces.
    pub(super) stall: Option<(usize, Duration)>,
    pub(super) ending: Ending,
    pub(super) crlf: bool,
    pub(super) comment: Option<String>,
    /// One byte per write, with this wait behind each.
    pub(super) trickle: Option<Duration>,
}

/// How the stream ends.
#[derive(Clone, Debug, Default)]
pub(super) enum Ending {
    /// Finish reason, usage, `[DONE]`.
    #[default]
    Complete,
    /// Finish reason and usage, then a clean end.
    WithoutDone,
    /// A clean end after so many pieces.
    CleanAfter(usize),
    /// The connection closes after so many pieces, in the middle of the body.
    CutAfter(usize),
    /// An error object after so many pieces, then a clean end.
    ErrorAfter(usize, String),
}

impl Ending {
    /// After how many pieces the stream stops; none if it comes to its natural end.
    pub(super) fn stops_after(&self) -> Option<usize> {
        match self {
            Self::Complete | Self::WithoutDone => None,
            Self::CleanAfter(pieces) | Self::CutAfter(pieces) | Self::ErrorAfter(pieces, _) => Some(*pieces),
        }
    }
}

impl Answer {
    /// Sends the head, then waits.
    pub fn stall_after_headers(mut self, length: Duration) -> Self {
        self.delivery.after_headers = length;
        self
    }

    /// Waits once, after so many pieces.
    pub fn stall_after(mut self, pieces: usize, length: Duration) -> Self {
        self.delivery.stall = Some((pieces, length));
        self
    }

    /// Waits between all pieces (raw pieces too).
    pub fn pause_between(mut self, length: Duration) -> Self {
        self.delivery.between = length;
        self
    }

    /// Closes the connection after so many pieces, in the middle of the body. A whole body is cut in half.
    pub fn cut_after(mut self, pieces: usize) -> Self {
        self.delivery.ending = Ending::CutAfter(pieces);
        self
    }

    /// Ends the stream cleanly after so many pieces: no finish reason, no `[DONE]`.
    pub fn ends_after(mut self, pieces: usize) -> Self {
        self.delivery.ending = Ending::CleanAfter(pieces);
        self
    }

    /// Ends the stream with its finish reason and without `[DONE]`.
    pub fn without_done(mut self) -> Self {
        self.delivery.ending = Ending::WithoutDone;
        self
    }

    /// Puts an `error` object into the stream, which began with status 200, after so many pieces.
    pub fn error_after(mut self, pieces: usize, error: &Value) -> Self {
        self.delivery.ending = Ending::ErrorAfter(pieces, serde_json::json!({ "error": error }).to_string());
        self
    }

    /// Ends lines with CR LF.
    pub fn crlf(mut self) -> Self {
        self.delivery.crlf = true;
        self
    }

    /// Puts a comment in front of every frame.
    pub fn comments(mut self, text: impl Into<String>) -> Self {
        self.delivery.comment = Some(text.into());
        self
    }

    /// Sends the body one byte per write, with this wait behind each (zero is allowed).
    pub fn byte_by_byte(mut self, wait: Duration) -> Self {
        self.delivery.trickle = Some(wait);
        self
    }
}
