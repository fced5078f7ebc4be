//! The table that items are put into.

use super::options::ImportOptions;
use crate::{
    client::{CallError, Client},
    ending::Ending,
    interrupt::Interrupt,
    table_key::{Description, KeyKind, TableKey, describe},
};
use archive::plain::Layout;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value as Json, json};
use std::time::Duration;
use value::{Item, MAX_ITEM_SIZE, Value, item_size};

const LOOK: Duration = Duration::from_millis(100);

/// The key and the identity of the table, which is created if that is wished.
pub(super) fn find(
    client: &mut Client,
    options: &ImportOptions,
    interrupt: &Interrupt,
) -> Result<(TableKey, String), Ending> {
    let wanted = options.key_to_create()?;
    let table = &options.table;
    let mut described = match describe(client, table) {
        Err(error) if error.is("ResourceNotFoundException") => match &wanted {
            Some(key) => {
                create(client, key)?;
                describe(client, table)?
            }
            None => {
                let advice = "; --create \"PK:S,SK:S\" creates it with that key";
                return Err(Ending::from(error).with(advice));
            }
        },
        outcome => outcome?,
    };
    while described.table_status == "CREATING" {
        if !interrupt.pause(LOOK) {
            return Err(Ending::Interrupted("interrupted".to_owned()));
        }
        described = describe(client, table)?;
    }
    let key = key_of(client, &described, table)?;
    let attributes = |key: &TableKey| key.attributes().cloned().collect::<Vec<_>>();
    if let Some(wanted) = wanted.filter(|wanted| attributes(wanted) != attributes(&key)) {
        return Err(Ending::Failed(format!(
            "'{table}' is there already, and its key is {}, not {}",
            shown(&key),
            shown(&wanted)
        )));
    }
    Ok((key, described.table_id))
}

fn key_of(client: &Client, described: &Description, table: &str) -> Result<TableKey, CallError> {
    described.key(table).ok_or_else(|| client.misanswer("a table without a key"))
}

fn shown(key: &TableKey) -> String {
    let parts = key.attributes().map(|part| format!("{}:{}", part.name, part.kind.name()));
    parts.collect::<Vec<_>>().join(",")
}

fn create(client: &mut Client, key: &TableKey) -> Result<(), CallError> {
    let definitions = key
        .attributes()
        .map(|part| json!({"AttributeName": part.name, "AttributeType": part.kind.name()}));
    let schema = key.attributes().zip(["HASH", "RANGE"]);
    let schema = schema.map(|(part, role)| json!({"AttributeName": part.name, "KeyType": role}));
    let request = json!({
        "TableName": key.table,
        "AttributeDefinitions": definitions.collect::<Vec<_>>(),
        "KeySchema": schema.collect::<Vec<_>>(),
        "BillingMode": "PAY_PER_REQUEST",
    });
    client.call::<Json>("CreateTable", &request).map(|_| ())
}

/// Makes an item fit for the table, or says why it is not. Plain JSON has no binaries: as a key one
/// is given as Base64.
pub(super) fn fit(item: &mut Item, key: &TableKey, layout: Layout) -> Result<(), String> {
    for part in key.attributes() {
        let Some(value) = item.get_mut(&part.name) else {
            return Err(format!("the key attribute {} is missing", part.name));
        };
        let decoded = match (&*value, part.kind, layout) {
            (Value::S(text), KeyKind::B, Layout::Json) => BASE64_STANDARD.decode(text).ok(),
            _ => None,
        };
        if let Some(bytes) = decoded {
            *value = Value::B(bytes);
        }
        let fits = match value {
            Value::S(_) => part.kind == KeyKind::S,
            Value::N(_) => part.kind == KeyKind::N,
            Value::B(_) => part.kind == KeyKind::B,
            _ => false,
        };
        if !fits {
            let (found, wanted) = (value.type_name(), part.kind.name());
            let name = &part.name;
            return Err(format!(
                "the key attribute {name} is {found}, and the table's is {wanted}"
            ));
        }
    }
    match item_size(item) {
        size if size > MAX_ITEM_SIZE => {
            Err(format!("the item has {size} bytes, and the most is {MAX_ITEM_SIZE}"))
        }
        _ => Ok(()),
    }
}
