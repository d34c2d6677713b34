//! The paths that a file writes, with grouped imports written out.

use crate::{Failure, source::SourceFile};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// One path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As in code, without a leading `::`: `std::fs::File`.
    pub text: String,
    /// The line of its last part, from 1.
    pub line: usize,
}

/// The paths of two parts or more in `file`, and single names in imports. Modules called `tests` are left out.
pub fn paths(file: &SourceFile) -> Result<Vec<Named>, Failure> {
    let unreadable =
        |cause: proc_macro2::LexError| Failure::Unreadable { path: file.path.clone(), cause: cause.to_string() };
    let mut found = Vec::new();
    walk(file.text.parse().map_err(unreadable)?, "", &mut found);
    Ok(found)
}

/// Reads `tokens`; every path in them continues `prefix`, which is empty or the path before the group that they are.
fn walk(tokens: TokenStream, prefix: &str, found: &mut Vec<Named>) {
    let mut path = Path { prefix, text: prefix.to_owned(), line: 0, colons: 0 };
    let mut before = String::new();
    let mut is_tests = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(word) => {
                let word = word.to_string();
                is_tests = before == "mod" && word == "tests";
                path.name(&word, token.span().start().line, found);
                before = word;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => path.colons += 1,
            TokenTree::Group(group) => {
                let is_continued = path.colons == 2 && group.delimiter() == Delimiter::Brace;
                let inner = if is_continued { std::mem::take(&mut path.text) } else { String::new() };
                path.end(found);
                if !(std::mem::take(&mut is_tests) && group.delimiter() == Delimiter::Brace) {
                    walk(group.stream(), &inner, found);
                }
            }
            _ => path.end(found),
        }
    }
    path.end(found);
}

/// Words before a path that begins with `::`; they are no part of it.
const KEYWORDS: [&str; 13] =
    ["use", "as", "in", "return", "mut", "dyn", "impl", "for", "where", "match", "if", "else", "break"];

struct Path<'a> {
    prefix: &'a str,
    text: String,
    line: usize,
    colons: usize,
}

impl Path<'_> {
    fn name(&mut self, word: &str, line: usize, found: &mut Vec<Named>) {
        if self.colons != 2 {
            self.end(found);
        }
        if KEYWORDS.contains(&word) {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str("::");
        }
        self.text.push_str(word);
        (self.line, self.colons) = (line, 0);
    }

    /// The path is over: it is kept if it has parts of its own, and the next begins at the prefix.
    fn end(&mut self, found: &mut Vec<Named>) {
        let text = std::mem::replace(&mut self.text, self.prefix.to_owned());
        if text.contains("::") && text.len() > self.prefix.len() {
            found.push(Named { text, line: self.line });
        }
        self.colons = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let file = SourceFile { path: "a.rs".into(), text: text.into() };
        paths(&file).unwrap().into_iter().map(|named| named.text).collect()
    }

    #[test]
    fn groups_are_written_out() {
        assert_eq!(
            seen("use std::{fmt, fs::{self, File}, io};"),
            ["std::fmt", "std::fs::self", "std::fs::File", "std::io"]
        );
    }

    #[test]
    fn paths_in_code_are_seen() {
        assert_eq!(
            seen("fn f(a: b::C) -> d::E { ::g::h(&i::J); return ::k::L }"),
            ["b::C", "d::E", "g::h", "i::J", "k::L"]
        );
    }

    #[test]
    fn a_type_after_one_colon_is_no_continuation() {
        assert_eq!(seen("struct A { b: std::fs::File }"), ["std::fs::File"]);
    }
}
