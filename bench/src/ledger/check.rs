//! Holds what a server has against what its clients were promised.

use super::{
    deed::Known,
    item::{Key, MEMBERS},
    observe::Seen,
};
use crate::{crash::history::Fault, outage::Violation};

/// What is wrong.
pub fn check(known: &Known, seen: &Seen) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (&key, history) in known {
        let state = seen.state(key);
        let allowed = history.allowed();
        match key {
            // The versions of tables and indexes cannot be read.
            Key::Table | Key::HotTable | Key::Late | Key::Churn(_) => {
                if allowed.iter().all(|allowed| allowed.is_some() != state.is_some()) {
                    let is = if state.is_some() { "is" } else { "is not" };
                    violations.push(Violation::lost(format!("{key} {is} there")));
                }
            }
            // An item goes with its table.
            Key::ChurnItem(table, _) if seen.state(Key::Churn(table)).is_none() => {}
            _ => violations.extend(history.fault(state).map(|fault| violation(key, state, &fault))),
        }
    }
    for (key, version) in seen.states.iter().filter(|(key, _)| !known.contains_key(key)) {
        let text = format!("{key}: version {version} is there, which nobody has put yet");
        violations.push(Violation::half_applied(text));
    }
    violations.extend(groups(seen));
    violations
}

/// A transaction writes all members of a group or none.
fn groups(seen: &Seen) -> Vec<Violation> {
    let mut violations = Vec::new();
    let found = seen.states.keys().filter_map(|key| match key {
        Key::Member { group, .. } => Some(*group),
        _ => None,
    });
    for group in found.collect::<std::collections::BTreeSet<u32>>() {
        let members = (0..MEMBERS).map(|member| Key::Member { group, member });
        let versions: Vec<_> = members.map(|key| seen.state(key)).collect();
        if versions.iter().any(|version| Some(version) != versions.first()) {
            violations.push(Violation::half_applied(format!(
                "group {group} has the versions {versions:?}, transactions write all at once"
            )));
        }
    }
    violations
}

fn violation(key: Key, found: Option<u64>, fault: &Fault) -> Violation {
    let found = found.map_or("nothing".to_owned(), |version| format!("version {version}"));
    match fault {
        Fault::LostPut(version) => Violation::lost(format!(
            "{key}: put of version {version} was acknowledged, {found} is there"
        )),
        Fault::Resurrected(_) => {
            Violation::lost(format!("{key}: the item was deleted, {found} is there"))
        }
        Fault::Unknown(_) => {
            Violation::half_applied(format!("{key}: {found} is there, which nobody has put"))
        }
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
