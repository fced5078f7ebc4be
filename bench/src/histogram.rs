//! Latencies, counted in buckets: 64 for each power of two, so that a percentile is off by less
//! than two percent, whatever its magnitude, and recording costs no memory.

use std::time::Duration;

/// Buckets in one power of two, as bits.
const FINE: u32 = 6;
/// 2^40 ns are 18 minutes; what takes longer counts as that.
const MOST_BITS: u32 = 40;
const BUCKETS: usize = ((MOST_BITS - FINE + 1) as usize) << FINE;

/// How often each latency was seen.
#[derive(Debug, Clone)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
}

impl Histogram {
    /// Nothing seen.
    pub fn new() -> Histogram {
        Histogram { buckets: vec![0; BUCKETS], count: 0 }
    }

    /// Counts one.
    pub fn record(&mut self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        if let Some(bucket) = self.buckets.get_mut(bucket(nanos)) {
            *bucket += 1;
            self.count += 1;
        }
    }

    /// Counts everything another one has seen.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The latency that so many in a thousand did not exceed; the upper end of its bucket.
    pub fn permille(&self, permille: u64) -> Duration {
        let rank = (self.count * permille).div_ceil(1000).max(1);
        let mut seen = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(upper(index));
            }
        }
        Duration::ZERO
    }
}

fn bucket(nanos: u64) -> usize {
    let nanos = nanos.min((1 << MOST_BITS) - 1);
    let shift = nanos.max(1).ilog2().saturating_sub(FINE);
    // Below 2^FINE a bucket is a nanosecond; above, the leading FINE + 1 bits choose it.
    ((u64::from(shift) << FINE) + (nanos >> shift)) as usize
}

fn upper(index: usize) -> u64 {
    let index = index as u64;
    let shift = (index >> FINE).saturating_sub(1);
    let mantissa = index - (shift << FINE);
    ((mantissa + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_hold_their_own_upper_end() {
        for index in 0..BUCKETS {
            assert_eq!(bucket(upper(index)), index);
            assert_eq!(bucket(upper(index) + 1), (index + 1).min(BUCKETS - 1));
        }
        assert_eq!(bucket(0), 0);
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_close() {
        let mut histogram = Histogram::new();
        for micros in 1..=10_000 {
            histogram.record(Duration::from_micros(micros));
        }
        assert_eq!(histogram.count(), 10_000);
        for (permille, micros) in [(500, 5_000.0), (990, 9_900.0), (999, 9_990.0), (1000, 1e4)] {
            let found = histogram.permille(permille).as_secs_f64() * 1e6;
            assert!(found >= micros && found < micros * 1.02, "{permille}: {found}");
        }
    }

    #[test]
    fn merging_adds_up_and_nothing_is_zero() {
        let mut one = Histogram::new();
        assert_eq!(one.permille(999), Duration::ZERO);
        one.record(Duration::from_nanos(5));
        let mut two = Histogram::new();
        two.record(Duration::from_secs(1));
        one.merge(&two);
        assert_eq!(one.count(), 2);
        assert_eq!(one.permille(500), Duration::from_nanos(5));
        assert!(one.permille(990) >= Duration::from_secs(1));
    }
}
