//! Values of a JSON document as people read them.

use serde_json::Value;

/// A text, number or switch at a path like `turn` or `usage/input`; empty where there is nothing.
pub fn at(value: &Value, path: &str) -> String {
    let found = path.split('/').try_fold(value, |value, step| value.get(step));
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The items of a list; none where there is no list.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A number; zero where there is none.
pub fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// An RFC 3339 time without the day's separator and the fraction, in UTC.
pub fn time(text: &str) -> String {
    let text = text.replace('T', " ");
    text.split(['.', 'Z']).next().unwrap_or_default().to_owned()
}

/// The first eight characters of an id's end: ids that are ordered by time begin alike.
pub fn short(id: &str) -> String {
    id.get(id.len().saturating_sub(8)..).unwrap_or(id).to_owned()
}

/// One line of at most `most` characters, with `…` where something was left out.
pub fn clip(text: &str, most: usize) -> String {
    let line: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    if line.len() <= most {
        return line.into_iter().collect();
    }
    line[..most.saturating_sub(1)].iter().chain(['…'].iter()).collect()
}

/// Control characters other than line breaks and tabs made visible: what a model or a tool wrote never moves the
/// cursor, changes the title or hides text.
pub fn safe(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\n' | '\t' => letter,
            '\r' => ' ',
            letter if letter.is_control() => '\u{fffd}',
            letter => letter,
        })
        .collect()
}

/// Large numbers with thin groups: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_wrote_can_not_drive_the_terminal() {
        assert_eq!(safe("a\u{1b}[2Jb\n\tc\u{7}"), "a\u{fffd}[2Jb\n\tc\u{fffd}");
    }

    #[test]
    fn long_text_is_one_short_line() {
        assert_eq!(clip("one\n two", 20), "one two");
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("äöüß", 4), "äöüß");
    }

    #[test]
    fn numbers_and_times_are_read_at_a_glance() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(time("2026-01-02T03:04:05.678Z"), "2026-01-02 03:04:05");
    }
}
