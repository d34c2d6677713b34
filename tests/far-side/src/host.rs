//! The host as a child process: started from the built binary, killed without warning, started again on the same data.
//!
//! ```no_run
//! # async fn example() {
//! use far_side::{Answer, HostProcess, ScriptedModel};
//!
//! let model = ScriptedModel::start();
//! model.push(Answer::text("hello"));
//! // A test of the root package writes `env!("CARGO_BIN_EXE_dispatch")`.
//! let mut host = HostProcess::setup("target/debug/dispatch").model(&model).start().await;
//! assert_eq!(host.chat("main", "hi").await.text(), "hello");
//! host.sigkill();
//! host.restart().await;
//! # }
//! ```

mod child;
mod cli;
mod client;
mod failure;
mod reply;
mod setup;
mod stream;
mod tls;

use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

pub use cli::CliOutput;
pub use client::HostClient;
pub use failure::NotReady;
pub use reply::HostReply;
pub use setup::HostSetup;
pub use stream::{ChatStream, Event};

use child::Running;

/// How long an orderly end may take before [`HostProcess::restart`] kills: above the drain limit of the host.
const DRAIN: Duration = Duration::from_secs(15);

/// A running (or killed) host with its data folder. Dropping it kills the child and removes the folder.
pub struct HostProcess {
    // Before the setup, so that the child is gone when the folders are removed.
    running: Option<Running>,
    setup: HostSetup,
    client: HostClient,
}

impl HostProcess {
    /// Describes a host that runs this binary: pass `env!("CARGO_BIN_EXE_dispatch")`.
    pub fn setup(binary: impl AsRef<Path>) -> HostSetup {
        HostSetup::new(binary.as_ref())
    }

    async fn launch(setup: HostSetup) -> Result<Self, NotReady> {
        let (running, client) = child::start(&setup).await?;
        Ok(Self { running: Some(running), setup, client })
    }

    /// The data folder (`--data`). The child's stderr is in `stderr.log` there.
    pub fn data(&self) -> &Path {
        self.setup.data()
    }

    /// The working folder of the child, empty at the start: what its tools see.
    pub fn work(&self) -> &Path {
        self.setup.work()
    }

    /// The origin that the host printed, without a slash at the end.
    pub fn url(&self) -> &str {
        self.client.url()
    }

    /// The API token.
    pub fn token(&self) -> &str {
        self.client.token()
    }

    /// The process id; none while nothing runs.
    pub fn pid(&self) -> Option<u32> {
        self.running.as_ref().map(Running::pid)
    }

    /// The client for this run of the host. It can be cloned into tasks; a restart makes a new one.
    pub fn client(&self) -> &HostClient {
        &self.client
    }

    /// Everything that the child has written to stderr so far, over all its runs.
    pub fn stderr(&self) -> String {
        self.setup.stderr()
    }

    /// Kills the host without warning and returns when it is gone. Does nothing if it is gone already.
    pub fn sigkill(&mut self) {
        drop(self.running.take());
    }

    /// Asks the host to drain and end. It is still running when this returns; see [`Self::ended`].
    ///
    /// # Panics
    /// If nothing runs.
    pub fn sigterm(&self) {
        self.running.as_ref().expect("a running host").terminate();
    }

    /// Waits until the host has ended by itself.
    ///
    /// # Panics
    /// If it has not within the time, or if nothing runs.
    pub async fn ended(&mut self, within: Duration) -> ExitStatus {
        let running = self.running.as_mut().expect("a running host");
        let Some(status) = running.exited(within).await else {
            panic!("the host is still running after {within:?}\n{}", self.setup.stderr_tail());
        };
        self.running = None;
        status
    }

    /// Starts the host again on the same data. One that still runs is asked to drain first, and killed after 15 s.
    ///
    /// # Panics
    /// If it does not get ready, with the end of its stderr.
    pub async fn restart(&mut self) {
        self.try_restart().await.unwrap_or_else(|why| panic!("{why}"));
    }

    /// As [`Self::restart`], for a host that may refuse to start.
    ///
    /// # Errors
    /// If it does not get ready.
    pub async fn try_restart(&mut self) -> Result<(), NotReady> {
        if let Some(mut running) = self.running.take() {
            running.terminate();
            running.exited(DRAIN).await;
        }
        let (running, client) = child::start(&self.setup).await?;
        self.running = Some(running);
        self.client = client;
        Ok(())
    }

    /// Writes `config.toml`, which counts from the next start on.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn write_config(&self, text: &str) {
        self.setup.write_config(text);
    }

    /// Sets a variable of the child's environment, which counts from the next start on.
    pub fn set_env(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.setup.set_env(name.into(), value.into());
    }

    /// Runs `dispatch ARGS` on the same data folder (through `DISPATCH_HOME`) and the same environment, at most 60 s.
    ///
    /// # Panics
    /// If the binary cannot be run or does not end in time.
    pub async fn run_cli<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> CliOutput {
        cli::run(&self.setup, args).await
    }

    /// One turn of a durable session: see [`HostClient::chat`].
    pub async fn chat(&self, session: &str, text: &str) -> HostReply {
        self.client.chat(session, text).await
    }

    /// One streamed turn of a durable session: see [`HostClient::chat_stream`].
    pub async fn chat_stream(&self, session: &str, text: &str) -> ChatStream {
        self.client.chat_stream(session, text).await
    }

    /// `GET` with the token: see [`HostClient::get`].
    pub async fn get(&self, path: &str) -> HostReply {
        self.client.get(path).await
    }

    /// `POST` with the token: see [`HostClient::post`].
    pub async fn post(&self, path: &str, body: &serde_json::Value) -> HostReply {
        self.client.post(path, body).await
    }

    /// A view of a session, for example `transcript`: see [`HostClient::view`].
    pub async fn view(&self, session: &str, view: &str) -> serde_json::Value {
        self.client.view(session, view).await
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        if std::thread::panicking() {
            failure::show(&self.setup.stderr_tail());
        }
    }
}
