//! Writes the Rust source of the shapes.

use crate::{
    model::{Limit, Model, Shape},
    names,
};
use std::{collections::BTreeSet, fmt::Write};

/// Shapes whose Rust type is written by hand, because they carry attribute values.
fn by_hand(name: &str) -> Option<&'static str> {
    match name {
        "AttributeValue" => Some("AttributeValue"),
        "AttributeMap"
        | "Key"
        | "PutItemInputAttributeMap"
        | "MapAttributeValue"
        | "ItemCollectionKeyAttributeMap" => Some("AttributeMap"),
        _ => None,
    }
}

pub fn generate(model: &Model) -> String {
    let mut out = String::new();
    let inputs = model.reachable(model.operations.values().filter_map(|o| o.input.as_ref()));
    let outputs = model.reachable(model.operations.values().filter_map(|o| o.output.as_ref()));
    let checked = checked_shapes(model, &inputs);
    operations(model, &mut out);
    for name in inputs.union(&outputs) {
        let shape = model.shape(name);
        if by_hand(name).is_some() {
            continue;
        }
        match shape.kind.as_str() {
            "structure" => {
                structure(model, name, &mut out);
                if inputs.contains(name) {
                    input(model, name, &checked, &mut out);
                }
                if outputs.contains(name) {
                    output(model, name, &mut out);
                }
            }
            "string" if !shape.values.is_empty() => enumeration(name, shape, &mut out),
            _ => {}
        }
    }
    for name in &checked {
        if model.shape(name).kind != "structure" {
            let limit = Limit { min: None, max: None };
            check_function(model, &check_name(name), name, &limit, &checked, &mut out);
        }
    }
    for (member, limit) in &model.limits {
        let (structure, field) = member.split_once('.').expect("limits are Structure.Member");
        let shape = &model.shape(structure).members.get(field).expect("a known member").shape;
        let function = check_name(&member.replace('.', ""));
        check_function(model, &function, shape, limit, &checked, &mut out);
    }
    out
}

fn rust_type(model: &Model, name: &str) -> String {
    if let Some(hand) = by_hand(name) {
        return hand.to_owned();
    }
    let shape = model.shape(name);
    let inner = |r: &Option<crate::model::Reference>| {
        rust_type(model, &r.as_ref().expect("lists and maps name their parts").shape)
    };
    match shape.kind.as_str() {
        "structure" => name.to_owned(),
        "string" if !shape.values.is_empty() => name.to_owned(),
        "string" => "String".to_owned(),
        "integer" => "Integer".to_owned(),
        "long" => "Long".to_owned(),
        "double" => "Double".to_owned(),
        "boolean" => "bool".to_owned(),
        "timestamp" => "Timestamp".to_owned(),
        "blob" => "Blob".to_owned(),
        "list" => format!("Vec<{}>", inner(&shape.member)),
        "map" => format!("BTreeMap<String, {}>", inner(&shape.value)),
        other => panic!("unknown kind of shape: {other}"),
    }
}

fn operations(model: &Model, out: &mut String) {
    out.push_str("/// Every operation of the service model.\n");
    out.push_str("#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]\npub enum Operation {\n");
    for name in model.operations.keys() {
        writeln!(out, "/// `{name}`.\n{name},").unwrap();
    }
    out.push_str(
        "}\nimpl Operation {\n/// Every operation, by name.\npub const ALL: &[Operation] = &[",
    );
    for name in model.operations.keys() {
        write!(out, "Operation::{name}, ").unwrap();
    }
    out.push_str("];\n/// The operation an `X-Amz-Target` header names.\n");
    out.push_str("pub fn from_target(target: &str) -> Option<Operation> {\nSome(match target {\n");
    for (name, operation) in &model.operations {
        writeln!(out, "\"{}\" => Operation::{name},", operation.target).unwrap();
    }
    out.push_str("_ => return None,\n})\n}\n/// The operation's name.\npub fn name(self) -> &'static str {\nmatch self {\n");
    for name in model.operations.keys() {
        writeln!(out, "Operation::{name} => \"{name}\",").unwrap();
    }
    out.push_str("}\n}\n/// Reads a request and checks its constraints, for operations that go no further.\n");
    out.push_str("pub fn check(self, body: &[u8]) -> Result<(), RequestError> {\nmatch self {\n");
    for (name, operation) in &model.operations {
        let input = operation.input.as_ref().expect("every operation has an input");
        writeln!(out, "Operation::{name} => read::<{}>(body).map(drop),", input.shape).unwrap();
    }
    out.push_str("}\n}\n}\n");
}

