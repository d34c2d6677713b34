//! A memory file as entries: parts of a text between lines that hold only `§`.

/// Stands between two entries.
pub(super) const DELIMITER: &str = "\n§\n";

/// The entries of a file, trimmed, none empty, none twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entries {
    list: Vec<String>,
    text: String,
    round_trips: bool,
}

impl Entries {
    /// Reads a file; `None` if it is not UTF-8. A byte order mark and line ends of other systems are taken as an editor
    /// leaves them.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let parts: Vec<&str> = plain.split(DELIMITER).map(without_stray).filter(|part| !part.is_empty()).collect();
        let round_trips = parts.join(DELIMITER) == plain.trim();
        let mut entries = Self { list: Vec::new(), text: text.to_owned(), round_trips };
        for part in parts {
            entries.push(part.to_owned());
        }
        Some(entries)
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// The file's text as it was read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the entries, joined again, are the file (but for blanks around it).
    pub(super) fn round_trips(&self) -> bool {
        self.round_trips
    }

    pub(super) fn join(&self) -> String {
        self.list.join(DELIMITER)
    }

    /// Characters of the whole store, delimiters included.
    pub(super) fn chars(&self) -> usize {
        let delimiters = self.list.len().saturating_sub(1) * DELIMITER.chars().count();
        self.list.iter().map(|entry| entry.chars().count()).sum::<usize>() + delimiters
    }

    /// Adds an entry unless it is there; whether it was added.
    pub(super) fn push(&mut self, entry: String) -> bool {
        let new = !self.list.contains(&entry);
        if new {
            self.list.push(entry);
        }
        new
    }

    pub(super) fn remove(&mut self, at: usize) -> String {
        self.list.remove(at)
    }

    /// Puts another text in an entry's place; if the text is there already, the entry only goes.
    pub(super) fn replace(&mut self, at: usize, entry: String) -> bool {
        let elsewhere = self.list.iter().enumerate().any(|(index, other)| index != at && *other == entry);
        if elsewhere {
            self.list.remove(at);
        } else {
            self.list[at] = entry;
        }
        !elsewhere
    }
}

/// A part without blanks and without delimiter lines at its ends: next to another entry those would be read as delimiters.
fn without_stray(part: &str) -> &str {
    let mut part = part.trim();
    loop {
        let rest = part.strip_prefix("§\n").or_else(|| part.strip_suffix("\n§")).unwrap_or(part).trim();
        if rest.len() == part.len() {
            return if part == "§" { "" } else { part };
        }
        part = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(text: &str) -> Vec<String> {
        Entries::parse(text.as_bytes()).unwrap().list
    }

    #[test]
    fn a_file_is_split_trimmed_and_freed_of_repeats() {
        assert_eq!(list(""), [""; 0]);
        assert_eq!(list("  a \n§\n\n§\nb\nc\n§\n a\n"), ["a", "b\nc"]);
        assert_eq!(list("\u{feff}a\r\n§\r\nb"), ["a", "b"]);
        assert_eq!(list("a § b"), ["a § b"]);
        assert_eq!(list("§\na\n§\n§\nb\n§"), ["a", "b"]);
    }

    #[test]
    fn characters_count_with_their_delimiters() {
        for text in ["", "é", "é\n§\nbc", "a\n§\nb\n§\nc"] {
            assert_eq!(Entries::parse(text.as_bytes()).unwrap().chars(), text.chars().count(), "{text}");
        }
    }

    #[test]
    fn a_repeat_is_no_drift_and_stray_blanks_are() {
        for (text, clean) in [("a\n§\na", true), ("a\n§\nb\n", true), ("a\n§\n§\nb", false), ("a \n§\nb", false)] {
            assert_eq!(Entries::parse(text.as_bytes()).unwrap().round_trips(), clean, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn joined_entries_are_read_as_they_were(parts in proptest::collection::vec("[a-zé ]{1,8}(\n[a-z]{1,4})?", 0..6)) {
            let joined = Entries::parse(parts.join(DELIMITER).as_bytes()).unwrap().join();
            let again = Entries::parse(joined.as_bytes()).unwrap();
            prop_assert!(again.round_trips());
            prop_assert_eq!(again.join(), joined);
        }
    }
}
