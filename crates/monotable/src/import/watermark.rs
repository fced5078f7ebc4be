//! Up to which row everything has been dealt with, while batches end in any order.

use std::collections::BTreeSet;

/// Which rows are under way.
#[derive(Debug)]
pub(super) struct Watermark {
    /// The first row of each batch that is gathered or written.
    firsts: BTreeSet<u64>,
    /// The last row that was taken up.
    last: u64,
}

impl Watermark {
    /// So many rows have been dealt with before.
    pub(super) fn new(before: u64) -> Watermark {
        Watermark { firsts: BTreeSet::new(), last: before }
    }

    /// A row was taken up.
    pub(super) fn take(&mut self, row: u64) {
        self.last = self.last.max(row);
    }

    /// A batch begins with this row.
    pub(super) fn begin(&mut self, first: u64) {
        self.firsts.insert(first);
    }

    /// The batch that begins with this row has been written.
    pub(super) fn end(&mut self, first: u64) {
        self.firsts.remove(&first);
    }

    /// The last row up to which, and with which, all have been dealt with.
    pub(super) fn done(&self) -> u64 {
        self.firsts.first().map_or(self.last, |first| first - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_behind_an_unwritten_batch_is_done() {
        let mut mark = Watermark::new(10);
        assert_eq!(mark.done(), 10);
        for row in 11..=20 {
            mark.take(row);
        }
        mark.begin(11);
        mark.begin(13);
        assert_eq!(mark.done(), 10);
        mark.end(13);
        assert_eq!(mark.done(), 10);
        mark.end(11);
        assert_eq!(mark.done(), 20);
    }
}
