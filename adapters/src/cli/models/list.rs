//! `dispatch models list`.

use crate::{
    assemble,
    cli::{
        context::Context,
        door::running,
        exit::{Exit, Failure},
        paper::words::{at, grouped, list, number},
    },
};
use clap::Args;
use dispatch_actors::ports::Models;
use serde_json::{Value, json};

/// List the profiles, the built-in ones too
#[derive(Debug, Args)]
pub struct List {}

impl List {
    /// Lists them.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let catalog = assemble::models(&context.loaded()?, &context.secrets()?)?;
        let view = match running::find(context).await? {
            Some(client) => client.get(&["api", "models"], &[]).await?,
            None => document(&catalog),
        };
        let paper = context.paper;
        if paper.json {
            paper.document(&view)?;
            return Ok(Exit::Done);
        }
        let default = at(&view, "default");
        let rows: Vec<[String; 6]> = list(&view, "models")
            .iter()
            .map(|model| {
                let name = at(model, "name");
                let window = match number(model, "context_window") {
                    0 => String::new(),
                    tokens => grouped(tokens),
                };
                let state = match catalog.problem(&name) {
                    Some(problem) => problem.to_owned(),
                    None if model["rehearsal"] == true => "built-in script, calls no model".to_owned(),
                    None => "ready".to_owned(),
                };
                let mark = if name == default { "*" } else { "" };
                [
                    format!("{name}{mark}"),
                    at(model, "model"),
                    at(model, "dialect"),
                    window,
                    at(model, "base_url"),
                    state,
                ]
            })
            .collect();
        paper.table(["PROFILE", "MODEL", "DIALECT", "WINDOW", "WHERE", "STATE"], &rows)?;
        paper.note(format_args!("* new sessions use {default}"));
        Ok(Exit::Done)
    }
}

/// The same document as the API's.
pub(super) fn document(models: &dyn Models) -> Value {
    let rows: Vec<Value> = models
        .list()
        .into_iter()
        .map(|profile| {
            json!({
                "name": profile.name, "model": profile.model, "dialect": profile.dialect,
                "base_url": profile.base_url, "context_window": profile.context_window,
                "stream": profile.stream, "rehearsal": profile.rehearsal,
            })
        })
        .collect();
    json!({"default": models.default_model().profile.name, "models": rows})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelCatalog;

    #[test]
    fn the_document_names_a_default_that_is_in_its_list() {
        let catalog = ModelCatalog::new(&crate::model::ModelSettings::default(), &|_| None).unwrap();
        let view = document(&catalog);
        assert!(list(&view, "models").iter().any(|model| model["name"] == view["default"]), "{view}");
    }
}
