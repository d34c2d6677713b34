//! `dispatch sessions undo`.

use super::changed::Which;
use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::Args;
use dispatch_actors::command::HistoryChange;

/// Take the last exchanges back
///
/// Nothing is removed: `sessions restore` brings them back.
#[derive(Debug, Args)]
pub struct Undo {
    #[command(flatten)]
    which: Which,
    /// How many
    #[arg(default_value_t = 1, value_name = "N")]
    exchanges: u32,
}

impl Undo {
    /// Does it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let change = HistoryChange::Undo { exchanges: self.exchanges };
        self.which
            .change(
                context,
                "undo",
                change,
                &match self.exchanges {
                    1 => "the last exchange is taken back".to_owned(),
                    many => format!("the last {many} exchanges are taken back"),
                },
            )
            .await
    }
}
