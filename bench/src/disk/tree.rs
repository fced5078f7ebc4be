//! Files and directories as a trace makes them: what a running program sees, what is durable, and what
//! was done since. A file's data becomes durable by a sync of the file, its name by one of the directory.

use super::{
    content::Content,
    trace::{Record, Trace},
};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io,
    ops::Range,
    path::Path,
};

/// A file or a directory, by its place in the tree's list.
pub type Object = usize;

/// A change of a file that no sync has covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Bytes of the trace, at an offset.
    Write(u64, Range<usize>),
    /// A length.
    Truncate(u64),
}

/// A file.
#[derive(Default)]
pub struct File {
    /// What a power loss cannot take.
    pub durable: Content,
    /// What came after it.
    pub pending: Vec<Change>,
    /// How many changes there were when syncs began that have not ended.
    begun: VecDeque<usize>,
}

/// A directory.
#[derive(Default)]
pub struct Directory {
    /// The names that a running program sees.
    current: BTreeMap<String, Object>,
    /// The names that a power loss cannot take.
    pub durable: BTreeMap<String, Object>,
}

/// What there is under a name.
pub enum Node {
    /// A file.
    File(File),
    /// A directory.
    Directory(Directory),
}

/// A change of names that happens as a whole: directory, name, and what it names from then on.
pub type Naming = Vec<(Object, String, Option<Object>)>;

/// The whole tree.
pub struct Tree {
    nodes: Vec<Node>,
    inodes: HashMap<u64, Object>,
    /// Changes of names that no sync has covered, oldest first.
    pub pending: Vec<Naming>,
}

/// The directory above all others.
pub const ROOT: Object = 0;

impl Tree {
    /// A tree with nothing in it.
    pub fn empty() -> Tree {
        let nodes = vec![Node::Directory(Directory::default())];
        Tree { nodes, inodes: HashMap::new(), pending: Vec::new() }
    }

    /// What is in a directory, all of it durable.
    pub fn load(path: &Path) -> io::Result<Tree> {
        let mut tree = Tree::empty();
        tree.load_into(ROOT, path)?;
        Ok(tree)
    }

