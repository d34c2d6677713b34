//! The indexes into the engine, as batches without records.

use super::{
    RepairError,
    fold::{Folded, page},
};
use crate::{
    Position,
    envelope::Header,
    store::{Engine, engine::Batch},
};

/// Rows of one batch.
const ROWS: usize = 2048;

/// Empties the indexes and writes them. The ids come last, in the order of the log: see [`super`].
pub(super) fn write(
    engine: &dyn Engine,
    folded: &Folded,
    mut progress: impl FnMut(Position),
) -> Result<(), RepairError> {
    engine.clear_indexes()?;
    progress(Position(0));
    let names: Vec<_> = folded.indexes.names().map(|(name, stream)| (name, Some(stream))).collect();
    for names in names.chunks(ROWS) {
        engine.commit(&Batch { names: names.to_vec(), ..Batch::default() })?;
        progress(Position(0));
    }
    let open: Vec<_> = folded.indexes.open().collect();
    for open in open.chunks(ROWS) {
        engine.commit(&Batch { open: open.to_vec(), ..Batch::default() })?;
        progress(Position(0));
    }
    let heads: Vec<_> = folded.heads.iter().map(|(stream, head)| (*stream, *head)).collect();
    for heads in heads.chunks(ROWS) {
        engine.commit(&Batch { heads: heads.to_vec(), ..Batch::default() })?;
        progress(Position(0));
    }
    ids(engine, folded, progress)
}

fn ids(engine: &dyn Engine, folded: &Folded, mut progress: impl FnMut(Position)) -> Result<(), RepairError> {
    let mut ids = Vec::with_capacity(ROWS);
    let mut next = Position(1);
    while next <= folded.end.position {
        for record in page(engine, next)? {
            // It was whole a moment ago.
            let (header, _) = Header::parse(&record)
                .map_err(|error| RepairError::Records { position: next, why: error.to_string() })?;
            ids.push((header.id, next));
            next = next.next();
        }
        if ids.len() >= ROWS || next > folded.end.position {
            engine.commit(&Batch { ids: std::mem::take(&mut ids), ..Batch::default() })?;
            progress(Position(next.0 - 1));
        }
    }
    Ok(())
}
