//! One change of an item, as the log keeps it.
//!
//! `01 | event u8 | actor u8 | length of the old image u32 | old image | new image`. An image that
//! is not there has no bytes. Integers are big-endian.

use bytes::Bytes;
use store::Version;
use value::{
    CodecError, Item,
    codec::{self, ItemRef},
};

const VERSION: u8 = 1;
const HEAD: usize = 7;

/// A place in the log: a commit, and the change within it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The commit.
    pub version: Version,
    /// Which of its changes.
    pub ordinal: u16,
}

impl Position {
    /// Behind every change.
    pub const END: Position = Position { version: Version(u64::MAX), ordinal: u16::MAX };

    /// The first place of a commit.
    pub fn start(version: Version) -> Position {
        Position { version, ordinal: 0 }
    }

    /// The place right behind this one.
    #[must_use]
    pub fn next(self) -> Position {
        match self.ordinal.checked_add(1) {
            Some(ordinal) => Position { ordinal, ..self },
            None => Position::start(Version(self.version.0.saturating_add(1))),
        }
    }
}

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It was not there before.
    Insert,
    /// It was there before and after.
    Modify,
    /// It is not there any more.
    Remove,
}

/// Who changed an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A request.
    User,
    /// The end of its time to live.
    TimeToLive,
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What happened.
    pub event: Event,
    /// Who did it.
    pub actor: Actor,
    /// The item before, in its stored form; may be left out if nobody needs it.
    pub old: Option<Bytes>,
    /// The item after, likewise. If neither is needed, this is the item's key.
    pub new: Option<Bytes>,
}

impl Change {
    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Bytes {
        let old = self.old.as_deref().unwrap_or_default();
        let new = self.new.as_deref().unwrap_or_default();
        let mut out = Vec::with_capacity(HEAD + old.len() + new.len());
        out.push(VERSION);
        out.push(match self.event {
            Event::Insert => 1,
            Event::Modify => 2,
            Event::Remove => 3,
        });
        out.push(match self.actor {
            Actor::User => 0,
            Actor::TimeToLive => 1,
        });
        out.extend_from_slice(&u32::try_from(old.len()).unwrap_or(u32::MAX).to_be_bytes());
        out.extend_from_slice(old);
        out.extend_from_slice(new);
        out.into()
    }

    /// Reads stored bytes; the images share them.
    pub(crate) fn decode(bytes: &Bytes) -> Result<Change, CodecError> {
        let Some(([version, event, actor, length @ ..], images)) =
            bytes.split_first_chunk::<HEAD>()
        else {
            return Err(CodecError::UnexpectedEnd);
        };
        if *version != VERSION {
            return Err(CodecError::UnknownVersion(*version));
        }
        let event = match event {
            1 => Event::Insert,
            2 => Event::Modify,
            3 => Event::Remove,
            other => return Err(CodecError::UnknownTag(*other)),
        };
        let actor = match actor {
            0 => Actor::User,
            1 => Actor::TimeToLive,
            other => return Err(CodecError::UnknownTag(*other)),
        };
        let length = u32::from_be_bytes(*length) as usize;
        if length > images.len() {
            return Err(CodecError::UnexpectedEnd);
        }
        let image = |bytes: Bytes| (!bytes.is_empty()).then_some(bytes);
        Ok(Change {
            event,
            actor,
            old: image(bytes.slice(HEAD..HEAD + length)),
            new: image(bytes.slice(HEAD + length..)),
        })
    }

    /// The named attributes of the item, which must be its key.
    pub fn key<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<Item, CodecError> {
        let mut key = Item::new();
        let Some(image) = self.new.as_ref().or(self.old.as_ref()) else { return Ok(key) };
        let image = codec::decode(image)?;
        for name in names {
            if let Some((name, value)) = image.get_key_value(name) {
                key.insert(name.clone(), value.clone());
            }
        }
        Ok(key)
    }
}

/// The size of a stored image as DynamoDB counts it.
pub fn image_size(image: Option<&Bytes>) -> Result<usize, CodecError> {
    image.map_or(Ok(0), |bytes| ItemRef::new(bytes).map(|item| item.size()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_read_as_it_was_written() {
        let old = || Some(Bytes::from_static(b"old image"));
        let new = || Some(Bytes::from_static(b"new"));
        let changes = [
            (Event::Insert, Actor::User, None, new()),
            (Event::Modify, Actor::User, old(), new()),
            (Event::Modify, Actor::User, old(), None),
            (Event::Remove, Actor::TimeToLive, old(), None),
        ];
        for (event, actor, old, new) in changes {
            let change = Change { event, actor, old, new };
            assert_eq!(Change::decode(&change.encode()).unwrap(), change);
        }
    }

    /// The layout is on people's disks.
    #[test]
    fn the_layout_is_fixed() {
        let change = Change {
            event: Event::Modify,
            actor: Actor::TimeToLive,
            old: Some(Bytes::from_static(b"ab")),
            new: Some(Bytes::from_static(b"c")),
        };
        assert_eq!(change.encode().as_ref(), b"\x01\x02\x01\x00\x00\x00\x02abc");
    }

    #[test]
    fn damage_is_noticed() {
        for bytes in [
            b"".as_slice(),
            b"\x01\x01\x00\x00\x00",
            b"\x02\x01\x00\x00\x00\x00\x00",
            b"\x01\x04\x00\x00\x00\x00\x00",
            b"\x01\x01\x02\x00\x00\x00\x00",
            b"\x01\x01\x00\x00\x00\x00\x03ab",
        ] {
            assert!(Change::decode(&Bytes::copy_from_slice(bytes)).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn places_follow_one_another() {
        let at = |version, ordinal| Position { version: Version(version), ordinal };
        assert_eq!(at(1, 2).next(), at(1, 3));
        assert_eq!(at(1, u16::MAX).next(), at(2, 0));
        assert!(at(1, 9) < at(2, 0));
    }
}
