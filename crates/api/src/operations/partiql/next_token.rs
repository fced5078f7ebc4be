//! `NextToken`: where a SELECT goes on. It holds all there is to know, so that it outlives the
//! server, and a digest that binds it to its statement.

use crate::error::ApiError;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use value::{Item, Value, codec};
use xxhash_rust::xxh3::xxh3_128;

/// A change of the layout changes this.
const VERSION: u8 = 1;

/// What a token is for, in a fixed form.
pub(super) struct Purpose(Vec<u8>);

/// Where to go on.
#[derive(Debug, PartialEq)]
pub(super) struct Start {
    /// The partition, by its number in the plan.
    pub(super) partition: usize,
    /// The last position that was evaluated.
    pub(super) position: Item,
}

impl Purpose {
    /// A statement with its parameters on one table.
    pub(super) fn new(statement: &str, parameters: Vec<Value>, table_uuid: &str) -> Purpose {
        let part = |name: &str, value: Value| (name.to_owned(), value);
        let parts = Item::from([
            part("parameters", Value::L(parameters)),
            part("statement", Value::S(statement.to_owned())),
            part("table", Value::S(table_uuid.to_owned())),
        ]);
        Purpose(codec::encode(&parts))
    }

    fn digest(&self, body: &[u8]) -> [u8; 16] {
        let length = (self.0.len() as u64).to_be_bytes();
        xxh3_128(&[&length, self.0.as_slice(), body].concat()).to_be_bytes()
    }

    /// The token of a position.
    pub(super) fn token(&self, start: &Start) -> String {
        let mut body = vec![VERSION];
        body.extend_from_slice(&u32::try_from(start.partition).unwrap_or(u32::MAX).to_be_bytes());
        body.extend_from_slice(&codec::encode(&start.position));
        let digest = self.digest(&body);
        STANDARD.encode([digest.as_slice(), &body].concat())
    }

    /// The position of a token; refuses what was not made for this purpose.
    pub(super) fn start(&self, token: &str) -> Result<Start, ApiError> {
        self.read(token).ok_or_else(mismatch)
    }

    fn read(&self, token: &str) -> Option<Start> {
        let bytes = STANDARD.decode(token).ok()?;
        let (digest, body) = bytes.split_first_chunk::<16>()?;
        if *digest != self.digest(body) {
            return None;
        }
        let (VERSION, body) = body.split_first().map(|(version, body)| (*version, body))? else {
            return None;
        };
        let (partition, position) = body.split_first_chunk::<4>()?;
        Some(Start {
            partition: usize::try_from(u32::from_be_bytes(*partition)).ok()?,
            position: codec::decode(position).ok()?,
        })
    }
}

/// The error for a token of another statement, or of none.
pub(super) fn mismatch() -> ApiError {
    ApiError::validation("NextToken does not match request")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purpose(statement: &str) -> Purpose {
        Purpose::new(statement, vec![Value::Null], "uuid")
    }

    fn start() -> Start {
        let position = Item::from([("pk".to_owned(), Value::S("a".to_owned()))]);
        Start { partition: 3, position }
    }

    #[test]
    fn tokens_come_back() {
        let purpose = purpose("SELECT");
        assert_eq!(purpose.start(&purpose.token(&start())).unwrap(), start());
    }

    #[test]
    fn other_tokens_are_refused() {
        let purpose = purpose("SELECT");
        let token = purpose.token(&start());
        for other in [
            Purpose::new("SELECT 2", vec![Value::Null], "uuid"),
            Purpose::new("SELECT", vec![], "uuid"),
            Purpose::new("SELECT", vec![Value::Null], "other"),
        ] {
            assert!(other.start(&token).is_err());
        }
        for forged in ["", "a", "AAAA", "not base64!", &token[1..], &token[..token.len() - 4]] {
            assert!(purpose.start(forged).is_err(), "{forged}");
        }
        // Every single byte counts.
        let bytes = STANDARD.decode(&token).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(purpose.start(&STANDARD.encode(changed)).is_err(), "byte {at}");
        }
    }
}
