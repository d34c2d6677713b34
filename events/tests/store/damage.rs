//! Damaged files, whatever the engine: refused, or an error where it is read, or everything as it was. Never a panic,
//! never another record in a record's place, never less than was acknowledged without a word.
//!
//! `DISPATCH_FLIPS` sets how many bits are flipped in the log's files for each engine, each alone (30). What is damaged
//! is chosen from a fixed seed, which a failure names.

mod files;
mod flips;
mod foreign;
mod truth;

use dispatch_events::store::{EngineKind, NameSecret};
use files::Files;
use truth::{Found, Truth};

/// A log of each engine, as it lies on the disk after a clean end, and after one that was not: with what the engine
/// keeps outside its main file while it is open.
struct Case {
    engine: EngineKind,
    truth: Truth,
    closed: Files,
    open: Files,
}

impl Case {
    async fn new(engine: EngineKind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = engine.start(folder.path(), NameSecret::new([7; 32])).unwrap();
        let truth = Truth::write(store.clone()).await;
        let open = Files::read(folder.path());
        drop(store);
        let closed = loop {
            // sled gives its files back a moment after the last handle is gone.
            if let Ok(store) = engine.start(folder.path(), NameSecret::new([7; 32])) {
                drop(store);
                break Files::read(folder.path());
            }
        };
        Self { engine, truth, closed, open }
    }

    /// Both states, with a word for each.
    fn states(&self) -> [(&'static str, &Files); 2] {
        [("closed", &self.closed), ("open", &self.open)]
    }

    fn look(&self, files: &Files, what: &str) -> Found {
        let folder = files.write();
        self.truth.look(self.engine, folder.path(), &format!("{}, {what}", self.engine))
    }
}

#[tokio::test]
async fn an_undamaged_log_is_whole() {
    for engine in EngineKind::ALL {
        let case = Case::new(*engine).await;
        for (state, files) in case.states() {
            assert_eq!(case.look(files, state), Found::Whole, "{engine}, {state}: {files:?}");
        }
    }
}
