//! Session names as the index keeps them: blinded, so that no word of a session stands in clear in the log's files, not even
//! in pages that an engine has freed but not overwritten.

use std::fmt;
use zeroize::Zeroizing;

/// A session name under the [`NameSecret`] of its data folder. Equal names have equal keys; nothing else shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(pub [u8; 32]);

impl fmt::Debug for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NameKey({:02x}{:02x}{:02x}{:02x}…)", self.0[0], self.0[1], self.0[2], self.0[3])
    }
}

/// Blinds names. One for a data folder, in `keys/`; it survives the erasure of a session, whose name can then be guessed
/// and tried by whoever holds the folder of keys, but read by nobody.
#[derive(Clone)]
pub struct NameSecret(Zeroizing<[u8; 32]>);

impl NameSecret {
    /// The secret of these bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The key of a name.
    pub fn key(&self, name: &str) -> NameKey {
        NameKey(*blake3::keyed_hash(&self.0, name.as_bytes()).as_bytes())
    }

    /// The bytes, to keep them.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for NameSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NameSecret(..)")
    }
}
