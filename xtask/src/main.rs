//! `cargo xtask`: the repository's checks and its long runs, from the command line.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command line: what was found goes to stdout")]

use clap::{Parser, Subcommand};
use std::{path::Path, process::ExitCode};
use xtask::{
    Failure, Finding, absence, citation, deploy, edges, size, source,
    torture::{self, Counts},
};

/// Checks and long-running suites of the repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Sizes of files and functions, edges between crates, what must be absent, and the tests that ARCHITECTURE.md names.
    Check,
    /// The container file and the systemd unit.
    DeployLint,
    /// The suites that kill processes and cut the power at random moments, with full counts.
    Torture {
        /// How often each suite kills.
        #[arg(long, default_value_t = torture::FULL)]
        kills: u32,
        /// How often the power is cut, for each engine. Needs root, loop devices and mkfs.ext4.
        #[arg(long, default_value_t = torture::FULL_POWER_CUTS)]
        power_cuts: u32,
        /// Build with the release profile.
        #[arg(long)]
        release: bool,
    },
}

fn main() -> ExitCode {
    let root = source::root();
    let outcome = match Arguments::parse().task {
        Task::Check => check(&root).map(|findings| report(&findings)),
        Task::DeployLint => deploy::check(&root).map(|lint| {
            lint.skipped.iter().for_each(|reason| eprintln!("not checked: {reason}"));
            report(&lint.findings)
        }),
        Task::Torture { kills, power_cuts, release } => run_suites(&root, Counts { kills, power_cuts }, release),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn check(root: &Path) -> Result<Vec<Finding>, Failure> {
    let files = source::rust_files(root)?;
    let mut findings = size::check(root, &files)?;
    findings.extend(edges::check(root)?);
    findings.extend(absence::check(&files, &absence::ABSENCES)?);
    match citation::check_page(root, &files)? {
        Some(found) => findings.extend(found),
        None => eprintln!("not checked: {} is not written yet", citation::PAGE),
    }
    Ok(findings)
}

fn report(findings: &[Finding]) -> bool {
    findings.iter().for_each(|finding| println!("{finding}"));
    println!("{} found", findings.len());
    findings.is_empty()
}

fn run_suites(root: &Path, counts: Counts, is_release: bool) -> Result<bool, Failure> {
    let suites = torture::suites(root, &source::rust_files(root)?)?;
    let mut failed = Vec::new();
    for suite in &suites {
        let name = format!("{} {}", suite.package, suite.target.join(" "));
        println!("== {name}: {} kills, {} power cuts", counts.kills, counts.power_cuts);
        if !suite.run(root, counts, is_release)?.success() {
            failed.push(name);
        }
    }
    failed.iter().for_each(|name| println!("failed: {name}"));
    println!("{} of {} suites passed", suites.len() - failed.len(), suites.len());
    Ok(failed.is_empty())
}
