//! The bytes of a slab: `DKEY`, version 2, three zero bytes; then per slot a secret of 32 bytes and its CRC32C.
//!
//! In version 1 a secret sealed and gave addresses itself, with no key derived for each use. No release wrote it.

use super::{KeyBytes, KeyError, KeyId, SLAB_SLOTS};
use zeroize::Zeroizing;

/// Bytes of one slot.
pub(super) const SLOT_LEN: usize = 36;
const SECRET_LEN: usize = 32;
const HEADER: &[u8; 8] = b"DKEY\x02\0\0\0";
const MAGIC_LEN: usize = 4;

/// Where a slot begins in its slab.
pub(super) fn start(slot: u32) -> usize {
    HEADER.len() + slot as usize * SLOT_LEN
}

/// A slab of these secrets, in their order.
pub(super) fn encode(secrets: &[KeyBytes]) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(start(SLAB_SLOTS)));
    bytes.extend_from_slice(HEADER);
    for secret in secrets {
        bytes.extend_from_slice(secret.as_slice());
        bytes.extend_from_slice(&crc32c::crc32c(secret.as_slice()).to_be_bytes());
    }
    bytes
}

/// The secret of `id` in its slab.
pub(super) fn secret(slab: &[u8], id: KeyId) -> Result<KeyBytes, KeyError> {
    let start = start(id.slot());
    let slot = slab.get(start..start + SLOT_LEN).ok_or(KeyError::Damaged(id))?;
    if slot.iter().all(|byte| *byte == 0) {
        return Err(KeyError::Destroyed(id));
    }
    let (secret, crc) = slot.split_at(SECRET_LEN);
    if crc32c::crc32c(secret).to_be_bytes() != crc || slab[..MAGIC_LEN] != HEADER[..MAGIC_LEN] {
        return Err(KeyError::Damaged(id));
    }
    if !slab.starts_with(HEADER) {
        return Err(KeyError::Format(id, slab[MAGIC_LEN]));
    }
    let mut key = KeyBytes::default();
    key.copy_from_slice(secret);
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slab_of_another_format_and_a_damaged_one_are_told_apart() {
        let slab = encode(&[KeyBytes::new([5; SECRET_LEN]), KeyBytes::new([6; SECRET_LEN])]);
        let id = KeyId::new(9, 1);
        let changed = |at: usize, to: u8| {
            let mut slab = slab.to_vec();
            slab[at] = to;
            secret(&slab, id)
        };
        assert_eq!(**secret(&slab, id).as_ref().unwrap(), [6; SECRET_LEN]);
        assert!(matches!(changed(4, 1), Err(KeyError::Format(_, 1))));
        assert!(matches!(changed(0, b'X'), Err(KeyError::Damaged(_))));
        assert!(matches!(changed(start(1), 7), Err(KeyError::Damaged(_))));
        assert!(matches!(secret(&slab, KeyId::new(9, 2)), Err(KeyError::Damaged(_))));
    }
}
