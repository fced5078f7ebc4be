//! Choices of which a few are made very often, as YCSB makes them: the chance of the item at rank
//! r is that of the first by r to the power of 0.99.

use crate::random::Random;

const SKEW: f64 = 0.99;
/// Spreads the ranks over the items, since neighbours share a partition. No number of items that
/// is allowed is a multiple of it, so no two ranks are the same item.
const STRIDE: u64 = 1_000_003;

/// The chances of so many items.
#[derive(Debug)]
pub struct Zipf {
    /// At each rank the chance of it or one before it.
    up_to: Vec<f64>,
}

impl Zipf {
    /// Sets up the chances.
    pub fn new(items: u64) -> Zipf {
        let mut sum = 0.0;
        let weights = (1..=items.max(1)).map(|rank| {
            sum += (rank as f64).powf(-SKEW);
            sum
        });
        let mut up_to: Vec<f64> = weights.collect();
        up_to.iter_mut().for_each(|weight| *weight /= sum);
        Zipf { up_to }
    }

    /// One of the items.
    pub fn choose(&self, random: &mut Random) -> u64 {
        // 53 bits are what a fraction holds.
        let chance = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = self.up_to.partition_point(|&up_to| up_to <= chance) as u64;
        spread(rank, self.up_to.len() as u64)
    }
}

/// Where a number below `items` comes to lie if neighbours are put apart.
pub fn spread(number: u64, items: u64) -> u64 {
    number.wrapping_mul(STRIDE) % items.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_first_rank_comes_as_often_as_it_should() {
        let (zipf, mut random) = (Zipf::new(1_000), Random::new(1));
        let mut seen = vec![0_u32; 1_000];
        for _ in 0..100_000 {
            seen[zipf.choose(&mut random) as usize] += 1;
        }
        let sum: f64 = (1..=1_000).map(|rank| f64::from(rank).powf(-SKEW)).sum();
        for rank in [1_u32, 2, 10] {
            let expected = 100_000.0 * f64::from(rank).powf(-SKEW) / sum;
            let found = f64::from(seen[spread(u64::from(rank) - 1, 1_000) as usize]);
            assert!((found / expected - 1.0).abs() < 0.1, "{rank}: {found}, not {expected}");
        }
    }

    #[test]
    fn every_item_has_one_place() {
        for items in [10, 1_000, 10_000] {
            let places: HashSet<u64> = (0..items).map(|number| spread(number, items)).collect();
            assert_eq!(places.len() as u64, items);
        }
    }
}
