//! The host and its model, as every section starts them.

use crate::wire::{Connection, Target};
use far_side::{Answer, HostProcess, ScriptedModel};
use std::{net::SocketAddr, sync::Arc};
use tempfile::TempDir;

/// Where data folders lie: beside the build, and not in the system's folder for temporary files, which may lie in memory.
pub const ROOT: &str = env!("CARGO_TARGET_TMPDIR");
/// The built binary, in the profile of the bench.
pub const BINARY: &str = env!("CARGO_BIN_EXE_dispatch");
/// What the model says.
pub const ANSWER: &str = "The staging database listens on port 55432, and the last migration ran on Tuesday at noon.";

/// What a person says; the number makes each text its own, so that a request is found again among many.
pub fn said(number: usize) -> String {
    format!("Message {number:06}: please look at the staging database once more and tell me what is there.")
}

/// A host with its model and its data folder.
pub struct Rig {
    /// The host.
    pub host: HostProcess,
    /// The model.
    pub model: ScriptedModel,
    // Behind the host, so that it is removed after the child is gone.
    _data: TempDir,
}

impl Rig {
    /// Starts both; the model gives [`ANSWER`] at once.
    pub async fn start() -> Self {
        let model = ScriptedModel::start();
        model.keep(8);
        model.always(Answer::text(ANSWER));
        let data = tempfile::tempdir_in(ROOT).unwrap();
        let host = HostProcess::setup(BINARY).data_in(data.path()).model(&model).start().await;
        Self { host, model, _data: data }
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.host.pid().unwrap()
    }

    /// Where the host's chat completions are.
    pub fn target(&self) -> Arc<Target> {
        let address: SocketAddr = self.host.url().trim_start_matches("http://").parse().unwrap();
        Arc::new(Target { address, token: self.host.token().to_owned() })
    }

    /// The same for the model itself.
    pub fn straight(&self) -> Arc<Target> {
        Arc::new(Target { address: self.model.address(), token: String::new() })
    }

    /// A connection to the host.
    pub async fn connect(&self) -> Connection {
        Connection::open(self.target()).await
    }
}
