//! What the child runs with: binary, data folder, settings, environment.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::HostProcess;
use super::failure::{NotReady, tail};
use crate::{ScriptedMemory, ScriptedModel};

/// The variable that holds the scripted model's key, and the key. A test may search logs and files for it.
const KEY_VARIABLE: &str = "SCRIPTED_MODEL_KEY";
const KEY: &str = "sk-far-side-0123456789abcdef";

/// A host that is not started yet.
pub struct HostSetup {
    binary: PathBuf,
    data: PathBuf,
    work: PathBuf,
    /// Holds the home and the working folder, and the data folder unless another one is given. Removed on drop.
    root: TempDir,
    listen: String,
    within: Duration,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    /// Tables that stand behind the test's own text in `config.toml`.
    tables: String,
    default_model: bool,
    config: Option<String>,
}

impl HostSetup {
    pub(super) fn new(binary: &Path) -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        let data = root.path().join("data");
        Self {
            binary: binary.to_owned(),
            data,
            work: root.path().join("work"),
            root,
            listen: "127.0.0.1:0".to_owned(),
            within: Duration::from_secs(30),
            args: Vec::new(),
            env: BTreeMap::new(),
            tables: String::new(),
            default_model: false,
            config: None,
        }
    }

    /// Uses this data folder, which is not removed at the end.
    pub fn data_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = folder.into();
        self
    }

    /// Listens here instead of on a free loopback port.
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.listen = address.into();
        self
    }

    /// Adds an argument of `dispatch serve`.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Sets a variable. The child inherits nothing but `PATH` and the locale, so no key of the developer reaches it.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set_env(name.into(), value.into());
        self
    }

    pub(super) fn set_env(&mut self, name: String, value: String) {
        self.env.insert(name, value);
    }

    /// Waits so long for the host to get ready; 30 s without it.
    pub fn ready_within(mut self, limit: Duration) -> Self {
        self.within = limit;
        self
    }

    /// The text of `config.toml`. With [`Self::model`] or [`Self::mem0`] it must not hold their tables, and its
    /// top-level keys come first, as TOML wants it.
    pub fn config(mut self, text: impl Into<String>) -> Self {
        self.config = Some(text.into());
        self
    }

    /// Makes the scripted model the default: the profile `scripted`, with a key in the environment.
    pub fn model(self, model: &ScriptedModel) -> Self {
        self.model_at(&model.base_url())
    }

    /// As [`Self::model`], for a model at this base URL.
    pub fn model_at(mut self, base_url: &str) -> Self {
        self.default_model = true;
        self.tables.push_str(&format!(
            "\n[models.scripted]\nbase_url = \"{base_url}\"\ndialect = \"chat_completions\"\nmodel = \"scripted\"\n\
             api_key_env = \"{KEY_VARIABLE}\"\ncontext_window = 131072\n"
        ));
        self.env(KEY_VARIABLE, KEY)
    }

    /// Makes the scripted memory the external backend. The test's own text must not hold `[memory]`; further keys of
    /// it go through the environment (`DISPATCH_MEMORY__MODE`).
    pub fn mem0(mut self, memory: &ScriptedMemory) -> Self {
        let base_url = memory.base_url();
        self.tables.push_str(&format!("\n[memory]\nbackend = \"mem0\"\n\n[memory.mem0]\nbase_url = \"{base_url}\"\n"));
        self
    }

    /// Starts the host and waits until it is ready.
    ///
    /// # Panics
    /// If it does not get ready, with the end of its stderr.
    pub async fn start(self) -> HostProcess {
        self.try_start().await.unwrap_or_else(|why| panic!("{why}"))
    }

    /// As [`Self::start`], for a host that may refuse to start.
    ///
    /// # Errors
    /// If it does not get ready. The child is gone then.
    pub async fn try_start(self) -> Result<HostProcess, NotReady> {
        for folder in [&self.data, &self.home(), self.work()] {
            // As the host itself would make them: a wider mode would be a finding of its own.
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).expect("a folder for the host");
        }
        if let Some(text) = self.config_text() {
            self.write_config(&text);
        }
        HostProcess::launch(self).await
    }

    fn config_text(&self) -> Option<String> {
        let default_model = if self.default_model { "default_model = \"scripted\"\n" } else { "" };
        let own = self.config.as_deref();
        let anything = own.is_some() || !self.tables.is_empty();
        anything.then(|| format!("{default_model}{}\n{}", own.unwrap_or_default(), self.tables))
    }

    pub(super) fn write_config(&self, text: &str) {
        fs::write(self.data.join("config.toml"), text).expect("a writable data folder");
    }

    pub(super) fn data(&self) -> &Path {
        &self.data
    }

    pub(super) fn work(&self) -> &Path {
        &self.work
    }

    pub(super) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(super) fn within(&self) -> Duration {
        self.within
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The arguments of the child.
    pub(super) fn serve_args(&self) -> Vec<String> {
        let data = self.data.to_string_lossy().into_owned();
        let fixed = ["serve".to_owned(), "--listen".to_owned(), self.listen.clone(), "--data".to_owned(), data];
        fixed.into_iter().chain(self.args.iter().cloned()).collect()
    }

    /// The whole environment of the child and of the command line.
    pub(super) fn whole_env(&self) -> BTreeMap<String, String> {
        let inherited = ["PATH", "LANG", "LC_ALL"];
        let inherited = inherited.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
        let mut env: BTreeMap<_, _> = inherited.collect();
        env.insert("HOME".to_owned(), self.home().to_string_lossy().into_owned());
        env.insert("RUST_BACKTRACE".to_owned(), "1".to_owned());
        env.extend(self.env.clone());
        env
    }

    pub(super) fn stderr_path(&self) -> PathBuf {
        self.data.join("stderr.log")
    }

    pub(super) fn stderr(&self) -> String {
        // Without a file the child has not started, and has said nothing.
        fs::read(self.stderr_path()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    pub(super) fn stderr_tail(&self) -> String {
        tail(&self.stderr())
    }
}
