//! The few fields of a request that change the form of its answer.

use serde::Deserialize;

/// How the client wants its answer.
pub(super) struct Asked {
    pub(super) stream: bool,
    pub(super) include_usage: bool,
    pub(super) model: String,
}

#[derive(Default, Deserialize)]
struct Fields {
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    model: Option<String>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

impl Asked {
    /// Reads the fields; a body that is no JSON asks for nothing. Refusing it is the task of STRICT.
    pub(super) fn of(body: &[u8]) -> Self {
        let fields: Fields = serde_json::from_slice(body).unwrap_or_default();
        Self {
            stream: fields.stream.unwrap_or(false),
            include_usage: fields.stream_options.and_then(|options| options.include_usage).unwrap_or(false),
            model: fields.model.unwrap_or_else(|| "scripted".to_owned()),
        }
    }
}
