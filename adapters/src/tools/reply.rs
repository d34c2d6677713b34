//! Results of bounded size.

use dispatch_actors::ports::tool::ToolReply;
use dispatch_events::catalogue::tool::{EffectDisposition, ToolOutcome};

/// Characters of one result (hermes-behaviour.md §4.6).
pub const RESULT_CHARS: usize = 100_000;

/// A result of a tool that only looks.
pub fn looked(result: Result<String, String>) -> ToolReply {
    let (outcome, output) = match result {
        Ok(output) => (ToolOutcome::Ok, output),
        Err(why) => (ToolOutcome::Error, why),
    };
    ToolReply { outcome, output: bounded(output), effect: EffectDisposition::None }
}

/// A result of a tool that changes something when it succeeds, and nothing when it does not.
pub fn changed(result: Result<String, String>) -> ToolReply {
    let effect = if result.is_ok() { EffectDisposition::Done } else { EffectDisposition::None };
    ToolReply { effect, ..looked(result) }
}

/// The text, or as much of its start as a result may hold with a note of what was left out.
pub fn bounded(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(RESULT_CHARS) else { return text };
    let left_out = text[end..].chars().count();
    format!("{}\n[{left_out} more characters are left out]", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_cut_between_characters_and_says_so() {
        assert_eq!(bounded("é".repeat(RESULT_CHARS)).chars().count(), RESULT_CHARS);
        let cut = bounded("語".repeat(RESULT_CHARS + 7));
        assert!(cut.ends_with("語\n[7 more characters are left out]"));
    }
}
