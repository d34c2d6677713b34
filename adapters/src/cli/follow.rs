//! A turn as it happens, until its input is settled.
//!
//! Deltas are provisional: they are shown as they come, and what is recorded decides. A repeated request starts its text
//! again; the reader is told. [`Telling`] is a fold of what is seen, without input or output.

use super::{
    door::watch::{Seen, Watch},
    exit::Failure,
    paper::words::{at, list, number},
};
use serde_json::Value;

/// How an input ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// `completed`, `interrupted`, `rejected`, `failed`, or `unknown` when the session pauses.
    pub outcome: String,
    /// Why it failed or was stopped, in words.
    pub why: Option<String>,
    /// The turn that carried it.
    pub turn: Option<String>,
    /// The last answer, in clean text.
    pub answer: String,
}

/// What a person is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// The turn of the input has begun: its id.
    Begun(String),
    /// The next piece of text.
    Text(String),
    /// A message is whole.
    Whole,
    /// A tool is about to run: its name and its arguments.
    Tool(String, String),
    /// A word of the host.
    Notice(String),
    /// The input is settled.
    Settled(Ending),
}

/// Shows an input's turn until it is settled.
///
/// # Errors
/// When the line to the host ends before.
pub async fn to_the_end(
    watch: &mut Watch,
    telling: &mut Telling,
    show: &mut impl FnMut(&Sight) -> Result<(), Failure>,
) -> Result<Ending, Failure> {
    while let Some(seen) = watch.next().await {
        for sight in telling.see(&seen?) {
            show(&sight)?;
            if let Sight::Settled(ending) = sight {
                return Ok(ending);
            }
        }
    }
    Err(Failure::failed("the host stopped before the turn was done: it is in the log, and goes on at the next start"))
}

/// The story of one input.
#[derive(Debug)]
pub struct Telling {
    admission: String,
    /// Whether the input waits in the queue, where it can be stuck behind another one.
    waits: bool,
    /// The session's version when the receipt was given; zero for one that is unknown.
    as_of: u64,
    turn: Option<String>,
    /// Whether it was put into a turn that ran already: its story ends with that turn.
    steered: bool,
    attempt: u64,
    shown: String,
    ending: Ending,
}

impl Telling {
    /// The story of the input of a receipt.
    pub fn of(receipt: &Value) -> Self {
        Self {
            admission: at(receipt, "admission"),
            waits: receipt["state"] == "queued",
            as_of: if receipt["state"] == "unknown" { 0 } else { number(receipt, "as_of") },
            turn: None,
            steered: false,
            attempt: 0,
            shown: String::new(),
            ending: Ending::default(),
        }
    }

    /// Takes the next thing that was seen, and says what to show.
    pub fn see(&mut self, seen: &Seen) -> Vec<Sight> {
        match seen {
            Seen::Delta(delta) if self.is_ours(delta) => self.delta(delta),
            Seen::Broken(broken) if self.is_ours(broken) => {
                let ending = Ending {
                    outcome: "failed".to_owned(),
                    why: Some(at(broken, "message")),
                    turn: self.turn.clone(),
                    answer: String::new(),
                };
                vec![Sight::Settled(ending)]
            }
            // What was unknown before the receipt was given, and is not any more, is past.
            Seen::Event(event) if event["type"] == "input.unknown" && number(event, "version") <= self.as_of => {
                Vec::new()
            }
            Seen::Event(event) => self.event(&at(event, "type"), &event["payload"]),
            _ => Vec::new(),
        }
    }

    fn is_ours(&self, value: &Value) -> bool {
        self.turn.as_deref().is_some_and(|turn| value["turn"] == turn)
    }

    fn delta(&mut self, delta: &Value) -> Vec<Sight> {
        let mut sights = self.attempt(number(delta, "attempt"));
        let text = at(delta, "text");
        self.shown.push_str(&text);
        sights.push(Sight::Text(text));
        sights
    }

    /// Text of another attempt than the one that was shown starts anew.
    fn attempt(&mut self, attempt: u64) -> Vec<Sight> {
        let again = attempt != self.attempt && !self.shown.is_empty();
        self.attempt = attempt;
        if !again {
            return Vec::new();
        }
        self.shown.clear();
        vec![Sight::Whole, Sight::Notice("the answer broke off and starts again".to_owned())]
    }

