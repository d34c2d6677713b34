//! `dispatch config check`.

use crate::{
    assemble,
    cli::{
        context::Context,
        exit::{Exit, Failure},
    },
};
use clap::Args;
use dispatch_actors::ports::Models;
use serde_json::json;

/// Check the settings as a start would (exit 2 if they are wrong)
#[derive(Debug, Args)]
pub struct Check {}

impl Check {
    /// Checks them.
    pub fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let (loaded, secrets) = (context.loaded()?, context.secrets()?);
        assemble::built(&loaded)?;
        let models = assemble::models(&loaded, &secrets)?;
        let backend = assemble::backend(&loaded, &secrets)?;
        let default = models.default_model().profile.name.clone();
        let backend = backend.map_or("none", |backend| backend.name());
        let (paper, set) = (context.paper, loaded.origins.len());
        if paper.json {
            paper.document(&json!({"ok": true, "set": set, "default_model": default, "memory_backend": backend}))?;
        } else {
            let file = context.folder.config_file();
            let there = if file.exists() { "is right" } else { "is not there: defaults and the environment count" };
            paper.line(format_args!("{} {there} ({set} keys set)", file.display()))?;
            paper.line(format_args!("model {default}, memory backend {backend}"))?;
        }
        if let Some(problem) = models.problem(&default) {
            paper.note(format_args!("{default}: {problem}"));
        }
        Ok(Exit::Done)
    }
}
