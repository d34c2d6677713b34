//! `dispatch sessions cancel`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::at,
};
use clap::Args;
use dispatch_events::AdmissionId;

/// Withdraw an input that waits
///
/// `replay SESSION --view queue` lists what waits. An input that runs is stopped with `dispatch interrupt`.
#[derive(Debug, Args)]
pub struct Cancel {
    /// Session, by name or id
    session: String,
    /// The admission, as its receipt names it
    admission: AdmissionId,
}

impl Cancel {
    /// Withdraws it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions cancel").await?;
        let receipt = door.cancel(&self.session, self.admission).await;
        door.close().await;
        let receipt = receipt?;
        if context.paper.json {
            context.paper.document(&receipt)?;
        } else if at(&receipt, "outcome") == "cancelled" {
            context.paper.line("withdrawn")?;
        }
        match at(&receipt, "outcome").as_str() {
            "cancelled" => Ok(Exit::Done),
            done => Err(Failure::new(Exit::Refused, format!("it is done already: {done}"))),
        }
    }
}
