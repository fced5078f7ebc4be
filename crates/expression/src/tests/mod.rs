//! Tables of requests and answers, and properties. Items are written in a small notation.

mod binding;
mod keys;
mod legacy;
mod notation;
mod placeholders;
mod projections;
mod properties;
mod stack;
mod statements;
mod syntax_of_conditions;
mod syntax_of_updates;
mod truth;
mod updates;

use crate::{Condition, ConditionSyntax, ExpressionError, Kind, Placeholders};
use notation::item;

/// Values for expressions: `{v: 1}` defines `:v`; aliases: `{n: 'name'}` defines `#n`.
fn placeholders(names: &str, values: &str) -> Placeholders {
    let names = item(names).into_iter().map(|(key, name)| {
        let value::Value::S(name) = name else {
            panic!("{key} is no name");
        };
        (format!("#{key}"), name)
    });
    let values = item(values).into_iter().map(|(key, value)| (format!(":{key}"), value));
    let (names, values): (std::collections::BTreeMap<_, _>, std::collections::BTreeMap<_, _>) =
        (names.collect(), values.collect());
    Placeholders::new((!names.is_empty()).then_some(names), (!values.is_empty()).then_some(values))
        .unwrap()
}

fn condition(text: &str, values: &str) -> Result<Condition, ExpressionError> {
    let syntax = ConditionSyntax::parse(Kind::Condition, text)?;
    syntax.bind(&mut placeholders("{n: 'x.y', r: 'size'}", values))
}

/// The text of an error, or what was there instead of one.
fn error<T: std::fmt::Debug, E: std::fmt::Display>(result: Result<T, E>) -> String {
    match result {
        Ok(found) => format!("no error: {found:?}"),
        Err(error) => error.to_string(),
    }
}
