//! The expressions of a request, or the legacy parameters in their place,
//! checked in AWS's order before any table is looked up.

use crate::{
    error::ApiError,
    wire::{self, AttributeValue, AttributeValueUpdate, Enumeration, ExpectedAttributeValue},
};
use expression::{
    Cache, Condition, ExpressionError, KeyTests, Kind, PlaceholderError, Placeholders, Projection,
    Update,
    legacy::{
        self, AttributeAction, AttributeUpdate, Comparison, ComparisonOperator, ExpectedTest,
    },
};
use std::collections::BTreeMap;
use value::{Value, value_size};

/// All names and values of a request together.
const MOST_PLACEHOLDER_BYTES: usize = 2 * 1024 * 1024;

type Names = BTreeMap<String, String>;
type Values = BTreeMap<String, AttributeValue>;

/// What a request can say with expressions and without.
pub(crate) struct Parameters<'a> {
    /// Expression parameters, each with whether it was given, in the order AWS lists them.
    pub(crate) expressions: &'a [(Kind, bool)],
    /// Legacy parameters, likewise.
    pub(crate) legacy: &'a [(&'static str, bool)],
    /// The expressions that can use values, in the order AWS names them; GetItem has none.
    pub(crate) with_values: &'a [Kind],
}

/// The placeholders of a request, to which its expressions are bound one by one.
pub(crate) struct Expressions<'a> {
    cache: &'a Cache,
    placeholders: Placeholders,
}

impl Parameters<'_> {
    /// Checks what the request mixes, and that names and values come with an expression.
    pub(crate) fn check(
        &self,
        names: Option<&Names>,
        values: Option<&Values>,
    ) -> Result<(), ApiError> {
        let expressions = given(self.expressions);
        let legacy = given(self.legacy);
        let refused = match (expressions.is_empty(), legacy.is_empty()) {
            (false, false) => PlaceholderError::MixedStyles { legacy, expressions },
            (false, true) => return Ok(()),
            (true, _) if names.is_some() => PlaceholderError::NamesWithoutExpression,
            (true, _) if values.is_some() => {
                PlaceholderError::ValuesWithoutExpression(self.with_values.to_vec())
            }
            (true, _) => return Ok(()),
        };
        Err(ExpressionError::from(refused).into())
    }
}

/// The members that a request has.
fn given<T: Copy>(members: &[(T, bool)]) -> Vec<T> {
    members.iter().filter(|(_, given)| *given).map(|(member, _)| *member).collect()
}

impl<'a> Expressions<'a> {
    /// Checks the names and values of a request.
    pub(crate) fn new(
        cache: &'a Cache,
        names: Option<Names>,
        values: Option<Values>,
    ) -> Result<Expressions<'a>, ApiError> {
        let mut refused = None;
        let mut size = 0;
        for (key, name) in names.iter().flatten() {
            size += key.len() + name.len();
        }
        let values = values.map(|values| {
            let usable = |(key, value): (String, AttributeValue)| match value.into_value() {
                Ok(value) => {
                    size += key.len() + value_size(&value);
                    (key, value)
                }
                Err(error) => {
                    refused.get_or_insert((key.clone(), error));
                    (key, Value::Null)
                }
            };
            values.into_iter().map(usable).collect::<BTreeMap<String, Value>>()
        });
        if size > MOST_PLACEHOLDER_BYTES {
            return Err(ApiError::request(
                "Size of ExpressionAttributeNames and ExpressionAttributeValues exceeds the maximum \
                 of 2097152 bytes",
            ));
        }
        let placeholders = Placeholders::new(names, values)?;
        match refused {
            Some((key, error)) => Err(Placeholders::invalid_value(&key, error).into()),
            None => Ok(Expressions { cache, placeholders }),
        }
    }

    /// The `UpdateExpression`.
    pub(crate) fn update(&mut self, text: Option<&str>) -> Result<Option<Update>, ApiError> {
        let bind = |text: &str| self.cache.update(text)?.bind(&mut self.placeholders);
        Ok(text.map(bind).transpose()?)
    }

    /// The `ConditionExpression`.
    pub(crate) fn condition(&mut self, text: Option<&str>) -> Result<Option<Condition>, ApiError> {
        let bind = |text: &str| self.cache.condition(text)?.bind(&mut self.placeholders);
        Ok(text.map(bind).transpose()?)
    }

    /// The `KeyConditionExpression`.
    pub(crate) fn key_condition(
        &mut self,
        text: Option<&str>,
    ) -> Result<Option<KeyTests>, ApiError> {
        let bind = |text: &str| self.cache.key_condition(text)?.bind(&mut self.placeholders);
        Ok(text.map(bind).transpose()?)
    }

    /// The `FilterExpression`.
    pub(crate) fn filter(&mut self, text: Option<&str>) -> Result<Option<Condition>, ApiError> {
        let bind = |text: &str| self.cache.filter(text)?.bind(&mut self.placeholders);
        Ok(text.map(bind).transpose()?)
    }

    /// The `ProjectionExpression`.
    pub(crate) fn projection(
        &mut self,
        text: Option<&str>,
    ) -> Result<Option<Projection>, ApiError> {
        let bind = |text: &str| self.cache.projection(text)?.bind(&mut self.placeholders);
        Ok(text.map(bind).transpose()?)
    }

    /// Refuses names and values that no expression has used.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        Ok(self.placeholders.all_used()?)
    }
}

