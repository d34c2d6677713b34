//! Keys, which are never shown.

use std::fmt;

/// A vendor's key. `Debug` hides it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key without the white space that copying leaves around it; `None` if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| ApiKey(text.to_owned()))
    }

    /// The key itself, for the request that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// A text without the key: far sides quote what they were sent, whole, cut off, or with only its ends readable.
    pub fn hide_in(&self, text: &str) -> String {
        // A shorter key than any vendor's would blank out ordinary words.
        if self.0.len() < 6 {
            return text.to_owned();
        }
        let text = text.replace(&self.0, HIDDEN);
        let words = text.split_inclusive(char::is_whitespace).map(|word| {
            let bare = word.trim_matches(|c: char| c.is_whitespace() || "\"'`.,;:()[]<>{}".contains(c));
            if self.is_trace(bare) { word.replace(bare, HIDDEN) } else { word.to_owned() }
        });
        words.collect()
    }

    /// Whether a word is the key with its middle masked, or its beginning with the rest cut off.
    fn is_trace(&self, word: &str) -> bool {
        let begins = word.bytes().zip(self.0.bytes()).take_while(|(a, b)| a == b).count();
        let ends = word.bytes().rev().zip(self.0.bytes().rev()).take_while(|(a, b)| a == b).count();
        let masked = ["**", "...", "…", "xxx", "XXX", "••"].iter().any(|mask| word.contains(mask));
        begins >= CUT_OFF.min(self.0.len() - 1) || masked && (begins >= END || ends >= END)
    }
}

/// What stands in place of the key.
const HIDDEN: &str = "[key]";
/// So many of its first bytes are no ordinary word: vendors' own prefixes (`sk-proj-`, `sk-ant-`) are shorter.
const CUT_OFF: usize = 12;
/// So many bytes of an end beside a mask are the key's.
const END: usize = 3;

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}
