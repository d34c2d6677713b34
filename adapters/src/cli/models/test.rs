//! `dispatch models test`.

use super::probe::probe;
use crate::{
    assemble,
    cli::{
        context::Context,
        exit::{Exit, Failure},
        paper::words::{clip, safe},
    },
};
use clap::Args;
use dispatch_actors::ports::Models;
use serde_json::json;

/// Make one real, tiny call, and say how long it took
#[derive(Debug, Args)]
pub struct Test {
    /// Profile; without one the default
    profile: Option<String>,
}

impl Test {
    /// Makes it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let catalog = assemble::models(&context.loaded()?, &context.secrets()?)?;
        let model = match self.profile.as_deref() {
            None => catalog.default_model(),
            Some(name) => catalog.model(name).ok_or_else(|| {
                let text = format!("there is no profile `{name}`: `dispatch models list` shows what is there");
                Failure::new(Exit::NotFound, text)
            })?,
        };
        let (paper, profile) = (context.paper, &model.profile);
        paper.note(format_args!("asking {} ({} at {}) …", profile.name, profile.model, profile.base_url));
        let answered = probe(&model).await.map_err(|why| Failure::failed(safe(&why)))?;
        let first = answered.first.map(|time| time.as_millis());
        if paper.json {
            paper.document(&json!({
                "profile": profile.name, "model": profile.model, "answer": answered.text,
                "first_token_ms": first, "duration_ms": answered.whole.as_millis(), "rehearsal": profile.rehearsal,
            }))?;
            return Ok(Exit::Done);
        }
        let first = first.map(|ms| format!(", first text after {ms} ms")).unwrap_or_default();
        let told = format!("{} answers: whole after {} ms{first}", profile.name, answered.whole.as_millis());
        paper.line(paper.good(told))?;
        paper.line(paper.dim(clip(&safe(&answered.text), 200)))?;
        if profile.rehearsal {
            paper.note("rehearsal is a built-in script: `dispatch config init` sets up a real model");
        }
        Ok(Exit::Done)
    }
}