fn structure(model: &Model, name: &str, out: &mut String) {
    writeln!(out, "#[derive(Debug, Clone, Default)]\npub struct {name} {{").unwrap();
    for (member, reference) in &model.shape(name).members {
        let kind = rust_type(model, &reference.shape);
        writeln!(out, "pub {}: Option<{kind}>,", names::field(member)).unwrap();
    }
    out.push_str("}\n");
}

fn input(model: &Model, name: &str, checked: &BTreeSet<String>, out: &mut String) {
    let shape = model.shape(name);
    writeln!(out, "impl Input for {name} {{\nconst NAME: &'static str = \"{name}\";").unwrap();
    out.push_str("fn decode_member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {\n");
    if shape.members.is_empty() {
        out.push_str("let _ = (name, map);\nOk(false)\n");
    } else {
        out.push_str("match name {\n");
        for member in shape.members.keys() {
            let field = names::field(member);
            writeln!(out, "\"{member}\" => self.{field} = member(map)?,").unwrap();
        }
        out.push_str("_ => return Ok(false),\n}\nOk(true)\n");
    }
    out.push_str(
        "}\nfn check(&self, at: &Path<'_>, found: &mut Violations) {\nlet _ = (at, &found);\n",
    );
    for (member, reference) in model.ordered_members(name) {
        let field = names::field(member);
        let printed = names::printed(member);
        let own_limit = format!("{name}.{member}");
        let function = if model.limits.contains_key(&own_limit) {
            Some(check_name(&own_limit.replace('.', "")))
        } else {
            checked.contains(&reference.shape).then(|| check_name(&reference.shape))
        };
        let is_structure = model.shape(&reference.shape).kind == "structure";
        let call = match function {
            Some(_) if is_structure => "value.check(&at, found)".to_owned(),
            Some(function) => format!("{function}(value, &at, found)"),
            None => String::new(),
        };
        let required = shape.required.contains(member);
        if call.is_empty() && !required {
            continue;
        }
        writeln!(out, "{{ let at = at.member(\"{printed}\"); match &self.{field} {{").unwrap();
        let binding = if call.is_empty() { "_" } else { "value" };
        writeln!(out, "Some({binding}) => {{ {call} }}").unwrap();
        let absent = match required {
            true if model.asked_for_by_name.contains(&own_limit) => {
                format!("found.asked_for(\"{member}\")")
            }
            true => "found.missing(&at)".to_owned(),
            false => "{}".to_owned(),
        };
        writeln!(out, "None => {absent},\n}} }}").unwrap();
    }
    out.push_str("}\nfn echo(&self, out: &mut Echo<'_>) {\nlet _ = &out;\n");
    for member in shape.members.keys() {
        let (field, printed) = (names::field(member), names::printed(member));
        writeln!(out, "out.member(\"{printed}\", &self.{field});").unwrap();
    }
    writeln!(out, "}}\n}}\nstructure!({name});").unwrap();
}

fn output(model: &Model, name: &str, out: &mut String) {
    writeln!(out, "impl Output for {name} {{").unwrap();
    out.push_str("fn encode_members(&self, object: &mut ObjectWriter<'_>) {\nlet _ = &object;\n");
    for member in model.shape(name).members.keys() {
        writeln!(out, "object.member(\"{member}\", &self.{});", names::field(member)).unwrap();
    }
    writeln!(out, "}}\n}}\noutput!({name});").unwrap();
}

fn enumeration(name: &str, shape: &Shape, out: &mut String) {
    writeln!(out, "#[derive(Debug, Clone, PartialEq, Eq)]\npub enum {name} {{").unwrap();
    for value in &shape.values {
        writeln!(out, "{},", names::variant(value)).unwrap();
    }
    writeln!(out, "Unknown(String),\n}}\nimpl Enumeration for {name} {{").unwrap();
    let values: Vec<String> = shape.values.iter().map(|v| format!("\"{v}\"")).collect();
    writeln!(out, "const VALUES: &'static [&'static str] = &[{}];", values.join(", ")).unwrap();
    out.push_str("fn from_text(text: String) -> Self {\nmatch text.as_str() {\n");
    for value in &shape.values {
        writeln!(out, "\"{value}\" => Self::{},", names::variant(value)).unwrap();
    }
    out.push_str("_ => Self::Unknown(text),\n}\n}\nfn as_str(&self) -> &str {\nmatch self {\n");
    for value in &shape.values {
        writeln!(out, "Self::{} => \"{value}\",", names::variant(value)).unwrap();
    }
    out.push_str("Self::Unknown(text) => text,\n}\n}\n");
    out.push_str("fn is_known(&self) -> bool {\n!matches!(self, Self::Unknown(_))\n}\n}\n");
    writeln!(out, "enumeration!({name});").unwrap();
}

