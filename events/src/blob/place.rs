//! Where the files of blobs lie: `<space>/<address>` in a folder, or in memory.
//!
//! A file is written in `tmp/`, synced, and renamed to its place: what has a name in a space is whole. A kill can leave
//! files in `tmp/` alone, so emptying that one folder cleans up, however many spaces there are.

use super::Space;
use crate::{
    Digest, disk,
    framed::{FramedBlob, FramedStore},
};
use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tempfile::NamedTempFile;

/// Where files are written before they have a place.
const TMP: &str = "tmp";

type Files = HashMap<Space, HashMap<Digest, Arc<[u8]>>>;

pub(super) enum Place {
    Folder(PathBuf),
    Memory(Mutex<Files>),
    /// A framed file, which is only read.
    Framed(Arc<FramedStore>),
}

/// A file on its way to its place. Dropped before [`Place::keep`], it leaves nothing.
pub(super) enum Incoming {
    File(NamedTempFile),
    Memory(Cursor<Vec<u8>>),
}

/// A file in its place.
pub(super) enum Stored {
    File(File),
    Memory(Cursor<Arc<[u8]>>),
    Framed(FramedBlob),
}

impl Place {
    /// The files in `folder`, which is made if it is not there.
    pub fn open(folder: &Path) -> io::Result<Self> {
        disk::create_private_dir(&folder.join(TMP))?;
        Ok(Self::Folder(folder.to_owned()))
    }

    /// Removes what a kill left.
    pub fn sweep(&self) -> io::Result<()> {
        let Self::Folder(folder) = self else { return Ok(()) };
        for left in fs::read_dir(folder.join(TMP))? {
            fs::remove_file(left?.path())?;
        }
        Ok(())
    }

    pub fn incoming(&self) -> io::Result<Incoming> {
        match self {
            Self::Folder(folder) => Ok(Incoming::File(NamedTempFile::new_in(folder.join(TMP))?)),
            Self::Memory(_) => Ok(Incoming::Memory(Cursor::default())),
            Self::Framed(_) => Err(read_only()),
        }
    }

    /// Gives a file its name, in the place of what had it. On the disk when it returns.
    pub fn keep(&self, incoming: Incoming, space: Space, address: Digest) -> io::Result<()> {
        match (self, incoming) {
            (Self::Folder(folder), Incoming::File(file)) => {
                let space_folder = folder.join(space.to_string());
                file.as_file().sync_all()?;
                disk::create_private_dir(&space_folder)?;
                file.persist(space_folder.join(address.hex())).map_err(|error| error.error)?;
                self.sync(space)
            }
            (Self::Memory(files), Incoming::Memory(bytes)) => {
                let bytes = bytes.into_inner().into();
                lock(files).entry(space).or_default().insert(address, bytes);
                Ok(())
            }
            _ => unreachable!("a place keeps what it gave out"),
        }
    }

    /// Syncs the names in a space, and the space's own: a run that was killed may not have come so far.
    pub fn sync(&self, space: Space) -> io::Result<()> {
        let Self::Folder(folder) = self else { return Ok(()) };
        disk::sync_dir(&folder.join(space.to_string()))?;
        disk::sync_dir(folder)
    }

    pub fn stored(&self, space: Space, address: Digest) -> io::Result<Option<Stored>> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(space.to_string()).join(address.hex());
                Ok(if_there(File::open(path))?.map(Stored::File))
            }
            Self::Memory(files) => {
                let file = lock(files).get(&space).and_then(|files| files.get(&address).cloned());
                Ok(file.map(|bytes| Stored::Memory(Cursor::new(bytes))))
            }
            Self::Framed(store) => Ok(FramedBlob::find(store, space, address).map(Stored::Framed)),
        }
    }

    /// Removes a space. It is off the disk when this returns, also when a part of it, or all, was gone before.
    pub fn purge(&self, space: Space) -> io::Result<()> {
        match self {
            Self::Folder(folder) => {
                if_there(fs::remove_dir_all(folder.join(space.to_string())))?;
                disk::sync_dir(folder)
            }
            Self::Memory(files) => {
                lock(files).remove(&space);
                Ok(())
            }
            Self::Framed(_) => Err(read_only()),
        }
    }

    pub fn spaces(&self) -> io::Result<Box<dyn Iterator<Item = io::Result<Space>> + Send>> {
        match self {
            Self::Folder(folder) => Ok(Box::new(names(fs::read_dir(folder)?, |name| match name {
                TMP => None,
                name => Some(Space::named(name).ok_or("it is no session's")),
            }))),
            Self::Memory(files) => {
                let spaces: Vec<_> = lock(files).keys().copied().map(Ok).collect();
                Ok(Box::new(spaces.into_iter()))
            }
            Self::Framed(store) => {
                let spaces: HashSet<_> = store.blobs().map(|(space, _)| space).collect();
                Ok(Box::new(spaces.into_iter().map(Ok)))
            }
        }
    }

    pub fn addresses(&self, space: Space) -> io::Result<Box<dyn Iterator<Item = io::Result<Digest>> + Send>> {
        match self {
            Self::Folder(folder) => match if_there(fs::read_dir(folder.join(space.to_string())))? {
                None => Ok(Box::new(std::iter::empty())),
                Some(entries) => {
                    Ok(Box::new(names(entries, |name| Some(address(name).ok_or("its name is no address")))))
                }
            },
            Self::Memory(files) => {
                let addresses: Vec<_> =
                    lock(files).get(&space).into_iter().flat_map(HashMap::keys).copied().map(Ok).collect();
                Ok(Box::new(addresses.into_iter()))
            }
            Self::Framed(store) => {
                let of_space = store.blobs().filter(|(of, _)| *of == space);
                let addresses: Vec<_> = of_space.map(|(_, address)| Ok(address)).collect();
                Ok(Box::new(addresses.into_iter()))
            }
        }
    }
}

/// What a folder's names mean. What means nothing is not ours: it is left alone, with a word in the journal.
fn names<T>(
    entries: fs::ReadDir,
    meaning: impl Fn(&str) -> Option<Result<T, &'static str>>,
) -> impl Iterator<Item = io::Result<T>> {
    entries.filter_map(move |entry| {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        match meaning(&entry.file_name().to_string_lossy())? {
            Ok(meant) => Some(Ok(meant)),
            Err(why) => {
                tracing::warn!(path = %entry.path().display(), why, "a name in the blob folder is not ours; left alone");
                None
            }
        }
    })
}

/// The address that a file's name spells, if it spells it as [`Place::keep`] does.
fn address(name: &str) -> Option<Digest> {
    let digest = Digest(*blake3::Hash::from_hex(name).ok()?.as_bytes());
    (digest.hex() == name).then_some(digest)
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "the blobs of a log file are only read")
}

/// `None` for what is not there.
fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

fn lock(files: &Mutex<Files>) -> MutexGuard<'_, Files> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stored {
    /// How many bytes the file has.
    pub fn length(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.get_ref().len() as u64),
            Self::Framed(blob) => Ok(blob.length()),
        }
    }
}

impl Read for Stored {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(out),
            Self::Memory(bytes) => bytes.read(out),
            Self::Framed(blob) => blob.read(out),
        }
    }
}

impl Write for Incoming {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Memory(all) => all.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Memory(all) => all.flush(),
        }
    }
}

impl Seek for Incoming {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Memory(all) => all.seek(to),
        }
    }
}
