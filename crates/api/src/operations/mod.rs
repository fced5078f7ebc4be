//! One file an operation, each of the same form: take the checked request,
//! check what the model cannot say, call the engine, shape the answer.

mod batch_execute_statement;
mod batch_get_item;
mod batch_write_item;
mod create_backup;
mod create_table;
mod delete_backup;
mod delete_item;
mod delete_resource_policy;
mod delete_table;
mod describe_backup;
mod describe_continuous_backups;
mod describe_endpoints;
mod describe_export;
mod describe_import;
mod describe_item_history;
mod describe_limits;
mod describe_restore;
mod describe_stream;
mod describe_table;
mod describe_time_to_live;
mod execute_statement;
mod execute_transaction;
mod export_table_to_point_in_time;
mod get_item;
mod get_records;
mod get_resource_policy;
mod get_shard_iterator;
mod import_table;
mod index_change;
mod item_answer;
mod list_backups;
mod list_streams;
mod list_tables;
mod list_tags_of_resource;
mod partiql;
mod put_item;
mod put_resource_policy;
mod query;
mod restore_items;
mod restore_table_from_backup;
mod restore_table_to_point_in_time;
mod scan;
mod selection;
mod start_key;
mod tag_resource;
mod transact_get_items;
mod transact_write_items;
mod untag_resource;
mod update_continuous_backups;
mod update_item;
mod update_table;
mod update_time_to_live;

pub(crate) use batch_execute_statement::batch_execute_statement;
pub(crate) use batch_get_item::batch_get_item;
pub(crate) use batch_write_item::batch_write_item;
pub(crate) use create_backup::create_backup;
pub(crate) use create_table::create_table;
pub(crate) use delete_backup::delete_backup;
pub(crate) use delete_item::delete_item;
pub(crate) use delete_resource_policy::delete_resource_policy;
pub(crate) use delete_table::delete_table;
pub(crate) use describe_backup::describe_backup;
pub(crate) use describe_continuous_backups::describe_continuous_backups;
pub(crate) use describe_endpoints::describe_endpoints;
pub(crate) use describe_export::{describe_export, list_exports};
pub(crate) use describe_import::{describe_import, list_imports};
pub(crate) use describe_item_history::describe_item_history;
pub(crate) use describe_limits::describe_limits;
pub(crate) use describe_restore::{describe_restore, list_restores};
pub(crate) use describe_stream::describe_stream;
pub(crate) use describe_table::describe_table;
pub(crate) use describe_time_to_live::describe_time_to_live;
pub(crate) use execute_statement::execute_statement;
pub(crate) use execute_transaction::execute_transaction;
pub(crate) use export_table_to_point_in_time::export_table_to_point_in_time;
pub(crate) use get_item::get_item;
pub(crate) use get_records::get_records;
pub(crate) use get_resource_policy::get_resource_policy;
pub(crate) use get_shard_iterator::get_shard_iterator;
pub(crate) use import_table::import_table;
pub(crate) use list_backups::list_backups;
pub(crate) use list_streams::list_streams;
pub(crate) use list_tables::list_tables;
pub(crate) use list_tags_of_resource::list_tags_of_resource;
pub(crate) use put_item::put_item;
pub(crate) use put_resource_policy::put_resource_policy;
pub(crate) use query::query;
pub(crate) use restore_items::restore_items;
pub(crate) use restore_table_from_backup::restore_table_from_backup;
pub(crate) use restore_table_to_point_in_time::restore_table_to_point_in_time;
pub(crate) use scan::scan;
pub(crate) use tag_resource::tag_resource;
pub(crate) use transact_get_items::transact_get_items;
pub(crate) use transact_write_items::transact_write_items;
pub(crate) use untag_resource::untag_resource;
pub(crate) use update_continuous_backups::update_continuous_backups;
pub(crate) use update_item::update_item;
pub(crate) use update_table::update_table;
pub(crate) use update_time_to_live::update_time_to_live;

use crate::{
    error::{ApiError, ErrorKind},
    wire::ReturnValue,
};
use engine::{
    table::{Status, Table},
    tables::ChangeError,
};

/// The error of a table change, with the text for a table that is not there.
fn change_error(error: ChangeError<ApiError>, missing: impl FnOnce() -> ApiError) -> ApiError {
    match error {
        ChangeError::NoSuchTable => missing(),
        ChangeError::Refused(error) => error,
        ChangeError::Engine(error) => error.into(),
    }
}

/// Refuses a change of a table that is in the middle of another.
fn settled(table: &Table) -> Result<(), ApiError> {
    let what = match table.status {
        Status::Active => return Ok(()),
        Status::Creating { .. } => "created",
        Status::Updating { .. } => "updated",
        Status::Deleting { .. } => "deleted",
    };
    let text = format!(
        "Attempt to change a resource which is still in use: Table is being {what}: {}",
        table.name
    );
    Err(ApiError::new(ErrorKind::ResourceInUse, text))
}

/// Refuses members that are not read yet; to ignore them would change what a request means.
fn refuse_members(members: &[(&str, bool)]) -> Result<(), ApiError> {
    match members.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(ApiError::unsupported(name)),
        None => Ok(()),
    }
}

/// Whether a put or delete is to give back the item it replaced.
fn wants_old(wanted: Option<&ReturnValue>) -> Result<bool, ApiError> {
    match wanted {
        None | Some(ReturnValue::None) => Ok(false),
        Some(ReturnValue::AllOld) => Ok(true),
        Some(_) => Err(ApiError::request("ReturnValues can only be ALL_OLD or NONE")),
    }
}
