//! From settings to the parts of a host: which log, which models, which memory, which tools.

use crate::{
    access::Refused,
    config::{ConfigError, ConfigErrors, DataFolder, Loaded, Origin, Recovery, Secrets},
    log_swap,
    memory::{self, DiskMemory, MemoryMode, MemorySetupError, files::MemoryLimits},
    model::{ModelCatalog, ModelConfigError, ModelSettings},
    tools::{Registry, Workspace},
};
use dispatch_actors::{
    HostParts, HostSettings,
    ports::{Everybody, MemoryBackend, NoApprovals},
};
use dispatch_events::{
    Clock, Log, SystemClock,
    copy::MARKER,
    framed::FramedError,
    log::OpenLogError,
    store::{EngineKind, OpenError, StartError, UnknownEngine},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The agent that sessions speak for.
pub const AGENT: &str = "main";

/// Why the parts could not be put together.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// The settings are wrong.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// The settings ask for something that this build does not have.
    #[error("{0} is not built yet")]
    NotBuilt(String),
    /// The log can't be opened.
    #[error(transparent)]
    Log(#[from] OpenLogError),
    /// The log file can't be read.
    #[error(transparent)]
    Framed(#[from] FramedError),
    /// The log was on its way to another engine, and a start would begin an empty one.
    #[error("the log in {folder} is on its way to {engine}: finish that with `dispatch log copy --to {engine}`")]
    MoveCutOff {
        /// The data folder.
        folder: PathBuf,
        /// Where to.
        engine: EngineKind,
    },
    /// A file or folder can't be used.
    #[error("{0}")]
    Files(String),
}

/// Opens the log and puts the parts together. The caller holds the folder's lock. `recover` is false for a host inside
/// a verb: it leaves to the next real host what a crash left behind.
///
/// # Errors
/// [`AssembleError`]; nothing is sent anywhere.
pub fn host_parts(
    folder: &DataFolder,
    loaded: &Loaded,
    secrets: &Secrets,
    recover: bool,
) -> Result<HostParts, AssembleError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    built(loaded)?;
    // What can be wrong in the settings is found before the log is opened.
    let models = models(loaded, secrets)?;
    let memory_backend = backend(loaded, secrets)?;
    let memory = &loaded.settings.memory;
    let limits = MemoryLimits { memory: memory.memory_char_limit, user: memory.user_char_limit };
    let memory_files = DiskMemory::new(folder.memories(AGENT), limits, clock.clone());
    let toolbox = tools(folder, loaded)?;
    log_swap::mark_stale(folder).map_err(|error| {
        AssembleError::Files(format!("a copy of the log in {} can't be marked: {error}", folder.path().display()))
    })?;
    if let Some(engine) = log_swap::cut_off(folder) {
        return Err(AssembleError::MoveCutOff { folder: folder.path().to_owned(), engine });
    }
    if folder.log().join(MARKER).exists() {
        // Known for what it is before its keys are looked for: they may not have been copied yet.
        return Err(OpenLogError::from(StartError::from(OpenError::Unfinished { folder: folder.log() })).into());
    }
    let log = Log::open(folder.path(), engine(loaded)?, clock)?;
    Ok(HostParts {
        log: Arc::new(log),
        models: Arc::new(models),
        memory_files: Arc::new(memory_files),
        memory_backend,
        toolbox: Arc::new(toolbox),
        approvals: Arc::new(NoApprovals),
        policy: Arc::new(Refused::new(&loaded.settings.access.refuse)),
        settings: host_settings(loaded, recover),
    })
}

/// The parts of a host that looks at a log in one file. It has no settings, sends nothing, and writes nothing.
///
/// # Errors
/// [`AssembleError`].
pub fn file_parts(file: &Path, loaded: &Loaded) -> Result<HostParts, AssembleError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let models = models(loaded, &Secrets::default())?;
    // No folder can be there, as this is a file.
    let nowhere = file.join("memories");
    let memory_files = DiskMemory::new(&nowhere, MemoryLimits { memory: 0, user: 0 }, clock.clone());
    let toolbox = Registry::standard(Workspace::new(nowhere, Vec::new()));
    Ok(HostParts {
        log: Arc::new(Log::open_file(file, clock)?),
        models: Arc::new(models),
        memory_files: Arc::new(memory_files),
        memory_backend: None,
        toolbox: Arc::new(toolbox.map_err(|error| AssembleError::Files(error.to_string()))?),
        approvals: Arc::new(NoApprovals),
        policy: Arc::new(Everybody),
        settings: host_settings(loaded, false),
    })
}

/// The engine that the settings name.
///
/// # Errors
/// [`AssembleError::NotBuilt`] for one that this build does not have.
pub fn engine(loaded: &Loaded) -> Result<EngineKind, AssembleError> {
    let unknown = |error: UnknownEngine| AssembleError::NotBuilt(format!("the log engine `{}` ({error})", error.0));
    loaded.settings.log.engine.parse().map_err(unknown)
}

/// Refuses what the settings ask for and this build does not have.
///
/// # Errors
/// [`AssembleError::NotBuilt`].
pub fn built(loaded: &Loaded) -> Result<(), AssembleError> {
    engine(loaded).map(|_| ())
}

