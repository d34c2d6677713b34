//! The indexes made again from the records: heads, names, open streams and event ids.
//!
//! It works on a log that nobody has open, also where the indexes are so damaged that it is not opened in the usual way.
//! What can't be made again is the records: they are all read first, and anything that is wrong there is a refusal, because
//! an index of a damaged log would only hide the damage. First the indexes are compared, and written only where one
//! differs. What is written is checked as any log is.
//!
//! **Cut off**, it is repeated: the ids are removed first and written last, in the order of the log, so until all is
//! written the log's last events are in no index, and it is not opened.
//!
//! | file | what it is |
//! |---|---|
//! | `fold` | every record read and checked, and the indexes that follow from them |
//! | `compare` | what an engine has instead |
//! | `write` | the indexes into the engine |

mod compare;
mod fold;
mod write;

pub use compare::{Difference, Differences};

use crate::{
    Clock, Log, Position, StreamId,
    blob::{BlobError, BlobStore},
    keys::{KeyError, Keyring},
    log::OpenLogError,
    store::{Engine, EngineError, EngineKind, OpenError, ReadError, Store, memory::MemoryEngine},
    verify::{Report, verify},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The records are read and the indexes compared.
    Comparing,
    /// The indexes are written.
    Writing,
}

/// What a repair did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// How the indexes differed from the records.
    pub found: Differences,
    /// Whether they were written anew.
    pub written: bool,
    /// What the check of the log found afterwards.
    pub report: Report,
}

/// Why the indexes were not made again.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// There is no log in the folder.
    #[error("there is no log of the engine {engine} in {folder}: name the folder of the data, and its engine")]
    NoLog {
        /// The folder.
        folder: PathBuf,
        /// The engine.
        engine: EngineKind,
    },
    /// The engine can't be opened, for another reason than its indexes.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The records are damaged. Nothing was changed.
    #[error(
        "the records are damaged at position {position} ({why}): indexes can't be made from them. Restore the last backup"
    )]
    Records {
        /// Where.
        position: Position,
        /// What is wrong.
        why: String,
    },
    /// Two indexes know of events behind the last record. Nothing was changed.
    #[error(
        "the log ends at position {end}, but two indexes know of events behind it: the end of the log is lost. Restore the \
         last backup, or force the repair to keep what is there"
    )]
    LostEnd {
        /// The last record that is there.
        end: Position,
    },
    /// A payload that says what belongs into an index can't be read. Nothing was changed.
    #[error(
        "the event at position {position} ({kind}, stream {stream}) has to be read for the indexes, and can't be: {why}"
    )]
    Payload {
        /// Where.
        position: Position,
        /// The event's type.
        kind: String,
        /// Its stream.
        stream: StreamId,
        /// Why; a missing key is named.
        why: String,
    },
    /// The keys can't be opened.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The blobs can't be opened.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The indexes could not be written: repeat the repair when the cause is mended.
    #[error(
        "the indexes could not be written: {0}. Repeat the repair when the cause is mended; until then the log is not opened"
    )]
    Engine(#[from] EngineError),
    /// The log can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The log could not be opened with its new indexes.
    #[error(transparent)]
    Reopen(#[from] OpenLogError),
}

/// Makes the indexes of the log in a data folder again where they differ from its records, or in any case if `force`d;
/// then opens the log in the usual way and verifies it. The caller holds the folder's lock. Blocks for as long as reading the
/// log twice takes. `progress` is told the stage, and the position that was reached.
///
/// # Errors
/// [`RepairError`]; except for [`RepairError::Engine`] and what comes after it nothing was changed.
pub fn repair_indexes(
    data: &Path,
    kind: EngineKind,
    force: bool,
    clock: Arc<dyn Clock>,
    mut progress: impl FnMut(Stage, Position),
) -> Result<Repaired, RepairError> {
    let folder = data.join("log");
    if EngineKind::found_in(&folder).is_none() {
        return Err(RepairError::NoLog { folder, engine: kind });
    }
    let payloads = payloads(data, clock.clone())?;
    let engine = kind.open_for_repair(&folder)?;
    let found = repair(&*engine, &payloads, force, &mut progress)?;
    drop(engine);
    let written = force || found.any();
    let report = verify(&Log::open(data, kind, clock)?)?;
    Ok(Repaired { found, written, report })
}

/// The keys and blobs of a data folder, with a log that holds nothing: it only opens payloads.
fn payloads(data: &Path, clock: Arc<dyn Clock>) -> Result<Log, RepairError> {
    let keys = Keyring::open(&data.join("keys"))?;
    let blobs = BlobStore::open(&data.join("blobs"))?;
    let nothing = Store::start(MemoryEngine::default(), keys.name_secret(false)?)?;
    Ok(Log::new(Arc::new(nothing), keys, blobs, clock))
}

fn repair(
    engine: &dyn Engine,
    payloads: &Log,
    force: bool,
    progress: &mut impl FnMut(Stage, Position),
) -> Result<Differences, RepairError> {
    let (folded, ids) = fold::fold(engine, payloads, |position| progress(Stage::Comparing, position))?;
    let found = compare::compare(engine, &folded, ids)?;
    if found.lost_end && !force {
        return Err(RepairError::LostEnd { end: folded.end.position });
    }
    if force || found.any() {
        write::write(engine, &folded, |position| progress(Stage::Writing, position))?;
    }
    Ok(found)
}
