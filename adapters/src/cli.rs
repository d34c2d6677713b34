//! The command line.
//!
//! | module | what it is |
//! |---|---|
//! | [`arguments`] | the grammar: global flags and the verbs |
//! | [`exit`] | exit codes, and the error that carries one |
//! | [`paper`] | where results and notes go: tables, JSON, colour |
//! | [`door`] | the running host, or one inside: every verb is written once |
//! | [`follow`] | a turn as it happens, until it is settled |
//!
//! and one file per verb. Results go to stdout, everything else to stderr. A verb is a struct of its arguments with a
//! `run`; it gets a [`Context`](context::Context) and asks it for a door when it needs the host.

pub mod arguments;
pub mod context;
pub mod door;
pub mod exit;
pub mod follow;
pub mod paper;

mod audit;
mod backup;
mod chat;
mod completions;
mod config;
mod doctor;
mod events;
mod interrupt;
mod log;
mod memory;
mod models;
mod not_built;
mod question;
mod replay;
mod restore;
mod serve;
mod sessions;
mod submit;
mod tools;

pub use arguments::{Arguments, Verb};
pub use exit::{Exit, Failure};

use clap::Parser;
use context::Context;
use std::{io::IsTerminal, process::ExitCode};
use tracing_subscriber::EnvFilter;

/// Reads the command line. A usage error, help and the version end the process here, as clap does it.
pub fn parse() -> Arguments {
    Arguments::parse()
}

/// Diagnostics go to stderr: warnings, and what a host does while it serves. `DISPATCH_LOG` says otherwise, for example
/// `DISPATCH_LOG=dispatch_actors=debug`.
pub fn log_to_stderr(arguments: &Arguments) {
    let usual = if matches!(arguments.verb, Verb::Serve(_)) { "warn,dispatch=info" } else { "warn" };
    let wanted = std::env::var("DISPATCH_LOG").unwrap_or_else(|_| usual.to_owned());
    let filter = EnvFilter::try_new(&wanted).unwrap_or_else(|_| EnvFilter::new(usual));
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = std::io::stderr().is_terminal() && !plain;
    // Its own complaint about a stderr that can't be written, a file on a full disk for one, goes to stderr and panics.
    let installed = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(colour)
        .log_internal_errors(false)
        .try_init();
    if let Err(error) = installed {
        tracing::debug!(%error, "another subscriber was installed before; it stays");
    }
}

/// Carries out the verb inside an actix System, and says how it went.
pub fn run(arguments: Arguments) -> ExitCode {
    let done = actix_rt::System::new().block_on(async {
        let context = Context::new(&arguments.global)?;
        context.serves(&arguments.verb)?;
        perform(&context, arguments.verb).await
    });
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.tell();
            failure.exit.into()
        }
    }
}

async fn perform(context: &Context, verb: Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Serve(verb) => verb.run(context).await,
        Verb::Chat(verb) => verb.run(context).await,
        Verb::Submit(verb) => verb.run(context).await,
        Verb::Interrupt(verb) => verb.run(context).await,
        Verb::Sessions(verb) => verb.run(context).await,
        Verb::Replay(verb) => verb.run(context).await,
        Verb::Events(verb) => verb.run(context).await,
        Verb::Audit(verb) => verb.run(context).await,
        Verb::Memory(verb) => verb.run(context).await,
        Verb::Models(verb) => verb.run(context).await,
        Verb::Tools(verb) => verb.run(context).await,
        Verb::Doctor(verb) => verb.run(context).await,
        Verb::Config(verb) => verb.run(context).await,
        Verb::Completions(verb) => verb.run(context),
        Verb::Search(_) => not_built::answer("search"),
        Verb::Approvals(_) => not_built::answer("approvals"),
        Verb::Log(verb) => verb.run(context).await,
        Verb::Catalog(_) => not_built::answer("catalog"),
        Verb::Backup(verb) => verb.run(context).await,
        Verb::Restore(verb) => verb.run(context),
    }
}
