//! Updates against a model that makes one clause after the other.

use proptest::prelude::*;
use value::{Item, Value};

use super::evaluation::given;
use super::tree::{Operand, Writer, right_hand_sides};
use super::{find, items, paths, values};
use crate::syntax::{ElementSyntax, Function, PathSyntax};
use crate::{MAX_EXPRESSION_SIZE, UpdateError, UpdateSyntax};

/// A path with plain names: `Err` holds an index.
type Steps = Vec<Result<String, usize>>;

fn steps(path: &PathSyntax) -> Steps {
    std::iter::once(&path.root)
        .chain(&path.rest)
        .map(|element| match element {
            ElementSyntax::Name(name) | ElementSyntax::Alias(name) => {
                Ok(super::plain(name).to_owned())
            }
            ElementSyntax::Index(index) => Err(*index),
        })
        .collect()
}

/// A path that mostly leads to something in the item, as the numbers say.
fn target(item: &Item, choices: &[u8]) -> PathSyntax {
    let name = |map: &Item, choice: u8| -> std::sync::Arc<str> {
        let known = map.keys().nth(usize::from(choice / 2) % (map.len() + 1));
        known.map_or(["a", "b", "c"][usize::from(choice % 3)], String::as_str).into()
    };
    let mut choices = choices.iter().copied();
    let root = name(item, choices.next().unwrap_or_default());
    let mut place = item.get(&*root);
    let mut rest = Vec::new();
    for choice in choices {
        let (element, below) = match place {
            Some(Value::M(map)) => {
                let name = name(map, choice);
                let below = map.get(&*name);
                (ElementSyntax::Name(name), below)
            }
            Some(Value::L(list)) => {
                let index = usize::from(choice) % (list.len() + 3);
                (ElementSyntax::Index(index), list.get(index))
            }
            _ if choice > 240 => (ElementSyntax::Name("a".into()), None),
            _ => break,
        };
        rest.push(element);
        place = below;
        if choice % 4 == 0 {
            break;
        }
    }
    let root = ElementSyntax::Name(root);
    PathSyntax { root, rest }
}

/// Items that hold lists in lists and maps.
fn nested_items() -> impl Strategy<Value = Item> {
    let number = (0..50_i64).prop_map(|number| Value::N(number.into()));
    let value = number.prop_recursive(3, 40, 6, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 0..6).prop_map(Value::L),
            1 => super::maps(inner).prop_map(Value::M),
        ]
    });
    super::maps(value)
}

/// Whether two paths may stand in one update.
fn apart(one: &Steps, two: &Steps) -> bool {
    for (left, right) in one.iter().zip(two) {
        if left != right {
            return left.is_ok() == right.is_ok();
        }
    }
    false
}

fn right_hand_side(operand: &Operand, old: &Item, values: &[Value]) -> Result<Value, UpdateError> {
    match operand {
        Operand::Path(path) => find(path, old).cloned().ok_or(UpdateError::MissingOperand),
        Operand::Value(name) => Ok(values[name[2..].parse::<usize>().unwrap()].clone()),
        Operand::Call(Function::IfNotExists, operands) => {
            match right_hand_side(&operands[0], old, values) {
                Ok(found) => Ok(found),
                Err(_) => right_hand_side(&operands[1], old, values),
            }
        }
        Operand::Call(_, operands) => {
            let left = right_hand_side(&operands[0], old, values)?;
            match (left, right_hand_side(&operands[1], old, values)?) {
                (Value::L(left), Value::L(right)) => Ok(Value::L([left, right].concat())),
                _ => Err(UpdateError::OperandType),
            }
        }
        Operand::Arithmetic(plus, left, right) => {
            let left = right_hand_side(left, old, values)?;
            match (left, right_hand_side(right, old, values)?) {
                (Value::N(left), Value::N(right)) if *plus => {
                    Ok(Value::N(left.checked_add(&right)?))
                }
                (Value::N(left), Value::N(right)) => Ok(Value::N(left.checked_sub(&right)?)),
                _ => Err(UpdateError::OperandType),
            }
        }
    }
}

/// What a path stands in, with its last step.
fn parent<'i, 's>(
    item: &'i mut Value,
    steps: &'s Steps,
) -> Result<(&'i mut Value, &'s Result<String, usize>), UpdateError> {
    let (last, before) = steps.split_last().unwrap();
    let mut place = item;
    for step in before {
        let below = match (step, place) {
            (Ok(name), Value::M(map)) => map.get_mut(name),
            (Err(index), Value::L(list)) => list.get_mut(*index),
            _ => None,
        };
        place = below.ok_or(UpdateError::InvalidPath)?;
    }
    match (last, &*place) {
        (Ok(_), Value::M(_)) | (Err(_), Value::L(_)) => Ok((place, last)),
        _ => Err(UpdateError::InvalidPath),
    }
}

