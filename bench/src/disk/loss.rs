//! A power loss: all that is durable is there, and of the rest what chance leaves.

use super::{
    content::Content,
    trace::Trace,
    tree::{Change, File, Node, Object, ROOT, Tree, rename_in},
};
use crate::random::Random;
use std::{
    collections::{BTreeMap, HashMap},
    fs, io,
    path::Path,
};

const SECTOR: usize = 512;

/// How much is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing: the program was only killed.
    Nothing,
    /// All that no sync has covered.
    Everything,
    /// Some of it.
    Some,
    /// The second half of the last write to each file.
    Torn,
}

type Names = HashMap<Object, BTreeMap<String, Object>>;

impl Loss {
    /// Chooses one.
    pub fn choose(random: &mut Random) -> Loss {
        match random.between(0, 100) {
            0..8 => Loss::Nothing,
            8..25 => Loss::Everything,
            _ => Loss::Some,
        }
    }

    /// Builds the disk that a power loss leaves.
    pub fn build(
        self,
        tree: &Tree,
        trace: &Trace,
        random: &mut Random,
        path: &Path,
    ) -> io::Result<()> {
        let names = self.names(tree, random);
        fs::create_dir_all(path)?;
        self.build_node(tree, trace, random, &names, ROOT, path)
    }

    /// Which changes of names are there. Journals of file systems keep them in order; where there is none,
    /// each is there or not for itself.
    fn names(self, tree: &Tree, random: &mut Random) -> Names {
        let mut names = Names::new();
        let ordered = random.percent(50);
        let kept = random.between(0, tree.pending.len() as u64 + 1) as usize;
        for (number, naming) in tree.pending.iter().enumerate() {
            let keep = match self {
                Loss::Nothing | Loss::Torn => true,
                Loss::Everything => false,
                Loss::Some if ordered => number < kept,
                Loss::Some => random.percent(50),
            };
            if !keep {
                continue;
            }
            for (directory, name, object) in naming {
                let Some(Node::Directory(found)) = tree.node(*directory) else {
                    continue;
                };
                let names = names.entry(*directory).or_insert_with(|| found.durable.clone());
                rename_in(names, name.clone(), *object);
            }
        }
        names
    }

    fn build_node(
        self,
        tree: &Tree,
        trace: &Trace,
        random: &mut Random,
        names: &Names,
        object: Object,
        path: &Path,
    ) -> io::Result<()> {
        match tree.node(object) {
            Some(Node::File(file)) => self.content(file, trace, random).store(path),
            Some(Node::Directory(directory)) => {
                if object != ROOT {
                    fs::create_dir(path)?;
                }
                for (name, object) in names.get(&object).unwrap_or(&directory.durable) {
                    self.build_node(tree, trace, random, names, *object, &path.join(name))?;
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// What a file holds.
    fn content(self, file: &File, trace: &Trace, random: &mut Random) -> Content {
        let mut content = file.durable.clone();
        let (all, count) = (file.pending.as_slice(), file.pending.len() as u64);
        match self {
            Loss::Nothing => all.iter().for_each(|change| change.make(trace, &mut content)),
            Loss::Everything => {}
            Loss::Torn => {
                let whole = count.saturating_sub(1) as usize;
                all.iter().take(whole).for_each(|change| change.make(trace, &mut content));
                if let Some(Change::Write(offset, data)) = all.last() {
                    let bytes = trace.bytes.get(data.clone()).unwrap_or_default();
                    let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
                    content.write(*offset, half);
                }
            }
            Loss::Some => match random.between(0, 100) {
                0..20 => {}
                20..35 => all.iter().for_each(|change| change.make(trace, &mut content)),
                35..65 => {
                    let kept = random.between(0, count + 1) as usize;
                    let (kept, rest) = all.split_at_checked(kept).unwrap_or((all, &[]));
                    kept.iter().for_each(|change| change.make(trace, &mut content));
                    if let Some(Change::Write(offset, data)) = rest.first() {
                        let bytes = trace.bytes.get(data.clone()).unwrap_or_default();
                        let mut cut = random.between(0, bytes.len() as u64 + 1);
                        if random.percent(50) {
                            let end = (offset + cut) / SECTOR as u64 * SECTOR as u64;
                            cut = end.saturating_sub(*offset);
                        }
                        content.write(*offset, bytes.get(..cut as usize).unwrap_or_default());
                    }
                }
                _ => scatter(all, trace, random, &mut content),
            },
        }
        content
    }
}

/// Sectors of writes get to the disk in any order, and the length of the file at any time.
fn scatter(changes: &[Change], trace: &Trace, random: &mut Random, content: &mut Content) {
    let mut lengths = vec![content.length()];
    for change in changes {
        let last = lengths.last().copied().unwrap_or_default();
        lengths.push(match change {
            Change::Write(offset, data) => last.max(offset + data.len() as u64),
            Change::Truncate(length) => *length,
        });
    }
    let length = lengths.get(random.between(0, lengths.len() as u64) as usize).copied();
    content.truncate(length.unwrap_or_default());
    let chance = random.between(5, 96);
    for change in changes {
        let Change::Write(offset, data) = change else {
            continue;
        };
        let mut at = *offset;
        let mut rest = trace.bytes.get(data.clone()).unwrap_or_default();
        while !rest.is_empty() {
            let inside = (at % SECTOR as u64) as usize;
            let (sector, next) = rest.split_at(rest.len().min(SECTOR - inside));
            if random.percent(chance) {
                content.write_inside(at, sector);
            }
            at += sector.len() as u64;
            rest = next;
        }
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
