//! Latencies, counted by hdrhistogram: three significant digits, whatever their magnitude, and
//! recording costs no memory.

use hdrhistogram::Histogram as Counts;
use std::time::Duration;

/// What takes less counts as that: a microsecond.
const LEAST: u64 = 1_000;
/// 2^40 ns are 18 minutes; what takes longer counts as that.
const MOST: u64 = 1 << 40;
const DIGITS: u8 = 3;

/// How often each latency was seen.
#[derive(Debug, Clone)]
pub struct Histogram(Counts<u64>);

impl Histogram {
    /// Nothing seen.
    #[expect(clippy::expect_used, reason = "the bounds are constants that go together")]
    pub fn new() -> Histogram {
        Histogram(Counts::new_with_bounds(LEAST, MOST, DIGITS).expect("bounds that go together"))
    }

    /// Counts one.
    pub fn record(&mut self, latency: Duration) {
        self.0.saturating_record(nanos(latency));
    }

    /// Counts everything another one has seen.
    pub fn merge(&mut self, other: &Histogram) {
        // It fails only for what is out of bounds, and all have the same.
        let _ = self.0.add(&other.0);
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// What would have been seen if requests had been sent in this interval, without waiting for
    /// the answer of the one before: a stall of a second is then many late requests, not one.
    pub fn corrected(&self, interval: Duration) -> Histogram {
        Histogram(self.0.clone_correct(nanos(interval)))
    }

    /// The latency that so many in a thousand did not exceed.
    pub fn permille(&self, permille: u64) -> Duration {
        if self.0.is_empty() {
            return Duration::ZERO;
        }
        Duration::from_nanos(self.0.value_at_quantile(permille as f64 / 1e3))
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_close() {
        let mut histogram = Histogram::new();
        for micros in 1..=10_000 {
            histogram.record(Duration::from_micros(micros));
        }
        assert_eq!(histogram.count(), 10_000);
        for (permille, micros) in [(500, 5_000.0), (990, 9_900.0), (999, 9_990.0), (1000, 1e4)] {
            let found = histogram.permille(permille).as_secs_f64() * 1e6;
            assert!(found >= micros && found < micros * 1.002, "{permille}: {found}");
        }
    }

    #[test]
    fn merging_adds_up_and_bounds_hold() {
        let mut one = Histogram::new();
        assert_eq!(one.permille(999), Duration::ZERO);
        one.record(Duration::from_micros(5));
        let mut two = Histogram::new();
        two.record(Duration::from_secs(1_000_000));
        one.merge(&two);
        assert_eq!(one.count(), 2);
        assert!(one.permille(500) < Duration::from_micros(6));
        assert!(one.permille(990) >= Duration::from_secs(1_000));
    }

    #[test]
    fn a_stall_is_seen_by_all_who_would_have_come() {
        let mut histogram = Histogram::new();
        for _ in 0..1_000 {
            histogram.record(Duration::from_millis(1));
        }
        histogram.record(Duration::from_secs(1));
        let corrected = histogram.corrected(Duration::from_millis(1));
        assert!(histogram.permille(990) < Duration::from_millis(2));
        // Of 2,000 requests in two seconds half come during the stall.
        assert_eq!(corrected.count(), 2_000);
        let p75 = corrected.permille(750);
        assert!((490..510).contains(&p75.as_millis()), "{p75:?}");
    }
}
