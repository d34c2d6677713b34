//! What the scripted model is told by memory: recalled text in the newest message, entries in the system prompt.

use dispatch_projections::recall::{CLOSE, NOTE, OPEN};
use std::collections::HashSet;

/// Most facts that an answer repeats.
const FACTS_MAX: usize = 10;

/// Words that every question has.
const COMMON: [&str; 32] = [
    "the", "and", "are", "was", "were", "what", "who", "how", "why", "when", "where", "which", "does", "did", "you",
    "your", "for", "with", "that", "this", "have", "has", "can", "about", "tell", "please", "say", "our", "there",
    "from", "user", "users",
];

/// A message without its frame, and the facts in the frame.
pub fn unframed(message: &str) -> (String, Vec<String>) {
    let Some((before, rest)) = message.split_once(OPEN) else { return (message.trim().to_owned(), Vec::new()) };
    let (inside, after) = rest.split_once(CLOSE).unwrap_or((rest, ""));
    let facts = inside.lines().map(str::trim).filter(|line| !line.is_empty() && *line != NOTE);
    let facts = facts.map(|line| line.trim_start_matches(['-', '*', ' ']).to_owned()).collect();
    (format!("{} {}", before.trim(), after.trim()).trim().to_owned(), facts)
}

/// Entries of the memory blocks of a system prompt. A block is a line with `MEMORY` or `USER` and a share of
/// characters, between two ruled lines; its entries follow, set apart by `§`, up to the next ruled line or heading. A
/// blank line ends the last entry: what follows there may be another part of the prompt.
pub fn entries(system: &str) -> Vec<String> {
    let mut entries = Vec::new();
    let mut lines = system.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if !is_title(line) {
            continue;
        }
        lines.next_if(|line| is_rule(line));
        let mut block = Vec::new();
        while let Some(line) = lines.next_if(|line| !is_rule(line) && !is_title(line) && !line.starts_with("# ")) {
            block.push(line);
        }
        let mut pieces: Vec<&[&str]> = block.split(|line| *line == "§").collect();
        if let Some(last) = pieces.last_mut() {
            let end = last.iter().position(|line| line.is_empty()).unwrap_or(last.len());
            *last = &last[..end];
        }
        entries.extend(pieces.iter().map(|piece| piece.join(" ").trim().to_owned()).filter(|entry| !entry.is_empty()));
    }
    entries
}

fn is_title(line: &str) -> bool {
    (line.contains("MEMORY") || line.contains("USER")) && line.contains('%') && line.contains("char")
}

fn is_rule(line: &str) -> bool {
    line.chars().count() >= 4 && line.chars().all(|c| matches!(c, '═' | '─' | '━' | '=' | '-'))
}

/// What recalled facts and entries say about a question: the ones that share a word with it. Recalled facts were
/// already chosen for the question, so without a shared word all of them count; of the entries all count when the
/// question asks for memory as such.
pub fn about(question: &str, facts: &[String], entries: &[String]) -> Vec<String> {
    let asked = words(question);
    let shares = |fact: &&String| words(fact).iter().any(|word| asked.contains(word));
    let mut said: Vec<String> = facts.iter().filter(shares).cloned().collect();
    if said.is_empty() {
        said.extend(facts.iter().cloned());
    }
    let all = ["remember", "know", "memory", "memories", "recall", "记得", "知道"];
    let lower = question.to_lowercase();
    if all.iter().any(|word| lower.contains(word)) && !entries.iter().any(|entry| shares(&entry)) {
        said.extend(entries.iter().cloned());
    } else {
        said.extend(entries.iter().filter(shares).cloned());
    }
    let mut seen = HashSet::new();
    said.retain(|fact| seen.insert(fact.clone()));
    said.truncate(FACTS_MAX);
    said
}

/// The words of a text that say something: three letters or more, and each character of a script without blanks.
fn words(text: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        if word.chars().any(|c| c >= '\u{3040}') {
            let letters: Vec<char> = word.chars().collect();
            words.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if word.chars().count() >= 3 && !COMMON.contains(&word) {
            words.insert(word.to_owned());
        }
    }
    words
}
