//! The DynamoDB API: a request's JSON in, an answer's JSON or an AWS error out.
//! Shapes and their constraints come from the service model; what AWS checks
//! beyond that stands in `operations`, one file an operation. Knows no HTTP.

mod arn;
mod backups;
mod consumed;
mod definition;
mod description;
mod dispatch;
mod error;
mod exports;
mod expressions;
mod operations;
mod restored;
mod streams;
pub mod wire;
mod wording;

pub use dispatch::{Api, Caller};
pub use error::{ApiError, ErrorKind};
pub use wire::Operation;
