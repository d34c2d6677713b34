//! The one module that knows bincode.
//!
//! bincode is not self-describing: a payload can be read only as the type and schema version that its header names.
//! It also writes some shapes that it can't read back (`flatten`, `untagged`, `serde_json::Value`), so [`encode`] reads
//! back what it wrote before anybody stores it.

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::{Serialize, de::DeserializeOwned};

/// The codec id that a header carries for payloads written here: bincode 2, varint, little endian.
pub const BINCODE_2: u8 = 1;

/// Largest payload in bytes that is written or read (16 MiB): a bound on what a damaged length can claim.
pub const PAYLOAD_LIMIT: usize = 16 * 1024 * 1024;

const CONFIG: Configuration<LittleEndian, Varint, Limit<PAYLOAD_LIMIT>> =
    bincode::config::standard().with_limit::<PAYLOAD_LIMIT>();

/// Largest state in bytes that a snapshot holds (256 MiB). A session above it is replayed.
pub const STATE_LIMIT: usize = 256 * 1024 * 1024;

const STATE_CONFIG: Configuration<LittleEndian, Varint, Limit<STATE_LIMIT>> =
    bincode::config::standard().with_limit::<STATE_LIMIT>();

/// Why a payload could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The value does not fit in [`PAYLOAD_LIMIT`]: refuse the input that it came from.
    #[error("the payload is larger than {PAYLOAD_LIMIT} bytes, or holds a value that can't be written: {0}")]
    Encode(String),
    /// What was written is not what would be read: a fault of the event's type, nothing was stored.
    #[error("the payload can't be read back as it was written; nothing was stored")]
    NotReadable,
    /// The bytes are not a value of this type: the record is damaged or of another build.
    #[error("the payload can't be decoded: {0}")]
    Decode(String),
    /// Bytes were left over: the record is damaged or of another build.
    #[error("the payload has {0} bytes too many")]
    Trailing(usize),
}

/// The bytes of a value, read back and compared before they are returned.
///
/// # Errors
/// [`CodecError::Encode`] above the limit, [`CodecError::NotReadable`] where reading would not give the value back.
pub fn encode<T: Serialize + DeserializeOwned + PartialEq>(value: &T) -> Result<Vec<u8>, CodecError> {
    let bytes = bincode::serde::encode_to_vec(value, CONFIG).map_err(|error| CodecError::Encode(error.to_string()))?;
    if bytes.len() > PAYLOAD_LIMIT {
        return Err(CodecError::Encode(format!("{} bytes", bytes.len())));
    }
    match decode::<T>(&bytes) {
        Ok(back) if back == *value => Ok(bytes),
        _ => Err(CodecError::NotReadable),
    }
}

/// The value that the bytes hold, all of them.
///
/// # Errors
/// [`CodecError::Decode`] and [`CodecError::Trailing`] when they hold anything else.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let (value, used) = bincode::serde::decode_from_slice::<T, _>(bytes, CONFIG)
        .map_err(|error| CodecError::Decode(error.to_string()))?;
    if used == bytes.len() { Ok(value) } else { Err(CodecError::Trailing(bytes.len() - used)) }
}

/// The bytes of a state. Unlike an event it is not read back here: it is no loss if it can't be, and a test of its type
/// shows that it can.
///
/// # Errors
/// [`CodecError::Encode`] above [`STATE_LIMIT`].
pub fn encode_state<T: Serialize>(state: &T) -> Result<Vec<u8>, CodecError> {
    let bytes =
        bincode::serde::encode_to_vec(state, STATE_CONFIG).map_err(|error| CodecError::Encode(error.to_string()))?;
    if bytes.len() > STATE_LIMIT {
        return Err(CodecError::Encode(format!("{} bytes of a state", bytes.len())));
    }
    Ok(bytes)
}

/// The state that the bytes hold, all of them.
///
/// # Errors
/// As [`decode`].
pub fn decode_state<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let (state, used) = bincode::serde::decode_from_slice::<T, _>(bytes, STATE_CONFIG)
        .map_err(|error| CodecError::Decode(error.to_string()))?;
    if used == bytes.len() { Ok(state) } else { Err(CodecError::Trailing(bytes.len() - used)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Skips {
        #[serde(skip_serializing_if = "Option::is_none")]
        gone: Option<u8>,
        kept: u64,
    }

    #[test]
    fn what_cannot_be_read_back_is_refused_at_write_time() {
        assert!(matches!(encode(&serde_json::json!({"a": 1})), Err(CodecError::NotReadable)));
        assert!(matches!(encode(&Skips { gone: None, kept: 7 }), Err(CodecError::NotReadable)));
    }

    #[test]
    fn a_hostile_length_allocates_nothing_and_fails() {
        let bytes = [253, 255, 255, 255, 255, 255, 255, 255, 127, 1, 2, 3];
        assert!(matches!(decode::<Vec<u8>>(&bytes), Err(CodecError::Decode(_))));
        assert!(matches!(decode::<String>(&bytes), Err(CodecError::Decode(_))));
    }

    #[test]
    fn left_over_bytes_are_an_error() {
        let mut bytes = encode(&"text".to_owned()).unwrap();
        bytes.push(0);
        assert!(matches!(decode::<String>(&bytes), Err(CodecError::Trailing(1))));
    }
}
