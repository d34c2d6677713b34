//! Tags of the frame, and notes in the system's name, in whatever spelling a model could take for one.

/// A tag of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// `<memory-context>`
    Open,
    /// `</memory-context>`
    Close,
}

/// Bytes of blanks or attributes that a tag may hold: more is no tag.
const SLACK_BYTES: usize = 200;
/// Bytes of a note up to its closing bracket: behind that only its first words are taken out.
const NOTE_BYTES: usize = 1000;

/// The tag that `text` begins with, and its length in bytes.
pub(super) fn tag_at(text: &str) -> Option<(Tag, usize)> {
    let inside = skip_blanks(text.strip_prefix('<')?);
    let (tag, inside) = match inside.strip_prefix('/') {
        Some(inside) => (Tag::Close, skip_blanks(inside)),
        None => (Tag::Open, inside),
    };
    let after = ["memory-context", "memory_context"].iter().find_map(|name| strip_prefix_any_case(inside, name))?;
    if !after.starts_with(|c: char| c == '>' || c == '/' || c.is_whitespace()) {
        return None;
    }
    let slack = &after[..after.floor_char_boundary(SLACK_BYTES)];
    let end = slack.find(['<', '>'])?;
    let closed = slack[end..].starts_with('>');
    closed.then(|| (tag, text.len() - after.len() + end + 1))
}

/// The note in the system's name that `text` begins with, and its length in bytes: up to its closing bracket, or only
/// its first words if there is none near.
pub(super) fn note_at(text: &str) -> Option<usize> {
    let inside = skip_blanks(text.strip_prefix('[')?);
    let after = skip_blanks(strip_prefix_any_case(inside, "system")?);
    let after = strip_prefix_any_case(after, "note")?;
    let words = text.len() - after.len();
    let near = &after[..after.floor_char_boundary(NOTE_BYTES)];
    Some(near.find(']').map_or(words, |end| words + end + 1))
}

fn skip_blanks(text: &str) -> &str {
    let trimmed = text.trim_start();
    if text.len() - trimmed.len() > SLACK_BYTES { text } else { trimmed }
}

fn strip_prefix_any_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}
