//! `dispatch submit`.

use super::{
    context::Context,
    door::{Door, Input, watch::Scope},
    exit::{Exit, Failure},
    follow::{self, Ending, Sight, Telling},
    paper::words::{at, number, safe},
};
use clap::{Args, ValueEnum};
use dispatch_events::catalogue::input::Intent;
use serde_json::{Value, json};

/// Send an input to a session, and print the receipt
#[derive(Debug, Args)]
pub struct Submit {
    /// Session, by name or id; a new name opens one
    session: String,
    /// What is said; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// What the input wants of a turn that runs; without it, what the session's busy mode says
    #[arg(long, value_enum)]
    intent: Option<Wish>,
    /// Idempotency key: the same key and input again gives the same receipt
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Wait until the turn is done, and print its answer
    #[arg(long)]
    wait: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Wish {
    /// Wait for its turn
    Queue,
    /// Go into the running turn after its next tool result
    Steer,
    /// Stop the running turn, and take this next
    Redirect,
}

impl Submit {
    /// Sends it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let text = if self.text == "-" { read_all()? } else { self.text.clone() };
        let door = context.door("submit").await?;
        let done = self.send(context, &door, &text).await;
        door.close().await;
        done
    }

    async fn send(&self, context: &Context, door: &Door, text: &str) -> Result<Exit, Failure> {
        let intent = self.intent.map(|wish| match wish {
            Wish::Queue => Intent::Queue,
            Wish::Steer => Intent::Steer,
            Wish::Redirect => Intent::Redirect,
        });
        let request = self.request_id.as_deref();
        let receipt =
            door.submit(Input { session: &self.session, text, intent, request, open: true, waits: self.wait }).await?;
        if !self.wait {
            show_receipt(context, &receipt)?;
            carry_out(context, door, &self.session, &receipt).await?;
            return Ok(Exit::Done);
        }
        answer(context, door, &self.session, &receipt).await
    }
}

/// Where the host is inside this process, waits until the turn is done: it could not go on without it.
pub(super) async fn carry_out(context: &Context, door: &Door, session: &str, receipt: &Value) -> Result<(), Failure> {
    if door.is_inside() && at(receipt, "paused").is_empty() {
        context.paper.note(
            "no host is running: this command carries the turn out before it ends (Ctrl-C leaves it to the next host)",
        );
        let ending = until_settled(door, session, receipt);
        tokio::select! {
            ending = ending => { ending?; }
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    Ok(())
}

/// Waits until the turn of an input is done, and shows its answer.
pub(super) async fn answer(context: &Context, door: &Door, session: &str, receipt: &Value) -> Result<Exit, Failure> {
    let ending = until_settled(door, session, receipt).await?;
    show_ending(context, receipt, &ending)
}

async fn until_settled(door: &Door, session: &str, receipt: &Value) -> Result<Ending, Failure> {
    let from = super::submit::first_version(receipt);
    let mut watch = door.watch(Scope::Session(session), from).await?;
    let mut telling = Telling::of(receipt);
    follow::to_the_end(&mut watch, &mut telling, &mut |_: &Sight| Ok(())).await
}

/// The version from which an input's story is read.
pub(super) fn first_version(receipt: &Value) -> u64 {
    number(receipt, "version").max(1)
}

fn show_receipt(context: &Context, receipt: &Value) -> Result<(), Failure> {
    let paper = context.paper;
    if paper.json {
        return paper.document(receipt);
    }
    for (label, key) in [
        ("session", "name"),
        ("admission", "admission"),
        ("request id", "request_id"),
        ("place", "seq"),
        ("state", "state"),
        ("intent", "intent"),
        ("turn", "turn"),
        ("position", "position"),
    ] {
        let value = at(receipt, key);
        if !value.is_empty() {
            paper.line(format_args!("{}  {value}", paper.dim(format_args!("{label:<10}"))))?;
        }
    }
    if !at(receipt, "paused").is_empty() {
        paper.note(format_args!(
            "the session is paused ({}): it waits until that is settled with `dispatch sessions reconcile`",
            safe(&at(receipt, "paused"))
        ));
    }
    if !at(receipt, "demoted").is_empty() {
        paper.note("it waits for its turn: a stop would have destroyed work that runs inside this one");
    }
    Ok(())
}

fn show_ending(context: &Context, receipt: &Value, ending: &Ending) -> Result<Exit, Failure> {
    let done = ending.outcome == "completed";
    if context.paper.json {
        let mut document = receipt.clone();
        document["state"] = json!("terminal");
        document["outcome"] = json!(ending.outcome);
        document["turn"] = json!(ending.turn);
        document["answer"] = json!(ending.answer);
        document["error"] = json!(ending.why);
        context.paper.document(&document)?;
    } else if !ending.answer.is_empty() {
        context.paper.line(safe(&ending.answer))?;
    }
    if done {
        return Ok(Exit::Done);
    }
    let exit = match ending.outcome.as_str() {
        "unknown" | "rejected" => Exit::Refused,
        _ => Exit::Failed,
    };
    Err(Failure::new(exit, unfinished(ending)))
}

/// Why a turn has no answer, in words.
pub(super) fn unfinished(ending: &Ending) -> String {
    if ending.outcome == "unknown" {
        let why = ending.why.as_deref().unwrap_or("the log says no more");
        return format!(
            "the session is paused, because an outcome is unknown ({}): look at it, and settle it, with \
             `dispatch sessions reconcile`",
            safe(why)
        );
    }
    match &ending.why {
        Some(why) => format!("the turn {}: {}", verb(&ending.outcome), safe(why)),
        None => format!("the turn {}", verb(&ending.outcome)),
    }
}

fn verb(outcome: &str) -> &'static str {
    match outcome {
        "interrupted" => "was stopped",
        "rejected" => "was refused",
        "cancelled" => "was withdrawn before it began",
        _ => "failed",
    }
}

/// All of standard input, as one text.
pub(super) fn read_all() -> Result<String, Failure> {
    std::io::read_to_string(std::io::stdin())
        .map_err(|error| Failure::usage(format!("standard input can't be read as text: {error}")))
}
