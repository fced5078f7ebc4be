//! What happens to a file.

use crate::random::Random;
use std::{
    fmt, fs,
    fs::OpenOptions,
    io::{self, Read},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

const SECTOR: u64 = 512;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// `LOCK` and fjall's `lock`, which hold nothing.
    Lock,
    Format,
    Clean,
    Reached,
    Unsynced,
    /// fjall's `version`.
    Marker,
    Journal,
    /// `current` of a tree.
    Current,
    Manifest,
    /// A table of fjall's own tree.
    MetaTable,
    /// A table of our data.
    Table,
    /// A manifest or table that is not in use any more.
    Leftover,
}

impl FileKind {
    pub fn of(root: &Path, file: &Path) -> Option<FileKind> {
        let name = file.file_name()?.to_str()?;
        let kind = match name {
            "LOCK" | "lock" => FileKind::Lock,
            "FORMAT" => FileKind::Format,
            "CLEAN" => FileKind::Clean,
            "REACHED" => FileKind::Reached,
            "UNSYNCED" => FileKind::Unsynced,
            "version" => FileKind::Marker,
            "current" => FileKind::Current,
            name if name.ends_with(".jnl") => FileKind::Journal,
            name => {
                let tree =
                    if name.starts_with('v') { file.parent()? } else { file.parent()?.parent()? };
                let (manifest, tables) = in_use(&root.join(tree))?;
                match name.strip_prefix('v') {
                    Some(_) if *name == manifest => FileKind::Manifest,
                    Some(_) => FileKind::Leftover,
                    None if !tables.contains(&name.parse().ok()?) => FileKind::Leftover,
                    None if tree.ends_with("0") => FileKind::MetaTable,
                    None => FileKind::Table,
                }
            }
        };
        Some(kind)
    }
}

/// The manifest of a tree, and the numbers of its tables as far as they can be read: every eight bytes of
/// the manifest that name a file there are taken for one.
fn in_use(tree: &Path) -> Option<(String, Vec<u64>)> {
    let current = fs::read(tree.join("current")).ok()?;
    let manifest = format!("v{}", u64::from_le_bytes(*current.first_chunk()?));
    let bytes = fs::read(tree.join(&manifest)).ok()?;
    let numbers = bytes.windows(9).filter_map(|window| {
        // A table's number, then the kind of its checksum.
        let (number, [0]) = window.split_first_chunk()? else { return None };
        Some(u64::from_le_bytes(*number))
    });
    Some((manifest, numbers.filter(|n| tree.join("tables").join(n.to_string()).exists()).collect()))
}

/// A damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Harm {
    Flip {
        at: u64,
        bit: u8,
    },
    Byte {
        at: u64,
        byte: u8,
    },
    ZeroSector {
        at: u64,
    },
    Truncate {
        to: u64,
    },
    Extend {
        bytes: Vec<u8>,
    },
    Delete,
    /// It gets what another file holds.
    Replace {
        with: PathBuf,
    },
    /// They change places.
    Swap {
        with: PathBuf,
    },
}

impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Harm::Flip { at, bit } => write!(f, "bit {bit} of byte {at} flipped"),
            Harm::Byte { at, byte } => write!(f, "byte {at} made {byte:#04x}"),
            Harm::ZeroSector { at } => write!(f, "sector at {at} zeroed"),
            Harm::Truncate { to } => write!(f, "cut to {to} bytes"),
            Harm::Extend { bytes } => write!(f, "{} bytes added", bytes.len()),
            Harm::Delete => f.write_str("deleted"),
            Harm::Replace { with } => write!(f, "replaced by {}", with.display()),
            Harm::Swap { with } => write!(f, "swapped with {}", with.display()),
        }
    }
}

impl Harm {
    /// Chooses one for a file. `used` is how much of it is not the zeros at its end.
    pub fn choose(random: &mut Random, length: u64, used: u64, others: &[PathBuf]) -> Harm {
        let at = place(random, length, used);
        let other = |random: &mut Random| {
            let number = random.between(0, others.len() as u64);
            others.get(usize::try_from(number).unwrap_or(0)).cloned()
        };
        match random.between(0, 100) {
            0..35 => Harm::Flip { at, bit: u8::try_from(random.between(0, 8)).unwrap_or(0) },
            35..50 => Harm::Byte { at, byte: u8::try_from(random.between(0, 256)).unwrap_or(0) },
            50..65 => Harm::ZeroSector { at: at / SECTOR * SECTOR },
            65..78 => Harm::Truncate { to: at },
            78..86 => {
                let length = random.between(1, 700);
                let zeros = random.percent(30);
                let byte = |random: &mut Random| random.next().to_le_bytes()[0];
                Harm::Extend {
                    bytes: (0..length).map(|_| if zeros { 0 } else { byte(random) }).collect(),
                }
            }
            86..90 => Harm::Delete,
            90..95 => other(random).map_or(Harm::Delete, |with| Harm::Replace { with }),
            _ => other(random).map_or(Harm::Delete, |with| Harm::Swap { with }),
        }
    }

