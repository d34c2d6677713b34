//! The secret that blinds session names: one file in the folder of keys, `names`.
//!
//! `DNAM`, version 1, three zero bytes; 32 bytes of secret; CRC32C of the secret.

use super::{KeyError, random};
use crate::{disk, store::NameSecret};
use std::{io, path::Path};
use zeroize::Zeroizing;

pub(super) const FILE: &str = "names";
const HEADER: &[u8; 8] = b"DNAM\x01\0\0\0";

/// The secret in `folder`; `None` if it has none yet.
pub(super) fn read(folder: &Path) -> Result<Option<NameSecret>, KeyError> {
    let bytes = match std::fs::read(folder.join(FILE)) {
        Ok(bytes) => Zeroizing::new(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    decode(&bytes).map(Some).ok_or(KeyError::NamesDamaged)
}

/// The secret that a whole file holds.
pub(super) fn decode(bytes: &[u8]) -> Option<NameSecret> {
    let (secret, crc) = bytes.strip_prefix(HEADER)?.split_first_chunk::<32>()?;
    (*crc == crc32c::crc32c(secret).to_be_bytes()).then(|| NameSecret::new(*secret))
}

/// Writes a new secret, synced.
pub(super) fn write(folder: &Path, secret: &NameSecret) -> Result<(), KeyError> {
    let secret = secret.bytes();
    let mut bytes = Zeroizing::new(HEADER.to_vec());
    bytes.extend_from_slice(secret);
    bytes.extend_from_slice(&crc32c::crc32c(secret).to_be_bytes());
    Ok(disk::write_new_synced(&folder.join(FILE), &bytes)?)
}

/// A secret that nobody has.
pub(super) fn mint() -> Result<NameSecret, KeyError> {
    Ok(NameSecret::new(random()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_as_it_was_written_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).unwrap().is_none());
        let secret = mint().unwrap();
        write(folder.path(), &secret).unwrap();
        assert_eq!(read(folder.path()).unwrap().unwrap().key("a"), secret.key("a"));
        let path = folder.path().join(FILE);
        let bytes = std::fs::read(&path).unwrap();
        for at in [0, 9, 43] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 4;
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(read(folder.path()), Err(KeyError::NamesDamaged)), "byte {at}");
        }
        std::fs::write(&path, &bytes[..20]).unwrap();
        assert!(matches!(read(folder.path()), Err(KeyError::NamesDamaged)));
    }
}
