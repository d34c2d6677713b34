//! The appends of a log, one by one, in the order in which they were written.
//!
//! A store gives records; where an append ended is where the engine keeps a hash of the log's own chain. Whoever writes a
//! log anew (a framed file, another engine) writes the same appends, so the chain can be compared at the same places.

mod continuity;

pub use continuity::{Broken, Continuity, Last};

use crate::{
    Position,
    envelope::Header,
    store::{EventStore, ReadError, engine::Frame},
};
use std::collections::VecDeque;

/// Records asked for at once; a page is bounded by its bytes too.
const PAGE: usize = 512;

/// Reads the appends of a store. Holds one page of records and the append that is being put together.
pub struct Appends<'a> {
    store: &'a dyn EventStore,
    page: VecDeque<Vec<u8>>,
    next: Position,
    end: Position,
}

impl<'a> Appends<'a> {
    /// The appends behind position `after`, which is the end of one, up to position `end`, which is another's.
    pub fn new(store: &'a dyn EventStore, after: Position, end: Position) -> Self {
        Self { store, page: VecDeque::new(), next: after.next(), end }
    }

    /// The next append; `None` behind the last. Blocks.
    ///
    /// # Errors
    /// [`ReadError`]; a record that is missing or not whole is named with its position.
    pub fn next_append(&mut self) -> Result<Option<Frame>, ReadError> {
        let mut frame: Option<Frame> = None;
        while self.next <= self.end {
            let record = self.record()?;
            let place = Header::place(&record).ok_or_else(|| damaged(self.next, "the record is cut off"))?;
            if place.position != self.next {
                return Err(damaged(self.next, &format!("the record of position {} lies here", place.position)));
            }
            let frame = frame.get_or_insert_with(|| Frame {
                stream: place.stream,
                version: place.version,
                position: place.position,
                count: 0,
                bytes: Vec::new(),
                log_hash: Default::default(),
            });
            if place.stream != frame.stream {
                return Err(damaged(self.next, "a record of another stream lies in the middle of an append"));
            }
            frame.count += 1;
            frame.bytes.extend_from_slice(&record);
            self.next = self.next.next();
            if let Some(hash) = self.store.log_hash(place.position)? {
                frame.log_hash = hash;
                break;
            }
            if self.next > self.end {
                return Err(damaged(place.position, "the log's own chain is not kept at its end"));
            }
        }
        Ok(frame)
    }

    fn record(&mut self) -> Result<Vec<u8>, ReadError> {
        if self.page.is_empty() {
            self.page = self.store.read_all(self.next, PAGE)?.into();
        }
        self.page.pop_front().ok_or_else(|| damaged(self.next, "the record is missing"))
    }
}

fn damaged(position: Position, why: &str) -> ReadError {
    ReadError::Damaged { place: format!("position {position}"), why: why.to_owned() }
}
