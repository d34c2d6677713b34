//! `dispatch sessions erase`.

use crate::cli::{
    context::Context,
    door::Door,
    exit::{Exit, Failure},
    paper::words::{at, grouped, number, safe},
    question,
};
use clap::{Args, ValueEnum};
use dispatch_actors::Forks;
use serde_json::Value;

/// Destroy what a session holds, for good
///
/// Its key is destroyed, so that nobody can read its events any more, its blobs and snapshots are removed, and its name
/// is free. The chain of its sealed events stays, and still verifies. A backup made before keeps its own key: `dispatch
/// restore` destroys that again, if it knows of the erasure.
#[derive(Debug, Args)]
pub struct Erase {
    /// Session, by name or id
    session: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// What becomes of its forks, which inherit from it
    #[arg(long, value_enum, default_value_t = ForksWord::Refuse)]
    forks: ForksWord,
}

/// What becomes of the forks of an erased session.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ForksWord {
    /// A session that has some is not erased
    Refuse,
    /// They stay: each takes over what it inherits, under its own key
    Keep,
    /// They are erased before it
    Erase,
}

impl From<ForksWord> for Forks {
    fn from(word: ForksWord) -> Self {
        match word {
            ForksWord::Refuse => Self::Refuse,
            ForksWord::Keep => Self::Keep,
            ForksWord::Erase => Self::EraseAll,
        }
    }
}

impl Erase {
    /// Erases it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        if !self.yes && !question::possible() {
            let why = "an erasure can't be undone, and nobody can be asked here: give --yes if it is meant";
            return Err(Failure::new(Exit::Refused, why));
        }
        let door = context.door("sessions erase").await?;
        let done = self.erase(&door).await;
        door.close().await;
        let (before, erased) = done?;
        let paper = context.paper;
        if paper.json {
            paper.document(&erased)?;
            return Ok(Exit::Done);
        }
        paper.line(format_args!("erased {} ({})", called(&before), at(&erased, "session")))?;
        paper.note(format_args!(
            "its key is destroyed: {} events and {} messages can't be read by anybody any more; its blobs and snapshots \
             are removed, and its name is free",
            grouped(number(&before, "version")),
            grouped(number(&before, "messages")),
        ));
        Ok(Exit::Done)
    }

    async fn erase(&self, door: &Door) -> Result<(Value, Value), Failure> {
        let before = door.summary(&self.session).await?;
        if !self.yes {
            let question = format!(
                "erase {} for good: {} turns, {} messages? Nothing brings it back. [y/N] ",
                called(&before),
                grouped(number(&before, "turns")),
                grouped(number(&before, "messages")),
            );
            if !matches!(question::ask(&question)?.to_ascii_lowercase().as_str(), "y" | "yes") {
                return Err(Failure::new(Exit::Refused, "nothing was erased"));
            }
        }
        let erased = door.erase(&self.session, self.forks.into()).await?;
        Ok((before, erased))
    }
}

/// The name, or the id where there is none.
fn called(session: &Value) -> String {
    let name = at(session, "name");
    if name.is_empty() { at(session, "id") } else { format!("`{}`", safe(&name)) }
}
