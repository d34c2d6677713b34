//! A key per session, taken from a pool of unused, already synced ones.
//!
//! Keys lie apart from the log, in slabs of [`SLAB_SLOTS`]: one file, one sync, sixty-four sessions. A key's id names
//! its slab and its slot, so finding it is one read. A slot is used once; what a host did not use before it stopped is
//! never used, which costs 36 bytes a slot and saves a list that could be wrong. Destroying a key overwrites its slot
//! with zeros.
//!
//! What is sealed is never sealed with the slot's secret itself, but with keys derived from it: see [`SessionKey`].

pub mod archive;
pub mod erased;
mod names;
mod session;
mod slab;
#[cfg(test)]
mod tests;

pub use session::{KeyBytes, SessionKey};

use crate::{disk, store::NameSecret};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt,
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use zeroize::Zeroizing;

/// Keys in one slab.
pub const SLAB_SLOTS: u32 = 64;
/// Below this many unused keys a new slab is due.
pub const POOL_LOW: usize = 16;

/// Keys kept in memory; a session that is spoken to again later reads its slab once more.
const CACHED_KEYS: usize = 4096;

/// Names a key: 8 bytes of slab, 4 of slot, 4 of zeros.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
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
    /// Its slab is of a format that this build doesn't read: use the build that wrote the data folder, or a new folder.
    #[error("key {0} lies in a slab of format {1}, which this build doesn't read: use the build that wrote the folder")]
    Format(KeyId, u8),
    /// The file `names` is damaged: restore `keys/`.
    #[error("the secret of session names is damaged: restore the `keys` folder that belongs to this log")]
    NamesDamaged,
    /// The file `names` is gone, but the log has sessions: restore `keys/`.
    #[error("the secret of session names is missing: restore the `keys` folder that belongs to this log")]
    NamesMissing,
    /// The folder could not be read or written.
    #[error("the key folder can't be used: {0}")]
    Io(#[from] io::Error),
}

/// The keys of a data folder.
pub struct Keyring {
    folder: Option<PathBuf>,
    /// Every seal takes this lock, so nothing waits for a disk while it is held.
    state: Mutex<State>,
    /// Held while a slab is minted: two who find the pool low mint one slab. Taken before `state`, never after it.
    minting: Mutex<()>,
    names: Mutex<Option<NameSecret>>,
    /// Held while a key is destroyed: the list of those that are is read and then added to.
    destroying: Mutex<()>,
}

#[derive(Default)]
struct State {
    pool: VecDeque<KeyId>,
    cache: HashMap<KeyId, Arc<SessionKey>>,
    /// Keys that this run destroyed: one that was read from its slab a moment before must not come back.
    destroyed: HashSet<KeyId>,
}

impl Keyring {
    /// The keys in `folder`, which is made (owner-only) if it is not there.
    ///
    /// # Errors
    /// [`KeyError::Io`] when the folder can't be made.
    pub fn open(folder: &Path) -> Result<Self, KeyError> {
        disk::create_private_dir(folder)?;
        // What is on the list is gone, whatever its slot says: the power may have gone while it was overwritten.
        let destroyed = erased::read(&folder.join(erased::FILE)).unwrap_or_else(|error| {
            tracing::error!(%error, "destroyed keys are known by their slots alone, and nothing can be erased");
            Vec::new()
        });
        let destroyed = destroyed.into_iter().collect();
        let state = Mutex::new(State { destroyed, ..State::default() });
        Ok(Self { state, folder: Some(folder.to_owned()), ..Self::in_memory() })
    }

    /// Removes what a killed run had not named yet. Only for who holds the data folder's lock: it would take away what
    /// another is writing.
    ///
    /// # Errors
    /// [`KeyError::Io`].
    pub fn sweep(&self) -> Result<(), KeyError> {
        Ok(self.folder.as_deref().map_or(Ok(()), disk::remove_unnamed)?)
    }

    /// Keys that live as long as this value; for tests.
    pub fn in_memory() -> Self {
        Self {
            folder: None,
            state: Mutex::default(),
            minting: Mutex::default(),
            names: Mutex::default(),
            destroying: Mutex::default(),
        }
    }

    /// The secret that blinds session names. `fresh` says that the log holds nothing yet: only then a new one is made.
    ///
    /// # Errors
    /// [`KeyError::NamesMissing`] or [`KeyError::NamesDamaged`]; [`KeyError::Io`] when it can't be written.
    pub fn name_secret(&self, fresh: bool) -> Result<NameSecret, KeyError> {
        let mut kept = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(secret) = &*kept {
            return Ok(secret.clone());
        }
        let secret = match self.folder.as_deref().map(names::read).transpose()?.flatten() {
            Some(secret) => secret,
            None if !fresh => return Err(KeyError::NamesMissing),
            None => {
                let secret = names::mint()?;
                self.folder.as_deref().map_or(Ok(()), |folder| names::write(folder, &secret))?;
                secret
            }
        };
        *kept = Some(secret.clone());
        Ok(secret)
    }

