//! The configured backend, made ready. Nothing is sent here.

use super::{
    mem0::Mem0,
    settings::{BackendName, MemorySettings},
};
use crate::http_client::HttpClientError;
use dispatch_actors::ports::memory::MemoryBackend;
use dispatch_events::Clock;
use std::sync::Arc;

/// Why the configured backend can't be used.
#[derive(Debug, thiserror::Error)]
pub enum MemorySetupError {
    /// A later release will have it.
    #[error("the memory backend `{0}` is not built yet; set `backend` in [memory] to `mem0` or `none`")]
    NotBuilt(BackendName),
    /// A secret is missing.
    #[error(
        "the memory backend `{backend}` needs an API key; put it into the environment as {name}, or into secrets.toml"
    )]
    NoKey {
        /// The backend.
        backend: BackendName,
        /// Name of the secret.
        name: String,
    },
    /// A value can't be used.
    #[error("`{key}` in [memory.{backend}] can't be used: {why}")]
    Value {
        /// The backend.
        backend: BackendName,
        /// The key.
        key: &'static str,
        /// What is wrong with its value.
        why: String,
    },
    /// The address, or TLS.
    #[error("the memory backend can't be reached as configured: {0}")]
    Http(#[from] HttpClientError),
}

/// Makes the backend that the settings name; `None` for `none`. `secret` looks a secret up by its name.
///
/// # Errors
/// [`MemorySetupError`], before anything leaves the machine.
pub fn backend(
    settings: &MemorySettings,
    secret: &dyn Fn(&str) -> Option<String>,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn MemoryBackend>>, MemorySetupError> {
    match settings.backend {
        BackendName::None => Ok(None),
        BackendName::Mem0 => {
            let mem0 = settings.mem0.clone().unwrap_or_default();
            let key = secret(&mem0.api_key_env).filter(|key| !key.trim().is_empty());
            Ok(Some(Arc::new(Mem0::new(mem0, key, clock)?)))
        }
        later @ (BackendName::Honcho
        | BackendName::Hindsight
        | BackendName::Openviking
        | BackendName::Retaindb
        | BackendName::Supermemory
        | BackendName::Holographic
        | BackendName::Byterover) => Err(MemorySetupError::NotBuilt(later)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dispatch_events::SystemClock;

    fn named(text: &str, key: Option<&str>) -> Result<Option<Arc<dyn MemoryBackend>>, MemorySetupError> {
        let settings = toml::from_str(text).unwrap();
        backend(&settings, &|_| key.map(str::to_owned), Arc::new(SystemClock))
    }

    #[test]
    fn none_is_none_and_a_later_one_says_so() {
        assert!(named("", None).unwrap().is_none());
        for later in ["honcho", "hindsight", "openviking", "retaindb", "supermemory", "holographic", "byterover"] {
            let error = named(&format!("backend = \"{later}\""), None).err().unwrap().to_string();
            assert!(error.contains(later) && error.contains("not built yet"), "{error}");
        }
    }

    #[test]
    fn the_platform_needs_a_key_and_a_server_of_ones_own_does_not() {
        let error = named("backend = \"mem0\"", Some(" ")).err().unwrap().to_string();
        assert!(error.contains("MEM0_API_KEY"), "{error}");
        let platform = named("backend = \"mem0\"", Some("k")).unwrap().unwrap();
        assert!(platform.destination().contains("https://api.mem0.ai"), "{}", platform.destination());
        let own = "backend = \"mem0\"\n[mem0]\nbase_url = \"http://127.0.0.1:8000\"";
        assert!(named(own, None).unwrap().unwrap().destination().contains("http://127.0.0.1:8000"));
    }

    #[test]
    fn values_that_no_request_could_carry_are_refused() {
        for (text, word) in [
            ("backend = \"mem0\"\n[mem0]\nuser_id = \" \"", "user_id"),
            ("backend = \"mem0\"\n[mem0]\nbase_url = \"host:1\"", "address"),
        ] {
            let error = named(text, Some("k")).err().unwrap().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(named("backend = \"mem0\"", Some("a\nb")).is_err());
    }
}
