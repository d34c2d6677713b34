//! The exact text of the parts of a request body.
//!
//! "The same bytes" is a claim about text, not about values: two bodies that parse to equal values may still miss the
//! provider's prompt cache. So nothing here is re-serialised; every part is a slice of what came over the wire.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Messages<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

/// The exact text of each element of the `messages` array.
///
/// # Panics
/// If the body is not JSON with a `messages` array.
pub fn message_elements(body: &[u8]) -> Vec<String> {
    let parsed: Messages<'_> = parse(body);
    parsed.messages.iter().map(|element| element.get().to_owned()).collect()
}

/// The exact text of one top-level field, for example `tools`; none if the body lacks it.
///
/// # Panics
/// If the body is not a JSON object.
pub fn raw_field(body: &[u8], name: &str) -> Option<String> {
    let fields: BTreeMap<Cow<'_, str>, &RawValue> = parse(body);
    fields.get(name).map(|value| value.get().to_owned())
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> T {
    serde_json::from_slice(body)
        .unwrap_or_else(|why| panic!("this is no request body: {why}\n{}", String::from_utf8_lossy(body)))
}

/// SHA-256 in lower-case hex.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
        hex
    })
}

/// SHA-256 of the exact text of each message.
///
/// # Panics
/// As [`message_elements`].
pub fn digests(body: &[u8]) -> Vec<String> {
    message_elements(body).iter().map(sha256).collect()
}

/// The index of the first message of `earlier` that `later` does not repeat byte for byte; none if `later` extends
/// `earlier`.
///
/// # Panics
/// As [`message_elements`].
pub fn first_difference(earlier: &[u8], later: &[u8]) -> Option<usize> {
    let later = message_elements(later);
    message_elements(earlier).iter().enumerate().find(|(at, text)| later.get(*at) != Some(text)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] =
        br#"{"model":"m", "messages": [ {"role" : "user","content":"\u65e5 1.0"} ,{"b":1,"a":1.50}],"tools":[ 1,2 ]}"#;

    #[test]
    fn elements_are_the_text_that_was_sent() {
        assert_eq!(message_elements(BODY), [r#"{"role" : "user","content":"\u65e5 1.0"}"#, r#"{"b":1,"a":1.50}"#]);
        assert_eq!(raw_field(BODY, "tools").as_deref(), Some("[ 1,2 ]"));
        assert_eq!(raw_field(BODY, "seed"), None);
    }

    #[test]
    fn equal_values_with_other_text_have_other_digests() {
        let other = BODY.to_vec();
        let other = String::from_utf8(other).unwrap().replace("1.50", "1.5");
        assert_eq!(digests(BODY)[0], digests(other.as_bytes())[0]);
        assert_ne!(digests(BODY)[1], digests(other.as_bytes())[1]);
        assert_eq!(first_difference(BODY, other.as_bytes()), Some(1));
    }

    #[test]
    fn a_longer_body_extends_and_a_shorter_one_does_not() {
        let longer = br#"{"messages":[1,2,3]}"#;
        let shorter = br#"{"messages":[1,2]}"#;
        assert_eq!(first_difference(shorter, longer), None);
        assert_eq!(first_difference(longer, shorter), Some(2));
    }

    #[test]
    fn the_digest_is_the_published_one() {
        assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
