//! ImportTable.

use super::create_table::define;
use crate::{
    Caller,
    error::{ApiError, ErrorKind},
    exports::import_description,
    wire::{
        CreateTableInput, ImportTableInput, ImportTableOutput, InputCompressionType, InputFormat,
        TableCreationParameters,
    },
};
use engine::{
    Engine,
    table::Table,
    tables::CreateError,
    transfer::{Compression, FileFormat, Import, ImportPlan, Place},
};
use std::{collections::BTreeSet, time::Duration};

/// How long a token is known.
const REMEMBERED: Duration = Duration::from_secs(8 * 60 * 60);

const REPEATED: &str = "One or more parameter values were invalid: HeaderList names a column twice";

pub(crate) async fn import_table(
    engine: &Engine,
    caller: &Caller,
    request: ImportTableInput,
) -> Result<ImportTableOutput, ApiError> {
    let source = request.s3_bucket_source.unwrap_or_default();
    let options = request.input_format_options.and_then(|options| options.csv);
    let format = match request.input_format {
        Some(InputFormat::Csv) => {
            let options = options.unwrap_or_default();
            if options.header_list.as_deref().is_some_and(is_repeated) {
                return Err(ApiError::validation(REPEATED));
            }
            let delimiter = options.delimiter.and_then(|text| text.chars().next());
            FileFormat::Csv { delimiter: delimiter.unwrap_or(','), header: options.header_list }
        }
        _ if options.is_some() => {
            return Err(ApiError::validation(
                "InputFormatOptions can only be specified for the InputFormat CSV",
            ));
        }
        Some(InputFormat::Ion) => FileFormat::Ion,
        _ => FileFormat::DynamoDbJson,
    };
    let parameters = request.table_creation_parameters.unwrap_or_default();
    let plan = ImportPlan {
        place: Place {
            bucket: source.s3_bucket.unwrap_or_default(),
            prefix: source.s3_key_prefix,
            owner: source.s3_bucket_owner,
        },
        format,
        compression: match request.input_compression_type {
            Some(InputCompressionType::Gzip) => Compression::Gzip,
            Some(InputCompressionType::Zstd) => Compression::Zstd,
            _ => Compression::None,
        },
        table: define(engine, caller, creation(parameters))?,
        token: request.client_token,
    };
    // Of requests with the same token that come at once, one makes the import.
    let _turn = engine.transfer_turn().await;
    let import = match known(engine, &plan).await? {
        Some(import) => import,
        None => engine.create_import(plan).await.map_err(|error| match error {
            CreateError::Exists(name) => {
                let text = format!("Table already exists: {name}");
                ApiError::new(ErrorKind::ResourceInUse, text)
            }
            CreateError::Engine(error) => error.into(),
        })?,
    };
    Ok(ImportTableOutput { import_table_description: Some(import_description(&import)) })
}

/// Whether a name stands for two columns, one of which would be lost.
fn is_repeated(names: &[String]) -> bool {
    let distinct: BTreeSet<&String> = names.iter().collect();
    distinct.len() < names.len()
}

fn creation(parameters: TableCreationParameters) -> CreateTableInput {
    CreateTableInput {
        table_name: parameters.table_name,
        attribute_definitions: parameters.attribute_definitions,
        key_schema: parameters.key_schema,
        billing_mode: parameters.billing_mode,
        provisioned_throughput: parameters.provisioned_throughput,
        on_demand_throughput: parameters.on_demand_throughput,
        sse_specification: parameters.sse_specification,
        global_secondary_indexes: parameters.global_secondary_indexes,
        vector_indexes: parameters.vector_indexes,
        ..CreateTableInput::default()
    }
}

/// The import that was asked for under the same token.
async fn known(engine: &Engine, plan: &ImportPlan) -> Result<Option<Import>, ApiError> {
    if plan.token.is_none() {
        return Ok(None);
    }
    let now = engine.now();
    let imports = engine.imports().await?;
    let same = imports
        .into_iter()
        .find(|import| import.plan.token == plan.token && import.started.after(REMEMBERED) > now);
    let Some(import) = same else { return Ok(None) };
    // What depends on when it was asked for does not count.
    let timeless = |plan: &ImportPlan| {
        let table = Table { on_demand_since: None, ..plan.table.clone() };
        ImportPlan { table, ..plan.clone() }
    };
    if timeless(&import.plan) == timeless(plan) {
        return Ok(Some(import));
    }
    let text = "An import with this ClientToken was asked for with other parameters";
    Err(ApiError::new(ErrorKind::ImportConflict, text))
}
