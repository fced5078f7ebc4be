//! Puts the parameters of a request into a statement.

use value::{Value, ValueError};

use super::error::StatementError;
use super::parser::{SelectSyntax, StatementSyntax, Verb};
use super::update::{SET_ADD, SET_DELETE};
use super::value::name_of;
use super::{Filter, Select, Statement};
use crate::syntax::{ActionSyntax, ConditionSyntax, UpdateSyntax};
use crate::{Fault, Placeholders, Projection, Update, depth_exceeded};

impl StatementSyntax {
    /// Whether the statement only reads. EXISTS goes with writes.
    pub fn is_read(&self) -> bool {
        matches!(self.verb, Verb::Select(_))
    }

    /// The table the statement names.
    pub fn table(&self) -> &str {
        match &self.verb {
            Verb::Select(select) | Verb::Exists(select) => &select.from.table,
            Verb::Insert { from, .. } | Verb::Update { from, .. } | Verb::Delete { from, .. } => {
                &from.table
            }
        }
    }

    /// Puts the request's parameters in and checks what needs no table.
    pub fn bind(&self, parameters: &[Value]) -> Result<Statement, StatementError> {
        if parameters.len() != self.parameters {
            return Err(StatementError::ParameterCount);
        }
        let mut values = Vec::with_capacity(self.values.len());
        for (number, value) in self.values.iter().enumerate() {
            values.push((name_of(number), value.bind(parameters)?));
        }
        let mut placeholders = Placeholders::of_statement(values.into_iter());
        let filter = |filter: &Option<ConditionSyntax>, placeholders: &mut Placeholders| {
            filter.as_ref().map(|filter| Filter::bind(filter, placeholders)).transpose()
        };
        let placeholders = &mut placeholders;
        Ok(match &self.verb {
            Verb::Select(syntax) => Statement::Select(select(syntax, placeholders)?),
            Verb::Exists(syntax) => Statement::Exists(select(syntax, placeholders)?),
            Verb::Insert { from, value } => {
                let value = placeholders.value(value)?;
                let Value::M(item) = &*value else {
                    return Err(StatementError::NotAnItem);
                };
                if depth_exceeded(item) {
                    return Err(ValueError::TooDeep.into());
                }
                Statement::Insert { from: from.clone(), item: item.clone() }
            }
            Verb::Update { from, update: syntax, filter: condition, returning } => {
                Statement::Update {
                    from: from.clone(),
                    update: update(syntax, placeholders)?,
                    filter: filter(condition, placeholders)?,
                    returning: *returning,
                }
            }
            Verb::Delete { from, filter: condition, returns_old } => Statement::Delete {
                from: from.clone(),
                filter: filter(condition, placeholders)?,
                returns_old: *returns_old,
            },
        })
    }
}

fn select(
    syntax: &SelectSyntax,
    placeholders: &mut Placeholders,
) -> Result<Select, StatementError> {
    let projection = match &syntax.paths {
        Some(paths) => {
            let paths = paths.iter().map(|path| path.bind(placeholders));
            Some(Projection::flat(paths.collect::<Result<_, _>>()?))
        }
        None => None,
    };
    let filter = syntax.filter.as_ref();
    Ok(Select {
        from: syntax.from.clone(),
        projection,
        filter: filter.map(|filter| Filter::bind(filter, placeholders)).transpose()?,
        order: syntax.order.clone(),
    })
}

fn update(
    syntax: &UpdateSyntax,
    placeholders: &mut Placeholders,
) -> Result<Update, StatementError> {
    for clause in &syntax.clauses {
        let (operator, name) = match &clause.action {
            ActionSyntax::Add(name) => (SET_ADD, name),
            ActionSyntax::Delete(name) => (SET_DELETE, name),
            ActionSyntax::Set { .. } | ActionSyntax::Remove => continue,
        };
        let value = placeholders.value(name)?;
        // ADD of update expressions takes numbers as well.
        if !matches!(&*value, Value::Ss(_) | Value::Ns(_) | Value::Bs(_)) {
            let operand = value.type_name();
            return Err(Fault::OperandType { operator, operand }.into());
        }
    }
    Ok(syntax.bind(placeholders).map_err(StatementError::of)?.of_statement())
}
