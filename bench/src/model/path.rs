//! Document paths, and reading and selecting by them.

use super::value::{Item, Value};

/// One element of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Name(String),
    Index(usize),
}

/// A path; its first element is a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<Step>);

/// What is at the end of a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// A value.
    Taken(&'a Value),
    /// Nothing, but something that could hold it.
    Free,
    /// Nothing that could hold anything.
    Nowhere,
}

impl Path {
    /// The path of an attribute of the item.
    pub fn top(name: &str) -> Path {
        Path(vec![Step::Name(name.to_owned())])
    }

    /// The name of the attribute that it is in.
    pub fn root(&self) -> &str {
        match self.0.first() {
            Some(Step::Name(name)) => name,
            _ => "",
        }
    }

    /// The value at its end.
    pub fn get<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        match self.place(item) {
            Place::Taken(value) => Some(value),
            Place::Free | Place::Nowhere => None,
        }
    }

    /// What is at its end.
    pub fn place<'a>(&self, item: &'a Item) -> Place<'a> {
        let Some((last, before)) = self.0.split_last() else { return Place::Nowhere };
        let mut holder = None;
        for step in before {
            match child(item, holder, step) {
                Place::Taken(value) => holder = Some(value),
                Place::Free | Place::Nowhere => return Place::Nowhere,
            }
        }
        child(item, holder, last)
    }

    /// The place to write to, if there is one; a list is returned with the index.
    pub fn holder_mut<'a>(&self, item: &'a mut Item) -> Option<(Holder<'a>, &Step)> {
        let (last, before) = self.0.split_last()?;
        let mut holder = Holder::Map(item);
        for step in before {
            let value = match (holder, step) {
                (Holder::Map(map), Step::Name(name)) => map.get_mut(name),
                (Holder::List(list), Step::Index(index)) => list.get_mut(*index),
                _ => None,
            };
            holder = match value? {
                Value::M(map) => Holder::Map(map),
                Value::L(list) => Holder::List(list),
                _ => return None,
            };
        }
        Some((holder, last))
    }

    /// Whether one request cannot name both: one is part of the other, or they take the same
    /// thing once for a map and once for a list.
    pub fn clashes(&self, other: &Path) -> bool {
        match self.0.iter().zip(&other.0).find(|(a, b)| a != b) {
            None => true,
            Some((Step::Name(_), Step::Index(_)) | (Step::Index(_), Step::Name(_))) => true,
            Some(_) => false,
        }
    }
}

/// Something that has values.
pub enum Holder<'a> {
    Map(&'a mut Item),
    List(&'a mut Vec<Value>),
}

/// One step down from a value, or from the item if there is none.
fn child<'a>(item: &'a Item, holder: Option<&'a Value>, step: &Step) -> Place<'a> {
    let found = match (holder, step) {
        (None, Step::Name(name)) => item.get(name),
        (Some(Value::M(map)), Step::Name(name)) => map.get(name),
        (Some(Value::L(list)), Step::Index(index)) => list.get(*index),
        _ => return Place::Nowhere,
    };
    found.map_or(Place::Free, Place::Taken)
}

/// The parts of an item that the paths name, with the structure around them; elements of lists
/// move together.
pub fn select(item: &Item, paths: &[Path]) -> Item {
    let steps: Vec<&[Step]> = paths.iter().map(|path| path.0.as_slice()).collect();
    select_entries(item, &steps)
}

fn select_entries(map: &Item, paths: &[&[Step]]) -> Item {
    let chosen = map.iter().filter_map(|(name, value)| {
        let step = Step::Name(name.clone());
        Some((name.clone(), select_value(value, &below(paths, &step))?))
    });
    chosen.collect()
}

fn select_value(value: &Value, paths: &[&[Step]]) -> Option<Value> {
    if paths.iter().any(|path| path.is_empty()) {
        return Some(value.clone());
    }
    match value {
        _ if paths.is_empty() => None,
        Value::M(map) => {
            Some(select_entries(map, paths)).filter(|map| !map.is_empty()).map(Value::M)
        }
        Value::L(list) => {
            let elements: Vec<Value> = list
                .iter()
                .enumerate()
                .filter_map(|(index, value)| {
                    select_value(value, &below(paths, &Step::Index(index)))
                })
                .collect();
            Some(elements).filter(|elements| !elements.is_empty()).map(Value::L)
        }
        _ => None,
    }
}

/// What is left of the paths that begin with a step.
fn below<'a>(paths: &[&'a [Step]], step: &Step) -> Vec<&'a [Step]> {
    let rests = paths.iter().filter_map(|path| {
        let (first, rest) = path.split_first()?;
        (first == step).then_some(rest)
    });
    rests.collect()
}

#[cfg(test)]
mod tests {
    use super::{super::tests_of::*, *};

    #[test]
    fn paths_lead_to_values_and_to_places_for_them() {
        let item = item("{'a': {'M': {'b': {'L': [{'N': '1'}, {'M': {}}]}}}, 's': {'S': 'x'}}");
        assert_eq!(path("a.b[0]").get(&item), Some(&number(1)));
        for (text, place) in [
            ("z", Place::Free),
            ("a.c", Place::Free),
            ("a.b[7]", Place::Free),
            ("a.b[1].x", Place::Free),
            ("a.c.d", Place::Nowhere),
            ("a[0]", Place::Nowhere),
            ("a.b.c", Place::Nowhere),
            ("a.b[7].x", Place::Nowhere),
            ("s.x", Place::Nowhere),
            ("s[0]", Place::Nowhere),
            ("z.x", Place::Nowhere),
        ] {
            assert_eq!(path(text).place(&item), place, "{text}");
        }
    }

    #[test]
    fn paths_clash_when_they_overlap_or_conflict() {
        for (one, two, clashes) in [
            ("a", "b", false),
            ("a", "a", true),
            ("a", "a.b", true),
            ("a.b", "a[0]", true),
            ("a.b", "a.c", false),
            ("a[0]", "a[1]", false),
            ("a[0].x", "a[0]", true),
        ] {
            assert_eq!(path(one).clashes(&path(two)), clashes, "{one} {two}");
        }
    }

    #[test]
    fn a_selection_keeps_the_structure_and_nothing_else() {
        let whole = item(
            "{'a': {'M': {'b': {'L': [{'N': '0'}, {'N': '1'}, {'N': '2'}]}, 'c': {'N': '3'}}}, \
             's': {'S': 'x'}}",
        );
        let paths = [path("a.b[2]"), path("a.b[0]"), path("a.z"), path("q.r"), path("s[0]")];
        let expected = item("{'a': {'M': {'b': {'L': [{'N': '0'}, {'N': '2'}]}}}}");
        assert_eq!(select(&whole, &paths), expected);
        assert_eq!(select(&whole, &[path("a.z")]), Item::new());
    }
}
