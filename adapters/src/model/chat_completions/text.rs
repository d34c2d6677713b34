//! JSON strings that come in pieces.
//!
//! A vendor may cut a string between the two `\u` escapes of one character. Each piece is then half a character, which
//! no Rust string can hold and which an ordinary JSON reader refuses. So pieces are decoded here, and a half waits for
//! its other half.

use serde::de::{Deserializer, Visitor};
use std::fmt;

/// A text that grows by JSON string pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    text: String,
    half: Option<u16>,
}

/// A piece that can't be part of any text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a string holds half a character (a lone UTF-16 surrogate)")]
pub struct HalfCharacter;

impl Pieces {
    /// Appends a JSON string (with its quotes) and returns what the text gained.
    ///
    /// # Errors
    /// When the piece is no JSON string, or a half of a character stays alone.
    pub fn push(&mut self, json: &str) -> Result<&str, HalfCharacter> {
        let start = self.text.len();
        if self.half.is_none()
            && let Ok(piece) = serde_json::from_str::<std::borrow::Cow<'_, str>>(json)
        {
            self.text.push_str(&piece);
            return Ok(&self.text[start..]);
        }
        let bytes = lenient(json).ok_or(HalfCharacter)?;
        self.push_wtf8(&bytes)?;
        Ok(&self.text[start..])
    }

    /// Appends plain text.
    ///
    /// # Errors
    /// When a half of a character waits.
    pub fn push_text(&mut self, text: &str) -> Result<(), HalfCharacter> {
        if self.half.is_some() && !text.is_empty() {
            return Err(HalfCharacter);
        }
        self.text.push_str(text);
        Ok(())
    }

    /// What is there, without a half that waits.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The whole text.
    ///
    /// # Errors
    /// When the other half of a character never came.
    pub fn finish(self) -> Result<String, HalfCharacter> {
        if self.half.is_some() { Err(HalfCharacter) } else { Ok(self.text) }
    }

    /// Surrogates come as three bytes each (`ED A0..BF xx`), all else as UTF-8.
    fn push_wtf8(&mut self, bytes: &[u8]) -> Result<(), HalfCharacter> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if let Some(unit) = surrogate(rest) {
                rest = &rest[3..];
                match (self.half.take(), unit) {
                    (None, 0xD800..=0xDBFF) => self.half = Some(unit),
                    (Some(high), 0xDC00..=0xDFFF) => {
                        let decoded = char::decode_utf16([high, unit]).next();
                        self.text.push(decoded.and_then(Result::ok).ok_or(HalfCharacter)?);
                    }
                    _ => return Err(HalfCharacter),
                }
                continue;
            }
            if self.half.is_some() {
                return Err(HalfCharacter);
            }
            let end = (1..rest.len()).find(|&at| surrogate(&rest[at..]).is_some()).unwrap_or(rest.len());
            self.text.push_str(std::str::from_utf8(&rest[..end]).map_err(|_| HalfCharacter)?);
            rest = &rest[end..];
        }
        Ok(())
    }
}

fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xED, second @ 0xA0..=0xBF, third, ..] => {
            Some(0xD000 | (u16::from(*second & 0x3F) << 6) | u16::from(*third & 0x3F))
        }
        _ => None,
    }
}

/// Decodes a JSON string to bytes: read that way, serde_json lets lone surrogates through.
fn lenient(json: &str) -> Option<Vec<u8>> {
    struct Raw;
    impl Visitor<'_> for Raw {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            Ok(bytes.to_vec())
        }
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_bytes(Raw).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(pieces: &[&str]) -> Result<String, HalfCharacter> {
        let mut text = Pieces::default();
        for piece in pieces {
            text.push(piece)?;
        }
        text.finish()
    }

    #[test]
    fn halves_of_a_character_meet() {
        assert_eq!(join(&[r#""a\ud83d""#, r#""\ude42é""#]).unwrap(), "a🙂é");
        assert_eq!(join(&[r#""\ud83d\ude42""#, r#""\ud83d""#, r#""""#, r#""\ude42""#]).unwrap(), "🙂🙂");
    }

    #[test]
    fn a_half_that_stays_alone_is_an_error() {
        assert!(join(&[r#""\ud83d""#]).is_err());
        assert!(join(&[r#""\ud83d""#, r#""x""#]).is_err());
        assert!(join(&[r#""\ude42""#]).is_err());
    }
}
