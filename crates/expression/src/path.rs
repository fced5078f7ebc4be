//! Document paths with their aliases resolved.

use std::fmt;
use std::sync::Arc;

use value::{Item, Value};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// An attribute of the item or an entry of a map.
    Name(Arc<str>),
    /// An element of a list.
    Index(usize),
}

/// A place in an item: a top-level attribute, then any number of steps down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    root: Arc<str>,
    rest: Vec<Element>,
}

impl Path {
    pub(crate) fn new(root: Arc<str>, rest: Vec<Element>) -> Path {
        Path { root, rest }
    }

    /// The path of a top-level attribute.
    pub(crate) fn attribute(name: &str) -> Path {
        Path::new(name.into(), Vec::new())
    }

    /// The name of the top-level attribute.
    pub fn root(&self) -> &str {
        &self.root
    }

    pub(crate) fn root_name(&self) -> &Arc<str> {
        &self.root
    }

    /// The steps below the top-level attribute.
    pub fn rest(&self) -> &[Element] {
        &self.rest
    }

    /// Whether the path leads below a top-level attribute.
    pub fn is_nested(&self) -> bool {
        !self.rest.is_empty()
    }

    /// What is at this place in an item.
    pub fn find<'i>(&self, item: &'i Item) -> Option<&'i Value> {
        let mut value = item.get(&*self.root)?;
        for element in &self.rest {
            value = match (element, value) {
                (Element::Name(name), Value::M(map)) => map.get(&**name)?,
                (Element::Index(index), Value::L(list)) => list.get(*index)?,
                _ => return None,
            };
        }
        Some(value)
    }
}

/// The form of the error texts: `[a, b, [0]]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.root)?;
        for element in &self.rest {
            match element {
                Element::Name(name) => write!(f, ", {name}")?,
                Element::Index(index) => write!(f, ", [{index}]")?,
            }
        }
        f.write_str("]")
    }
}
