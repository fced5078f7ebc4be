//! What calls cost, in DynamoDB's capacity units.

use std::collections::BTreeMap;

/// Units consumed by one call on one table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Capacity {
    /// By the table itself.
    pub table: f64,
    /// By local indexes that were touched.
    pub locals: BTreeMap<String, f64>,
    /// By global indexes that were touched.
    pub globals: BTreeMap<String, f64>,
}

impl Capacity {
    /// A cost on the table alone.
    pub fn of_table(units: f64) -> Capacity {
        Capacity { table: units, ..Capacity::default() }
    }

    /// Adds what another write on the same table cost.
    pub fn add(&mut self, other: &Capacity) {
        self.table += other.table;
        for (sum, more) in [(&mut self.locals, &other.locals), (&mut self.globals, &other.globals)]
        {
            for (index, units) in more {
                *sum.entry(index.clone()).or_default() += units;
            }
        }
    }

    /// The cost inside a transaction.
    pub fn doubled(mut self) -> Capacity {
        let indexes = self.locals.values_mut().chain(self.globals.values_mut());
        indexes.chain([&mut self.table]).for_each(|units| *units *= 2.0);
        self
    }

    /// Everything together.
    pub fn total(&self) -> f64 {
        self.table + self.locals.values().sum::<f64>() + self.globals.values().sum::<f64>()
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
fn units(size: usize, unit: usize) -> f64 {
    size.div_ceil(unit).max(1) as f64
}

/// The cost of writing that many bytes; nothing at all counts as one unit.
pub fn write_units(size: usize) -> f64 {
    units(size, 1024)
}

/// The cost of reading that many bytes; nothing at all counts as one unit.
pub fn read_units(size: usize, consistent: bool) -> f64 {
    let strong = units(size, 4096);
    if consistent { strong } else { strong / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_rounded_up() {
        for (size, write, strong, eventual) in [
            (0, 1.0, 1.0, 0.5),
            (1, 1.0, 1.0, 0.5),
            (1024, 1.0, 1.0, 0.5),
            (1025, 2.0, 1.0, 0.5),
            (4096, 4.0, 1.0, 0.5),
            (4097, 5.0, 2.0, 1.0),
            (409_600, 400.0, 100.0, 50.0),
        ] {
            assert_eq!(write_units(size), write, "{size}");
            assert_eq!(read_units(size, true), strong, "{size}");
            assert_eq!(read_units(size, false), eventual, "{size}");
        }
    }
}
