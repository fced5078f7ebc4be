//! Projections with their names resolved.

use std::collections::BTreeSet;
use std::sync::Arc;

use value::Item;

use crate::path::{Element, Path};
use crate::selection::{self, Entries};
use crate::{ExpressionError, Kind, Placeholders, ProjectionSyntax, overlap};

/// The attributes and parts of attributes to give back of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    paths: Vec<Path>,
    shape: Shape,
}

/// How the parts stand in what is given back.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// As in the item.
    Nested(Entries),
    /// Each at the top, under these names.
    Flat(Vec<Arc<str>>),
}

impl ProjectionSyntax {
    /// Puts the request's names in.
    pub fn bind(&self, placeholders: &mut Placeholders) -> Result<Projection, ExpressionError> {
        let mut paths = Vec::with_capacity(self.paths.len());
        for path in &self.paths {
            let bound = path.bind(placeholders);
            paths.push(bound.map_err(|fault| fault.of(Kind::Projection))?);
        }
        overlap::check(paths.iter()).map_err(|fault| fault.of(Kind::Projection))?;
        Ok(Projection::new(paths))
    }
}

impl Projection {
    pub(crate) fn new(paths: Vec<Path>) -> Projection {
        let shape = Shape::Nested(selection::entries(paths.iter()));
        Projection { paths, shape }
    }

    /// A projection that gives each part under the last name of its path, or under its number if
    /// it is an element of a list.
    pub(crate) fn flat(paths: Vec<Path>) -> Projection {
        let name = |(position, path): (usize, &Path)| match path.rest().last() {
            None => path.root_name().clone(),
            Some(Element::Name(name)) => name.clone(),
            Some(Element::Index(_)) => format!("_{}", position + 1).into(),
        };
        let names = paths.iter().enumerate().map(name).collect();
        Projection { paths, shape: Shape::Flat(names) }
    }

    /// The selected part of an item. What is missing is left out. Of an expression nesting is kept,
    /// and list elements move together in the order of their indexes.
    pub fn apply(&self, item: &Item) -> Item {
        match &self.shape {
            Shape::Nested(entries) => selection::select(entries, item),
            Shape::Flat(names) => {
                let parts = names.iter().zip(&self.paths);
                parts
                    .filter_map(|(name, path)| Some((name.to_string(), path.find(item)?.clone())))
                    .collect()
            }
        }
    }

    /// The top-level attributes mentioned, each once.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        let roots: BTreeSet<&str> = self.paths.iter().map(Path::root).collect();
        roots.into_iter()
    }

    /// The paths in the order written.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The paths that lead below a top-level attribute.
    pub fn nested_paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().filter(|path| path.is_nested())
    }
}
