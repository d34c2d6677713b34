//! `dispatch config init`: asks for an endpoint, tests it with one real call, and writes `config.toml`.

mod offer;

use crate::{
    assemble,
    cli::{
        context::Context,
        exit::{Exit, Failure},
        models::probe::probe,
        paper::words::{clip, safe},
        question,
    },
    config,
};
use clap::Args;
use dispatch_actors::ports::Models;
use dispatch_events::disk;
use serde_json::json;

/// Ask for a model's endpoint, test it, and write config.toml
#[derive(Debug, Args)]
pub struct Init {
    /// Where the API is, for example http://127.0.0.1:9000/v1
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Model name as the server knows it; without it the server is asked what it has
    #[arg(long)]
    model: Option<String>,
    /// Name of the environment variable (or of the entry in secrets.toml) that holds the key
    #[arg(long, value_name = "NAME")]
    api_key_env: Option<String>,
    /// Name of the profile
    #[arg(long, value_name = "NAME", default_value = "local")]
    profile: String,
    /// Write the file without calling the model
    #[arg(long)]
    no_test: bool,
    /// Replace a config.toml that is there
    #[arg(long)]
    force: bool,
}

impl Init {
    /// Sets it up.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let path = context.folder.config_file();
        if path.exists() && !self.force {
            let text = format!("{} is there already: edit it, or replace it with --force", path.display());
            return Err(Failure::new(Exit::Refused, text));
        }
        let text = self.text(context).await?;
        // Checked and tested as a start would: through the same code, with nothing written yet.
        let loaded = config::read(&path.display().to_string(), &text, std::iter::empty())?;
        let models = assemble::models(&loaded, &context.secrets()?)?;
        let model = models.default_model();
        if !self.no_test {
            context.paper.note(format_args!("asking {} at {} …", model.profile.model, model.profile.base_url));
            let answered = probe(&model).await.map_err(|why| {
                Failure::failed(format!(
                    "{}\nnothing was written; --no-test writes the settings all the same",
                    safe(&why)
                ))
            })?;
            let ms = answered.whole.as_millis();
            context.paper.note(format_args!("it answers after {ms} ms: {}", clip(&safe(&answered.text), 100)));
        }
        disk::create_private_dir(context.folder.path())
            .and_then(|()| disk::replace_synced(&path, text.as_bytes()))
            .map_err(|error| Failure::failed(format!("{} can't be written: {error}", path.display())))?;
        if context.paper.json {
            context.paper.document(&json!({"written": path, "profile": self.profile, "model": model.profile.model}))?;
        } else {
            context.paper.line(format_args!("wrote {}", path.display()))?;
            context.paper.note("a running host takes it at its next start; try `dispatch chat`");
        }
        Ok(Exit::Done)
    }

    /// The settings file.
    async fn text(&self, context: &Context) -> Result<String, Failure> {
        let base_url =
            question::or(self.base_url.clone(), "--base-url", "Where is the API? [http://127.0.0.1:9000/v1] ", || {
                Some("http://127.0.0.1:9000/v1".to_owned())
            })?;
        let key = match &self.api_key_env {
            Some(name) => name.clone(),
            // Without a terminal a missing flag means that no key is needed.
            None if !question::possible() => String::new(),
            None => question::ask("Which environment variable holds the key? [none] ")?,
        };
        let model = match &self.model {
            Some(model) => model.clone(),
            None => {
                let secret = if key.is_empty() { None } else { context.secrets()?.get(&key) };
                offer::choose(&base_url, secret.as_deref()).await?
            }
        };
        let mut profile = toml::Table::new();
        profile.insert("base_url".to_owned(), base_url.trim().into());
        profile.insert("dialect".to_owned(), "chat_completions".into());
        profile.insert("model".to_owned(), model.trim().into());
        if !key.trim().is_empty() {
            profile.insert("api_key_env".to_owned(), key.trim().into());
        }
        let models = toml::Table::from_iter([(self.profile.clone(), toml::Value::Table(profile))]);
        let mut root = toml::Table::new();
        root.insert("default_model".to_owned(), self.profile.clone().into());
        root.insert("models".to_owned(), toml::Value::Table(models));
        toml::to_string(&root).map_err(|error| Failure::failed(format!("the settings can't be written: {error}")))
    }
}
