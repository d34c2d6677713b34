//! A key per session, taken from a pool of unused, already synced ones.
//!
//! Keys lie apart from the log, in slabs of [`SLAB_SLOTS`]: one file, one sync, sixty-four sessions. A key's id names
//! its slab and its slot, so finding it is one read. A slot is used once; what a host did not use before it stopped is
//! never used, which costs 36 bytes a slot and saves a list that could be wrong. Destroying a key overwrites its slot
//! with zeros.
//!
//! Slab file: `DKEY`, version 1, three zero bytes; then per slot 32 bytes of key and its CRC32C.

use crate::disk;
use std::{
    collections::{HashMap, VecDeque},
    fmt,
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use zeroize::Zeroizing;

/// Keys in one slab.
pub const SLAB_SLOTS: u32 = 64;
/// Below this many unused keys a new slab is due.
pub const POOL_LOW: usize = 16;

const SLOT_LEN: usize = 36;
const SLAB_HEADER: &[u8; 8] = b"DKEY\x01\0\0\0";
/// Keys kept in memory; a session that is spoken to again later reads its slab once more.
const CACHED_KEYS: usize = 4096;

/// Names a key: 8 bytes of slab, 4 of slot, 4 of zeros.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KeyId(pub [u8; 16]);

impl KeyId {
    fn new(slab: u64, slot: u32) -> Self {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&slab.to_be_bytes());
        id[8..12].copy_from_slice(&slot.to_be_bytes());
        Self(id)
    }

    fn slab(self) -> u64 {
        u64::from_be_bytes(self.0[..8].try_into().expect("eight bytes"))
    }

    fn slot(self) -> u32 {
        u32::from_be_bytes(self.0[8..12].try_into().expect("four bytes"))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}/{}", self.slab(), self.slot())
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// 32 secret bytes, wiped when dropped.
pub type KeyBytes = Zeroizing<[u8; 32]>;

/// Why a key is not there.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// It was destroyed on purpose: what it sealed is erased.
    #[error("key {0} was destroyed: what it sealed is erased")]
    Destroyed(KeyId),
    /// Its slab is not in the folder: restore `keys/` from the backup that belongs to this log.
    #[error("key {0} is missing: restore the `keys` folder that belongs to this log")]
    Missing(KeyId),
    /// Its slot is damaged: restore `keys/`.
    #[error("key {0} is damaged: restore the `keys` folder that belongs to this log")]
    Damaged(KeyId),
    /// The folder could not be read or written.
    #[error("the key folder can't be used: {0}")]
    Io(#[from] io::Error),
}

/// The keys of a data folder.
pub struct Keyring {
    folder: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pool: VecDeque<KeyId>,
    cache: HashMap<KeyId, KeyBytes>,
}

impl Keyring {
    /// The keys in `folder`, which is made (owner-only) if it is not there.
    ///
    /// # Errors
    /// [`KeyError::Io`] when the folder can't be made.
    pub fn open(folder: &Path) -> Result<Self, KeyError> {
        disk::create_private_dir(folder)?;
        Ok(Self { folder: Some(folder.to_owned()), state: Mutex::default() })
    }

    /// Keys that live as long as this value; for tests.
    pub fn in_memory() -> Self {
        Self { folder: None, state: Mutex::default() }
    }

    /// Takes an unused key. Mints a slab first if the pool is empty.
    ///
    /// # Errors
    /// [`KeyError::Io`] when a slab can't be written.
    pub fn take(&self) -> Result<KeyId, KeyError> {
        let mut state = self.lock();
        if state.pool.is_empty() {
            self.mint(&mut state)?;
        }
        Ok(state.pool.pop_front().expect("a slab was just minted"))
    }

    /// Mints a slab if fewer than [`POOL_LOW`] keys are left. Call it off the way of a turn.
    ///
    /// # Errors
    /// [`KeyError::Io`] when a slab can't be written.
    pub fn refill(&self) -> Result<(), KeyError> {
        let mut state = self.lock();
        if state.pool.len() < POOL_LOW { self.mint(&mut state) } else { Ok(()) }
    }

    /// The bytes of a key.
    ///
    /// # Errors
    /// [`KeyError`] when it was destroyed, is missing or damaged.
    pub fn get(&self, id: KeyId) -> Result<KeyBytes, KeyError> {
        let mut state = self.lock();
        match state.cache.get(&id) {
            // In memory a destroyed key is one of zeros, as it is in a slab.
            Some(key) if **key == [0; 32] => return Err(KeyError::Destroyed(id)),
            Some(key) => return Ok(key.clone()),
            None => {}
        }
        let Some(path) = self.slab_path(id.slab()) else { return Err(KeyError::Missing(id)) };
        let slab = match std::fs::read(path) {
            Ok(slab) => Zeroizing::new(slab),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(KeyError::Missing(id)),
            Err(error) => return Err(error.into()),
        };
        let start = SLAB_HEADER.len() + id.slot() as usize * SLOT_LEN;
        let slot = slab.get(start..start + SLOT_LEN).ok_or(KeyError::Damaged(id))?;
        if slot.iter().all(|byte| *byte == 0) {
            return Err(KeyError::Destroyed(id));
        }
        if !slab.starts_with(SLAB_HEADER) || crc32c::crc32c(&slot[..32]).to_be_bytes() != slot[32..] {
            return Err(KeyError::Damaged(id));
        }
        let mut key = KeyBytes::default();
        key.copy_from_slice(&slot[..32]);
        if state.cache.len() >= CACHED_KEYS {
            state.cache.clear();
        }
        state.cache.insert(id, key.clone());
        Ok(key)
    }

    /// Destroys a key: its slot is zeros on the disk when this returns. What it sealed can't be read by anybody any more.
    ///
    /// # Errors
    /// [`KeyError::Missing`] when its slab is not here, [`KeyError::Io`] when it can't be written.
    pub fn destroy(&self, id: KeyId) -> Result<(), KeyError> {
        let mut state = self.lock();
        let Some(path) = self.slab_path(id.slab()) else {
            return match state.cache.insert(id, KeyBytes::default()) {
                Some(_) => Ok(()),
                None => Err(KeyError::Missing(id)),
            };
        };
        let mut file = match std::fs::OpenOptions::new().write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(KeyError::Missing(id)),
            Err(error) => return Err(error.into()),
        };
        if id.slot() >= SLAB_SLOTS {
            return Err(KeyError::Damaged(id));
        }
        state.cache.remove(&id);
        state.pool.retain(|unused| *unused != id);
        let start = SLAB_HEADER.len() as u64 + u64::from(id.slot()) * SLOT_LEN as u64;
        file.seek(SeekFrom::Start(start))?;
        file.write_all(&[0; SLOT_LEN])?;
        Ok(file.sync_all()?)
    }

    fn mint(&self, state: &mut State) -> Result<(), KeyError> {
        let slab = u64::from_be_bytes(random()?);
        let mut bytes = Zeroizing::new(SLAB_HEADER.to_vec());
        for slot in 0..SLAB_SLOTS {
            let key = Zeroizing::new(random::<32>()?);
            bytes.extend_from_slice(key.as_slice());
            bytes.extend_from_slice(&crc32c::crc32c(key.as_slice()).to_be_bytes());
            let id = KeyId::new(slab, slot);
            state.pool.push_back(id);
            if self.folder.is_none() || state.cache.len() < CACHED_KEYS {
                state.cache.insert(id, key);
            }
        }
        let Some(path) = self.slab_path(slab) else { return Ok(()) };
        disk::write_new_synced(&path, &bytes).inspect_err(|_| state.pool.clear())?;
        Ok(())
    }

    fn slab_path(&self, slab: u64) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{slab:016x}.keys")))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_again_by_its_id() {
        let folder = tempfile::tempdir().unwrap();
        let first = Keyring::open(folder.path()).unwrap();
        let id = first.take().unwrap();
        let key = first.get(id).unwrap();
        let again = Keyring::open(folder.path()).unwrap();
        assert_eq!(again.get(id).unwrap(), key);
        assert_ne!(again.take().unwrap(), id, "a key of another run is never handed out");
    }

    #[test]
    fn sixty_four_sessions_cost_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keyring::open(folder.path()).unwrap();
        let taken: std::collections::HashSet<_> = (0..SLAB_SLOTS).map(|_| keys.take().unwrap()).collect();
        assert_eq!(taken.len(), SLAB_SLOTS as usize);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_lost_slab_and_a_wiped_slot_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keyring::open(folder.path()).unwrap();
        let id = keys.take().unwrap();
        let path = keys.slab_path(id.slab()).unwrap();
        let mut slab = std::fs::read(&path).unwrap();
        slab[8..8 + SLOT_LEN].fill(0);
        std::fs::write(&path, slab).unwrap();
        assert!(matches!(Keyring::open(folder.path()).unwrap().get(id), Err(KeyError::Destroyed(_))));
        std::fs::remove_file(path).unwrap();
        assert!(matches!(Keyring::open(folder.path()).unwrap().get(id), Err(KeyError::Missing(_))));
    }
}
