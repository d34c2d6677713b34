//! `dispatch completions`.

use super::{
    arguments::Arguments,
    context::Context,
    exit::{Exit, Failure},
};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Completions for a shell, on stdout
#[derive(Debug, Args)]
pub struct Completions {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Writes them.
    pub fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "dispatch", &mut script);
        context.paper.write(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Done)
    }
}
