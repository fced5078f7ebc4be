//! What the server says to people and to load balancers.

use crate::{
    answer::{Answer, plain},
    http::Head,
};
use engine::Engine;

/// `GET /`: a page for browsers, AWS's health line for the rest.
pub(crate) fn root(engine: &Engine, head: &Head) -> Answer {
    let accept = head.text("accept");
    if !accept.is_some_and(|accept| accept.contains("text/html")) {
        let line = "healthy: dynamodb.us-east-1.amazonaws.com ";
        return plain(200, line.as_bytes().to_vec(), "text/plain; charset=utf-8");
    }
    let host = head.text("host");
    let host = escape(host.unwrap_or("localhost:8000"));
    let tables = engine.list_tables(None, usize::MAX).names;
    let list: String = tables.iter().map(|name| format!("<li>{}</li>", escape(name))).collect();
    let tables = match tables.len() {
        0 => "<p>There are no tables yet.</p>".to_owned(),
        n => format!("<p>Tables: {n}</p><ul>{list}</ul>"),
    };
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Monotable</title>\
         <style>body{{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:3rem auto;padding:0 1rem}}\
         pre{{background:#f3f3f0;padding:1rem;overflow-x:auto}}</style>\
         <h1>Monotable {version}</h1>\
         <p>This server speaks the DynamoDB API. Point an AWS SDK at it:</p>\
         <pre>import boto3\ndb = boto3.resource(\"dynamodb\", endpoint_url=\"http://{host}\",\n    region_name=\"us-east-1\", aws_access_key_id=\"any\", aws_secret_access_key=\"any\")</pre>\
         {tables}<p><a href=\"/health\">Health</a></p></html>",
        version = env!("CARGO_PKG_VERSION"),
    );
    plain(200, page.into_bytes(), "text/html; charset=utf-8")
}

/// `GET /health`: 200 if the store answers, 503 if not.
pub(crate) async fn health(engine: &Engine) -> Answer {
    let version = env!("CARGO_PKG_VERSION");
    let (status, state) = match engine.check().await {
        Ok(()) => (200, "ok".to_owned()),
        Err(error) => (503, error.to_string().replace(['"', '\\'], "'")),
    };
    let tables = engine.list_tables(None, usize::MAX).names.len();
    let body =
        format!("{{\"status\":\"{state}\",\"version\":\"{version}\",\"tables\":{tables}}}\n");
    plain(status, body.into_bytes(), "application/json")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
