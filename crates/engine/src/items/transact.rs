//! Transactions: several writes decided together and committed as one.

use super::{
    ItemError,
    write::{ItemWrite, MOST_ATTEMPTS, Outcome, Prepared, Written},
};
use crate::{Engine, catalogue::Entry, environment::Moment, error::EngineError, keys::Key};
use bytes::Bytes;
use std::{collections::HashSet, sync::Arc, time::Duration};
use store::{Decision, Version, Write};
use value::codec::ItemRef;

/// How long a transaction is remembered by its token.
const REMEMBERED: Duration = Duration::from_secs(10 * 60);

/// What makes a repeated request known.
#[derive(Debug, Clone)]
pub struct Token {
    /// The client's token.
    pub text: String,
    /// A digest of what is asked for.
    pub digest: u128,
}

/// What became of a transaction.
#[derive(Debug)]
pub enum Transacted {
    /// It was made.
    Written(Vec<Written>),
    /// It had been made before under its token. The sizes of its items as they are.
    Repeated(Vec<usize>),
}

/// Why a transaction was not made.
#[derive(Debug)]
pub enum TransactError {
    /// These writes could not be made, in the order of the request.
    Cancelled(Vec<Option<ItemError>>),
    /// Two writes of one item.
    Duplicate,
    /// The token was used for something else.
    Mismatch,
    /// A table is gone, or the machinery failed.
    Failed(ItemError),
}

impl<T: Into<EngineError>> From<T> for TransactError {
    fn from(error: T) -> Self {
        TransactError::Failed(ItemError::Engine(error.into()))
    }
}

/// What came out of a decision.
enum Verdict {
    Done(Transacted),
    Cancelled(Vec<Option<ItemError>>),
    Mismatch,
    /// A table or an item has changed in a way that needs the writes to be prepared again.
    Again,
}

impl Engine {
    /// Makes all writes or none.
    pub async fn transact(
        &self,
        mut writes: Vec<(Arc<Entry>, ItemWrite)>,
        token: Option<Token>,
    ) -> Result<Transacted, TransactError> {
        for _ in 0..MOST_ATTEMPTS {
            let transaction = Transaction {
                items: self.prepare_all(&writes).await?,
                token: token.clone(),
                now: self.now(),
            };
            let keys = transaction.keys();
            let decide = move |version, current: &[Option<Bytes>]| {
                let (writes, outcome) = transaction.decide(version, current);
                Decision { writes, outcome }
            };
            match store::commit(&*self.store, keys, decide).await?.outcome {
                Verdict::Done(done) => return Ok(done),
                Verdict::Cancelled(reasons) => return Err(TransactError::Cancelled(reasons)),
                Verdict::Mismatch => return Err(TransactError::Mismatch),
                Verdict::Again => {
                    for (entry, _) in &mut writes {
                        let name = entry.table.name.clone();
                        self.catalogue.refresh(&*self.store, &name).await?;
                        *entry = self.usable_table(&name).map_err(TransactError::Failed)?;
                    }
                }
            }
        }
        let names = writes.first().map(|(entry, _)| entry.table.name.clone());
        Err(EngineError::Unsettled(names.unwrap_or_default()).into())
    }

    async fn prepare_all(
        &self,
        writes: &[(Arc<Entry>, ItemWrite)],
    ) -> Result<Vec<Prepared>, TransactError> {
        let mut items = Vec::with_capacity(writes.len());
        let mut reasons = Vec::with_capacity(writes.len());
        let mut seen = HashSet::new();
        for (entry, write) in writes {
            match self.prepare(Arc::clone(entry), write).await {
                // A second write of an item counts before anything that is wrong with another.
                Ok(prepared) if !seen.insert((entry.table.number, prepared.key.clone())) => {
                    return Err(TransactError::Duplicate);
                }
                Ok(prepared) => {
                    items.push(prepared);
                    reasons.push(None);
                }
                Err(error) => reasons.push(Some(error)),
            }
        }
        if reasons.iter().any(Option::is_some) {
            return Err(TransactError::Cancelled(reasons));
        }
        Ok(items)
    }
}

struct Transaction {
    items: Vec<Prepared>,
    token: Option<Token>,
    now: Moment,
}

impl Transaction {
    /// The token's key if there is one, then those of each item.
    fn keys(&self) -> Vec<Bytes> {
        let token = self.token.iter().map(|token| Key::Token { token: &token.text }.encode());
        token.chain(self.items.iter().flat_map(Prepared::keys)).collect()
    }

    fn decide(&self, version: Version, current: &[Option<Bytes>]) -> (Vec<Write>, Verdict) {
        let (known, mut rest) =
            current.split_at(usize::from(self.token.is_some()).min(current.len()));
        let mut parts = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let (part, after) = rest.split_at(item.keys().len().min(rest.len()));
            parts.push(part);
            rest = after;
        }
        if let (Some(token), Some(Some(record))) = (&self.token, known.first()) {
            match token_digest(record, self.now) {
                Some(digest) if digest == token.digest => {
                    return (Vec::new(), Verdict::Done(Transacted::Repeated(sizes(&parts))));
                }
                Some(_) => return (Vec::new(), Verdict::Mismatch),
                None => {}
            }
        }
        let mut writes = Vec::new();
        let mut done = Vec::with_capacity(self.items.len());
        let mut reasons = Vec::with_capacity(self.items.len());
        for (ordinal, (item, part)) in (0..).zip(self.items.iter().zip(parts)) {
            match item.decide(version, ordinal, part) {
                Ok((more, Outcome::Done(written))) => {
                    writes.extend(more);
                    done.push(*written);
                    reasons.push(None);
                }
                Ok((_, Outcome::TableChanged | Outcome::Unforeseen)) => {
                    return (Vec::new(), Verdict::Again);
                }
                Err(error) => reasons.push(Some(error)),
            }
        }
        if reasons.iter().any(Option::is_some) {
            return (Vec::new(), Verdict::Cancelled(reasons));
        }
        writes.extend(self.remember());
        (writes, Verdict::Done(Transacted::Written(done)))
    }

    /// Keeps the token for a while.
    fn remember(&self) -> Vec<Write> {
        let Some(token) = &self.token else { return Vec::new() };
        let until = self.now.after(REMEMBERED);
        let mut record = token.digest.to_be_bytes().to_vec();
        record.extend_from_slice(&until.0.to_be_bytes());
        let expiry = Key::TokenExpiry { moment: until, token: &token.text };
        vec![
            Write::Put { key: Key::Token { token: &token.text }.encode(), value: record.into() },
            Write::Put { key: expiry.encode(), value: Bytes::new() },
        ]
    }
}

/// The digest of a token's record, while it counts.
pub(crate) fn token_digest(record: &[u8], now: Moment) -> Option<u128> {
    let (digest, until) = record.split_first_chunk()?;
    let until = Moment(i64::from_be_bytes(until.try_into().ok()?));
    (now < until).then(|| u128::from_be_bytes(*digest))
}

fn sizes(parts: &[&[Option<Bytes>]]) -> Vec<usize> {
    let item = |part: &&[Option<Bytes>]| part.get(1).and_then(Option::as_ref).cloned();
    let size = |bytes: Bytes| ItemRef::new(&bytes).map(|item| item.size()).unwrap_or(0);
    parts.iter().map(|part| item(part).map_or(0, size)).collect()
}
