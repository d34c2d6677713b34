//! Questions to the person at the terminal, on stderr: stdout is for results.
#![expect(clippy::print_stderr, reason = "a question to the person at the terminal")]

use crate::cli::exit::Failure;
use std::io::{self, BufRead, IsTerminal};

/// Whether there is somebody to ask.
pub fn possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// One answer, without the white space around it.
///
/// # Errors
/// When the input ends.
pub fn ask(question: &str) -> Result<String, Failure> {
    eprint!("{question}");
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) => Err(Failure::usage("the input ended before the question was answered")),
        Ok(_) => Ok(line.trim().to_owned()),
        Err(error) => Err(Failure::usage(format!("the answer can't be read: {error}"))),
    }
}

/// What a flag says, else what the person says, else what an empty answer stands for.
///
/// # Errors
/// When nobody can be asked: the flag is needed then.
pub fn or(
    given: Option<String>,
    flag: &str,
    question: &str,
    empty: impl Fn() -> Option<String>,
) -> Result<String, Failure> {
    if let Some(given) = given {
        return Ok(given);
    }
    if !possible() {
        return Err(Failure::usage(format!("nobody can be asked here: give {flag}")));
    }
    loop {
        let answer = ask(question)?;
        match if answer.is_empty() { empty() } else { Some(answer) } {
            Some(answer) => return Ok(answer),
            None => eprintln!("an answer is needed"),
        }
    }
}
