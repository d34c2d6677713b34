//! `dispatch sessions export`: a session to take away. Clean text only, whatever the form: what was really sent is shown
//! by `dispatch replay --view wire`.

use crate::cli::{
    context::Context,
    door::Door,
    exit::{Exit, Failure},
    paper::words::{at, list, time},
};
use clap::{Args, ValueEnum};
use dispatch_projections::view::ViewName;
use serde_json::{Value, json};

/// Write a session out, as clean text
#[derive(Debug, Args)]
pub struct Export {
    /// Session, by name or id
    session: String,
    /// Form of the export
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Markdown,
    /// One JSON document: the session and its messages
    Json,
    /// The messages, one JSON document per line
    Jsonl,
}

impl Export {
    /// Writes it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions export").await?;
        let read = self.read(&door).await;
        door.close().await;
        let (summary, transcript) = read?;
        let paper = context.paper;
        let messages = list(&transcript, "messages");
        match self.format {
            Format::Json => paper.document(&json!({"session": summary, "messages": messages}))?,
            Format::Markdown if paper.json => paper.document(&json!({"session": summary, "messages": messages}))?,
            Format::Jsonl => messages.iter().try_for_each(|message| paper.record(message))?,
            Format::Markdown => paper.write(&markdown(&summary, messages))?,
        }
        Ok(Exit::Done)
    }

    async fn read(&self, door: &Door) -> Result<(Value, Value), Failure> {
        Ok((door.summary(&self.session).await?, door.view(&self.session, ViewName::Transcript, None).await?))
    }
}

fn markdown(summary: &Value, messages: &[Value]) -> String {
    let mut text = format!("# {}\n", at(summary, "name"));
    for message in messages {
        let who = match at(message, "role").as_str() {
            "tool" => format!("tool {}", at(message, "tool")),
            role => role.to_owned(),
        };
        text.push_str(&format!("\n## {who} ({} UTC)\n\n{}\n", time(&at(message, "at")), at(message, "content")));
        for call in list(message, "calls") {
            text.push_str(&format!("\n`{} {}`\n", at(call, "tool"), at(call, "arguments")));
        }
    }
    text
}
