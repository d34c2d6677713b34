//! `dispatch tools`.

use super::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::{at, clip, list},
};
use clap::{Args, Subcommand};
use serde_json::Value;

/// The tools that a model can ask for
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct Tools {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List them
    List,
}

impl Tools {
    /// Lists them.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let Verb::List = self.verb;
        let door = context.door("tools list").await?;
        let view = door.tools().await;
        door.close().await;
        let (view, paper) = (view?, context.paper);
        if paper.json {
            paper.document(&view)?;
            return Ok(Exit::Done);
        }
        let rows: Vec<[String; 3]> = list(&view, "tools")
            .iter()
            .map(|tool| [at(tool, "name"), at(tool, "class").to_lowercase(), clip(&about(tool), 100)])
            .collect();
        paper.table(["TOOL", "A REPEAT", "WHAT IT IS FOR"], &rows)?;
        Ok(Exit::Done)
    }
}

/// The description in the schema, which is text or JSON.
fn about(tool: &Value) -> String {
    let schema = match &tool["schema"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
    at(&schema, "function/description")
}
