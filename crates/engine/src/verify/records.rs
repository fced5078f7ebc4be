//! Keys that nothing is known of, and the tokens of transactions.

use super::{Verifier, show};
use crate::{
    environment::Moment,
    error::EngineError,
    keys::{self, Key, TableNumber},
};
use bytes::Bytes;
use store::{Direction, KeyRange, PageLimit};

/// The tags that keys may have, in order.
const TAGS: [u8; 27] = [
    keys::DEFINITION,
    keys::NEXT_TABLE,
    keys::DROPPED,
    keys::DROPPED_INDEX,
    keys::PROGRESS,
    keys::TOKEN,
    keys::TOKEN_EXPIRY,
    keys::EXPIRY_PROGRESS,
    keys::DROPPED_EXPIRIES,
    keys::ITEM,
    keys::ENTRY,
    keys::EXPIRY,
    keys::COUNTER,
    keys::COLLECTION,
    keys::STREAM,
    keys::SHARD,
    keys::SHARD_END,
    keys::CHANGE,
    keys::NEXT_JOB,
    keys::BACKUP,
    keys::BACKUP_ITEM,
    keys::RESTORE,
    keys::RESTORE_PROGRESS,
    keys::UNDO,
    keys::EXPORT,
    keys::IMPORT,
    0xff,
];

/// Strange keys that are named; there may be very many.
const MOST: usize = 100;

/// All keys with a tag.
pub(super) fn all(tag: u8) -> KeyRange {
    KeyRange::prefix(vec![tag])
}

/// The table of a key that begins with its tag and a table.
pub(super) fn table_of(key: &[u8]) -> Option<TableNumber> {
    key.get(1..5)?.try_into().ok().map(TableNumber::from_be_bytes)
}

impl Verifier<'_> {
    pub(super) fn strange(&mut self, key: &[u8]) {
        self.found(format!("key {}", show::hex(key)), "it is not built as such keys are");
    }

    /// Looks between the tags.
    pub(super) async fn unknown_keys(&mut self) -> Result<(), EngineError> {
        let mut from = 1;
        for tag in TAGS {
            if from < tag {
                let range = KeyRange::new(vec![from], vec![tag]);
                let limit = PageLimit::entries(MOST);
                let page = self.snapshot.range(range, Direction::Forward, limit).await?;
                for (key, _) in page.entries {
                    self.found(format!("key {}", show::hex(&key)), "its tag is not known");
                }
            }
            from = tag.saturating_add(1);
        }
        Ok(())
    }

    /// Every token has an end, and every end a token.
    pub(super) async fn tokens(&mut self) -> Result<(), EngineError> {
        let mut range = Some(all(keys::TOKEN));
        while let Some(rest) = range {
            let (page, after) = self.page("tokens", &rest, super::PAGE).await?;
            for (key, value) in page {
                let token = std::str::from_utf8(key.get(1..).unwrap_or_default());
                let (Ok(token), Some(until)) = (token, until(&value)) else {
                    self.found(format!("token {}", show::hex(&key)), "its record cannot be read");
                    continue;
                };
                let end = Key::TokenExpiry { moment: until, token }.encode();
                if self.snapshot.get(&end).await?.is_none() {
                    let problem = format!("it counts until {}, but has no entry for that", until.0);
                    self.found(format!("token {token}"), problem);
                }
            }
            range = after;
        }
        let mut range = Some(all(keys::TOKEN_EXPIRY));
        while let Some(rest) = range {
            let (page, after) = self.page("tokens", &rest, super::PAGE).await?;
            for (key, _) in page {
                let Some(token) = Key::expired_token(&key) else {
                    self.strange(&key);
                    continue;
                };
                if self.snapshot.get(&Key::Token { token }.encode()).await?.is_none() {
                    self.found(format!("token {token}"), "it has an end, but is not there");
                }
            }
            range = after;
        }
        Ok(())
    }
}

/// Until when a token counts.
fn until(record: &Bytes) -> Option<Moment> {
    let (_, until) = record.split_first_chunk::<16>()?;
    Some(Moment(i64::from_be_bytes(until.try_into().ok()?)))
}
