//! Several writes that background work makes in one commit.

use super::{
    ItemError,
    write::{Outcome, Prepared, Written},
};
use bytes::Bytes;
use store::{Version, Write};

/// Writes that are decided together, each for itself.
pub(crate) struct WritePage(pub(crate) Vec<Prepared>);

/// Writes, and what each item came to.
pub(crate) type Decided = (Vec<Write>, Vec<Written>);

impl WritePage {
    /// The keys the decision depends on.
    pub(crate) fn keys(&self) -> Vec<Bytes> {
        self.0.iter().flat_map(Prepared::keys).collect()
    }

    /// The writes and what each did; none if the table has changed since they were prepared.
    pub(crate) fn decide(
        &self,
        version: Version,
        mut current: &[Option<Bytes>],
    ) -> Result<Option<Decided>, ItemError> {
        let mut writes = Vec::new();
        let mut done = Vec::with_capacity(self.0.len());
        for (ordinal, prepared) in (0..).zip(&self.0) {
            let (own, rest) = current.split_at(prepared.keys().len().min(current.len()));
            current = rest;
            match prepared.decide(version, ordinal, own)? {
                (more, Outcome::Done(written)) => {
                    writes.extend(more);
                    done.push(*written);
                }
                (_, Outcome::TableChanged | Outcome::Unforeseen) => return Ok(None),
            }
        }
        Ok(Some((writes, done)))
    }
}
