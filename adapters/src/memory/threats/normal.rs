//! A text as the patterns see it: compatibility forms folded, invisible characters gone, lower case.

use super::invisible::is_invisible;
use unicode_normalization::UnicodeNormalization;

pub(super) fn normal_form(text: &str) -> String {
    let visible = text.nfkc().filter(|c| !is_invisible(*c));
    visible.flat_map(char::to_lowercase).map(plain_quote).collect()
}

fn plain_quote(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => '"',
        other => other,
    }
}
