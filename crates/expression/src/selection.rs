//! A part of an item: what a projection keeps, or what an update touched.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::{Item, Value};

use crate::path::{Element, Path};

/// Which parts of a value are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    Entries(Entries),
    /// Elements of a list; in a result they move together.
    Elements(BTreeMap<usize, Selection>),
}

/// Which entries of a map, or attributes of an item, are wanted.
pub(crate) type Entries = BTreeMap<Arc<str>, Selection>;

/// The selection of these paths, which neither overlap nor conflict.
pub(crate) fn entries<'p>(paths: impl Iterator<Item = &'p Path>) -> Entries {
    let mut entries = Entries::new();
    for path in paths {
        let mut place = entries
            .entry(path.root_name().clone())
            .or_insert_with(|| Selection::before(path.rest().first()));
        for (depth, element) in path.rest().iter().enumerate() {
            let below = Selection::before(path.rest().get(depth + 1));
            place = match (place, element) {
                (Selection::Entries(entries), Element::Name(name)) => {
                    entries.entry(name.clone()).or_insert(below)
                }
                (Selection::Elements(elements), Element::Index(index)) => {
                    elements.entry(*index).or_insert(below)
                }
                // Not reached: the paths would overlap or conflict.
                _ => break,
            };
        }
    }
    entries
}

/// The selected part of an item; what is missing is left out.
pub(crate) fn select(entries: &Entries, item: &Item) -> Item {
    entries
        .iter()
        .filter_map(|(name, selection)| {
            let (name, value) = item.get_key_value(&**name)?;
            Some((name.clone(), selection.select(value)?))
        })
        .collect()
}

impl Selection {
    /// An empty selection that the next element of a path fits into.
    fn before(element: Option<&Element>) -> Selection {
        match element {
            None => Selection::All,
            Some(Element::Name(_)) => Selection::Entries(Entries::new()),
            Some(Element::Index(_)) => Selection::Elements(BTreeMap::new()),
        }
    }

    /// The selected part of a value, if there is one.
    fn select(&self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Selection::All, value) => Some(value.clone()),
            (Selection::Entries(entries), Value::M(map)) => {
                let selected = select(entries, map);
                (!selected.is_empty()).then_some(Value::M(selected))
            }
            (Selection::Elements(elements), Value::L(list)) => {
                let selected: Vec<Value> = elements
                    .iter()
                    .filter_map(|(index, selection)| selection.select(list.get(*index)?))
                    .collect();
                (!selected.is_empty()).then_some(Value::L(selected))
            }
            _ => None,
        }
    }
}