    fn event(&mut self, kind: &str, payload: &Value) -> Vec<Sight> {
        let admission = payload["admission"] == self.admission.as_str();
        match kind {
            "input.started" if admission => {
                self.waits = false;
                self.turn = Some(at(payload, "turn"));
                self.ending.turn.clone_from(&self.turn);
                vec![Sight::Begun(at(payload, "turn"))]
            }
            "turn.steered" if admission => {
                self.waits = false;
                self.steered = true;
                self.turn = Some(at(payload, "turn"));
                self.ending.turn.clone_from(&self.turn);
                vec![Sight::Begun(at(payload, "turn"))]
            }
            // Delivered; the answer is the turn's.
            "input.settled" if admission && self.steered => Vec::new(),
            "input.requeued" if admission => {
                self.waits = true;
                vec![Sight::Notice(format!("queued again: {}", at(payload, "why")))]
            }
            "input.unknown" if admission || self.waits => vec![self.settled("unknown", Some(at(payload, "why")))],
            "input.cancelled" if admission => vec![self.settled("cancelled", None)],
            "input.settled" if admission => {
                let outcome = at(payload, "outcome").to_lowercase();
                vec![self.settled(&outcome, Some(at(payload, "why")).filter(|why| !why.is_empty()))]
            }
            _ if !self.is_ours(payload) => Vec::new(),
            "message.recorded" => self.message(&payload["message"]["Assistant"]),
            "model.failed" if at(payload, "action") == "retry" => {
                vec![Sight::Notice(format!("{} (trying again)", at(payload, "message")))]
            }
            "turn.completed" if self.steered => vec![self.settled("completed", None)],
            "turn.failed" => self.over("failed", at(payload, "message")),
            "turn.interrupted" => self.over("interrupted", at(payload, "why")),
            _ => Vec::new(),
        }
    }

    /// The turn has no answer. The input's own end follows, unless it was settled before.
    fn over(&mut self, outcome: &str, why: String) -> Vec<Sight> {
        if self.steered {
            return vec![self.settled(outcome, Some(why))];
        }
        self.ending.why = Some(why);
        Vec::new()
    }

    fn settled(&mut self, outcome: &str, why: Option<String>) -> Sight {
        outcome.clone_into(&mut self.ending.outcome);
        if why.is_some() {
            self.ending.why = why;
        }
        Sight::Settled(self.ending.clone())
    }

