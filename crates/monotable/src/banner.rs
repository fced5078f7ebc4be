//! What a person sees when the server starts.

use crate::{
    cli::DurabilityOption,
    settings::{Settings, Storage},
};
use std::net::SocketAddr;

/// The text to print.
pub fn banner(settings: &Settings, address: SocketAddr) -> String {
    let data = match &settings.storage {
        Storage::Memory => "in memory, gone when the server stops".to_owned(),
        Storage::Directory { path, durability, .. } => {
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            match durability {
                DurabilityOption::Sync => path.display().to_string(),
                DurabilityOption::Os => format!("{} (durability: os)", path.display()),
            }
        }
    };
    // 0.0.0.0 is no address to connect to.
    let host = if address.ip().is_unspecified() { "localhost".to_owned() } else { host(address) };
    let endpoint = format!("http://{host}:{}", address.port());
    format!(
        "Monotable {version}\n  \
           endpoint  {endpoint}\n  \
           data      {data}\n\n  \
           import boto3\n  \
           db = boto3.resource(\"dynamodb\", endpoint_url=\"{endpoint}\", region_name=\"us-east-1\",\n    \
             aws_access_key_id=\"any\", aws_secret_access_key=\"any\")\n",
        version = env!("CARGO_PKG_VERSION"),
    )
}

fn host(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(v4) => v4.ip().to_string(),
        SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
    }
}
