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

    /// A text without the key: far sides quote what they were sent.
    pub fn hide_in(&self, text: &str) -> String {
        // A shorter key than any vendor's would blank out ordinary words.
        if self.0.len() < 6 { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}
