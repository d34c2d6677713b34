//! The command line of the same binary, on the same data.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;

use super::setup::HostSetup;

/// A verb that takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// What a run of the command line left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliOutput {
    /// The exit code; none after a signal.
    pub status: Option<i32>,
    /// Its results.
    pub stdout: String,
    /// Everything else.
    pub stderr: String,
}

impl CliOutput {
    /// The same output, if the exit code is 0.
    ///
    /// # Panics
    /// If it is not.
    pub fn ok(self) -> Self {
        assert_eq!(self.status, Some(0), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// The results as one JSON document.
    ///
    /// # Panics
    /// If they are not.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|why| panic!("no JSON ({why}): {}\nstderr: {}", self.stdout, self.stderr))
    }
}

pub(super) async fn run<'a>(setup: &HostSetup, args: impl IntoIterator<Item = &'a str>) -> CliOutput {
    let args: Vec<_> = args.into_iter().collect();
    let mut command = Command::new(setup.binary());
    command.args(&args).env_clear().envs(setup.whole_env()).env("DISPATCH_HOME", setup.data());
    command.current_dir(setup.work()).stdin(Stdio::null()).kill_on_drop(true);
    let Ok(ended) = tokio::time::timeout(LIMIT, command.output()).await else {
        panic!("{args:?} is still running after {LIMIT:?}\n{}", setup.stderr_tail());
    };
    let output = ended.unwrap_or_else(|why| panic!("{} cannot be run: {why}", setup.binary().display()));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command line writes UTF-8");
    CliOutput { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
