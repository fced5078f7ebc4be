//! The effects of an update as one tree, and how it is worked into an item. List indexes are those
//! of the list as it was, so a list's edits are made together.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::{Map, Value};

use super::UpdateError;
use super::depth::exceeds_below;
use super::evaluate::Effect;
use crate::path::{Element, Path};
use crate::selection::{Entries, Selection};

/// What to do at one place of an item.
pub(super) enum Edit<'a> {
    Leaf(Effect<'a>),
    Entries(Edits<'a>),
    Elements(BTreeMap<usize, Edit<'a>>),
}

/// What to do to the attributes of an item or the entries of a map.
pub(super) type Edits<'a> = BTreeMap<Arc<str>, Edit<'a>>;

/// Adds an effect to the tree of edits.
pub(super) fn insert<'a>(edits: &mut Edits<'a>, path: &Path, effect: Effect<'a>) {
    let mut place =
        edits.entry(path.root_name().clone()).or_insert_with(|| Edit::before(path.rest().first()));
    for (depth, element) in path.rest().iter().enumerate() {
        let below = Edit::before(path.rest().get(depth + 1));
        place = match (place, element) {
            (Edit::Entries(entries), Element::Name(name)) => {
                entries.entry(name.clone()).or_insert(below)
            }
            (Edit::Elements(elements), Element::Index(index)) => {
                elements.entry(*index).or_insert(below)
            }
            // Not reached: the paths would overlap or conflict.
            _ => return,
        };
    }
    *place = Edit::Leaf(effect);
}

/// Makes the edits to a map that stands that many containers below the item; gives back where the
/// edited parts are afterwards.
pub(super) fn edit_map(
    map: &mut Map,
    edits: Edits<'_>,
    containers: usize,
) -> Result<Entries, UpdateError> {
    let mut touched = Entries::new();
    for (name, edit) in edits {
        let selection = match edit {
            Edit::Leaf(Effect::Set(value)) => {
                let value = value.into_value();
                check_depth(&value, containers)?;
                map.insert(name.to_string(), value);
                Some(Selection::All)
            }
            Edit::Leaf(Effect::Remove) => {
                map.remove(&*name);
                None
            }
            Edit::Leaf(Effect::Keep) => Some(Selection::All),
            Edit::Entries(_) | Edit::Elements(_) => {
                let value = map.get_mut(&*name).ok_or(UpdateError::InvalidPath)?;
                edit_value(value, edit, containers + 1)?
            }
        };
        touched.extend(selection.map(|selection| (name, selection)));
    }
    Ok(touched)
}

fn edit_value(
    value: &mut Value,
    edit: Edit<'_>,
    containers: usize,
) -> Result<Option<Selection>, UpdateError> {
    match (value, edit) {
        (Value::M(map), Edit::Entries(edits)) => {
            let touched = edit_map(map, edits, containers)?;
            Ok((!touched.is_empty()).then_some(Selection::Entries(touched)))
        }
        (Value::L(list), Edit::Elements(edits)) => {
            let touched = edit_list(list, edits, containers)?;
            Ok((!touched.is_empty()).then_some(Selection::Elements(touched)))
        }
        _ => Err(UpdateError::InvalidPath),
    }
}

fn edit_list(
    list: &mut Vec<Value>,
    edits: BTreeMap<usize, Edit<'_>>,
    containers: usize,
) -> Result<BTreeMap<usize, Selection>, UpdateError> {
    let mut touched = BTreeMap::new();
    let mut removed = Vec::new();
    let mut appended = Vec::new();
    for (index, edit) in edits {
        let element = list.get_mut(index);
        let selection = match edit {
            Edit::Leaf(Effect::Set(value)) => {
                let value = value.into_value();
                check_depth(&value, containers)?;
                match element {
                    Some(element) => *element = value,
                    None => {
                        appended.push(value);
                        continue;
                    }
                }
                Some(Selection::All)
            }
            Edit::Leaf(Effect::Remove) => {
                removed.extend(element.map(|_| index));
                None
            }
            Edit::Leaf(Effect::Keep) => Some(Selection::All),
            Edit::Entries(_) | Edit::Elements(_) => {
                let value = element.ok_or(UpdateError::InvalidPath)?;
                edit_value(value, edit, containers + 1)?
            }
        };
        // The edits come in the order of their indexes: what is removed so far is what was before.
        let index = index.saturating_sub(removed.len());
        touched.extend(selection.map(|selection| (index, selection)));
    }
    if !removed.is_empty() {
        let mut removed = removed.into_iter().peekable();
        let mut index = 0;
        list.retain(|_| {
            let gone = removed.next_if_eq(&index).is_some();
            index += 1;
            !gone
        });
    }
    for value in appended {
        touched.insert(list.len(), Selection::All);
        list.push(value);
    }
    Ok(touched)
}

fn check_depth(value: &Value, containers: usize) -> Result<(), UpdateError> {
    if exceeds_below(value, containers) { Err(UpdateError::TooDeep) } else { Ok(()) }
}

impl<'a> Edit<'a> {
    /// An empty edit that the next element of a path fits into.
    fn before(element: Option<&Element>) -> Edit<'a> {
        match element {
            None => Edit::Leaf(Effect::Keep),
            Some(Element::Name(_)) => Edit::Entries(Edits::new()),
            Some(Element::Index(_)) => Edit::Elements(BTreeMap::new()),
        }
    }
}