fn host_settings(loaded: &Loaded, recover: bool) -> HostSettings {
    let (memory, turn, sessions) = (&loaded.settings.memory, &loaded.settings.turn, loaded.settings.sessions);
    HostSettings {
        agent: AGENT.to_owned(),
        recall_timeout_ms: memory.recall_timeout_ms,
        drain_timeout_ms: memory.drain_timeout_ms,
        durable_memory: memory.mode == MemoryMode::Durable,
        lease_ttl_ms: turn.lease_ttl_s * 1_000,
        lease_renew_ms: turn.lease_renew_s * 1_000,
        lease_wait_ms: turn.lease_wait_s * 1_000,
        max_model_calls: turn.max_model_calls,
        busy_mode: turn.busy_mode.into(),
        titles: sessions.titles,
        reset: sessions.reset_policy(),
        sharing: sessions.sharing(),
        recover,
        recovery: match turn.recovery {
            Recovery::Pause => dispatch_actors::settings::Recovery::Pause,
            Recovery::Resume => dispatch_actors::settings::Recovery::Resume,
        },
        idle_limit_ms: turn.idle_limit_s * 1_000,
        ..HostSettings::default()
    }
}

/// The configured models.
///
/// # Errors
/// The key that is wrong, where it stands.
pub fn models(loaded: &Loaded, secrets: &Secrets) -> Result<ModelCatalog, AssembleError> {
    let settings =
        ModelSettings { default_model: loaded.settings.default_model.clone(), models: loaded.settings.models.clone() };
    ModelCatalog::new(&settings, &|name| secrets.get(name)).map_err(|error| wrong_model(loaded, error))
}

fn wrong_model(loaded: &Loaded, error: ModelConfigError) -> AssembleError {
    let place = place(loaded, &error.key);
    ConfigErrors::from(ConfigError::at(&place, format!("`{}`: {}", error.key, error.why))).into()
}

/// Where a key was set; for a key that is missing, where its section begins.
fn place(loaded: &Loaded, key: &str) -> Origin {
    if let Some(origin) = loaded.origins.get(key) {
        return origin.clone();
    }
    let section = key.rsplit_once('.').map_or("", |(section, _)| section);
    let section = if section == "models" { key } else { section };
    let beside = loaded.origins.iter().find(|(other, _)| {
        !section.is_empty() && other.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))
    });
    beside.map_or(Origin::Default, |(_, origin)| origin.clone())
}

/// The configured memory backend, if there is one.
///
/// # Errors
/// The key that is wrong or missing, or a backend that this build does not have.
pub fn backend(loaded: &Loaded, secrets: &Secrets) -> Result<Option<Arc<dyn MemoryBackend>>, AssembleError> {
    let settings = &loaded.settings.memory;
    memory::backend(settings, &|name| secrets.get(name), Arc::new(SystemClock)).map_err(|error| {
        if let MemorySetupError::NotBuilt(name) = error {
            return AssembleError::NotBuilt(format!("the memory backend `{name}` (use `mem0` or `none`)"));
        }
        let place = place(loaded, "memory.backend");
        ConfigErrors::from(ConfigError::at(&place, error.to_string())).into()
    })
}

/// The folder that tools look into: the one of the settings, else the one that the process was started in; for a daemon,
/// which starts in `/`, a folder of its own.
pub fn workspace(folder: &DataFolder, loaded: &Loaded) -> PathBuf {
    if let Some(named) = &loaded.settings.tools.workspace {
        return PathBuf::from(named);
    }
    match std::env::current_dir() {
        Ok(here) if here.parent().is_some() => here,
        _ => folder.path().join("workspace"),
    }
}

fn tools(folder: &DataFolder, loaded: &Loaded) -> Result<Registry, AssembleError> {
    let root = workspace(folder, loaded);
    let closed = if root.starts_with(folder.path()) {
        ["log", "keys", "blobs", "snapshots", "memories"].map(|name| folder.path().join(name)).to_vec()
    } else {
        vec![folder.path().to_owned()]
    };
    Registry::standard(Workspace::new(root, closed)).map_err(|error| AssembleError::Files(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    fn models_of(text: &str) -> String {
        let loaded = config::read("config.toml", text, std::iter::empty()).unwrap();
        models(&loaded, &Secrets::default()).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_wrong_profile_is_named_with_its_line() {
        for (text, hint) in [
            (
                "default_model = \"locl\"\n[models.local]\nmodel = \"m\"\nbase_url = \"http://h/v1\"\n",
                "config.toml:1: `default_model`: there is no profile `locl`; did you mean `local`?",
            ),
            ("[models.local]\nbase_url = \"http://h/v1\"\n", "config.toml:2: `models.local.model`: missing"),
            (
                "[models.local]\nmodel = \"m\"\nbase_url = \"http://h/v1\"\ndialect = \"gemini\"\n",
                "config.toml:4: `models.local.dialect`",
            ),
        ] {
            let error = models_of(text);
            assert!(error.contains(hint), "{error}");
        }
    }

    #[test]
    fn what_is_not_built_says_so() {
        let loaded = config::read("config.toml", "[log]\nengine = \"postgres\"\n", std::iter::empty()).unwrap();
        assert!(matches!(built(&loaded), Err(AssembleError::NotBuilt(_))));
    }
}
