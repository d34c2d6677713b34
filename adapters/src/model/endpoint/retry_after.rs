//! The wait that a far side names in its headers.

use dispatch_events::Clock;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

/// Headers with milliseconds; they are more exact than the standard one.
const MILLISECONDS: [&str; 2] = ["retry-after-ms", "x-ms-retry-after-ms"];

/// The wait in milliseconds: milliseconds first, then `Retry-After` as seconds or as a date. A date is compared with
/// the far side's own `Date` where it sent one, so that its clock and ours need not agree.
pub fn named_wait(headers: &HeaderMap, clock: &dyn Clock) -> Option<u64> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    for name in MILLISECONDS {
        if let Some(wait) = text(name).and_then(|value| value.parse().ok()).and_then(|wait| milliseconds(wait, 1.0)) {
            return Some(wait);
        }
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return milliseconds(seconds, 1000.0);
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or_else(|| now(clock));
    // A date in the past says that the wait is over.
    let wait = until.duration_since(now).unwrap_or_default();
    u64::try_from(wait.as_millis()).ok()
}

fn milliseconds(value: f64, factor: f64) -> Option<u64> {
    (value.is_finite() && value >= 0.0).then_some((value * factor).ceil() as u64)
}

fn now(clock: &dyn Clock) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(u64::try_from(clock.now().0).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dispatch_events::Timestamp;
    use reqwest::header::{HeaderName, HeaderValue};

    struct At(i64);
    impl Clock for At {
        fn now(&self) -> Timestamp {
            Timestamp(self.0)
        }
    }

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<u64> {
        let pairs =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        // 1994-11-06 08:49:30 UTC.
        named_wait(&pairs.collect(), &At(784_111_770_000_000))
    }

    #[test]
    fn seconds_dates_and_milliseconds_are_read() {
        assert_eq!(wait(&[("retry-after", "2")]), Some(2000));
        assert_eq!(wait(&[("retry-after", "1.5")]), Some(1500));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(7000));
        assert_eq!(wait(&[("retry-after", "9"), ("retry-after-ms", "350")]), Some(350));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT")]), Some(0));
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[("retry-after", "-1")]), None);
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn the_far_sides_own_clock_counts() {
        let headers = [("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), ("date", "Sun, 06 Nov 1994 08:49:35 GMT")];
        assert_eq!(wait(&headers), Some(2000));
    }
}
