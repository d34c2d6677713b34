//! A moment in the past, as people write it.

use crate::cli::exit::Failure;
use chrono::{DateTime, SecondsFormat, Utc};
use dispatch_events::{Clock, SystemClock, Timestamp};

/// The moment in the form in which events carry theirs.
pub fn since(text: &str) -> Result<String, Failure> {
    moment(text, SystemClock.now()).ok_or_else(|| {
        Failure::usage(format!("--since `{text}` is no time; write 30s, 10m, 2h, 3d, or 2026-01-31T08:00:00Z"))
    })
}

fn moment(text: &str, now: Timestamp) -> Option<String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.with_timezone(&Utc).to_rfc3339_opts(SecondsFormat::Micros, true));
    }
    if let Ok(day) = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(day.and_time(chrono::NaiveTime::MIN).and_utc().to_rfc3339_opts(SecondsFormat::Micros, true));
    }
    let unit = text.chars().last()?;
    let seconds: i64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count: u32 = text[..text.len() - unit.len_utf8()].parse().ok()?;
    let back = seconds.checked_mul(i64::from(count))?.checked_mul(1_000_000)?;
    Some(Timestamp(now.0.checked_sub(back)?).utc().to_rfc3339_opts(SecondsFormat::Micros, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_counts_back_from_now_and_a_time_stands_for_itself() {
        let now = Timestamp(1_769_846_400_000_000);
        for (text, expected) in [
            ("30s", "2026-01-31T07:59:30.000000Z"),
            ("2h", "2026-01-31T06:00:00.000000Z"),
            ("3d", "2026-01-28T08:00:00.000000Z"),
            ("2026-01-31T09:00:00+01:00", "2026-01-31T08:00:00.000000Z"),
            ("2026-01-31", "2026-01-31T00:00:00.000000Z"),
        ] {
            assert_eq!(moment(text, now).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "h", "2", "2 hours", "-2h", "yesterday", "2µ"] {
            assert_eq!(moment(text, now), None, "{text}");
        }
    }
}
