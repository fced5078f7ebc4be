//! `monotable partiql`: runs a statement on a running server and prints what it gives.

mod attributes;
mod client;
mod table;

use clap::Args;
use serde_json::{Value, json};
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

    /// Where the server is
    #[arg(
        long,
        value_name = "URL",
        env = "MONOTABLE_ENDPOINT",
        default_value = "http://127.0.0.1:8000"
    )]
    endpoint: String,
}

/// Runs the statement, page after page.
pub fn run(options: PartiqlOptions) -> Result<(), Box<dyn Error>> {
    let endpoint = client::Endpoint::parse(&options.endpoint)?;
    let params = options.params.iter().map(|param| attributes::parameter(param));
    let params = params.collect::<Result<Vec<_>, _>>()?;
    let mut request = json!({ "Statement": options.statement });
    if !params.is_empty() {
        request["Parameters"] = Value::Array(params);
    }
    if options.consistent {
        request["ConsistentRead"] = true.into();
    }
    let mut out = std::io::stdout().lock();
    let mut items = Vec::new();
    let mut left = options.limit;
    loop {
        if let Some(left) = left {
            request["Limit"] = left.max(LEAST_PAGE).into();
        }
        let mut answer = endpoint.call("ExecuteStatement", &request)?;
        let mut page = match answer["Items"].take() {
            Value::Array(page) => page,
            _ => Vec::new(),
        };
        if let Some(left) = &mut left {
            page.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left -= page.len() as u64;
        }
        if options.json {
            for item in &page {
                writeln!(out, "{item}")?;
            }
        } else {
            items.append(&mut page);
        }
        request["NextToken"] = answer["NextToken"].take();
        if request["NextToken"].is_null() || left == Some(0) {
            break;
        }
    }
    if !options.json {
        out.write_all(table::table(&items).as_bytes())?;
    }
    out.flush()?;
    Ok(())
}
