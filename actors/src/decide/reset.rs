//! Is it time to begin a conversation anew? Decided when an input comes (hermes-behaviour.md §1.2).

use chrono::{DateTime, Days, FixedOffset, Timelike};
use dispatch_events::{Timestamp, catalogue::session::ResetReason};
use dispatch_projections::SessionState;

/// When a conversation begins anew by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetPolicy {
    /// After so many minutes without an event; `None` for never.
    pub idle_minutes: Option<u64>,
    /// Each day at this hour, 0 to 23, local time; `None` for never.
    pub at_hour: Option<u32>,
}

impl ResetPolicy {
    /// Never.
    pub const NEVER: Self = Self { idle_minutes: None, at_hour: None };
}

/// Why the conversation begins anew before this input, if it does. `local` is the time now where the host is.
pub fn due(state: &SessionState, policy: ResetPolicy, now: Timestamp, local: FixedOffset) -> Option<ResetReason> {
    // Nothing was said, or somebody still works on it.
    if state.turns.is_empty() || state.admissions.pending_len() > 0 || state.obligations.open().next().is_some() {
        return None;
    }
    let last = state.updated_at;
    let idle_ms = now.since_ms(last);
    if policy.idle_minutes.is_some_and(|minutes| idle_ms >= minutes.saturating_mul(60_000)) {
        return Some(ResetReason::Idle);
    }
    let passed = last.utc().with_timezone(&local) < last_time(policy.at_hour?, now.utc().with_timezone(&local))?;
    passed.then_some(ResetReason::Daily)
}

/// The latest moment at which the clock showed this hour.
fn last_time(hour: u32, now: DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>> {
    let today = now.with_hour(hour)?.with_minute(0)?.with_second(0)?.with_nanosecond(0)?;
    if today <= now { Some(today) } else { today.checked_sub_days(Days::new(1)) }
}

/// What the model is told of it.
pub fn note(reason: ResetReason) -> Option<String> {
    let why = match reason {
        ResetReason::Asked => return None,
        ResetReason::Idle => "nobody had spoken for a long time",
        ResetReason::Daily => "a new day has begun",
    };
    Some(format!("[The conversation began anew, because {why}. What was said before is not shown here.]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::table::{given, running};
    use dispatch_events::catalogue::input::{InputSettled, Outcome};

    /// A finished turn, all of it at one moment.
    fn at_rest() -> SessionState {
        let mut events = running();
        let admission = crate::decide::table::admission_id(1);
        events.push(InputSettled { admission, outcome: Outcome::Completed, why: None }.into());
        given(events)
    }

    fn time(text: &str) -> Timestamp {
        Timestamp(DateTime::parse_from_rfc3339(text).unwrap().timestamp_micros())
    }

    fn reason(last: &str, now: &str, policy: ResetPolicy) -> Option<ResetReason> {
        let state = SessionState { updated_at: time(last), ..at_rest() };
        due(&state, policy, time(now), FixedOffset::east_opt(2 * 3600).unwrap())
    }

    #[test]
    fn it_is_due_after_silence_or_at_the_hour() {
        let idle = ResetPolicy { idle_minutes: Some(60), ..ResetPolicy::NEVER };
        let daily = ResetPolicy { at_hour: Some(4), ..ResetPolicy::NEVER };
        let both = ResetPolicy { idle_minutes: Some(60), at_hour: Some(4) };
        // Four o'clock local is two o'clock UTC here.
        for (last, now, policy, expected) in [
            ("2026-05-01T10:00:00Z", "2026-05-01T10:59:59Z", idle, None),
            ("2026-05-01T10:00:00Z", "2026-05-01T11:00:00Z", idle, Some(ResetReason::Idle)),
            ("2026-05-01T01:59:00Z", "2026-05-01T02:00:00Z", daily, Some(ResetReason::Daily)),
            ("2026-05-01T02:00:00Z", "2026-05-02T01:59:59Z", daily, None),
            ("2026-05-01T02:00:00Z", "2026-05-02T02:00:00Z", daily, Some(ResetReason::Daily)),
            ("2026-05-01T01:59:00Z", "2026-05-01T02:59:00Z", both, Some(ResetReason::Idle)),
            ("2026-05-01T01:59:00Z", "2026-05-01T02:30:00Z", both, Some(ResetReason::Daily)),
            ("2026-05-01T10:00:00Z", "2036-05-01T10:00:00Z", ResetPolicy::NEVER, None),
            // The clock was set back.
            ("2026-05-01T10:00:00Z", "2026-05-01T09:00:00Z", both, None),
        ] {
            assert_eq!(reason(last, now, policy), expected, "{last} {now}");
        }
    }

    #[test]
    fn a_session_at_work_or_without_a_turn_is_left_alone() {
        let idle = ResetPolicy { idle_minutes: Some(0), ..ResetPolicy::NEVER };
        let offset = FixedOffset::east_opt(0).unwrap();
        assert_eq!(due(&given(running()), idle, time("2036-05-01T10:00:00Z"), offset), None);
        assert_eq!(due(&given([]), idle, time("2036-05-01T10:00:00Z"), offset), None);
        assert!(due(&at_rest(), idle, time("2036-05-01T10:00:00Z"), offset).is_some());
    }
}
