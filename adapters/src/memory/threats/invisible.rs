//! Characters that a person does not see and a model reads.
//!
//! Two of them are ordinary in places: the zero-width joiner in emoji and in scripts that join, the zero-width
//! non-joiner in those scripts. Tag characters are ordinary behind the black flag, as the flags of regions.

use super::Finding;

/// The first hidden character that its neighbours don't explain.
pub(super) fn first_hidden(text: &str) -> Option<Finding> {
    let mut before = '\0';
    let mut flag = false;
    for (place, c) in text.chars().enumerate() {
        let next = || text.chars().nth(place + 1).unwrap_or('\0');
        let explained = match c {
            '\u{200d}' => (is_emoji(before) && is_emoji(next())) || joins(before),
            '\u{200c}' => joins(before),
            '\u{e0020}'..='\u{e007f}' => flag,
            _ => !counts(c),
        };
        if !explained {
            return Some(Finding { class: "invisible-characters", place: Some(place), code_point: Some(c) });
        }
        flag = c == '\u{1f3f4}' || (flag && matches!(c, '\u{e0020}'..='\u{e007e}'));
        before = c;
    }
    None
}

/// Characters that count as findings.
fn counts(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// Characters that the patterns do not see: the ones above, and others that only shape a line.
pub(super) fn is_invisible(c: char) -> bool {
    counts(c)
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200e}' | '\u{200f}' | '\u{fe00}'..='\u{fe0f}'
        )
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
        || matches!(c, '\u{fe0f}' | '\u{20e3}')
}

/// Letters of scripts whose spelling needs joiners: Arabic and its kin, the scripts of India and its neighbours.
fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}')
        || matches!(c, '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}
