//! From a log to a file. Everything is written under another name in the same folder; only a file that is whole and
//! on the disk gets the name that was asked for.

use super::{
    FORMAT, FramedError, MAGIC,
    frame::{self, FILE_NAME, FileHeader, PIECE, Trailer},
};
use crate::{
    Digest, Timestamp,
    appends::Continuity,
    blob::Space,
    disk,
    envelope::Header,
    store::{LogHead, engine::Frame},
};
use std::{
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// A file that is being written. Dropped before [`FramedWriter::finish`], it leaves nothing behind.
pub struct FramedWriter {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    hasher: blake3::Hasher,
    written: Trailer,
    continuity: Continuity,
}

impl FramedWriter {
    /// Begins the file that will be at `path`, for a log of `engine` up to `head`.
    ///
    /// # Errors
    /// [`FramedError::Exists`] if there is something at `path`.
    pub fn create(path: &Path, engine: &str, written_at: Timestamp, head: LogHead) -> Result<Self, FramedError> {
        if path.symlink_metadata().is_ok() {
            return Err(FramedError::Exists(path.to_owned()));
        }
        let mut builder = tempfile::Builder::new();
        // Owner-only, as every temporary file of this crate.
        let file = builder.prefix(".dispatch-").suffix(".partial").tempfile_in(folder_of(path));
        let file = file.map_err(|error| FramedError::io(path, error))?;
        let mut writer = Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(256 * 1024, file),
            hasher: blake3::Hasher::new(),
            written: Trailer::default(),
            continuity: Continuity::default(),
        };
        writer.put(MAGIC)?;
        writer.put(&FileHeader { format: FORMAT, engine: engine.to_owned(), written_at, head }.encode())?;
        Ok(writer)
    }

    /// Writes the next append, once it is checked. Returns the headers of its records.
    ///
    /// # Errors
    /// [`FramedError::Read`] when it is damaged or does not follow from those before.
    pub fn append(&mut self, append: &Frame) -> Result<Vec<Header>, FramedError> {
        let headers = self.continuity.take(append).map_err(crate::store::ReadError::from)?;
        self.put(&frame::encode_append(append))?;
        self.written.appends += 1;
        self.written.records += headers.len() as u64;
        self.written.head = self.continuity.log();
        Ok(headers)
    }

    /// Writes a blob as it is sealed.
    ///
    /// # Errors
    /// [`FramedError::Io`], also when `sealed` can't be read.
    pub fn blob(&mut self, space: Space, address: Digest, sealed: impl Read) -> Result<(), FramedError> {
        self.written.blobs += 1;
        self.pieces(sealed, |number, last, bytes| frame::encode_blob(space, address, number, last, bytes))
    }

    /// Writes a file that is given along. `name` is relative, with `/`.
    ///
    /// # Errors
    /// [`FramedError::Io`], also when `bytes` can't be read or the name is too long.
    pub fn file(&mut self, name: &str, bytes: impl Read) -> Result<(), FramedError> {
        if name.len() > FILE_NAME {
            let error = io::Error::other(format!("its name is longer than {FILE_NAME} bytes"));
            return Err(FramedError::io(Path::new(name), error));
        }
        self.written.files += 1;
        self.pieces(bytes, |number, last, bytes| frame::encode_file(name, number, last, bytes))
    }

    /// Writes the trailer, syncs, and gives the file its name. On the disk when it returns.
    ///
    /// # Errors
    /// [`FramedError`]; there is no file then.
    pub fn finish(mut self) -> Result<Trailer, FramedError> {
        let digest = Digest(*self.hasher.finalize().as_bytes());
        let trailer = Trailer { digest, ..self.written };
        self.put(&trailer.encode())?;
        let io = |error| FramedError::io(&self.path, error);
        let file = self.file.into_inner().map_err(|error| io(error.into_error()))?;
        file.as_file().sync_all().map_err(io)?;
        file.persist_noclobber(&self.path).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => FramedError::Exists(self.path.clone()),
            _ => io(error.error),
        })?;
        disk::sync_dir(folder_of(&self.path)).map_err(io)?;
        Ok(trailer)
    }

    fn pieces(&mut self, mut from: impl Read, frame: impl Fn(u32, bool, &[u8]) -> Vec<u8>) -> Result<(), FramedError> {
        // One piece ahead: only the end of the bytes says which piece is the last.
        let mut next = self.piece(&mut from)?;
        for number in 0.. {
            let piece = std::mem::replace(&mut next, self.piece(&mut from)?);
            let last = next.is_empty();
            self.put(&frame(number, last, &piece))?;
            if last {
                break;
            }
        }
        Ok(())
    }

    fn piece(&self, from: &mut impl Read) -> Result<Vec<u8>, FramedError> {
        let mut piece = Vec::new();
        from.take(PIECE as u64).read_to_end(&mut piece).map_err(|error| FramedError::io(&self.path, error))?;
        Ok(piece)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), FramedError> {
        self.hasher.update(bytes);
        self.file.write_all(bytes).map_err(|error| FramedError::io(&self.path, error))
    }
}

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
