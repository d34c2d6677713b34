//! `dispatch`: parse, configure, wire, run. All of it lives in `dispatch_adapters`.

use dispatch_adapters::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = cli::parse();
    cli::log_to_stderr(&arguments);
    cli::run(arguments)
}
