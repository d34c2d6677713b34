//! A file fits in a reader's head, and a function on a screen.

pub mod exceptions;

use crate::{
    Failure, Finding,
    source::{SourceFile, function::functions},
};
use std::{fs, path::Path};

/// Most lines of one `.rs` file.
pub const FILE_LINES: usize = 500;
/// Most lines of one function, from `fn` to its closing brace.
pub const FUNCTION_LINES: usize = 70;
/// Where the exceptions are listed.
pub const EXCEPTIONS: &str = "xtask/size-exceptions.txt";

/// Something longer than its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oversize {
    /// `path` of a file, or `path::function`.
    pub name: String,
    /// The line to look at.
    pub line: usize,
    /// How long it is.
    pub lines: usize,
    /// How long it may be.
    pub limit: usize,
}

/// Checks every file below `root` against the limits and the list of exceptions.
pub fn check(root: &Path, files: &[SourceFile]) -> Result<Vec<Finding>, Failure> {
    let list = root.join(EXCEPTIONS);
    let text = fs::read_to_string(&list).map_err(Failure::at(&list))?;
    Ok(exceptions::reconcile(&oversizes(files)?, &text))
}

/// Everything that is longer than its limit, exceptions or not.
pub fn oversizes(files: &[SourceFile]) -> Result<Vec<Oversize>, Failure> {
    let mut found = Vec::new();
    for file in files {
        let lines = file.text.lines().count();
        if lines > FILE_LINES {
            found.push(Oversize { name: file.path.clone(), line: 1, lines, limit: FILE_LINES });
        }
        for function in functions(file)?.into_iter().filter(|function| function.lines > FUNCTION_LINES) {
            found.push(Oversize {
                name: format!("{}::{}", file.path, function.name),
                line: function.line,
                lines: function.lines,
                limit: FUNCTION_LINES,
            });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: String) -> SourceFile {
        SourceFile { path: "events/src/a.rs".into(), text }
    }

    #[test]
    fn the_limits_themselves_are_allowed() {
        let long_file = "// line\n".repeat(FILE_LINES);
        let long_function = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(FUNCTION_LINES - 2));
        assert_eq!(oversizes(&[file(long_file), file(long_function)]).unwrap(), []);
    }

    #[test]
    fn one_line_more_is_found() {
        let found = oversizes(&[file("// line\n".repeat(FILE_LINES + 1))]).unwrap();
        assert_eq!(found, [Oversize { name: "events/src/a.rs".into(), line: 1, lines: 501, limit: 500 }]);

        let text = format!("\nfn f() {{\n{}}}\n", "    g();\n".repeat(FUNCTION_LINES - 1));
        let found = oversizes(&[file(text)]).unwrap();
        assert_eq!(found, [Oversize { name: "events/src/a.rs::f".into(), line: 2, lines: 71, limit: 70 }]);
    }
}
