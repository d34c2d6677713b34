//! The functions of a file, found in its tokens.
//!
//! Tokens rather than a syntax tree: functions inside a macro call (`proptest!`) count like any other, and so do the ones
//! that a macro by example writes.

use super::SourceFile;
use crate::Failure;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// One function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The modules that are opened in the file around it, outermost first.
    pub modules: Vec<String>,
    /// Its name.
    pub name: String,
    /// The line of its `fn`, from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace, both counted.
    pub lines: usize,
    /// Whether an attribute whose path ends in `test` stands before it.
    pub is_test: bool,
}

/// The functions of `file`, in the order of their lines.
pub fn functions(file: &SourceFile) -> Result<Vec<Function>, Failure> {
    let unreadable =
        |cause: proc_macro2::LexError| Failure::Unreadable { path: file.path.clone(), cause: cause.to_string() };
    let tokens: TokenStream = file.text.parse().map_err(unreadable)?;
    let mut found = Vec::new();
    walk(tokens, &mut Vec::new(), &mut found);
    found.sort_by_key(|function| function.line);
    Ok(found)
}

fn walk(tokens: TokenStream, modules: &mut Vec<String>, found: &mut Vec<Function>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut is_test = false;
    let mut module: Option<String> = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) if *word == "fn" => {
                if let Some(function) = read(&tokens, at, modules, is_test) {
                    found.push(function);
                }
                is_test = false;
            }
            TokenTree::Ident(word) if *word == "mod" => module = name_after(&tokens, at),
            TokenTree::Punct(mark) if mark.as_char() == ';' => (is_test, module) = (false, None),
            TokenTree::Group(group) => {
                let is_attribute = group.delimiter() == Delimiter::Bracket && follows_hash(&tokens, at);
                is_test |= is_attribute && names_test(group.stream());
                let opened = module.take_if(|_| group.delimiter() == Delimiter::Brace);
                let depth = modules.len();
                modules.extend(opened);
                walk(group.stream(), modules, found);
                modules.truncate(depth);
                if group.delimiter() == Delimiter::Brace {
                    is_test = false;
                }
            }
            _ => {}
        }
    }
}

/// The function whose `fn` stands at `at`; none for a function pointer type or a signature without a body.
fn read(tokens: &[TokenTree], at: usize, modules: &[String], is_test: bool) -> Option<Function> {
    let name = name_after(tokens, at)?;
    let line = tokens[at].span().start().line;
    // A brace between angle brackets is a const argument; the first one outside them is the body.
    let mut angles = 0_usize;
    let mut before = ' ';
    for token in &tokens[at + 2..] {
        let mut mark = ' ';
        match token {
            TokenTree::Punct(punct) => {
                mark = punct.as_char();
                match mark {
                    '<' => angles += 1,
                    '>' if before != '-' => angles = angles.saturating_sub(1),
                    ';' => return None,
                    _ => {}
                }
            }
            TokenTree::Group(group) if angles == 0 && group.delimiter() == Delimiter::Brace => {
                let lines = group.span_close().end().line - line + 1;
                return Some(Function { modules: modules.to_vec(), name, line, lines, is_test });
            }
            _ => {}
        }
        before = mark;
    }
    None
}

fn name_after(tokens: &[TokenTree], at: usize) -> Option<String> {
    match tokens.get(at + 1) {
        Some(TokenTree::Ident(name)) => Some(name.to_string()),
        _ => None,
    }
}

fn follows_hash(tokens: &[TokenTree], at: usize) -> bool {
    matches!(at.checked_sub(1).map(|before| &tokens[before]), Some(TokenTree::Punct(mark)) if mark.as_char() == '#')
}

/// Whether an attribute's path ends in `test`: `test`, `actix_rt::test`, `tokio::test(…)`.
fn names_test(attribute: TokenStream) -> bool {
    let path = attribute.into_iter().take_while(|token| !matches!(token, TokenTree::Group(_)));
    path.last().is_some_and(|last| last.to_string() == "test")
}

#[cfg(test)]
mod tests;
