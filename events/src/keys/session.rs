//! What a slot's secret is used for: one key for each use, so that no key serves two algorithms.

use std::fmt;
use zeroize::Zeroizing;

/// 32 secret bytes, wiped when dropped.
pub type KeyBytes = Zeroizing<[u8; 32]>;

const SEALING: &str = "dispatch 2026 sealing";
const ADDRESSING: &str = "dispatch 2026 blob addresses";

/// The keys of one session. They are derived once, when its slot is read, and not for each event.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionKey {
    /// Seals payloads and blobs (XChaCha20-Poly1305).
    pub sealing: KeyBytes,
    /// Gives blobs their addresses (keyed BLAKE3).
    pub addressing: KeyBytes,
    secret: KeyBytes,
}

impl SessionKey {
    /// The keys that follow from a slot's secret.
    pub fn new(secret: KeyBytes) -> Self {
        Self { sealing: subkey(SEALING, &secret), addressing: subkey(ADDRESSING, &secret), secret }
    }

    /// A key for another use. `context` names the use: it is a constant that nothing else in Dispatch has.
    pub fn derive(&self, context: &str) -> KeyBytes {
        subkey(context, &self.secret)
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(..)")
    }
}

fn subkey(context: &str, secret: &KeyBytes) -> KeyBytes {
    KeyBytes::new(blake3::derive_key(context, secret.as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_uses_have_one_key() {
        let (key, other) = (SessionKey::new(KeyBytes::new([1; 32])), SessionKey::new(KeyBytes::new([2; 32])));
        let mut all = vec![key.secret.clone(), other.secret.clone()];
        for key in [&key, &other] {
            all.extend([key.sealing.clone(), key.addressing.clone(), key.derive("a third use")]);
        }
        let distinct: std::collections::HashSet<_> = all.iter().map(|key| **key).collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(key, SessionKey::new(KeyBytes::new([1; 32])), "the same secret gives the same keys");
        assert_eq!(format!("{key:?}"), "SessionKey(..)");
    }

    /// Data that is sealed today has to open tomorrow: a change of these values loses every data folder.
    #[test]
    fn the_derivation_is_fixed() {
        let key = SessionKey::new(KeyBytes::new([1; 32]));
        let hex = |key: &KeyBytes| blake3::Hash::from_bytes(**key).to_hex().to_string();
        assert_eq!(hex(&key.sealing), "d640a0a9c18dcb95be7cd35e0a45151313a8476ae14e8c77fa1bec4b7c382631");
        assert_eq!(hex(&key.addressing), "4b37faed914fc9f023ffafa44a8c3baf5c0ffe5a3f134ff929d807e936481f1b");
    }
}
