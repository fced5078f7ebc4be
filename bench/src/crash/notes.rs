//! What the table was at moments when nobody wrote, to be held against copies of it.

use crate::{
    changes::table::{Item, Items, Key, is_due, millis, scan},
    dynamo::RequestError,
    http::Connection,
    random::Random,
};
use std::{path::PathBuf, sync::Arc, thread, time::Duration};

/// More moments than this are not kept. Young ones are restored soon: less has to be undone.
const MOST_MOMENTS: usize = 6;
/// More backups than this are not kept.
const MOST_BACKUPS: usize = 3;
/// On both sides of a moment, so that no commit is of the same millisecond.
const MARGIN: Duration = Duration::from_millis(3);

/// Items that a copy must have.
#[derive(Debug, Clone)]
pub struct Noted {
    /// The items.
    pub items: Items,
    /// Those that are due by this second may be gone.
    pub second: u64,
}

impl Noted {
    /// What a copy must have that has these items.
    pub fn expected(&self, found: &Items) -> Items {
        let stays =
            |(key, item): &(&Key, &Item)| found.contains_key(key) || !is_due(item, self.second);
        self.items.iter().filter(stays).map(|(key, item)| (*key, item.clone())).collect()
    }
}

/// Where a copy comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// The table at a millisecond.
    Moment(u64),
    /// A backup.
    Backup(String),
}

/// What is known of the past.
#[derive(Debug, Default)]
pub struct Notes {
    /// The table's ARN.
    pub table: String,
    /// Where the server keeps its exports.
    pub storage: PathBuf,
    moments: Vec<(Source, Arc<Noted>)>,
    backups: Vec<(Source, Arc<Noted>)>,
}

impl Notes {
    /// Notes this moment, if the table still has these items and keeps them.
    pub fn note(&mut self, connection: &mut Connection, items: &Items) -> Result<(), RequestError> {
        thread::sleep(MARGIN);
        let now = millis();
        thread::sleep(MARGIN);
        if scan(connection)? == *items {
            let noted = Noted { items: items.clone(), second: now / 1000 };
            self.moments.push((Source::Moment(now), Arc::new(noted)));
        }
        if self.moments.len() > MOST_MOMENTS {
            self.moments.remove(0);
        }
        Ok(())
    }

    /// Notes a backup. Gives one that is not needed any more.
    pub fn keep(&mut self, arn: String, items: Items, second: u64) -> Option<String> {
        self.backups.push((Source::Backup(arn), Arc::new(Noted { items, second })));
        let over = self.backups.len() > MOST_BACKUPS;
        match over.then(|| self.backups.remove(0)) {
            Some((Source::Backup(arn), _)) => Some(arn),
            _ => None,
        }
    }

    /// Something to copy.
    pub fn choose(&self, random: &mut Random) -> Option<(Source, Arc<Noted>)> {
        let all = if random.percent(30) { &self.backups } else { &self.moments };
        all.get(random.between(0, all.len() as u64) as usize).cloned()
    }
}