/// Writes in the order of the paths, so that appends come in the order of their indexes; removes
/// from the last path to the first, so that no removal moves what another one means.
fn model(old: &Item, sets: &[(Steps, Value)], removes: &[Steps]) -> Result<Item, UpdateError> {
    let mut item = Value::M(old.clone());
    for target in sets.iter().map(|(target, _)| target).chain(removes) {
        parent(&mut item, target)?;
    }
    let mut sets: Vec<&(Steps, Value)> = sets.iter().collect();
    sets.sort_by(|left, right| left.0.cmp(&right.0));
    let mut removes: Vec<&Steps> = removes.iter().collect();
    removes.sort();
    removes.reverse();
    // Positions that exist before anything is appended.
    let mut original = Value::M(old.clone());
    removes.retain(|target| match parent(&mut original, target) {
        Ok((Value::L(list), Err(index))) => *index < list.len(),
        _ => true,
    });
    for (target, value) in sets {
        match parent(&mut item, target)? {
            (Value::M(map), Ok(name)) => {
                map.insert(name.clone(), value.clone());
            }
            (Value::L(list), Err(index)) => match list.get_mut(*index) {
                // An index that only exists because of an append is an append as well.
                Some(element) if in_list(old, target) => *element = value.clone(),
                _ => list.push(value.clone()),
            },
            _ => return Err(UpdateError::InvalidPath),
        }
    }
    for target in removes {
        match parent(&mut item, target)? {
            (Value::M(map), Ok(name)) => {
                map.remove(name);
            }
            (Value::L(list), Err(index)) => {
                list.remove(*index);
            }
            _ => return Err(UpdateError::InvalidPath),
        }
    }
    match item {
        Value::M(item) => Ok(item),
        _ => Err(UpdateError::InvalidPath),
    }
}

fn in_list(old: &Item, target: &Steps) -> bool {
    let mut old = Value::M(old.clone());
    match parent(&mut old, target) {
        Ok((Value::L(list), Err(index))) => *index < list.len(),
        _ => false,
    }
}

/// Holds an update of those clauses against the model; false if it is refused before it is made.
fn check(
    old: &Item,
    values: &[Value],
    sets: &[(PathSyntax, Operand)],
    removes: &[PathSyntax],
) -> Result<bool, TestCaseError> {
    let mut taken: Vec<Steps> = Vec::new();
    let mut free = |path: &PathSyntax| {
        let steps = steps(path);
        let free = taken.iter().all(|other| apart(other, &steps));
        taken.extend(free.then_some(steps));
        free
    };
    let sets: Vec<_> = sets.iter().filter(|(path, _)| free(path)).collect();
    let removes: Vec<_> = removes.iter().filter(|path| free(path)).collect();
    let mut writer = Writer::new(vec![0, 1, 2, 3]);
    for (position, (path, value)) in sets.iter().enumerate() {
        if position == 0 {
            writer.keyword("set");
        } else {
            writer.token(",");
        }
        writer.path(path);
        writer.token("=");
        writer.operand(value);
    }
    for (position, path) in removes.iter().enumerate() {
        if position == 0 {
            writer.keyword("remove");
        } else {
            writer.token(",");
        }
        writer.path(path);
    }
    if writer.text.len() > MAX_EXPRESSION_SIZE {
        return Ok(false);
    }
    let syntax = UpdateSyntax::parse(&writer.text).unwrap();
    let Ok(update) = syntax.bind(&mut given(values)) else {
        return Ok(false);
    };
    let written: Result<Vec<(Steps, Value)>, UpdateError> = sets
        .iter()
        .map(|(path, value)| Ok((steps(path), right_hand_side(value, old, values)?)))
        .collect();
    let removes: Vec<Steps> = removes.into_iter().map(steps).collect();
    let expect = written.and_then(|written| model(old, &written, &removes));
    let updated = update.apply(Some(old), &Item::new());
    let found = updated.map(|updated| updated.item.unwrap());
    prop_assert_eq!(found, expect, "{}", writer.text);
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        max_global_rejects: 100_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn updates_do_as_the_model_does(
        old in items(),
        values in prop::collection::vec(values(), 6),
        sets in prop::collection::vec((paths(), right_hand_sides()), 1..6),
        removes in prop::collection::vec(paths(), 0..4),
    ) {
        prop_assume!(check(&old, &values, &sets, &removes)?);
    }

    #[test]
    fn updates_of_what_is_there_do_as_the_model_does(
        old in nested_items(),
        values in prop::collection::vec(values(), 6),
        sets in prop::collection::vec((prop::collection::vec(any::<u8>(), 1..5), 0..6_usize), 0..6),
        removes in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..5), 1..6),
    ) {
        let sets: Vec<_> = sets
            .iter()
            .map(|(choices, number)| {
                (target(&old, choices), Operand::Value(format!(":v{number}")))
            })
            .collect();
        let removes: Vec<_> = removes.iter().map(|choices| target(&old, choices)).collect();
        prop_assume!(check(&old, &values, &sets, &removes)?);
    }
}
