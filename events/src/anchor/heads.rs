//! The ends of all streams at one position.

use crate::{
    Digest, Position, StreamId, Version,
    envelope::Header,
    store::{EventStore, ReadError},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const PAGE: usize = 512;

/// The end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchoredHead {
    /// The stream.
    pub stream: StreamId,
    /// Version of its last event.
    pub version: Version,
    /// Hash of that event.
    pub hash: Digest,
}

/// The ends of all streams when the log ended at `position`, sorted by stream, while the log goes on.
pub(super) fn at(store: &dyn EventStore, position: Position) -> Result<Vec<AnchoredHead>, ReadError> {
    let mut heads = BTreeMap::new();
    let mut after = None;
    loop {
        let page = store.streams(after, PAGE)?;
        let Some((last, _)) = page.last() else { break };
        after = Some(*last);
        heads.extend(page.into_iter().map(|(stream, head)| (stream, (head.version, head.hash))));
    }
    // What came behind the position meanwhile is taken back: a stream's first record there names the one before it.
    // Read to the end that there is now, which is not below that of any head above.
    let mut seen = std::collections::BTreeSet::new();
    let mut next = position.next();
    loop {
        let page = store.read_all(next, PAGE)?;
        if page.is_empty() {
            break;
        }
        for record in &page {
            let (header, _) = Header::parse(record)
                .map_err(|error| ReadError::damaged(format!("position {next}"), error.to_string()))?;
            next = next.next();
            if !seen.insert(header.stream) {
                continue;
            }
            match header.version.0 {
                0 | 1 => drop(heads.remove(&header.stream)),
                version => drop(heads.insert(header.stream, (Version(version - 1), header.prev_hash))),
            }
        }
    }
    let head = |(stream, (version, hash))| AnchoredHead { stream, version, hash };
    Ok(heads.into_iter().map(head).collect())
}

/// The digest over heads that are sorted by stream.
pub(super) fn digest(heads: &[AnchoredHead]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for head in heads {
        hasher.update(&head.stream.bytes());
        hasher.update(&head.version.0.to_be_bytes());
        hasher.update(&head.hash.0);
    }
    Digest(*hasher.finalize().as_bytes())
}