/// The condition of `Expected` and `ConditionalOperator`.
pub(crate) fn expected(
    tests: Option<BTreeMap<String, ExpectedAttributeValue>>,
    operator: Option<&wire::ConditionalOperator>,
) -> Result<Option<Condition>, ApiError> {
    let operator = conditional_operator(operator);
    if tests.is_none() && operator.is_none() {
        return Ok(None);
    }
    let mut read = BTreeMap::new();
    for (name, test) in tests.unwrap_or_default() {
        read.insert(name, expected_test(test)?);
    }
    Ok(Some(legacy::expected(&read, operator)?))
}

fn conditional_operator(
    operator: Option<&wire::ConditionalOperator>,
) -> Option<legacy::ConditionalOperator> {
    operator.map(|operator| match operator {
        wire::ConditionalOperator::Or => legacy::ConditionalOperator::Or,
        _ => legacy::ConditionalOperator::And,
    })
}

/// The condition of `QueryFilter` or `ScanFilter` and `ConditionalOperator`.
pub(crate) fn legacy_filter(
    tests: Option<BTreeMap<String, wire::Condition>>,
    operator: Option<&wire::ConditionalOperator>,
) -> Result<Option<Condition>, ApiError> {
    if tests.is_none() && operator.is_none() {
        return Ok(None);
    }
    let tests = comparisons(tests.unwrap_or_default())?;
    Ok(Some(legacy::filter(&tests, conditional_operator(operator))?))
}

/// The conditions of `KeyConditions`.
pub(crate) fn key_conditions(
    tests: Option<BTreeMap<String, wire::Condition>>,
) -> Result<Option<KeyTests>, ApiError> {
    let Some(tests) = tests else { return Ok(None) };
    Ok(Some(legacy::key_conditions(&comparisons(tests)?)?))
}

fn comparisons(
    tests: BTreeMap<String, wire::Condition>,
) -> Result<BTreeMap<String, Comparison>, ApiError> {
    let mut read = BTreeMap::new();
    for (name, test) in tests {
        let operator = test.comparison_operator.as_ref().map(Enumeration::as_str);
        let operator = operator.and_then(ComparisonOperator::from_name);
        let values = test.attribute_value_list.unwrap_or_default().into_iter();
        let values = values.map(AttributeValue::into_value).collect::<Result<Vec<_>, _>>()?;
        // The operator is required and one of the known by the model's constraints.
        let operator = operator.unwrap_or(ComparisonOperator::Eq);
        read.insert(name, Comparison { operator, values });
    }
    Ok(read)
}

fn expected_test(test: ExpectedAttributeValue) -> Result<ExpectedTest, ApiError> {
    let list = test.attribute_value_list.map(|list| {
        list.into_iter().map(AttributeValue::into_value).collect::<Result<Vec<Value>, _>>()
    });
    let operator = test.comparison_operator.as_ref().map(Enumeration::as_str);
    Ok(ExpectedTest {
        value: test.value.map(AttributeValue::into_value).transpose()?,
        exists: test.exists,
        operator: operator.and_then(ComparisonOperator::from_name),
        list: list.transpose()?,
    })
}

/// The update of `AttributeUpdates`; none given means the bare item.
pub(crate) fn attribute_updates(
    updates: Option<BTreeMap<String, AttributeValueUpdate>>,
) -> Result<Update, ApiError> {
    let mut read = BTreeMap::new();
    for (name, update) in updates.unwrap_or_default() {
        let action = match update.action {
            Some(wire::AttributeAction::Add) => AttributeAction::Add,
            Some(wire::AttributeAction::Delete) => AttributeAction::Delete,
            _ => AttributeAction::Put,
        };
        let value = update.value.map(AttributeValue::into_value).transpose()?;
        read.insert(name, AttributeUpdate { action, value });
    }
    Ok(legacy::attribute_updates(&read)?)
}
