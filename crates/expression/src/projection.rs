//! Projections with their names resolved.

use value::Item;

use crate::path::Path;
use crate::selection::{self, Entries};
use crate::{ExpressionError, Kind, Placeholders, ProjectionSyntax, overlap};

/// The attributes and parts of attributes to give back of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    paths: Vec<Path>,
    entries: Entries,
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
        let entries = selection::entries(paths.iter());
        Projection { paths, entries }
    }

    /// The selected part of an item: nesting is kept, list elements move together in the order of
    /// their indexes, and what is missing is left out.
    pub fn apply(&self, item: &Item) -> Item {
        selection::select(&self.entries, item)
    }

    /// The top-level attributes mentioned, each once.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(|name| &**name)
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
