//! Files of another log, of another engine, and empty ones.

use super::{Case, Found};
use crate::subject::{Vault, Writer, small};
use dispatch_events::store::{EngineKind, NameSecret};

#[tokio::test]
async fn a_file_of_another_log() {
    for engine in EngineKind::ALL {
        let (case, other) = (Case::new(*engine).await, Case::new(*engine).await);
        let mut refused = 0;
        for (state, files) in case.states() {
            for (of, others) in other.states() {
                for (name, bytes) in &others.0 {
                    let what = format!("`{name}` of another log ({of}) in the {state} one");
                    refused += u32::from(matches!(case.look(&files.with(name, bytes), &what), Found::Refused(_)));
                }
            }
        }
        assert!(refused >= 4, "{engine}: only {refused} foreign files were refused: the test is too weak");
    }
}

#[tokio::test]
async fn an_empty_file() {
    for engine in EngineKind::ALL {
        let case = Case::new(*engine).await;
        for (state, files) in case.states() {
            for name in files.0.keys() {
                case.look(&files.with(name, b""), &format!("`{name}` of the {state} log emptied"));
            }
        }
    }
}

#[tokio::test]
async fn a_file_that_is_gone() {
    for engine in EngineKind::ALL {
        let case = Case::new(*engine).await;
        for (state, files) in case.states() {
            for name in files.0.keys() {
                let mut fewer = files.clone();
                fewer.0.remove(name);
                case.look(&fewer, &format!("`{name}` of the {state} log gone"));
            }
        }
    }
}

/// A log of each engine in one folder: nobody can say which one is meant, so neither is opened.
#[tokio::test]
async fn the_files_of_two_engines_in_one_folder() {
    let mut cases = Vec::new();
    for engine in EngineKind::ALL {
        cases.push(Case::new(*engine).await);
    }
    for case in &cases {
        let other = cases.iter().find(|other| other.engine != case.engine).unwrap();
        let mut both = case.closed.clone();
        both.0.extend(other.closed.0.clone().into_iter().filter(|(name, _)| name != "end"));
        match case.look(&both, "with another engine's files") {
            Found::Refused(words) => assert!(words.contains("dispatch log copy"), "{words}"),
            found => panic!("{}: {found:?}", case.engine),
        }
    }
}

/// What was refused for a foreign file was not written to: with its own file back the log is whole, and goes on.
#[tokio::test]
async fn a_refusal_changes_nothing() {
    for engine in [EngineKind::Sqlite] {
        let (case, other) = (Case::new(engine).await, Case::new(engine).await);
        for name in ["log.sqlite", "log.sqlite-wal", "end"] {
            let folder = case.open.with(name, &other.open.0[name]).write();
            assert!(engine.start(folder.path(), NameSecret::new([7; 32])).is_err(), "`{name}` of another log");
            std::fs::write(folder.path().join(name), &case.open.0[name]).unwrap();
            assert_eq!(case.truth.look(engine, folder.path(), name), Found::Whole, "`{name}` put back");
            let vault = Vault::new();
            let log = vault.log(engine.start(folder.path(), NameSecret::new([7; 32])).unwrap());
            Writer::new(&log).write(vec![small()]).await;
        }
    }
}
