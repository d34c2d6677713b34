//! The list of keys that were destroyed: one file in the folder of keys, `erased`, which outlives the log.
//!
//! A backup that is older than an erasure still has the key. Whoever restores it reads this list, from the folder that
//! the backup is to replace or from a newer backup, and destroys the keys again. It names slots and holds no secret.
//!
//! `DERA`, version 1, three zero bytes; then for each key its id of 16 bytes and the CRC32C of it. It is only appended to;
//! an entry that was cut off while it was written is dropped by the next one.

use super::KeyId;
use crate::disk;
use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// Name of the file in the folder of keys.
pub const FILE: &str = "erased";

const HEADER: &[u8; 8] = b"DERA\x01\0\0\0";
const ENTRY_LEN: usize = 20;

/// The keys that a list names; none if there is no such file.
///
/// # Errors
/// What the file system says; `InvalidData` when the list is damaged: nobody can tell then what has to stay erased.
pub fn read(path: &Path) -> io::Result<Vec<KeyId>> {
    match std::fs::read(path) {
        Ok(bytes) => decode(&bytes).map_err(|why| damaged(path, why)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Adds keys to the list in `folder`. On the disk when it returns; a key that is named already is not named again.
///
/// # Errors
/// As [`read`].
pub fn add(folder: &Path, ids: &[KeyId]) -> io::Result<()> {
    let path = folder.join(FILE);
    let mut file = disk::private_options().read(true).create(true).truncate(false).open(&path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let known = decode(&bytes).map_err(|why| damaged(&path, why))?;
    let mut more = Vec::new();
    if bytes.len() < HEADER.len() {
        more.extend_from_slice(HEADER);
    }
    for (at, id) in ids.iter().enumerate() {
        if !known.contains(id) && !ids[..at].contains(id) {
            more.extend_from_slice(&id.0);
            more.extend_from_slice(&crc32c::crc32c(&id.0).to_be_bytes());
        }
    }
    let end = if bytes.len() < HEADER.len() { 0 } else { (HEADER.len() + known.len() * ENTRY_LEN) as u64 };
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    file.write_all(&more)?;
    file.sync_all()?;
    // Also for a file that an earlier call made, and could not sync the name of any more.
    disk::sync_dir(folder)
}

/// The keys in the bytes of a list. The last entry may be cut off, or be zeros that never became one: its erasure had
/// not begun then. A whole one that does not fit its checksum is damage: nobody knows which key it named.
pub(super) fn decode(bytes: &[u8]) -> Result<Vec<KeyId>, &'static str> {
    if bytes.len() < HEADER.len() {
        return if HEADER.starts_with(bytes) { Ok(Vec::new()) } else { Err("it does not begin as a list") };
    }
    let entries = bytes.strip_prefix(HEADER).ok_or("it does not begin as a list")?;
    let mut ids = Vec::new();
    let mut chunks = entries.chunks(ENTRY_LEN).peekable();
    while let Some(chunk) = chunks.next() {
        let id = chunk.split_first_chunk::<16>().filter(|(id, crc)| **crc == crc32c::crc32c(*id).to_be_bytes());
        match id {
            Some((id, _)) => ids.push(KeyId(*id)),
            None if chunks.peek().is_none() && unwritten(chunk) => {}
            None => return Err("an entry of it is damaged"),
        }
    }
    Ok(ids)
}

fn unwritten(entry: &[u8]) -> bool {
    entry.len() < ENTRY_LEN || entry.iter().all(|byte| *byte == 0)
}

fn damaged(path: &Path, why: &str) -> io::Error {
    let what = format!("the list of erased keys {} is damaged: {why}. Restore it from the last backup", path.display());
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_once_a_torn_end_is_dropped_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert_eq!(read(&path).unwrap(), []);
        let ids: Vec<_> = (0..4).map(|slot| KeyId::new(7, slot)).collect();
        add(folder.path(), &ids[..2]).unwrap();
        add(folder.path(), &[ids[1], ids[2], ids[2]]).unwrap();
        assert_eq!(read(&path).unwrap(), ids[..3]);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let left = read(&path).unwrap();
            assert_eq!(left, ids[..cut.saturating_sub(HEADER.len()) / ENTRY_LEN]);
            add(folder.path(), &ids[3..]).unwrap();
            assert_eq!(read(&path).unwrap(), [&left[..], &ids[3..]].concat(), "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 4;
            std::fs::write(&path, flipped).unwrap();
            assert!(read(&path).is_err(), "byte {at}");
        }
        let zeros = [&whole[..], &[0; ENTRY_LEN]].concat();
        std::fs::write(&path, zeros).unwrap();
        assert_eq!(read(&path).unwrap(), ids[..3]);
    }
}