    /// The other file that is changed or looked at.
    pub fn other(&self) -> Option<&PathBuf> {
        match self {
            Harm::Replace { with } | Harm::Swap { with } => Some(with),
            _ => None,
        }
    }

    /// Does it. False if that changes nothing.
    pub fn apply(&self, root: &Path, file: &Path) -> io::Result<bool> {
        let path = root.join(file);
        let open = || OpenOptions::new().read(true).write(true).open(&path);
        match self {
            Harm::Flip { at, bit } => change(&path, *at, 1, |bytes| {
                bytes.iter_mut().for_each(|byte| *byte ^= 1 << bit);
            }),
            Harm::Byte { at, byte } => change(&path, *at, 1, |bytes| bytes.fill(*byte)),
            Harm::ZeroSector { at } => {
                let length = fs::metadata(&path)?.len();
                let size = length.saturating_sub(*at).min(SECTOR);
                change(&path, *at, usize::try_from(size).unwrap_or(0), |bytes| bytes.fill(0))
            }
            Harm::Truncate { to } => {
                let file = open()?;
                let length = file.metadata()?.len();
                file.set_len(*to)?;
                Ok(length != *to)
            }
            Harm::Extend { bytes } => {
                let file = open()?;
                let length = file.metadata()?.len();
                file.write_all_at(bytes, length)?;
                Ok(!bytes.is_empty())
            }
            Harm::Delete => fs::remove_file(&path).map(|()| true),
            Harm::Replace { with } => {
                let bytes = fs::read(root.join(with))?;
                let changed = fs::read(&path)? != bytes;
                fs::write(&path, bytes)?;
                Ok(changed)
            }
            Harm::Swap { with } => {
                let (one, other) = (fs::read(&path)?, fs::read(root.join(with))?);
                fs::write(root.join(with), &one)?;
                fs::write(&path, &other)?;
                Ok(one != other)
            }
        }
    }
}

/// Mostly where something is, often near its end, where indexes and the last batches are.
fn place(random: &mut Random, length: u64, used: u64) -> u64 {
    match random.between(0, 100) {
        0..45 => random.between(0, used),
        45..65 => used.saturating_sub(random.between(1, 250)),
        65..85 => used.saturating_sub(random.between(1, 4000)),
        85..92 => random.between(0, used.min(64)),
        _ => random.between(0, length),
    }
}

fn change(path: &Path, at: u64, size: usize, change: impl FnOnce(&mut [u8])) -> io::Result<bool> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut bytes = vec![0; size];
    if size == 0 || file.read_exact_at(&mut bytes, at).is_err() {
        return Ok(false);
    }
    let before = bytes.clone();
    change(&mut bytes);
    file.write_all_at(&bytes, at)?;
    Ok(before != bytes)
}

/// How much of a file is not the zeros at its end, of which there are many or few.
pub fn used(path: &Path) -> io::Result<u64> {
    let mut file = fs::File::open(path)?;
    let mut part = vec![0; 1 << 16];
    let (mut at, mut used) = (0, 0);
    loop {
        let read = file.read(&mut part)?;
        let last = part.get(..read).and_then(|part| part.iter().rposition(|byte| *byte != 0));
        match last {
            Some(last) => used = at + last as u64 + 1,
            None => return Ok(used),
        }
        at += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_harm_changes_what_it_says() {
        let directory = tempfile::tempdir().unwrap();
        let (file, with) = (PathBuf::from("a"), PathBuf::from("b"));
        for (harm, expected) in [
            (Harm::Flip { at: 1, bit: 0 }, Some(&b"kjl\0"[..])),
            (Harm::Byte { at: 0, byte: b'x' }, Some(b"xkl\0")),
            (Harm::ZeroSector { at: 0 }, Some(b"\0\0\0\0")),
            (Harm::Truncate { to: 2 }, Some(b"kk")),
            (Harm::Extend { bytes: vec![b'!'] }, Some(b"kkl\0!")),
            (Harm::Delete, None),
            (Harm::Replace { with: with.clone() }, Some(b"other")),
            (Harm::Swap { with: with.clone() }, Some(b"other")),
        ] {
            fs::write(directory.path().join("a"), b"kkl\0").unwrap();
            fs::write(directory.path().join("b"), b"other").unwrap();
            assert!(harm.apply(directory.path(), &file).unwrap(), "{harm}");
            assert_eq!(fs::read(directory.path().join("a")).ok().as_deref(), expected, "{harm}");
        }
        assert_eq!(fs::read(directory.path().join("b")).unwrap(), b"kkl\0");
        let nothing = Harm::Byte { at: 3, byte: 0 };
        fs::write(directory.path().join("a"), b"kkl\0").unwrap();
        assert!(!nothing.apply(directory.path(), &file).unwrap());
        assert_eq!(used(&directory.path().join("a")).unwrap(), 3);
    }
}
