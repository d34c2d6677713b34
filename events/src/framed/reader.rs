//! From a file to its frames, in order. A frame is given out when its checksum holds and it may stand where it stands;
//! the trailer is given out when it fits all that was read.

use super::{
    FORMAT, FramedError, MAGIC,
    frame::{self, BEFORE, BEHIND, BODY_MAX, FileHeader, Frame, Part, TRAILER, Trailer},
};
use crate::{Digest, Position, store::LogHead};
use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

/// Where a frame's body lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte of the body.
    pub start: u64,
    /// Length of the body.
    pub length: u64,
}

/// Reads a file once, from its start. Holds one frame.
pub struct Frames {
    path: PathBuf,
    file: BufReader<File>,
    size: u64,
    /// Where the next frame begins.
    at: u64,
    hasher: blake3::Hasher,
    counted: Trailer,
    header: FileHeader,
    /// What a piece must go on with: what it is part of, and its number.
    unfinished: Option<(Whole, u32)>,
    done: bool,
}

/// What a piece is part of.
#[derive(Clone, PartialEq, Eq)]
enum Whole {
    Blob(crate::blob::Space, Digest),
    File(String),
}

impl Frames {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`FramedError`].
    pub fn open(path: &Path) -> Result<Self, FramedError> {
        let io = |error| FramedError::io(path, error);
        let file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut file = BufReader::with_capacity(256 * 1024, file);
        let mut magic = [0; 8];
        let foreign = || FramedError::Foreign { file: path.to_owned() };
        file.read_exact(&mut magic).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => foreign(),
            _ => io(error),
        })?;
        if magic != *MAGIC {
            return Err(foreign());
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&magic);
        let header =
            FileHeader { format: 0, engine: String::new(), written_at: Default::default(), head: LogHead::default() };
        let at = magic.len() as u64;
        let counted = Trailer::default();
        let mut frames =
            Self { path: path.to_owned(), file, size, at, hasher, counted, header, unfinished: None, done: false };
        match frames.raw()? {
            (_, Frame::Header(header)) if header.format > FORMAT => {
                Err(FramedError::Newer { file: path.to_owned(), format: header.format })
            }
            (_, Frame::Header(header)) => {
                frames.header = header;
                Ok(frames)
            }
            (span, _) => Err(frames.damaged(span.start - BEFORE as u64, "the first frame is not the header")),
        }
    }

    /// The header.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// Bytes of the file that were read, and bytes that it has.
    pub fn progress(&self) -> (u64, u64) {
        (self.at, self.size)
    }

    /// The next frame behind the header, and where its body lies; `None` behind the trailer.
    ///
    /// # Errors
    /// [`FramedError`].
    pub fn next_frame(&mut self) -> Result<Option<(Span, Frame)>, FramedError> {
        if self.done {
            return Ok(None);
        }
        let begin = self.at;
        let (span, frame) = self.raw()?;
        self.count(&frame).map_err(|why| self.damaged(begin, &why))?;
        if self.done && self.at != self.size {
            return Err(self.damaged(self.at, "bytes follow the trailer"));
        }
        Ok(Some((span, frame)))
    }

    /// An error at a byte of this file.
    pub fn damaged(&self, byte: u64, why: &str) -> FramedError {
        let after: Position = self.counted.head.position;
        FramedError::Damaged { file: self.path.clone(), byte, after, why: why.to_owned() }
    }

    fn raw(&mut self) -> Result<(Span, Frame), FramedError> {
        let (begin, left) = (self.at, self.size - self.at);
        if left == 0 {
            return Err(self.damaged(begin, "the file ends without its trailer: it is cut off, or was never finished"));
        }
        let mut before = [0; BEFORE];
        let cut = "the file is cut off in the middle of a frame";
        if left < (BEFORE + BEHIND) as u64 {
            return Err(self.damaged(begin, cut));
        }
        self.fill(&mut before)?;
        let length = u32::from_be_bytes([before[1], before[2], before[3], before[4]]) as usize;
        // Checked before anything is allocated for it: the length itself may be damaged.
        if length > BODY_MAX || (BEFORE + length + BEHIND) as u64 > left {
            return Err(self.damaged(begin, "a frame is longer than it can be: a flipped bit, or the file is cut off"));
        }
        let mut body = vec![0; length];
        self.fill(&mut body)?;
        let mut crc = [0; BEHIND];
        self.fill(&mut crc)?;
        if crc32c::crc32c_append(crc32c::crc32c(&before), &body).to_be_bytes() != crc {
            return Err(self.damaged(begin, "the checksum of a frame does not hold"));
        }
        let frame = frame::decode(before[0], &body)
            .ok_or_else(|| self.damaged(begin, &format!("a frame of kind {} is not well formed", before[0])))?;
        if before[0] != TRAILER {
            self.hasher.update(&before).update(&body).update(&crc);
        }
        self.at += (BEFORE + length + BEHIND) as u64;
        Ok((Span { start: begin + BEFORE as u64, length: length as u64 }, frame))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), FramedError> {
        self.file.read_exact(bytes).map_err(|error| FramedError::io(&self.path, error))
    }

    /// Whether the frame may stand here, and what it adds to the counts.
    fn count(&mut self, frame: &Frame) -> Result<(), String> {
        if self.unfinished.is_some() && !matches!(frame, Frame::Blob(_) | Frame::File(_)) {
            return Err("the pieces before it are not complete".into());
        }
        match frame {
            Frame::Header(_) => Err("a second header".into()),
            Frame::Append(append) => {
                if append.position != self.counted.head.position.next() || append.count == 0 {
                    let after = self.counted.head.position;
                    return Err(format!("an append at position {} follows position {after}", append.position));
                }
                self.counted.appends += 1;
                self.counted.records += u64::from(append.count);
                let position = Position(self.counted.records);
                self.counted.head = LogHead { position, hash: append.log_hash };
                Ok(())
            }
            Frame::Blob(piece) => {
                let last = self.piece(Whole::Blob(piece.space, piece.address), &piece.part)?;
                self.counted.blobs += u64::from(last);
                Ok(())
            }
            Frame::File(piece) => {
                let last = self.piece(Whole::File(piece.name.clone()), &piece.part)?;
                self.counted.files += u64::from(last);
                Ok(())
            }
            Frame::Trailer(trailer) => {
                self.counted.digest = Digest(*self.hasher.finalize().as_bytes());
                self.done = true;
                if trailer.digest != self.counted.digest {
                    return Err("the trailer's digest is not the one of the file".into());
                }
                if *trailer != self.counted || trailer.head != self.header.head {
                    return Err("the trailer does not count what the file holds".into());
                }
                Ok(())
            }
        }
    }

    /// Pieces follow each other; true at the last.
    fn piece(&mut self, whole: Whole, part: &Part) -> Result<bool, String> {
        let expected = match &self.unfinished {
            Some((of, number)) if *of == whole => *number,
            Some(_) => return Err("the pieces before it are not complete".into()),
            None => 0,
        };
        if part.number != expected {
            return Err(format!("piece {} stands where piece {expected} should", part.number));
        }
        self.unfinished = (!part.last).then_some((whole, expected + 1));
        Ok(part.last)
    }
}
