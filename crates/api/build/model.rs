//! The service model as published, with our corrections laid over it.

use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

#[derive(Deserialize)]
struct Service {
    metadata: Metadata,
    operations: BTreeMap<String, Operation>,
    shapes: BTreeMap<String, Shape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    target_prefix: String,
}

#[derive(Deserialize)]
pub struct Operation {
    pub input: Option<Reference>,
    pub output: Option<Reference>,
    #[serde(skip)]
    pub target: String,
}

#[derive(Deserialize, Clone)]
pub struct Reference {
    pub shape: String,
}

#[derive(Deserialize, Clone)]
pub struct Shape {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub members: BTreeMap<String, Reference>,
    #[serde(default)]
    pub required: Vec<String>,
    pub member: Option<Reference>,
    pub key: Option<Reference>,
    pub value: Option<Reference>,
    #[serde(default, rename = "enum")]
    pub values: Vec<String>,
    pub min: Option<i64>,
    pub max: Option<i64>,
    pub pattern: Option<String>,
}

#[derive(Deserialize)]
struct Facts {
    order: BTreeMap<String, Vec<String>>,
    enums: BTreeMap<String, Vec<String>>,
    unchecked_enums: BTreeSet<String>,
    asked_for_by_name: BTreeSet<String>,
    required: BTreeMap<String, Vec<String>>,
    not_required: BTreeMap<String, BTreeSet<String>>,
    limits: BTreeMap<String, Limit>,
}

#[derive(Deserialize)]
pub struct Limit {
    pub min: Option<i64>,
    pub max: Option<i64>,
}

pub struct Model {
    pub operations: BTreeMap<String, Operation>,
    pub shapes: BTreeMap<String, Shape>,
    pub unchecked_enums: BTreeSet<String>,
    /// As `Structure.Member`.
    pub asked_for_by_name: BTreeSet<String>,
    /// Keyed `Structure.Member`.
    pub limits: BTreeMap<String, Limit>,
    order: BTreeMap<String, Vec<String>>,
}

impl Model {
    pub fn load(folder: &Path) -> Model {
        let read = |name: &str| fs::read(folder.join(name)).expect("the model file is there");
        let facts: Facts = serde_json::from_slice(&read("facts.json")).expect("facts.json parses");
        let mut model = Model {
            operations: BTreeMap::new(),
            shapes: BTreeMap::new(),
            unchecked_enums: facts.unchecked_enums,
            asked_for_by_name: facts.asked_for_by_name,
            limits: facts.limits,
            order: facts.order,
        };
        for name in ["dynamodb.json", "dynamodbstreams.json", "monotable.json"] {
            let service: Service = serde_json::from_slice(&read(name)).expect("the model parses");
            for (operation_name, mut operation) in service.operations {
                operation.target = format!("{}.{operation_name}", service.metadata.target_prefix);
                model.operations.insert(operation_name, operation);
            }
            model.shapes.extend(service.shapes);
        }
        for (shape, members) in facts.required {
            let shape = model.shapes.get_mut(&shape).expect("facts name a shape of the model");
            shape.required.extend(members);
        }
        for (shape, members) in facts.not_required {
            let shape = model.shapes.get_mut(&shape).expect("facts name a shape of the model");
            shape.required.retain(|member| !members.contains(member));
        }
        for (name, values) in facts.enums {
            let shape = model.shapes.get_mut(&name).expect("facts name a shape of the model");
            assert_eq!(
                shape.values.iter().collect::<BTreeSet<_>>(),
                values.iter().collect::<BTreeSet<_>>(),
                "facts.json reorders the values of {name} and must not change them"
            );
            shape.values = values;
        }
        model
    }

    pub fn shape(&self, name: &str) -> &Shape {
        self.shapes.get(name).expect("the model defines every shape it names")
    }

    /// Members in the order AWS checks them: the measured ones, then the rest.
    pub fn ordered_members(&self, name: &str) -> Vec<(&String, &Reference)> {
        let shape = self.shape(name);
        let first = self.order.get(name).cloned().unwrap_or_default();
        for member in &first {
            assert!(shape.members.contains_key(member), "facts.json: {name} has no {member}");
        }
        let rank = |member: &String| first.iter().position(|f| f == member).unwrap_or(first.len());
        let mut members: Vec<_> = shape.members.iter().collect();
        members.sort_by_key(|(member, _)| rank(member));
        members
    }

    /// Every shape that can be met below the given ones.
    pub fn reachable<'a>(&'a self, roots: impl Iterator<Item = &'a Reference>) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<String> = roots.map(|r| r.shape.clone()).collect();
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let shape = self.shape(&name);
            let parts = [&shape.member, &shape.key, &shape.value];
            let below = shape.members.values().chain(parts.into_iter().flatten());
            open.extend(below.map(|r| r.shape.clone()));
        }
        seen
    }
}
