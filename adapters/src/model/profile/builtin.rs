//! The profiles that everybody has. A table: a new vendor is a new entry.

/// A built-in profile.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Where the API is.
    pub base_url: &'static str,
    /// Variable with another base URL, where the vendor's own clients read one.
    pub base_url_env: Option<&'static str>,
    /// Variable with the key; its presence selects the profile.
    pub api_key_env: &'static str,
    /// Model, in the form of an alias where the vendor has one that moves on by itself.
    pub model: &'static str,
    /// Window in tokens, where it does not depend on the route.
    pub context_window: Option<u64>,
}

/// In the order in which they are chosen. Anthropic and Gemini are reached through their own OpenAI-compatible
/// endpoints until their dialects are built: text, tools and streams work there, cache marks and signed thinking do not.
pub const BUILTIN: [Builtin; 4] = [
    Builtin {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        base_url_env: Some("OPENAI_BASE_URL"),
        api_key_env: "OPENAI_API_KEY",
        model: "gpt-5.2",
        context_window: Some(400_000),
    },
    Builtin {
        name: "anthropic",
        base_url: "https://api.anthropic.com/v1",
        base_url_env: None,
        api_key_env: "ANTHROPIC_API_KEY",
        model: "claude-sonnet-5",
        context_window: Some(200_000),
    },
    Builtin {
        name: "gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        base_url_env: None,
        api_key_env: "GEMINI_API_KEY",
        model: "gemini-flash-latest",
        context_window: Some(1_048_576),
    },
    Builtin {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        base_url_env: None,
        api_key_env: "OPENROUTER_API_KEY",
        model: "openrouter/auto",
        context_window: None,
    },
];
