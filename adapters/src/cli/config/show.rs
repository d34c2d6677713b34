//! `dispatch config show`.

use crate::{
    cli::{
        context::Context,
        exit::{Exit, Failure},
    },
    config::{Loaded, Origin, Secrets, keys},
};
use clap::Args;
use serde_json::{Value, json};

/// Show the effective settings, and where each came from
#[derive(Debug, Args)]
pub struct Show {}

struct Row {
    key: String,
    value: toml::Value,
    origin: Origin,
    /// For the name of a secret: where its value is.
    secret: Option<&'static str>,
}

impl Show {
    /// Shows them.
    pub fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let rows = rows(&context.loaded()?, &context.secrets()?)?;
        let paper = context.paper;
        if paper.json {
            let settings: Vec<Value> = rows.iter().map(document).collect();
            paper.document(&json!({"data": context.folder.path(), "settings": settings}))?;
            return Ok(Exit::Done);
        }
        paper.note(format_args!("data folder {}", context.folder.path().display()));
        let lines: Vec<[String; 3]> = rows
            .iter()
            .map(|row| {
                let secret = row.secret.map(|place| format!("  ({place})")).unwrap_or_default();
                [row.key.clone(), format!("{}{secret}", row.value), row.origin.to_string()]
            })
            .collect();
        paper.table(["KEY", "VALUE", "FROM"], &lines)?;
        Ok(Exit::Done)
    }
}

fn document(row: &Row) -> Value {
    let value = serde_json::to_value(&row.value).unwrap_or_default();
    let from = match &row.origin {
        Origin::Default => "default",
        Origin::File { .. } => "file",
        Origin::Environment(_) => "environment",
        Origin::Log => "log",
    };
    let mut told = json!({"key": row.key, "value": value, "from": from, "place": row.origin.to_string()});
    if let Some(secret) = row.secret {
        told["secret"] = json!(secret);
    }
    told
}

fn rows(loaded: &Loaded, secrets: &Secrets) -> Result<Vec<Row>, Failure> {
    let tree = toml::Value::try_from(&loaded.settings)
        .map_err(|error| Failure::failed(format!("the settings can't be shown: {error}")))?;
    let mut found = Vec::new();
    flatten(&tree, &mut Vec::new(), &mut |path, value| {
        let key = path.join(".");
        let named = keys::find(path).is_some_and(|key| key.kind == keys::Kind::SecretName);
        let secret = value.as_str().filter(|_| named).map(|name| secrets.place(name).unwrap_or("not set"));
        let origin = loaded.origins.get(&key).cloned().unwrap_or(Origin::Default);
        found.push(Row { key, value: value.clone(), origin, secret });
    });
    Ok(found)
}

fn flatten(value: &toml::Value, path: &mut Vec<String>, found: &mut impl FnMut(&[String], &toml::Value)) {
    match value {
        toml::Value::Table(inner) => {
            for (key, value) in inner {
                path.push(key.clone());
                flatten(value, path, found);
                path.pop();
            }
        }
        other => found(path, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn every_value_says_where_it_came_from_and_no_secret_is_shown() {
        let text = "[models.local]\nmodel = \"m\"\nbase_url = \"http://h/v1\"\napi_key_env = \"HOME\"\n";
        let variables = [("DISPATCH_TURN__MAX_MODEL_CALLS".to_owned(), "7".to_owned())];
        let loaded = config::read("config.toml", text, variables.into_iter()).unwrap();
        let rows = rows(&loaded, &Secrets::default()).unwrap();
        let row = |key: &str| rows.iter().find(|row| row.key == key).unwrap();
        assert_eq!(row("log.engine").origin, Origin::Default);
        assert_eq!(row("models.local.model").origin.to_string(), "config.toml:2");
        assert_eq!(row("turn.max_model_calls").origin.to_string(), "environment DISPATCH_TURN__MAX_MODEL_CALLS");
        assert_eq!(row("models.local.api_key_env").secret, Some("the environment"));
        let home = std::env::var("HOME").unwrap();
        assert!(rows.iter().all(|row| row.value.as_str() != Some(home.as_str())));
    }
}
