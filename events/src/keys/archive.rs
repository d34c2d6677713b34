//! The key folder as one file: `DSPKEY1\n`, then an entry for each file of the folder, then an end. Big-endian.
//!
//! An entry is `1 · length of the name u8 · name · length u32 · bytes · CRC32C u32` over all of it before. The end is
//! `2 · entries u32 · BLAKE3` of every byte before it. Who has this file reads everything that is not erased: it is
//! owner-only, and belongs in another place than the log that it opens.

use super::{KeyError, Keyring, SLAB_SLOTS, SessionKey, State, erased, names, slab};
use crate::{disk, keys::KeyId};
use std::{fs, io, path::Path, sync::PoisonError};
use zeroize::Zeroizing;

const MAGIC: &[u8; 8] = b"DSPKEY1\n";
const ENTRY: u8 = 1;
const END: u8 = 2;
const END_LEN: usize = 1 + 4 + 32;
/// Extension of a slab's file.
const SLAB: &str = ".keys";

/// The files of a key folder, by name.
pub struct Archive(Vec<(String, Zeroizing<Vec<u8>>)>);

/// Writes the keys to a file that must not be there yet; on the disk when it returns.
///
/// # Errors
/// [`KeyError::Io`]; also for keys that are only in memory.
pub fn write_beside(keys: &Keyring, path: &Path) -> Result<(), KeyError> {
    let folder = keys.folder.as_ref().ok_or_else(|| io::Error::other("keys in memory have no folder to copy"))?;
    Ok(disk::write_new_synced(path, &Archive::of(folder)?.encode())?)
}

