//! Token counts in the vendors' words.

use dispatch_events::catalogue::model::Usage;
use serde::Deserialize;

/// The `usage` object. Every field may be missing; a missing count is unknown, not zero.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    /// Where one vendor says what it read from its cache.
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl WireUsage {
    /// The normal form; `None` if neither count is there.
    pub fn normal(&self) -> Option<Usage> {
        if self.prompt_tokens.is_none() && self.completion_tokens.is_none() {
            return None;
        }
        Some(Usage {
            input: self.prompt_tokens.unwrap_or_default(),
            cached: self
                .prompt_tokens_details
                .as_ref()
                .and_then(|details| details.cached_tokens)
                .or(self.prompt_cache_hit_tokens),
            output: self.completion_tokens.unwrap_or_default(),
            reasoning: self.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens),
        })
    }
}
