//! ListTables.

use crate::{
    error::ApiError,
    wire::{ListTablesInput, ListTablesOutput},
};
use engine::Engine;

/// The page size when none is asked for.
const DEFAULT_LIMIT: i64 = 100;

pub(crate) fn list_tables(
    engine: &Engine,
    request: ListTablesInput,
) -> Result<ListTablesOutput, ApiError> {
    let limit = request.limit.map_or(DEFAULT_LIMIT, i64::from);
    let after = request.exclusive_start_table_name.as_deref();
    let page = engine.list_tables(after, usize::try_from(limit).unwrap_or(0));
    let last = page.names.last().filter(|_| page.more).cloned();
    Ok(ListTablesOutput { table_names: Some(page.names), last_evaluated_table_name: last })
}