impl Archive {
    /// What is in a key folder now. Files that are being written there have names with a dot before, and are left out.
    fn of(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name =
                entry.file_name().into_string().map_err(|_| io::Error::other("a key file's name is not text"))?;
            // Who is given the keys may read, and sign nothing.
            if name == crate::anchor::FILE {
                continue;
            }
            if !name.starts_with('.') && name.len() <= usize::from(u8::MAX) && entry.file_type()?.is_file() {
                files.push((name, Zeroizing::new(fs::read(entry.path())?)));
            }
        }
        files.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Self(files))
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// [`KeyError::Io`] with `InvalidData` when it is not whole.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let bytes = Zeroizing::new(fs::read(path)?);
        let damaged = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
        Ok(Self::decode(&bytes).map_err(damaged)?)
    }

    /// Keys that live in memory, as they are in the archive.
    pub fn keyring(&self) -> Keyring {
        let keyring = Keyring::in_memory();
        let mut state = State::default();
        for (name, bytes) in &self.0 {
            let number = name.strip_suffix(SLAB).and_then(|number| u64::from_str_radix(number, 16).ok());
            for id in number.into_iter().flat_map(|number| (0..SLAB_SLOTS).map(move |slot| KeyId::new(number, slot))) {
                match slab::secret(bytes, id) {
                    Ok(secret) => drop(state.cache.insert(id, SessionKey::new(secret).into())),
                    Err(KeyError::Destroyed(_)) => drop(state.destroyed.insert(id)),
                    // As in a folder: a damaged slot is the matter of who asks for its key, which is missing here.
                    Err(error) => tracing::warn!(%error, "a key of the archive can't be read"),
                }
            }
        }
        *keyring.lock() = state;
        match self.0.iter().find(|(name, _)| name == names::FILE).and_then(|(_, bytes)| names::decode(bytes)) {
            Some(secret) => *keyring.names.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret),
            None => tracing::warn!("the archive has no secret of session names that can be read"),
        }
        keyring
    }

    /// Destroys keys in the archive: their slots are zeros, as in a folder.
    pub fn destroy(&mut self, ids: &[KeyId]) {
        for id in ids.iter().filter(|id| id.slot() < SLAB_SLOTS) {
            let name = slab_name(id.slab());
            let start = slab::start(id.slot());
            let slab = self.0.iter_mut().find(|(file, _)| *file == name);
            if let Some(slot) = slab.and_then(|(_, bytes)| bytes.get_mut(start..start + slab::SLOT_LEN)) {
                slot.fill(0);
            }
        }
    }

    /// The keys that the archive's own list names as erased.
    ///
    /// # Errors
    /// [`KeyError::Io`] with `InvalidData` when the list is damaged.
    pub fn erased(&self) -> Result<Vec<KeyId>, KeyError> {
        let list = self.file(erased::FILE).unwrap_or_default();
        Ok(erased::decode(list).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))?)
    }

    /// Writes the keys to a new folder, or again to one that was begun, and these keys to its list of erased ones. On the
    /// disk when it returns.
    ///
    /// # Errors
    /// [`KeyError::Io`].
    pub fn write(&self, folder: &Path, gone: &[KeyId]) -> Result<(), KeyError> {
        disk::create_private_dir(folder)?;
        // First, so that no later call can know less.
        erased::add(folder, gone)?;
        for (name, bytes) in self.0.iter().filter(|(name, _)| name != erased::FILE) {
            let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
            if !plain {
                return Err(io::Error::other(format!("a key file can't be named `{name}`")).into());
            }
            disk::replace_synced(&folder.join(name), bytes)?;
        }
        Ok(())
    }

    fn file(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(file, _)| file == name).map(|(_, bytes)| bytes.as_slice())
    }

    fn encode(&self) -> Zeroizing<Vec<u8>> {
        let length: usize = self.0.iter().map(|(name, bytes)| 10 + name.len() + bytes.len()).sum();
        // Large enough from the start: what grows leaves copies of secrets behind.
        let mut out = Zeroizing::new(Vec::with_capacity(MAGIC.len() + length + END_LEN));
        out.extend_from_slice(MAGIC);
        for (name, bytes) in &self.0 {
            let start = out.len();
            out.extend_from_slice(&[ENTRY, name.len() as u8]);
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            out.extend_from_slice(bytes);
            let crc = crc32c::crc32c(&out[start..]);
            out.extend_from_slice(&crc.to_be_bytes());
        }
        out.push(END);
        out.extend_from_slice(&(self.0.len() as u32).to_be_bytes());
        let digest = blake3::hash(&out);
        out.extend_from_slice(digest.as_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut rest =
            bytes.strip_prefix(MAGIC).ok_or("it is not a key file of Dispatch (no `DSPKEY1` at its start)")?;
        let mut files: Vec<(String, Zeroizing<Vec<u8>>)> = Vec::new();
        loop {
            let at = bytes.len() - rest.len();
            match rest.first() {
                Some(&ENTRY) => {
                    let (name, file, length) = entry(rest).ok_or_else(|| format!("it is damaged at byte {at}"))?;
                    files.push((name, Zeroizing::new(file.to_vec())));
                    rest = &rest[length..];
                }
                Some(&END) if rest.len() == END_LEN => {
                    let whole = rest[5..] == *blake3::hash(&bytes[..at + 5]).as_bytes()
                        && rest[1..5] == (files.len() as u32).to_be_bytes();
                    return if whole { Ok(Self(files)) } else { Err(format!("it is damaged before byte {at}")) };
                }
                _ => return Err(format!("it is damaged or cut off at byte {at}")),
            }
        }
    }
}

fn slab_name(number: u64) -> String {
    format!("{number:016x}{SLAB}")
}

/// Name, bytes and whole length of the entry that begins here, if its checksum holds.
fn entry(bytes: &[u8]) -> Option<(String, &[u8], usize)> {
    let name_end = 2 + usize::from(*bytes.get(1)?);
    let name = bytes.get(2..name_end)?;
    let length = u32::from_be_bytes(bytes.get(name_end..name_end + 4)?.try_into().ok()?) as usize;
    let end = name_end + 4 + length;
    let file = bytes.get(name_end + 4..end)?;
    let crc = bytes.get(end..end + 4)?;
    if crc32c::crc32c(&bytes[..end]).to_be_bytes() != crc {
        return None;
    }
    Some((String::from_utf8(name.to_vec()).ok()?, file, end + 4))
}
