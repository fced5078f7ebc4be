//! The text of updates.

use super::{
    notation::Notation,
    update::{Action, NewValue, Source, Update},
};

impl Source {
    fn text(&self, notation: &mut Notation) -> String {
        match self {
            Source::Path(path) => notation.path(path),
            Source::Value(value) => notation.value(value),
            Source::IfNotExists(path, other) => {
                let path = notation.path(path);
                format!("if_not_exists({path}, {})", other.text(notation))
            }
            Source::ListAppend(first, second) => {
                let first = first.text(notation);
                format!("list_append({first}, {})", second.text(notation))
            }
        }
    }
}

impl NewValue {
    fn text(&self, notation: &mut Notation) -> String {
        let (left, operator, right) = match self {
            NewValue::Plain(source) => return source.text(notation),
            NewValue::Sum(left, right) => (left, "+", right),
            NewValue::Difference(left, right) => (left, "-", right),
        };
        let left = left.text(notation);
        format!("{left} {operator} {}", right.text(notation))
    }
}

impl Update {
    /// The text. The sections come in the order of their first clauses.
    pub fn text(&self, notation: &mut Notation) -> String {
        let mut sections: Vec<(&'static str, Vec<String>)> = Vec::new();
        for (path, action) in &self.clauses {
            let path = notation.path(path);
            let (section, clause) = match action {
                Action::Set(value) => ("SET", format!("{path} = {}", value.text(notation))),
                Action::Remove => ("REMOVE", path),
                Action::Add(value) => ("ADD", format!("{path} {}", notation.value(value))),
                Action::Delete(value) => ("DELETE", format!("{path} {}", notation.value(value))),
            };
            match sections.iter_mut().find(|(name, _)| *name == section) {
                Some((_, clauses)) => clauses.push(clause),
                None => sections.push((section, vec![clause])),
            }
        }
        let sections: Vec<String> = sections
            .into_iter()
            .map(|(section, clauses)| format!("{section} {}", clauses.join(", ")))
            .collect();
        sections.join(" ")
    }
}
