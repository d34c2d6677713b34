//! `dispatch sessions configure`.

use super::changed::Which;
use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::Args;
use clap::ValueEnum;
use dispatch_actors::command::HistoryChange;
use dispatch_events::catalogue::session::BusyMode;

/// What an input that does not say wants.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Busy {
    Queue,
    Steer,
    Interrupt,
    Default,
}

/// Say what an input that does not say wants of a turn that runs
#[derive(Debug, Args)]
pub struct Configure {
    #[command(flatten)]
    which: Which,
    /// queue: wait for its turn; steer: go into the running turn after its next tool result; interrupt: stop the running
    /// turn and be the next; default: what the host's settings say
    #[arg(long, value_enum)]
    busy: Busy,
}

impl Configure {
    /// Does it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let busy = match self.busy {
            Busy::Queue => Some(BusyMode::Queue),
            Busy::Steer => Some(BusyMode::Steer),
            Busy::Interrupt => Some(BusyMode::Interrupt),
            Busy::Default => None,
        };
        let change = HistoryChange::Configure { busy };
        self.which.change(context, "configure", change, "set").await
    }
}
