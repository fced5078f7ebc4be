//! Whether what a server and `verify` did with a damaged directory is right.

use super::{
    harm::{FileKind, Harm},
    originals::Original,
    server::Verdict,
    truth::Answers,
};
use std::path::{Path, PathBuf};

/// A damage, and where it was done.
pub struct Case<'a> {
    pub original: &'a Original,
    pub file: PathBuf,
    pub kind: FileKind,
    pub harm: Harm,
    /// How much of the file was not the zeros at its end.
    pub used: u64,
}

/// What came of a server on a damaged directory.
pub enum Served {
    /// It did not start.
    Refused,
    /// It answered, or did not any more.
    Answered(Result<Answers, String>),
    /// It neither served nor ended.
    Hung,
}

/// How a damage was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Every answer was right.
    Right,
    /// The server did not start, and named the file.
    Refused,
    /// Some answers were errors, and the log named the file; the others were right.
    Errors,
    /// The last write was lost: it cannot be told from one that was never acknowledged.
    LostLast,
}

/// Holds what the server did against the truth.
pub fn served(case: &Case<'_>, served: &Served, log: &str) -> Result<Outcome, String> {
    match served {
        Served::Hung => Err("the server hangs".to_owned()),
        Served::Refused if names(case, log) => Ok(Outcome::Refused),
        Served::Refused => Err(format!("the server does not name the file: {}", last_line(log))),
        Served::Answered(Err(error)) => Err(format!("no answer: {error}: {}", last_line(log))),
        Served::Answered(Ok(answers)) => answered(case, answers, log),
    }
}

fn answered(case: &Case<'_>, answers: &Answers, log: &str) -> Result<Outcome, String> {
    let mut errors = None;
    for (name, expected) in &case.original.truth {
        match (answers.get(name), expected) {
            (Some(Ok(answer)), Ok(expected)) if answer == expected => {}
            (Some(Err(error)), _) => errors = Some(format!("{name}: {error}")),
            _ if lost_last(case, answers) => return Ok(Outcome::LostLast),
            _ => return Err(format!("WRONG ANSWER: {name}")),
        }
    }
    match errors {
        None => Ok(Outcome::Right),
        Some(error) if !error.contains("500") => Err(format!("an error that is not 500: {error}")),
        Some(_) if names(case, log) => Ok(Outcome::Errors),
        Some(error) => {
            Err(format!("{error}, but the log does not name the file: {}", last_line(log)))
        }
    }
}

/// Whether just the last write is missing, and the damage is where it was.
fn lost_last(case: &Case<'_>, answers: &Answers) -> bool {
    let near_end = match case.harm {
        Harm::Flip { at, .. } | Harm::Byte { at, .. } => at + 600 >= case.used,
        Harm::ZeroSector { at } => at + 1100 >= case.used,
        Harm::Truncate { to } => to + 600 >= case.used,
        _ => false,
    };
    case.kind == FileKind::Journal
        && near_end
        && case.original.earlier.as_ref().is_some_and(|earlier| earlier == answers)
}

/// Holds what `verify` said against what was done, given how the server met it.
pub fn verified(case: &Case<'_>, verdict: &Verdict, outcome: Outcome) -> Result<bool, String> {
    let first = verdict.output.lines().next().unwrap_or_default();
    match verdict.status {
        Some(1) if names(case, &verdict.output) => Ok(true),
        Some(1) => Err(format!("verify does not name the file: {first}")),
        Some(0) if outcome == Outcome::LostLast => Ok(false),
        Some(0) if outcome == Outcome::Right && is_read_by_nobody(case) => Ok(false),
        Some(0) => Err(format!("verify finds nothing: {first}")),
        other => Err(format!("verify ends with {other:?}: {first}")),
    }
}

/// Whether no one reads what was changed: a server that answers everything right proves the rest.
fn is_read_by_nobody(case: &Case<'_>) -> bool {
    let tail = match &case.harm {
        Harm::Flip { at, .. } | Harm::Byte { at, .. } | Harm::Truncate { to: at } => {
            *at + 32 >= case.used
        }
        Harm::ZeroSector { at } => *at >= case.used,
        Harm::Extend { .. } => true,
        _ => false,
    };
    match case.kind {
        // They hold nothing, or only their being there counts.
        FileKind::Lock | FileKind::Unsynced | FileKind::Leftover => true,
        // Without them the store is taken for one that was killed, or one that was killed at once.
        FileKind::Clean | FileKind::Reached => {
            let is_lock = |other: &PathBuf| {
                other.file_name().is_some_and(|name| name.eq_ignore_ascii_case("lock"))
            };
            matches!(case.harm, Harm::Delete | Harm::Truncate { to: 0 })
                // A lock holds nothing, so this is the same as being cut to nothing.
                || (case.kind == FileKind::Reached && case.harm.other().is_some_and(is_lock))
        }
        // Behind the last batch of a killed server: like a torn write, or zeros.
        FileKind::Journal => tail,
        _ => false,
    }
}

/// Whether a text names the file that was damaged, or one that tells of it.
fn names(case: &Case<'_>, text: &str) -> bool {
    let root = |path: &Path| text.contains(&*path.to_string_lossy());
    let own = root(&case.file) || case.harm.other().is_some_and(|other| root(other));
    let beside = match case.kind {
        // One journal's end is seen at the beginning of the next.
        FileKind::Journal | FileKind::Clean | FileKind::Reached => text.contains(".jnl"),
        // It says which manifest is to be read, and what is in it.
        FileKind::Current | FileKind::Manifest => {
            let other = case.harm.other().and_then(|other| other.parent());
            case.file.parent().is_some_and(root) || other.is_some_and(root)
        }
        FileKind::Table | FileKind::MetaTable => case
            .file
            .parent()
            .is_some_and(|tables| text.contains(&format!("{} is damaged", tables.display()))),
        _ => false,
    };
    own || beside
}

fn last_line(log: &str) -> &str {
    log.lines().last().unwrap_or("no log")
}
