//! Mem0: the platform, or a server of one's own (hermes-behaviour.md §3.4).
//!
//! | | platform | self-hosted |
//! |---|---|---|
//! | key | `Authorization: Token`, required | `X-API-Key`, optional |
//! | search | `POST /v3/memories/search/` | `POST /search` |
//! | add | `POST /v3/memories/add/` | `POST /memories` |
//!
//! Mem0 keeps the idempotency key as metadata and does not look at it, so a repeat is a possible duplicate.

mod ahead;
mod request;
mod transport;

use super::{backend::MemorySetupError, settings::BackendName, settings::Mem0Settings};
use ahead::Ahead;
use dispatch_actors::ports::memory::{Exchange, MemoryBackend, MemoryError, RecallQuery};
use dispatch_events::Clock;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use transport::{Flavour, Transport};

/// Where the platform is.
pub const PLATFORM: &str = "https://api.mem0.ai";

/// The backend.
pub struct Mem0 {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Mem0Settings,
    transport: Transport,
    /// Searches that were made ahead, for the next recall of the same session and words.
    ahead: Ahead,
}

impl Mem0 {
    /// Makes it ready; nothing is sent.
    ///
    /// # Errors
    /// [`MemorySetupError`] when a value can't be used, or the platform's key is missing.
    pub fn new(settings: Mem0Settings, key: Option<String>, clock: Arc<dyn Clock>) -> Result<Self, MemorySetupError> {
        for (name, value) in [("user_id", &settings.user_id), ("agent_id", &settings.agent_id)] {
            if value.trim().is_empty() || value.chars().any(char::is_control) {
                let why = "it is empty or holds control characters".to_owned();
                return Err(MemorySetupError::Value { backend: BackendName::Mem0, key: name, why });
            }
        }
        let flavour = if settings.base_url.is_some() { Flavour::SelfHosted } else { Flavour::Platform };
        if flavour == Flavour::Platform && key.is_none() {
            return Err(MemorySetupError::NoKey { backend: BackendName::Mem0, name: settings.api_key_env });
        }
        let base = settings.base_url.as_deref().unwrap_or(PLATFORM);
        let transport = Transport::new(base, flavour, key.as_deref(), &settings, clock)?;
        Ok(Self { inner: Arc::new(Inner { settings, transport, ahead: Ahead::default() }) })
    }
}

impl Inner {
    async fn search(&self, query: &RecallQuery) -> Result<Option<String>, MemoryError> {
        let Some(body) = request::search(&self.settings, &query.text) else { return Ok(None) };
        let answer = self.transport.post(self.transport.flavour().search_path(), &body, None).await?;
        request::bullets(&answer, self.settings.min_score).map_err(MemoryError::Temporary)
    }

    async fn add(&self, exchange: &Exchange) -> Result<(), MemoryError> {
        let body = request::add(&self.settings, exchange);
        self.transport.post(self.transport.flavour().add_path(), &body, Some(&exchange.key)).await?;
        // What was found before may be out of date now.
        self.ahead.clear();
        Ok(())
    }
}

impl MemoryBackend for Mem0 {
    fn name(&self) -> &'static str {
        "mem0"
    }

    fn destination(&self) -> String {
        format!(
            "each message (as a search) and each completed exchange, for the user `{}`, go to mem0 at {}",
            self.inner.settings.user_id,
            self.inner.transport.base(),
        )
    }

    fn honours_keys(&self) -> bool {
        false
    }

    fn recall(&self, query: RecallQuery) -> BoxFuture<'static, Result<Option<String>, MemoryError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            match inner.ahead.take(&query) {
                Some(found) => Ok(found),
                None => inner.search(&query).await,
            }
        })
    }

    fn sync(&self, exchange: Exchange) -> BoxFuture<'static, Result<(), MemoryError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.add(&exchange).await })
    }

    fn warm(&self, query: RecallQuery) -> BoxFuture<'static, Result<(), MemoryError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let found = inner.search(&query).await?;
            inner.ahead.put(query, found);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
