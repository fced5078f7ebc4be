//! `monotable partiql`: runs a statement on a running server and prints what it gives.

mod attributes;
mod table;

use crate::client::EndpointOption;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{error::Error, io::Write};

/// The most items asked for at a time when there is a limit; a filter may leave few of them.
const LEAST_PAGE: u64 = 100;

/// The options of `partiql`.
#[derive(Debug, Args)]
pub struct PartiqlOptions {
    /// The statement, such as 'SELECT * FROM "orders" WHERE "PK" = ?'
    #[arg(value_name = "STATEMENT")]
    statement: String,

    /// A value for a question mark, as JSON: '"text"', 5, '{"SS": ["a"]}'; once for each of them
    #[arg(long = "param", short, value_name = "JSON")]
    params: Vec<String>,

    /// Print items as DynamoDB JSON, one a line
    #[arg(long)]
    json: bool,

    /// Stop after that many items
    #[arg(long, short, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Read strongly consistent
    #[arg(long)]
    consistent: bool,

    #[command(flatten)]
    endpoint: EndpointOption,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'o> {
    statement: &'o str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Value>,
    consistent_read: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    #[serde(default)]
    items: Vec<Value>,
    next_token: Option<String>,
}

/// Runs the statement, page after page.
pub fn run(options: PartiqlOptions) -> Result<(), Box<dyn Error>> {
    let mut client = options.endpoint.client()?;
    let parameters = options.params.iter().map(|param| attributes::parameter(param));
    let mut request = Request {
        statement: &options.statement,
        parameters: parameters.collect::<Result<_, _>>()?,
        consistent_read: options.consistent,
        limit: None,
        next_token: None,
    };
    let mut out = std::io::stdout().lock();
    let mut items = Vec::new();
    let mut left = options.limit;
    loop {
        request.limit = left.map(|left| left.max(LEAST_PAGE));
        let mut answer: Answer = client.call("ExecuteStatement", &request)?;
        if let Some(left) = &mut left {
            answer.items.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left -= answer.items.len() as u64;
        }
        if options.json {
            for item in &answer.items {
                writeln!(out, "{item}")?;
            }
        } else {
            items.append(&mut answer.items);
        }
        request.next_token = answer.next_token;
        if request.next_token.is_none() || left == Some(0) {
            break;
        }
    }
    if !options.json {
        out.write_all(table::table(&items).as_bytes())?;
    }
    out.flush()?;
    Ok(())
}
