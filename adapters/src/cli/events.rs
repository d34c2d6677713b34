//! `dispatch events`.

mod gist;
mod since;

use super::{
    context::Context,
    door::{
        Door,
        watch::{Scope, Seen},
    },
    exit::{Exit, Failure},
    paper::{
        Paper,
        words::{at, clip, number, safe, short, time},
    },
};
use clap::Args;
use globset::{Glob, GlobMatcher};
use serde_json::Value;

/// The log itself, of one session or of all
#[derive(Debug, Args)]
pub struct Events {
    /// Session, by name or id; without one the whole log
    session: Option<String>,
    /// Begin at this number: a version within a session, else a position
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
    /// Only these types, for example `turn.*`
    #[arg(long = "type", value_name = "GLOB")]
    kind: Option<String>,
    /// Only events since then: 30s, 10m, 2h, 3d, or a time like 2026-01-31T08:00:00Z
    #[arg(long, value_name = "T")]
    since: Option<String>,
    /// Go on with what comes
    #[arg(long, short)]
    follow: bool,
}

/// Characters that stand before an event's gist.
const COLUMNS: usize = 75;

struct Filter {
    kind: Option<GlobMatcher>,
    since: Option<String>,
}

impl Events {
    /// Prints them.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let filter = self.filter()?;
        let door = context.door("events").await?;
        let done = tokio::select! {
            done = self.print(context.paper, &door, &filter) => done,
            _ = tokio::signal::ctrl_c() => Ok(()),
        };
        door.close().await;
        done.map(|()| Exit::Done)
    }

    fn filter(&self) -> Result<Filter, Failure> {
        let glob = |text: &String| {
            Glob::new(text).map(|glob| glob.compile_matcher()).map_err(|error| {
                Failure::usage(format!("--type `{text}` is no pattern ({error}); write one like turn.* or *.failed"))
            })
        };
        let kind = self.kind.as_ref().map(glob).transpose()?;
        let since = self.since.as_deref().map(since::since).transpose()?;
        Ok(Filter { kind, since })
    }

    /// With `--json` one document; what goes on has one per line. Written as it is read: a log is longer than memory.
    async fn print(&self, paper: Paper, door: &Door, filter: &Filter) -> Result<(), Failure> {
        let whole = paper.json && !self.follow;
        if whole {
            paper.write("{\"events\":[")?;
        }
        let mut comma = "";
        self.each(door, filter, |event| {
            if whole {
                paper.write(&format!("{comma}{event}"))?;
                comma = ",\n";
                return Ok(());
            }
            if paper.json { paper.record(event) } else { paper.line(line(paper, event)) }
        })
        .await?;
        if whole { paper.line("]}") } else { Ok(()) }
    }

    async fn each(
        &self,
        door: &Door,
        filter: &Filter,
        mut show: impl FnMut(&Value) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let scope = self.session.as_deref().map_or(Scope::Log, Scope::Session);
        let key = if self.session.is_some() { "version" } else { "position" };
        let end = if self.follow { u64::MAX } else { door.end(scope).await? };
        if self.from > end {
            return Ok(());
        }
        let mut watch = door.watch(scope, self.from).await?;
        while let Some(seen) = watch.next().await {
            let Seen::Event(event) = seen? else { continue };
            let number = number(&event, key);
            // What came after the verb began belongs to the next call.
            if number > end {
                break;
            }
            if filter.takes(&event) {
                show(&event)?;
            }
            if number == end {
                break;
            }
        }
        Ok(())
    }
}

impl Filter {
    fn takes(&self, event: &Value) -> bool {
        let kind = at(event, "type");
        let when = at(event, "recorded_at");
        self.kind.as_ref().is_none_or(|glob| glob.is_match(&kind))
            // RFC 3339 in UTC with microseconds sorts as text.
            && self.since.as_ref().is_none_or(|since| when.as_str() >= since.as_str())
    }
}

fn line(paper: Paper, event: &Value) -> String {
    let kind = at(event, "type");
    let colored = match kind.rsplit('.').next().unwrap_or_default() {
        "failed" | "unknown" | "diverged" | "abandoned" | "lost" => paper.bad(format_args!("{kind:<24}")),
        "completed" | "met" | "finished" => paper.good(format_args!("{kind:<24}")),
        _ => format!("{kind:<24}"),
    };
    format!(
        "{:>7}  {}  {}  {:>5}  {colored}  {}",
        at(event, "position"),
        paper.dim(time(&at(event, "recorded_at"))),
        paper.name(short(&at(event, "stream"))),
        at(event, "version"),
        clip(&safe(&gist::of(&kind, event)), paper.room(COLUMNS)),
    )
}
