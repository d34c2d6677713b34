//! The name that the host gives a session which nobody named: the first words of the first input.
//!
//! It is recorded with that input, so no client sees the name change under it, and no model is asked. A name that a person
//! gave is never changed.

use super::submit::check_name;
use dispatch_events::{Part, StreamId};
use dispatch_projections::SessionState;

/// Words of a generated name at most (hermes-behaviour.md §1.9).
const WORDS: usize = 7;
/// Characters of one at most.
const CHARACTERS: usize = 60;
/// How many sessions of one name get a number.
const NUMBERED: u32 = 99;

/// Whether a session still has the name that it got for want of one, its id, and nothing was said in it yet.
pub fn is_wanted(state: &SessionState) -> bool {
    state.opened.is_some() && state.admissions.next_seq() == 1 && state.name == state.stream.to_string()
}

/// The names to try, the best first. None where the input has no words that can be a name.
pub fn candidates(parts: &[Part]) -> impl Iterator<Item = String> + use<> {
    let bare = bare(&Part::joined(parts));
    let numbered = bare.clone();
    bare.into_iter().chain((2..=NUMBERED).filter_map(move |number| Some(format!("{} ({number})", numbered.as_ref()?))))
}

fn bare(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let clean: String = line.chars().map(|c| if c.is_control() || matches!(c, '/' | '\\') { ' ' } else { c }).collect();
    let mut name = String::new();
    for word in clean.split_whitespace().take(WORDS) {
        let longer = if name.is_empty() { word.to_owned() } else { format!("{name} {word}") };
        if longer.chars().count() > CHARACTERS && !name.is_empty() {
            break;
        }
        name = longer.chars().take(CHARACTERS).collect();
    }
    let name = name.trim_end_matches(['.', ',', ';', ':', '!', '?']).trim().to_owned();
    (name.parse::<StreamId>().is_err() && check_name(&name).is_ok()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::table::{given, opened, queued};
    use dispatch_events::catalogue::session::SessionOpened;

    fn first(text: &str) -> Option<String> {
        candidates(&[Part::Text(text.to_owned())]).next()
    }

    #[test]
    fn a_name_is_the_first_words() {
        for (text, name) in [
            ("Plan the trip to Lisbon, please", "Plan the trip to Lisbon, please"),
            ("one two three four five six seven eight", "one two three four five six seven"),
            ("\n  What is in src/main.rs?\nand more", "What is in src main.rs"),
            ("tab\there", "tab here"),
            ("東京の天気はどうですか", "東京の天気はどうですか"),
        ] {
            assert_eq!(first(text).as_deref(), Some(name), "{text:?}");
        }
        assert_eq!(first(&"x".repeat(500)).map(|name| name.chars().count()), Some(60));
        for nothing in ["", "  \n ", "/", "...", "01900000-0000-7000-8000-000000000000"] {
            assert_eq!(first(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn the_next_ones_have_a_number() {
        let three: Vec<_> = candidates(&[Part::Text("hello".into())]).take(3).collect();
        assert_eq!(three, ["hello", "hello (2)", "hello (3)"]);
        assert_eq!(candidates(&[Part::Text("hello".into())]).count(), 99);
    }

    #[test]
    fn only_a_session_that_nobody_named_and_nobody_spoke_in_gets_one() {
        let unnamed = SessionOpened {
            name: StreamId::default().to_string(),
            route: None,
            source: "cli".into(),
            agent: "main".into(),
            parent: None,
            system: None,
        };
        assert!(is_wanted(&given([unnamed.clone().into()])));
        assert!(!is_wanted(&given([unnamed.into(), queued(1)])));
        assert!(!is_wanted(&given([opened()])));
        assert!(!is_wanted(&given([])));
    }
}
