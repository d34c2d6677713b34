//! The indexes as they were before the group that is being written. Rows of a group are in the engine a moment before
//! they are on the disk; until they are, readers get these instead.

use crate::{
    StreamId,
    store::{Head, NameKey},
};
use std::collections::HashMap;

/// Every index row that the group may change, with its value before.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub heads: HashMap<StreamId, Option<Head>>,
    pub names: HashMap<NameKey, Option<StreamId>>,
    pub open: HashMap<StreamId, u32>,
}

impl Before {
    /// Streams in order, as they were: one that began with the group is not there yet.
    pub fn streams(&self, rows: Vec<(StreamId, Head)>) -> Vec<(StreamId, Head)> {
        let was = |(stream, head)| Some((stream, self.heads.get(&stream).copied().unwrap_or(Some(head))?));
        rows.into_iter().filter_map(was).collect()
    }

    /// Names in order, as they were.
    pub fn names(
        &self,
        rows: Vec<(NameKey, StreamId)>,
        after: Option<NameKey>,
        limit: usize,
        more: bool,
    ) -> Vec<(NameKey, StreamId)> {
        // Behind the last row that was read there may be others: a name that lies there belongs to the next page.
        let end = rows.last().map(|(name, _)| *name).filter(|_| more);
        let mut names: Vec<_> = rows.into_iter().filter(|(name, _)| !self.names.contains_key(name)).collect();
        let within = |name: NameKey| after.is_none_or(|after| name > after) && end.is_none_or(|end| name <= end);
        names.extend(
            self.names.iter().filter(|(name, _)| within(**name)).filter_map(|(name, was)| Some((*name, (*was)?))),
        );
        names.sort();
        names.truncate(limit);
        names
    }

    /// Streams with something open, as they were.
    pub fn open_streams(&self, rows: Vec<(StreamId, u32)>) -> Vec<StreamId> {
        let unchanged = rows.into_iter().map(|(stream, _)| stream).filter(|stream| !self.open.contains_key(stream));
        let changed = self.open.iter().filter(|(_, was)| **was > 0).map(|(stream, _)| *stream);
        unchanged.chain(changed).collect()
    }
}
