//! The versions of one item.

use crate::{
    Engine,
    catalogue::Entry,
    error::EngineError,
    items::PrimaryKey,
    keys::Key,
    log::{Actor, Change, Event, Position},
};
use bytes::Bytes;
use store::{Direction, PageLimit, Version};

const PAGE: PageLimit = PageLimit { entries: 1000, bytes: 4 << 20 };

/// A change of an item, and the item it left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemVersion {
    /// When and in which order.
    pub position: Position,
    /// What happened.
    pub event: Event,
    /// Who did it.
    pub actor: Actor,
    /// The item after the change, in its stored form; none if it was removed.
    pub item: Option<Bytes>,
}

/// The changes of an item, newest first.
#[derive(Debug, Clone)]
pub struct ItemHistory {
    /// The changes.
    pub versions: Vec<ItemVersion>,
    /// The item before the oldest of them, in its stored form.
    pub before: Option<Bytes>,
    /// Whether there are older ones.
    pub more: bool,
}

impl Engine {
    /// The last changes of an item within what can be restored, at most `limit`.
    pub async fn history(
        &self,
        entry: &Entry,
        key: &PrimaryKey,
        limit: usize,
    ) -> Result<Option<ItemHistory>, EngineError> {
        let table = &entry.table;
        let Some((earliest, _)) = self.restorable(table) else { return Ok(None) };
        let from = Position::start(Version::first_at(earliest.millis()));
        let storage_key = key.storage_key(table.number);
        let snapshot = self.store.snapshot().await?;
        let end = Position::start(Version(snapshot.version().0 + 1));
        let mut history = ItemHistory {
            versions: Vec::new(),
            before: snapshot.get(&storage_key).await?,
            more: false,
        };
        for shard in self.walk_order(table.number, from, end).await? {
            let opened = from.max(shard.opened);
            let closed = shard.closed.unwrap_or(end).min(end);
            let mut range = Key::changes(table.number, shard.number, opened, closed.max(opened));
            loop {
                let page = snapshot.range(range.clone(), Direction::Backward, PAGE).await?;
                for (place, value) in &page.entries {
                    let change = Change::decode(value)?;
                    let names = table.key.attributes().map(|attribute| attribute.name.as_str());
                    let own = PrimaryKey::from_item(table, &change.key(names)?);
                    let (true, Some(position)) = (own.as_ref() == Ok(key), Key::position(place))
                    else {
                        continue;
                    };
                    if history.versions.len() == limit {
                        history.more = true;
                        return Ok(Some(history));
                    }
                    let before = match change.event {
                        Event::Insert => None,
                        Event::Modify | Event::Remove => change.old,
                    };
                    // What a change left is what the next one found.
                    let item = std::mem::replace(&mut history.before, before);
                    let (event, actor) = (change.event, change.actor);
                    history.versions.push(ItemVersion { position, event, actor, item });
                }
                match page.entries.last() {
                    Some((last, _)) if page.more => range = range.after(last, Direction::Backward),
                    _ => break,
                }
            }
        }
        Ok(Some(history))
    }
}
