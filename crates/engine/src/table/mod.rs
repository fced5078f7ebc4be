//! What a table is: its definition as the catalogue keeps it.

mod definition;
mod record;
mod schema;
mod status;

pub use definition::{
    BillingMode, Encryption, GlobalIndex, IndexState, LocalIndex, OnDemand, OpenShard, Owner,
    Policy, Projection, Provisioned, Recovery, Restored, Stream, StreamView, Table, TableClass,
    TimeToLive, Warm,
};
pub use record::RecordError;
pub use schema::{KeyAttribute, KeySchema};
pub use status::Status;

pub(crate) use record::{read, write};
