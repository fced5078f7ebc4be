//! Paths that cannot stand in one update or projection together.

use std::collections::BTreeMap;

use crate::Fault;
use crate::path::{Element, Path};

enum Relation {
    Apart,
    Overlap,
    Conflict,
}

/// Refuses paths that overlap, and then paths that conflict.
pub(crate) fn check<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<(), Fault> {
    let mut seen: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    let mut conflict = None;
    for two in paths {
        // Only paths of one attribute can have to do with each other.
        let others = seen.entry(two.root()).or_default();
        for one in others.iter() {
            match relation(one, two) {
                Relation::Apart => {}
                Relation::Overlap => {
                    return Err(Fault::Overlap { one: one.to_string(), two: two.to_string() });
                }
                Relation::Conflict => {
                    conflict.get_or_insert_with(|| Fault::Conflict {
                        one: one.to_string(),
                        two: two.to_string(),
                    });
                }
            }
        }
        others.push(two);
    }
    conflict.map_or(Ok(()), Err)
}

/// How two paths of one attribute stand to each other.
fn relation(one: &Path, two: &Path) -> Relation {
    for elements in one.rest().iter().zip(two.rest()) {
        match elements {
            (Element::Name(left), Element::Name(right)) if left == right => {}
            (Element::Index(left), Element::Index(right)) if left == right => {}
            (Element::Name(_), Element::Index(_)) | (Element::Index(_), Element::Name(_)) => {
                return Relation::Conflict;
            }
            _ => return Relation::Apart,
        }
    }
    Relation::Overlap
}
