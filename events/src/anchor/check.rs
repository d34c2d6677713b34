//! A log against an anchor.

use super::{Anchor, AnchoredHead, heads};
use crate::{
    Position, StreamId,
    envelope::Header,
    store::{EventStore, ReadError},
    verify::{ProblemKind, Problems, Verdict},
};
use serde::Serialize;
use std::collections::HashSet;

const PAGE: usize = 512;

/// What the comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AnchorReport {
    /// Position of the anchor.
    pub position: Position,
    /// Streams whose record was compared; zero where the anchor lists none, and only the digest was.
    pub streams: u64,
    /// What is wrong.
    #[serde(flatten)]
    pub problems: Problems,
}

impl AnchorReport {
    /// Whether all that was anchored is in the log.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// The worst of it in one word.
    pub fn verdict(&self) -> Verdict {
        self.problems.worst().unwrap_or_default()
    }
}

impl Anchor {
    /// Compares a log with an anchor that was [verified](Anchor::verify): its chain at the anchor's position, and the last
    /// record that the anchor knows of each stream. Every record before those is bound by the chains, so a log in which
    /// also a full [`verify`](crate::verify::verify) finds nothing is, up to the anchor, what was signed. A log that went on
    /// since is fine. Works on an exported file as well. Blocks.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the log can't be read at all; damage is in the report.
    pub fn check(&self, store: &dyn EventStore) -> Result<AnchorReport, ReadError> {
        let mut check =
            Check { store, report: AnchorReport { position: self.position, ..Default::default() }, present: None };
        check.log(self)?;
        match &self.heads {
            Some(heads) => heads.iter().try_for_each(|head| check.head(head))?,
            None => check.digest(self)?,
        }
        Ok(check.report)
    }
}

struct Check<'a> {
    store: &'a dyn EventStore,
    report: AnchorReport,
    /// Streams of which any record is there. Found by reading the whole log, once something is missing.
    present: Option<HashSet<StreamId>>,
}

impl Check<'_> {
    fn add(&mut self, kind: ProblemKind, position: Position, stream: Option<StreamId>, what: impl Into<String>) {
        self.report.problems.add(kind, position, stream, what);
    }

    /// The log's own chain.
    fn log(&mut self, anchor: &Anchor) -> Result<(), ReadError> {
        let end = self.store.log_head().position;
        if end < anchor.position {
            let what = format!("the log ends at position {end}, the anchor is of position {}", anchor.position);
            self.add(ProblemKind::MissingTail, end.next(), None, what);
            return Ok(());
        }
        if anchor.position == Position(0) {
            return Ok(());
        }
        match self.store.log_hash(anchor.position) {
            Ok(Some(hash)) if hash == anchor.log_hash => {}
            Ok(_) => {
                let what = "the log's own chain is not the one that was anchored";
                self.add(ProblemKind::Edited, anchor.position, None, what);
            }
            Err(error) if error.is_damage() => {
                self.add(ProblemKind::Unreadable, anchor.position, None, error.to_string());
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The last record that the anchor knows of a stream.
    fn head(&mut self, head: &AnchoredHead) -> Result<(), ReadError> {
        self.report.streams += 1;
        let stream = Some(head.stream);
        let records = match self.store.read_stream(head.stream, head.version, 1) {
            Err(ReadError::Missing { .. }) => Vec::new(),
            Err(error) if error.is_damage() => {
                let what = format!("version {} can't be read: {error}", head.version);
                self.add(ProblemKind::Unreadable, self.report.position, stream, what);
                return Ok(());
            }
            read => read?,
        };
        let Some(record) = records.first() else { return self.gone(head) };
        match Header::parse(record) {
            Ok((header, payload)) => {
                let same = (header.stream, header.version, header.hash) == (head.stream, head.version, head.hash);
                if !same || header.chained(payload) != header.hash {
                    let what = format!("version {} is not the event that was anchored", head.version);
                    self.add(ProblemKind::Edited, header.position, stream, what);
                }
            }
            Err(error) => {
                let what = format!("version {} can't be read: {error}", head.version);
                self.add(ProblemKind::Unreadable, self.report.position, stream, what);
            }
        }
        Ok(())
    }

    /// The record is not there: is anything of its stream?
    fn gone(&mut self, head: &AnchoredHead) -> Result<(), ReadError> {
        if self.present.is_none() {
            self.present = Some(present(self.store)?);
        }
        let (kind, what) = if self.present.as_ref().is_some_and(|present| present.contains(&head.stream)) {
            (ProblemKind::MissingTail, format!("the stream was at version {}, which is not there", head.version))
        } else {
            (ProblemKind::MissingStream, "the stream was anchored, and none of its events is there".to_owned())
        };
        self.add(kind, self.report.position, Some(head.stream), what);
        Ok(())
    }

    /// All heads at once, where the anchor does not list them.
    fn digest(&mut self, anchor: &Anchor) -> Result<(), ReadError> {
        if self.store.log_head().position < anchor.position {
            return Ok(());
        }
        let heads = match heads::at(self.store, anchor.position) {
            Err(error) if error.is_damage() => {
                self.add(ProblemKind::Unreadable, anchor.position, None, error.to_string());
                return Ok(());
            }
            heads => heads?,
        };
        if (heads.len() as u64) < anchor.streams {
            let what = format!("{} streams were anchored, {} are there", anchor.streams, heads.len());
            self.add(ProblemKind::MissingStream, anchor.position, None, what);
        } else if heads::digest(&heads) != anchor.heads_digest {
            let what = "the ends of the streams are not those that were anchored";
            self.add(ProblemKind::Edited, anchor.position, None, what);
        }
        Ok(())
    }
}

/// Streams of which a record is there, as far as the log can be read.
fn present(store: &dyn EventStore) -> Result<HashSet<StreamId>, ReadError> {
    let end = store.log_head().position;
    let mut present = HashSet::new();
    let mut next = Position(1);
    while next <= end {
        let page = match store.read_all(next, PAGE).or_else(|_| store.read_all(next, 1)) {
            Err(error) if error.is_damage() => Vec::new(),
            page => page?,
        };
        present.extend(page.iter().filter_map(|record| Header::place(record)).map(|place| place.stream));
        next = Position(next.0 + (page.len() as u64).max(1));
    }
    Ok(present)
}
