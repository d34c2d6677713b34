//! Waits that double, with a piece of chance in them so that many who wait do not come back at once.

use backon::{BackoffBuilder, ExponentialBuilder};
use std::time::Duration;

/// Doublings beyond which a wait is the longest one anyway.
const DOUBLINGS: usize = 64;

/// The wait before the `times`-th repetition, counted from 1, in milliseconds. `jitter` is where the chance begins; with
/// it the same repetition waits equally long each time.
pub fn wait_ms(first: Duration, longest: Duration, times: u32, jitter: Option<u64>) -> u64 {
    let waits = ExponentialBuilder::default()
        .with_min_delay(first)
        .with_max_delay(longest)
        .with_max_times(DOUBLINGS)
        .with_jitter();
    let waits = jitter.map_or(waits, |seed| waits.with_jitter_seed(seed));
    let wait = waits.build().take(times.max(1) as usize).last().unwrap_or(longest);
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_a_fixed_chance_gives_them_again() {
        let wait = |times, jitter| wait_ms(Duration::from_secs(2), Duration::from_secs(60), times, jitter);
        for (times, least) in [(1, 2_000), (2, 4_000), (5, 32_000), (6, 60_000), (500, 60_000)] {
            let waits = wait(times, Some(7));
            assert!((least..=2 * least).contains(&waits), "{times}: {waits}");
            assert_eq!(waits, wait(times, Some(7)), "{times}");
        }
    }
}