    fn message(&mut self, said: &Value) -> Vec<Sight> {
        if !said.is_object() {
            return Vec::new();
        }
        let texts: Vec<String> = list(said, "parts").iter().map(|part| at(part, "Text")).collect();
        let whole = texts.join("\n");
        let mut sights = Vec::new();
        let shown = std::mem::take(&mut self.shown);
        match whole.strip_prefix(&shown) {
            Some("") => {}
            Some(rest) => sights.push(Sight::Text(rest.to_owned())),
            None => sights.extend([Sight::Whole, Sight::Text(whole.clone())]),
        }
        if !whole.is_empty() {
            sights.push(Sight::Whole);
        }
        for call in list(said, "calls") {
            sights.push(Sight::Tool(at(call, "tool"), at(call, "arguments")));
        }
        self.ending.answer = whole;
        sights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(kind: &str, payload: Value) -> Seen {
        Seen::Event(json!({"type": kind, "payload": payload, "version": 9}))
    }

    fn delta(attempt: u64, text: &str) -> Seen {
        Seen::Delta(json!({"turn": "t", "attempt": attempt, "text": text}))
    }

    fn answer(text: &str) -> Seen {
        let said = json!({"Assistant": {"parts": [{"Text": text}], "calls": []}});
        event("message.recorded", json!({"turn": "t", "message": said}))
    }

    /// What a terminal shows, `|` for the end of a message.
    fn told(seen: &[Seen]) -> (String, Option<Ending>) {
        let mut telling = Telling::of(&json!({"admission": "a", "state": "queued"}));
        let (mut text, mut ending) = (String::new(), None);
        for sight in seen.iter().flat_map(|seen| telling.see(seen)) {
            match sight {
                Sight::Text(piece) => text.push_str(&piece),
                Sight::Whole => text.push('|'),
                Sight::Settled(settled) => ending = Some(settled),
                Sight::Notice(_) => text.push('!'),
                Sight::Begun(_) | Sight::Tool(..) => {}
            }
        }
        (text, ending)
    }

    #[test]
    fn text_is_shown_once_whether_it_streamed_or_not() {
        let begin = event("input.started", json!({"admission": "a", "turn": "t"}));
        let end = event("input.settled", json!({"admission": "a", "outcome": "Completed"}));
        for (middle, expected) in [
            (vec![delta(1, "Hel"), delta(1, "lo"), answer("Hello")], "Hello|"),
            (vec![answer("Hello")], "Hello|"),
            (vec![delta(1, "Hel"), answer("Hello")], "Hello|"),
            (vec![delta(1, "Hel"), delta(2, "Hello"), answer("Hello")], "Hel|!Hello|"),
            (vec![delta(1, "<x>Hel"), answer("Hello")], "<x>Hel|Hello|"),
        ] {
            let seen: Vec<Seen> = [begin.clone()].into_iter().chain(middle).chain([end.clone()]).collect();
            let (text, ending) = told(&seen);
            assert_eq!(text, expected);
            let ending = ending.unwrap();
            assert_eq!((ending.outcome.as_str(), ending.answer.as_str()), ("completed", "Hello"));
        }
    }

    #[test]
    fn another_turn_of_the_session_is_another_story() {
        let (text, ending) = told(&[
            event("input.started", json!({"admission": "a", "turn": "t"})),
            Seen::Delta(json!({"turn": "other", "attempt": 1, "text": "no"})),
            event("input.settled", json!({"admission": "b", "outcome": "Completed"})),
        ]);
        assert_eq!((text.as_str(), ending), ("", None));
    }

    #[test]
    fn an_input_behind_one_whose_outcome_is_unknown_does_not_wait_for_ever() {
        let unknown = || event("input.unknown", json!({"admission": "b", "why": "a tool ran"}));
        let (_, ending) = told(&[unknown()]);
        let ending = ending.unwrap();
        assert_eq!((ending.outcome.as_str(), ending.why.as_deref()), ("unknown", Some("a tool ran")));
        // What an input finds of others while its own turn runs is over.
        assert_eq!(told(&[event("input.started", json!({"admission": "a", "turn": "t"})), unknown()]).1, None);
    }

    #[test]
    fn a_failure_says_why() {
        let (_, ending) = told(&[
            event("input.started", json!({"admission": "a", "turn": "t"})),
            event("turn.failed", json!({"turn": "t", "code": "model_failed", "message": "no key"})),
            event("input.settled", json!({"admission": "a", "outcome": "Failed"})),
        ]);
        let ending = ending.unwrap();
        assert_eq!((ending.outcome.as_str(), ending.why.as_deref()), ("failed", Some("no key")));
    }

    #[test]
    fn an_input_that_was_put_into_a_turn_ends_with_that_turn() {
        let steered = |end: Seen| {
            let into = event("turn.steered", json!({"admission": "a", "turn": "t"}));
            let delivered = event("input.settled", json!({"admission": "a", "outcome": "Completed"}));
            told(&[into, delivered, answer("Done as you said"), end])
        };
        let (text, ending) = steered(event("turn.completed", json!({"turn": "t"})));
        assert_eq!(text, "Done as you said|");
        let ending = ending.unwrap();
        assert_eq!((ending.outcome.as_str(), ending.answer.as_str()), ("completed", "Done as you said"));
        let (_, ending) = steered(event("turn.interrupted", json!({"turn": "t", "why": "by somebody"})));
        let ending = ending.unwrap();
        assert_eq!((ending.outcome.as_str(), ending.why.as_deref()), ("interrupted", Some("by somebody")));
        let (_, ending) = steered(event("turn.completed", json!({"turn": "another"})));
        assert_eq!(ending, None);
    }
}
