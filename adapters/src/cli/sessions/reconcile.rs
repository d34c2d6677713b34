//! `dispatch sessions reconcile`.

use crate::cli::{
    context::Context,
    door::{Door, control::Word},
    exit::{Exit, Failure},
    paper::words::{at, clip, grouped, list, number, safe, time},
    submit,
};
use clap::Args;
use dispatch_actors::{command::ReconcileVerdict, handle::Besides};
use dispatch_events::{Version, catalogue::tool::CallRef};
use serde_json::{Value, json};
use std::str::FromStr;

/// Sessions are asked for in pages of so many.
const PAGE: usize = 500;

/// List unknown outcomes, and settle them
///
/// A session pauses when nobody knows what a tool did: the host stopped while it ran, and it can't be repeated. Look for
/// yourself whether it happened, then say so here. Your word, your reason and your name go to the log, and the turn goes on.
#[derive(Debug, Args)]
pub struct Reconcile {
    /// Session, by name or id; without one every paused session is listed
    session: Option<String>,
    /// The call, as the list names it; may be left out where only one thing is unknown
    #[arg(long, value_name = "MESSAGE/INDEX", requires = "session")]
    call: Option<Call>,
    /// It was done, and this is its result
    #[arg(long, value_name = "RESULT", conflicts_with_all = ["not_done", "give_up"], requires = "why")]
    finished: Option<String>,
    /// It was not done; the model is told so
    #[arg(long, conflicts_with = "give_up", requires = "why")]
    not_done: bool,
    /// Give the turn up
    #[arg(long, requires = "why")]
    give_up: bool,
    /// Why, for the log
    #[arg(long, value_name = "TEXT", requires = "session")]
    why: Option<String>,
}

/// A call's name: the version of the message that asks for it, and its index there.
#[derive(Clone, Copy, Debug)]
struct Call(CallRef);

impl FromStr for Call {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (message, index) = text.split_once('/').unwrap_or((text, "0"));
        match (message.parse(), index.parse()) {
            (Ok(message), Ok(index)) => Ok(Self(CallRef { message: Version(message), index })),
            _ => Err("a call is named MESSAGE/INDEX, for example 12/0, as the list shows it".to_owned()),
        }
    }
}

impl Reconcile {
    /// Lists, or settles.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions reconcile").await?;
        let done = self.on(context, &door).await;
        door.close().await;
        done
    }

    async fn on(&self, context: &Context, door: &Door) -> Result<Exit, Failure> {
        let verdict = match (&self.finished, self.not_done, self.give_up) {
            (Some(output), ..) => Some(ReconcileVerdict::Finished(output.clone())),
            (None, true, _) => Some(ReconcileVerdict::NotDone),
            (None, false, true) => Some(ReconcileVerdict::GiveUp),
            (None, false, false) => None,
        };
        match (&self.session, verdict) {
            (Some(session), Some(verdict)) => {
                let why = self.why.clone().unwrap_or_default();
                self.settle(context, door, session, Word { call: self.call.map(|call| call.0), verdict, why }).await
            }
            (Some(session), None) => show(context, &list_of(door.unknowns(session).await?)),
            (None, None) => show(context, &every(door).await?),
            (None, Some(_)) => {
                Err(Failure::usage("name the session that is meant: `dispatch sessions reconcile` lists"))
            }
        }
    }

    async fn settle(&self, context: &Context, door: &Door, session: &str, word: Word) -> Result<Exit, Failure> {
        let before = list_of(door.unknowns(session).await?);
        let settled = door.reconcile(session, word).await?;
        if context.paper.json {
            context.paper.document(&settled)?;
        } else {
            let left = list_of(door.unknowns(session).await?).len();
            match left {
                0 => context.paper.line("settled: the session goes on")?,
                left => context.paper.line(format_args!("settled; {left} more to settle"))?,
            }
        }
        // A host inside this process carries the turn only as long as the process lives.
        if let Some(first) = before.first().filter(|_| door.is_inside()) {
            let version = number(&settled, "version");
            let receipt = json!({"admission": first["admission"], "version": version, "state": "started"});
            if settled["status"] == "running" {
                submit::carry_out(context, door, session, &receipt).await?;
            }
        }
        Ok(Exit::Done)
    }
}

fn list_of(unknowns: Value) -> Vec<Value> {
    list(&unknowns, "unknowns").to_vec()
}

/// What is unknown in all paused sessions.
async fn every(door: &Door) -> Result<Vec<Value>, Failure> {
    let (mut found, mut after): (Vec<Value>, Option<String>) = (Vec::new(), None);
    loop {
        let page = door.sessions(after.as_deref(), PAGE, Besides { archived: true, ..Besides::default() }).await?;
        for session in page.iter().filter(|session| session["status"] == "paused") {
            found.extend(list_of(door.unknowns(&at(session, "id")).await?));
        }
        match page.last() {
            Some(last) if page.len() == PAGE => after = Some(at(last, "id")),
            _ => return Ok(found),
        }
    }
}

fn show(context: &Context, unknowns: &[Value]) -> Result<Exit, Failure> {
    let paper = context.paper;
    if paper.json {
        paper.document(&json!({"unknowns": unknowns}))?;
        return Ok(Exit::Done);
    }
    if unknowns.is_empty() {
        paper.note("nothing is unknown");
    }
    for unknown in unknowns {
        let name = safe(&at(unknown, "name"));
        let tool = at(unknown, "tool");
        let what = match tool.as_str() {
            "" => "an input, no tool in doubt".to_owned(),
            tool => format!("{} call {}/{}", safe(tool), at(unknown, "message"), at(unknown, "index")),
        };
        paper.line(format_args!("{}  {}", paper.bold(&name), paper.odd(what)))?;
        let ran = unknown["ran_ms"].as_u64().map(|ms| format!("{} ms until its last sign", grouped(ms)));
        let rows = [
            ("input", clip(&safe(&at(unknown, "text")), 300)),
            ("arguments", clip(&safe(&at(unknown, "arguments")), 300)),
            (
                "began",
                Some(at(unknown, "started_at")).filter(|at| !at.is_empty()).map(|at| time(&at)).unwrap_or_default(),
            ),
            ("ran", ran.unwrap_or_default()),
            ("output", clip(&safe(&at(unknown, "last_output")), 300)),
            ("why", safe(&at(unknown, "why"))),
        ];
        for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
            paper.line(format_args!("  {}  {value}", paper.dim(format_args!("{label:<9}"))))?;
        }
    }
    if let Some(first) = unknowns.first() {
        let verdicts = match at(first, "tool").is_empty() {
            true => "--not-done (it is tried again) | --give-up",
            false => "--finished RESULT | --not-done | --give-up",
        };
        let name = safe(&at(first, "name"));
        paper.note(format_args!("settle with `dispatch sessions reconcile {name} {verdicts} --why TEXT`"));
    }
    Ok(Exit::Done)
}
