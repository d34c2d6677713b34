//! JSON handled as text: strings are escaped once, everything else stays as it came.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::{fmt, marker::PhantomData};

/// Appends a JSON string.
pub fn push_string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).expect("a str is always valid JSON"));
}

/// The members of a JSON object as the text between its braces; empty for `{}` and for what is not an object.
pub fn members_text(object: &str) -> &str {
    object.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).map(str::trim).unwrap_or_default()
}

/// The members of a JSON object in their order, each value as the text that came. A map would lose the order and, for
/// a key that stands twice, one of the values.
#[derive(Clone, Debug, Default)]
pub struct Members<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ordered<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Ordered<'a> {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Ordered(PhantomData))
    }
}

/// The members of an object, or none if the text is not one.
pub fn members(object: &str) -> Option<Members<'_>> {
    serde_json::from_str(object).ok()
}
