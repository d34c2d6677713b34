//! The key that signs anchors: one file in the folder of keys, `anchor`, made with the first anchor.
//!
//! `DANC`, version 1, three zero bytes; 32 bytes of secret; CRC32C of the secret. It is no key of a session and opens
//! nothing. It never leaves the folder with an export of the keys: who is given those may read, not sign.

use super::AnchorError;
use crate::{disk, keys::random};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{fmt, io, path::Path, str::FromStr};
use zeroize::Zeroizing;

/// Name of the file in the folder of keys.
pub(crate) const FILE: &str = "anchor";
const HEADER: &[u8; 8] = b"DANC\x01\0\0\0";

/// Signs anchors. Its secret is wiped when it is dropped.
pub struct AnchorKey(SigningKey);

impl AnchorKey {
    /// The key in the folder of keys; a new one, synced and owner-only, if there is none yet.
    ///
    /// # Errors
    /// [`AnchorError::KeyDamaged`] or [`AnchorError::Io`].
    pub fn open_or_make(keys: &Path) -> Result<Self, AnchorError> {
        if let Some(key) = Self::open(keys)? {
            return Ok(key);
        }
        let secret = Zeroizing::new(random::<32>()?);
        let mut bytes = Zeroizing::new(HEADER.to_vec());
        bytes.extend_from_slice(secret.as_slice());
        bytes.extend_from_slice(&crc32c::crc32c(secret.as_slice()).to_be_bytes());
        disk::create_private_dir(keys)?;
        match disk::write_new_synced(&keys.join(FILE), &bytes) {
            Ok(()) => Ok(Self(SigningKey::from_bytes(&secret))),
            // Another one was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Self::open(keys)?.ok_or(AnchorError::KeyDamaged)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The key in the folder of keys; `None` if no anchor was ever made here.
    ///
    /// # Errors
    /// [`AnchorError::KeyDamaged`] or [`AnchorError::Io`].
    pub fn open(keys: &Path) -> Result<Option<Self>, AnchorError> {
        let bytes = match std::fs::read(keys.join(FILE)) {
            Ok(bytes) => Zeroizing::new(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let secret = bytes.strip_prefix(HEADER).and_then(|rest| rest.split_first_chunk::<32>());
        let whole = secret.filter(|(secret, crc)| *crc == crc32c::crc32c(secret.as_slice()).to_be_bytes());
        let (secret, _) = whole.ok_or(AnchorError::KeyDamaged)?;
        Ok(Some(Self(SigningKey::from_bytes(secret))))
    }

    /// What others check anchors with.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> Signed {
        Signed(self.0.sign(bytes).to_bytes())
    }
}

impl fmt::Debug for AnchorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnchorKey(..)")
    }
}

/// The public half of an [`AnchorKey`], 64 hex digits where people read it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether `signature` over `bytes` was made with the other half. Strict: no key or signature of another form.
    pub(super) fn signed(&self, bytes: &[u8], signature: &Signed) -> bool {
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(bytes, &Signature::from_bytes(&signature.0)).is_ok())
    }
}

/// An Ed25519 signature, 128 hex digits where people read it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signed([u8; 64]);

impl Default for Signed {
    fn default() -> Self {
        Self([0; 64])
    }
}

/// The text is not hex digits of the right number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not {0} hex digits")]
pub struct NotHex(usize);

fn unhex<const N: usize>(text: &str) -> Result<[u8; N], NotHex> {
    let digits = text.as_bytes();
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return Err(NotHex(2 * N));
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16).ok_or(NotHex(2 * N));
        *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
    }
    Ok(bytes)
}

macro_rules! as_hex {
    ($type:ident) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($type), "({})"), self)
            }
        }
        impl FromStr for $type {
            type Err = NotHex;
            fn from_str(text: &str) -> Result<Self, NotHex> {
                unhex(text).map(Self)
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}

as_hex!(PublicKey);
as_hex!(Signed);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(AnchorKey::open(folder.path()).unwrap().is_none());
        let made = AnchorKey::open_or_make(folder.path()).unwrap();
        assert_eq!(AnchorKey::open_or_make(folder.path()).unwrap().public(), made.public());
        assert_eq!(made.public().to_string().parse(), Ok(made.public()));
        assert_eq!("ab".parse::<PublicKey>(), Err(NotHex(64)));
        assert_eq!("zz".repeat(32).parse::<PublicKey>(), Err(NotHex(64)));
        let path = folder.path().join(FILE);
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap());
            assert_eq!(mode & 0o777, 0o600);
        }
        let bytes = std::fs::read(&path).unwrap();
        for at in [0, 9, 43] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 4;
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(AnchorKey::open_or_make(folder.path()), Err(AnchorError::KeyDamaged)), "byte {at}");
        }
    }

    /// The first test of RFC 8032, 7.1: what is signed here verifies with every other program.
    #[test]
    fn it_is_the_ed25519_of_the_standard() {
        let secret = unhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").unwrap();
        let key = AnchorKey(SigningKey::from_bytes(&secret));
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(key.public().to_string(), public);
        let signed = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
                      d25bf5f0595bbe24655141438e7a100b";
        assert_eq!(key.sign(b"").to_string(), signed);
        assert!(key.public().signed(b"", &key.sign(b"")) && !key.public().signed(b"x", &key.sign(b"")));
    }
}