/// The shapes of requests that have, or have below them, something to check.
fn checked_shapes(model: &Model, inputs: &BTreeSet<String>) -> BTreeSet<String> {
    let mut checked = BTreeSet::new();
    loop {
        let before = checked.len();
        for name in inputs {
            if by_hand(name).is_some() {
                continue;
            }
            let shape = model.shape(name);
            let is_enum = !shape.values.is_empty() && !model.unchecked_enums.contains(name);
            let own =
                is_enum || shape.min.is_some() || shape.max.is_some() || shape.pattern.is_some();
            let parts = [&shape.member, &shape.key, &shape.value];
            let mut below = shape.members.values().chain(parts.into_iter().flatten());
            if own || !shape.required.is_empty() || below.any(|r| checked.contains(&r.shape)) {
                checked.insert(name.clone());
            }
        }
        if checked.len() == before {
            return checked;
        }
    }
}

fn check_name(shape: &str) -> String {
    format!("check_{}", names::field(shape).trim_start_matches("r#"))
}

fn option(bound: Option<i64>) -> String {
    bound.map_or("None".to_owned(), |n| format!("Some({n})"))
}

/// A function that checks the constraints of one shape that is not a structure.
fn check_function(
    model: &Model,
    function: &str,
    name: &str,
    limit: &Limit,
    checked: &BTreeSet<String>,
    out: &mut String,
) {
    let shape = model.shape(name);
    let (min, max) = (option(limit.min.or(shape.min)), option(limit.max.or(shape.max)));
    let kind = rust_type(model, name);
    writeln!(out, "fn {function}(value: &{kind}, at: &Path<'_>, found: &mut Violations) {{")
        .unwrap();
    match shape.kind.as_str() {
        "string" if !shape.values.is_empty() => out.push_str("found.enumeration(at, value);\n"),
        "string" if name == "TableArn" => {
            writeln!(out, "found.table_name_or_arn(at, value, {min});").unwrap();
        }
        "string" => {
            if let Some(pattern) = &shape.pattern {
                writeln!(out, "found.pattern(at, value, {pattern:?});").unwrap();
            }
            writeln!(out, "found.text_length(at, value, {min}, {max});").unwrap();
        }
        "integer" | "long" => writeln!(out, "found.range(at, *value, {min}, {max});").unwrap(),
        "list" => {
            writeln!(out, "found.length(at, value, value.len(), {min}, {max});").unwrap();
            let member = &shape.member.as_ref().expect("a list names its member").shape;
            if checked.contains(member) {
                let call = element_call(model, member);
                writeln!(out, "for (i, value) in value.iter().enumerate() {{ let at = at.index(i + 1); {call} }}").unwrap();
            }
        }
        "map" => {
            writeln!(out, "found.length(at, value, value.len(), {min}, {max});").unwrap();
            let key = &shape.key.as_ref().expect("a map names its key").shape;
            let (key_shape, element) =
                (model.shape(key), &shape.value.as_ref().expect("a map names its value").shape);
            let element_shape = model.shape(element);
            if checked.contains(key) && (key_shape.min.is_some() || key_shape.max.is_some()) {
                let (min, max) = (option(key_shape.min), option(key_shape.max));
                writeln!(out, "found.map_keys(at, value, {min}, {max});").unwrap();
            }
            if element_shape.kind == "list" || element_shape.kind == "string" {
                let (min, max) = (option(element_shape.min), option(element_shape.max));
                writeln!(out, "found.map_values(at, value, {min}, {max});").unwrap();
                let inner = element_shape.member.as_ref().filter(|r| checked.contains(&r.shape));
                if let Some(inner) = inner {
                    let call = element_call(model, &inner.shape);
                    writeln!(out, "for (key, value) in value {{ let at = at.key(key); for (i, value) in value.iter().enumerate() {{ let at = at.index(i + 1); {call} }} }}").unwrap();
                }
            } else if checked.contains(element) {
                let call = element_call(model, element);
                writeln!(out, "for (key, value) in value {{ let at = at.key(key); {call} }}")
                    .unwrap();
            }
        }
        other => panic!("no check for a {other}"),
    }
    out.push_str("}\n");
}

fn element_call(model: &Model, name: &str) -> String {
    match model.shape(name).kind.as_str() {
        "structure" => "value.check(&at, found);".to_owned(),
        _ => format!("{}(value, &at, found);", check_name(name)),
    }
}
