//! `dispatch chat`.

mod lines;
mod past;
mod screen;
mod stop;

use super::{
    context::Context,
    door::{Door, Input, watch::Scope},
    exit::{Exit, Failure},
    follow::{self, Ending, Sight, Telling},
    paper::{
        self,
        words::{at, number},
    },
    serve::{Listening, banner},
    submit::{first_version, unfinished},
};
use clap::Args;
use dispatch_events::TurnId;
use lines::Lines;
use screen::Screen;
use serde_json::{Value, json};
use std::cell::Cell;
use stop::{Interrupts, Pressed};

/// Talk with the agent in the terminal
#[derive(Debug, Args)]
pub struct Chat {
    /// Session, by name or id; a new name opens one
    #[arg(default_value = "main")]
    session: String,
    /// Say this, print the answer, and exit; `-` reads it from standard input
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
}

const REHEARSAL: &str = ": a built-in script answers, no model is called. `dispatch config init` sets up a real one";

/// The host: one that runs, or one inside that listens, so that a second chat attaches.
struct Attached {
    door: Door,
    listening: Option<Listening>,
}

impl Chat {
    /// Talks.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let message = match self.message.as_deref() {
            Some("-") => Some(super::submit::read_all()?),
            other => other.map(str::to_owned),
        };
        let mut interrupts = Interrupts::listen()?;
        let attached = Attached::open(context).await?;
        let done = match message {
            Some(text) => self.once(context, &attached.door, &text, &mut interrupts).await,
            None => self.talk(context, &attached.door, &mut interrupts).await,
        };
        attached.close(&mut interrupts).await;
        done
    }

    async fn once(
        &self,
        context: &Context,
        door: &Door,
        text: &str,
        interrupts: &mut Interrupts,
    ) -> Result<Exit, Failure> {
        match self.turn(context, door, text, interrupts).await? {
            Some(ending) if ending.outcome == "completed" => Ok(Exit::Done),
            Some(ending) => Err(Failure::failed(unfinished(&ending))),
            None => Ok(Exit::Failed),
        }
    }

    async fn talk(&self, context: &Context, door: &Door, interrupts: &mut Interrupts) -> Result<Exit, Failure> {
        let paper = context.paper;
        past::show(paper, door, &self.session).await?;
        let mut lines = Lines::start(paper, &self.session)?;
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                _ = interrupts.next() => {
                    paper.note("");
                    return Ok(Exit::Done);
                }
            };
            let Some(line) = line else { return Ok(Exit::Done) };
            match line.trim() {
                "" => continue,
                "/quit" | "/exit" => return Ok(Exit::Done),
                "/help" => {
                    paper.note("say something; Ctrl-C stops a turn, Ctrl-D or /quit leaves; the session stays");
                    continue;
                }
                _ => {}
            }
            match self.turn(context, door, &line, interrupts).await {
                Ok(None) => return Ok(Exit::Done),
                Ok(Some(ending)) if ending.outcome == "completed" => {}
                // The person did it, or another one; either way nothing is wrong.
                Ok(Some(ending)) if ending.outcome == "interrupted" => paper.note(paper.dim_note(unfinished(&ending))),
                Ok(Some(ending)) => paper::say_error(&unfinished(&ending), ""),
                // The host said no to this input; the next may be fine.
                Err(failure) if failure.exit == Exit::Refused => failure.tell(),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// One turn; `None` when the person leaves before it is done.
    async fn turn(
        &self,
        context: &Context,
        door: &Door,
        text: &str,
        interrupts: &mut Interrupts,
    ) -> Result<Option<Ending>, Failure> {
        let input = Input { session: &self.session, text, intent: None, request: None, open: true, waits: true };
        let receipt = door.submit(input).await?;
        if at(&receipt, "state") == "queued" {
            context.paper.note("another input is being answered; this one waits for its turn");
        }
        let mut watch = door.watch(Scope::Session(&self.session), first_version(&receipt)).await?;
        let mut telling = Telling::of(&receipt);
        let mut screen = Screen::new(context.paper);
        // The turn on this screen: a press means that one, whatever runs by the time the host hears of it.
        let running = Cell::new(at(&receipt, "turn").parse::<TurnId>().ok());
        let mut show = |sight: &Sight| {
            if let Sight::Begun(turn) = sight {
                running.set(turn.parse().ok());
            }
            screen.show(sight)
        };
        let follow = follow::to_the_end(&mut watch, &mut telling, &mut show);
        tokio::pin!(follow);
        loop {
            tokio::select! {
                ending = &mut follow => {
                    let ending = ending?;
                    if context.paper.json {
                        context.paper.record(&document(&receipt, &ending))?;
                    }
                    return Ok(Some(ending));
                }
                pressed = interrupts.next() => match pressed {
                    Pressed::Once => stop::the_turn(context.paper, door, &self.session, running.get()).await?,
                    Pressed::Twice => {
                        context.paper.note("\nleft: the turn is in the log");
                        return Ok(None);
                    }
                },
            }
        }
    }
}

fn document(receipt: &Value, ending: &Ending) -> Value {
    json!({
        "session": receipt["session"], "name": receipt["name"], "admission": receipt["admission"],
        "seq": number(receipt, "seq"), "turn": ending.turn, "outcome": ending.outcome, "answer": ending.answer,
        "error": ending.why,
    })
}

impl Attached {
    async fn open(context: &Context) -> Result<Self, Failure> {
        let door = Door::find_or_start(context, "dispatch chat").await?;
        match &door {
            Door::Inside(inside) => {
                let listening = Listening::anywhere(context, inside)?;
                banner(context.paper, context, &inside.handle, &inside.loaded);
                let note = format!("no host was running: this one listens at {} until you leave", listening.url);
                context.paper.note(context.paper.dim_note(note));
                Ok(Self { door, listening: Some(listening) })
            }
            Door::Running(client) => {
                let health = door.health().await?;
                let mut model = at(&health, "model/profile");
                if health["model"]["rehearsal"] == true {
                    model.push_str(REHEARSAL);
                }
                context.paper.note(format_args!("host   {}\nmodel  {model}", client.url()));
                Ok(Self { door, listening: None })
            }
        }
    }

    async fn close(self, interrupts: &mut Interrupts) {
        let Self { door, listening } = self;
        let ended = async {
            match (door, listening) {
                (Door::Inside(inside), Some(listening)) => listening.stop(*inside, "the chat ended").await,
                (door, _) => door.close().await,
            }
        };
        // Whoever does not want to wait for the drain leaves: the log has all of it.
        tokio::select! {
            () = ended => {}
            _ = interrupts.next() => {}
        }
    }
}