    fn load_into(&mut self, directory: Object, path: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let object = if entry.file_type()?.is_dir() {
                let object = self.add(Node::Directory(Directory::default()));
                self.load_into(object, &entry.path())?;
                object
            } else {
                let durable = Content::load(&entry.path())?;
                self.add(Node::File(File { durable, ..File::default() }))
            };
            if let Some(Node::Directory(directory)) = self.nodes.get_mut(directory) {
                directory.current.insert(name.clone(), object);
                directory.durable.insert(name, object);
            }
        }
        Ok(())
    }

    fn add(&mut self, node: Node) -> Object {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// A file or directory.
    pub fn node(&self, object: Object) -> Option<&Node> {
        self.nodes.get(object)
    }

    /// Does what a record says was done.
    pub fn apply(&mut self, trace: &Trace, record: &Record) -> Result<(), String> {
        let done = match record {
            Record::Opened { inode, path } => {
                if path.is_empty() {
                    self.forget_syncs();
                }
                self.find(path).map(|object| self.inodes.insert(*inode, object)).map(|_| ())
            }
            Record::Created { inode, path } => self.make(*inode, path, Node::File(File::default())),
            Record::Made { inode, path } => {
                self.make(*inode, path, Node::Directory(Directory::default()))
            }
            Record::Written { inode, offset, data } => {
                self.change(*inode, Change::Write(*offset, data.clone()))
            }
            Record::Truncated { inode, length } => self.change(*inode, Change::Truncate(*length)),
            Record::SyncBegun { inode } => self.begin_sync(*inode),
            Record::Synced { inode, begun } => self.sync(trace, *inode, *begun),
            Record::Renamed { from, to } => self.rename(from, to),
            Record::Unlinked { path } | Record::Removed { path } => self
                .split(path)
                .and_then(|(directory, name)| self.name(vec![(directory, name, None)])),
            Record::Linked { from, to } => self.find(from).and_then(|object| {
                let (directory, name) = self.split(to)?;
                self.name(vec![(directory, name, Some(object))])
            }),
            Record::Unknown { call } => {
                return Err(format!("the layer does not know how to trace {call}"));
            }
        };
        done.ok_or_else(|| format!("the trace has {record:?}, which is about nothing known"))
    }

    fn find(&self, path: &str) -> Option<Object> {
        let mut object = ROOT;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let Node::Directory(directory) = self.nodes.get(object)? else {
                return None;
            };
            object = *directory.current.get(name)?;
        }
        Some(object)
    }

    fn split(&self, path: &str) -> Option<(Object, String)> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        Some((self.find(above)?, name.to_owned()))
    }

    fn name(&mut self, naming: Naming) -> Option<()> {
        for (directory, name, object) in &naming {
            let Node::Directory(directory) = self.nodes.get_mut(*directory)? else {
                return None;
            };
            match object {
                Some(object) => directory.current.insert(name.clone(), *object),
                None => Some(directory.current.remove(name)?),
            };
        }
        self.pending.push(naming);
        Some(())
    }

    fn make(&mut self, inode: u64, path: &str, node: Node) -> Option<()> {
        let (directory, name) = self.split(path)?;
        let object = self.add(node);
        self.inodes.insert(inode, object);
        self.name(vec![(directory, name, Some(object))])
    }

    fn rename(&mut self, from: &str, to: &str) -> Option<()> {
        let object = self.find(from)?;
        let (old, old_name) = self.split(from)?;
        let (new, new_name) = self.split(to)?;
        self.name(vec![(old, old_name, None), (new, new_name, Some(object))])
    }

    fn of(&mut self, inode: u64) -> Option<(Object, &mut Node)> {
        let object = *self.inodes.get(&inode)?;
        self.nodes.get_mut(object).map(|node| (object, node))
    }

    fn change(&mut self, inode: u64, change: Change) -> Option<()> {
        match self.of(inode)? {
            (_, Node::File(file)) => file.pending.push(change),
            (_, Node::Directory(_)) => return None,
        }
        Some(())
    }

    /// Another program has begun; syncs of the one before will not end any more.
    fn forget_syncs(&mut self) {
        for node in &mut self.nodes {
            if let Node::File(file) = node {
                file.begun.clear();
            }
        }
    }

    fn begin_sync(&mut self, inode: u64) -> Option<()> {
        if let (_, Node::File(file)) = self.of(inode)? {
            file.begun.push_back(file.pending.len());
        }
        Some(())
    }

    fn sync(&mut self, trace: &Trace, inode: u64, begun: bool) -> Option<()> {
        match self.of(inode)? {
            (_, Node::File(file)) => {
                let covered = if begun { file.begun.pop_front()? } else { file.pending.len() };
                for change in file.pending.drain(..covered.min(file.pending.len())) {
                    change.make(trace, &mut file.durable);
                }
                for later in &mut file.begun {
                    *later = later.saturating_sub(covered);
                }
            }
            // Names are few and change seldom: those of before the end of the sync count as synced.
            (object, Node::Directory(_)) => self.sync_names(object),
        }
        Some(())
    }

    fn sync_names(&mut self, object: Object) {
        let touches = |naming: &Naming| naming.iter().any(|(directory, ..)| *directory == object);
        let (synced, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(touches);
        self.pending = rest;
        for (directory, name, object) in synced.into_iter().flatten() {
            if let Some(Node::Directory(directory)) = self.nodes.get_mut(directory) {
                rename_in(&mut directory.durable, name, object);
            }
        }
    }

    /// Holds what a running program sees against a directory. Says how they differ.
    pub fn difference(&self, trace: &Trace, path: &Path) -> io::Result<Option<String>> {
        let found = Tree::load(path)?;
        Ok(self.differs(trace, ROOT, &found, ROOT, ""))
    }

    fn differs(
        &self,
        trace: &Trace,
        ours: Object,
        found: &Tree,
        theirs: Object,
        path: &str,
    ) -> Option<String> {
        match (self.nodes.get(ours)?, found.nodes.get(theirs)?) {
            (Node::File(ours), Node::File(theirs)) => {
                let mut content = ours.durable.clone();
                ours.pending.iter().for_each(|change| change.make(trace, &mut content));
                (content != theirs.durable).then(|| {
                    let (ours, theirs) = (content.length(), theirs.durable.length());
                    format!("{path} has other bytes ({ours} in the trace, {theirs} on disk)")
                })
            }
            (Node::Directory(ours), Node::Directory(theirs)) => {
                let names =
                    |directory: &Directory| directory.current.keys().cloned().collect::<Vec<_>>();
                if names(ours) != names(theirs) {
                    let (ours, theirs) = (names(ours), names(theirs));
                    return Some(format!("{path} has {ours:?} in the trace, {theirs:?} on disk"));
                }
                let both = ours.current.iter().zip(theirs.current.values());
                both.map(|((name, ours), theirs)| (format!("{path}/{name}"), *ours, *theirs))
                    .find_map(|(path, ours, theirs)| {
                        self.differs(trace, ours, found, theirs, &path)
                    })
            }
            _ => Some(format!("{path} is a file in one and a directory in the other")),
        }
    }
}

impl Change {
    /// Makes the change.
    pub fn make(&self, trace: &Trace, content: &mut Content) {
        match self {
            Change::Write(offset, data) => {
                content.write(*offset, trace.bytes.get(data.clone()).unwrap_or_default());
            }
            Change::Truncate(length) => content.truncate(*length),
        }
    }
}

/// Changes one name.
pub fn rename_in(names: &mut BTreeMap<String, Object>, name: String, object: Option<Object>) {
    match object {
        Some(object) => names.insert(name, object),
        None => names.remove(&name),
    };
}