    /// Takes an unused key. Mints a slab first if the pool is empty.
    ///
    /// # Errors
    /// [`KeyError::Io`] when a slab can't be written.
    pub fn take(&self) -> Result<KeyId, KeyError> {
        loop {
            if let Some(id) = self.lock().pool.pop_front() {
                return Ok(id);
            }
            // Others may take the whole slab before this one is back at the pool.
            self.mint_below(1, disk::write_new_synced)?;
        }
    }

    /// Mints a slab if fewer than [`POOL_LOW`] keys are left. Call it off the way of a turn.
    ///
    /// # Errors
    /// [`KeyError::Io`] when a slab can't be written.
    pub fn refill(&self) -> Result<(), KeyError> {
        self.mint_below(POOL_LOW, disk::write_new_synced)
    }

    /// The keys of a session, by the id of its slot.
    ///
    /// # Errors
    /// [`KeyError`] when it was destroyed, is missing, damaged or of another format.
    pub fn get(&self, id: KeyId) -> Result<Arc<SessionKey>, KeyError> {
        if let Some(key) = self.lock().known(id)? {
            return Ok(key);
        }
        let path = self.slab_path(id.slab()).ok_or(KeyError::Missing(id))?;
        let slab = Zeroizing::new(std::fs::read(path).map_err(|error| absent(id, error))?);
        let key = Arc::new(SessionKey::new(slab::secret(&slab, id)?));
        let mut state = self.lock();
        if let Some(key) = state.known(id)? {
            return Ok(key);
        }
        if state.cache.len() >= CACHED_KEYS {
            state.cache.clear();
        }
        state.cache.insert(id, key.clone());
        Ok(key)
    }

    /// Destroys a key: its slot is zeros on the disk when this returns. What it sealed can't be read by anybody any more.
    /// If it fails half-way, the key is refused as destroyed all the same; call it again.
    ///
    /// # Errors
    /// [`KeyError::Missing`] when its slab is not here, [`KeyError::Io`] when it can't be written.
    pub fn destroy(&self, id: KeyId) -> Result<(), KeyError> {
        let _destroying = self.destroying.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = self.slab_path(id.slab()) else {
            return if self.lock().forget(id) { Ok(()) } else { Err(KeyError::Missing(id)) };
        };
        if id.slot() >= SLAB_SLOTS {
            return Err(KeyError::Damaged(id));
        }
        // First: a backup that is restored from now on leaves the key out, also where its slab is missing here.
        self.folder.as_deref().map_or(Ok(()), |folder| erased::add(folder, &[id]))?;
        self.lock().forget(id);
        let mut file = std::fs::OpenOptions::new().write(true).open(path).map_err(|error| absent(id, error))?;
        file.seek(SeekFrom::Start(slab::start(id.slot()) as u64))?;
        file.write_all(&[0; slab::SLOT_LEN])?;
        Ok(file.sync_all()?)
    }

    /// Mints a slab if fewer than `low` keys are left. The new keys are in the pool when they are on the disk.
    fn mint_below(&self, low: usize, write: impl FnOnce(&Path, &[u8]) -> io::Result<()>) -> Result<(), KeyError> {
        let _minting = self.minting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.lock().pool.len() >= low {
            return Ok(());
        }
        let slab = u64::from_be_bytes(random()?);
        let secrets = (0..SLAB_SLOTS).map(|_| random().map(KeyBytes::new)).collect::<Result<Vec<_>, _>>()?;
        if let Some(path) = self.slab_path(slab) {
            write(&path, &slab::encode(&secrets))?;
        }
        let minted: Vec<_> = (0..).map(|slot| KeyId::new(slab, slot)).zip(secrets).collect();
        let minted: Vec<_> = minted.into_iter().map(|(id, key)| (id, Arc::new(SessionKey::new(key)))).collect();
        let mut state = self.lock();
        for (id, key) in minted {
            state.pool.push_back(id);
            if self.folder.is_none() || state.cache.len() < CACHED_KEYS {
                state.cache.insert(id, key);
            }
        }
        Ok(())
    }

    fn slab_path(&self, slab: u64) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{slab:016x}.keys")))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The key if it is in memory; an error if it was destroyed.
    fn known(&self, id: KeyId) -> Result<Option<Arc<SessionKey>>, KeyError> {
        if self.destroyed.contains(&id) {
            return Err(KeyError::Destroyed(id));
        }
        Ok(self.cache.get(&id).cloned())
    }

    /// Refuses a key from now on. Whether it was in memory, or refused already.
    fn forget(&mut self, id: KeyId) -> bool {
        self.pool.retain(|unused| *unused != id);
        self.cache.remove(&id).is_some() | !self.destroyed.insert(id)
    }
}

/// Why a slab could not be opened.
fn absent(id: KeyId, error: io::Error) -> KeyError {
    if error.kind() == io::ErrorKind::NotFound { KeyError::Missing(id) } else { error.into() }
}

/// Random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}
