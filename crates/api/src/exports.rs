//! Exports and imports as the API describes them.

use crate::{
    backups::units,
    description::{key_schema, on_demand, projection, timestamp},
    wire::{
        self, CsvOptions, ExportDescription, ExportStatus, ImportStatus, ImportTableDescription,
        IncrementalExportSpecification, InputFormatOptions, Long, S3BucketSource, S3SseAlgorithm,
        TableCreationParameters,
    },
};
use engine::{
    table::{BillingMode, Table},
    transfer::{Compression, Export, ExportRange, ExportView, FileFormat, Import, TransferState},
};
use wire::Enumeration;

pub(crate) fn export_status(state: &TransferState) -> ExportStatus {
    match state {
        TransferState::InProgress => ExportStatus::InProgress,
        TransferState::Completed => ExportStatus::Completed,
        TransferState::Failed { .. } => ExportStatus::Failed,
    }
}

pub(crate) fn import_status(state: &TransferState) -> ImportStatus {
    match state {
        TransferState::InProgress => ImportStatus::InProgress,
        TransferState::Completed => ImportStatus::Completed,
        TransferState::Failed { .. } => ImportStatus::Failed,
    }
}

/// Why it failed: a code and a text.
fn failure(state: &TransferState) -> (Option<String>, Option<String>) {
    match state {
        TransferState::Failed { code, message } => (Some(code.clone()), Some(message.clone())),
        _ => (None, None),
    }
}

pub(crate) fn export_type(range: ExportRange) -> wire::ExportType {
    match range {
        ExportRange::Full { .. } => wire::ExportType::FullExport,
        ExportRange::Incremental { .. } => wire::ExportType::IncrementalExport,
    }
}

pub(crate) fn export_description(export: &Export) -> ExportDescription {
    let plan = &export.plan;
    let (failure_code, failure_message) = failure(&export.state);
    let count = |count: u64| Some(Long(i64::try_from(count).unwrap_or(i64::MAX)));
    let finished = export.finished.is_some();
    let (moment, incremental) = match plan.range {
        ExportRange::Full { moment } => (Some(moment), None),
        ExportRange::Incremental { from, to, view } => {
            let specification = IncrementalExportSpecification {
                export_from_time: Some(timestamp(from)),
                export_to_time: Some(timestamp(to)),
                export_view_type: Some(match view {
                    ExportView::New => wire::ExportViewType::NewImage,
                    ExportView::NewAndOld => wire::ExportViewType::NewAndOldImages,
                }),
            };
            (None, Some(specification))
        }
    };
    ExportDescription {
        export_arn: Some(export.arn()),
        export_status: Some(export_status(&export.state)),
        start_time: Some(timestamp(export.started)),
        end_time: export.finished.map(timestamp),
        export_manifest: export.manifest.clone(),
        table_arn: Some(export.table_arn.clone()),
        table_id: Some(export.table_id.clone()),
        export_time: moment.map(timestamp),
        client_token: plan.token.clone(),
        s3_bucket: Some(plan.place.bucket.clone()),
        s3_bucket_owner: plan.place.owner.clone(),
        s3_prefix: plan.place.prefix.clone(),
        s3_sse_algorithm: plan.encryption.clone().map(S3SseAlgorithm::from_text),
        s3_sse_kms_key_id: plan.encryption_key.clone(),
        failure_code,
        failure_message,
        export_format: Some(match plan.format {
            FileFormat::Ion => wire::ExportFormat::Ion,
            _ => wire::ExportFormat::DynamodbJson,
        }),
        billed_size_bytes: count(export.bytes).filter(|_| finished),
        item_count: count(export.items).filter(|_| finished),
        export_type: Some(export_type(plan.range)),
        incremental_export_specification: incremental,
        ..ExportDescription::default()
    }
}

pub(crate) fn input_format(format: &FileFormat) -> wire::InputFormat {
    match format {
        FileFormat::DynamoDbJson => wire::InputFormat::DynamodbJson,
        FileFormat::Ion => wire::InputFormat::Ion,
        FileFormat::Csv { .. } => wire::InputFormat::Csv,
    }
}

pub(crate) fn source(import: &Import) -> S3BucketSource {
    S3BucketSource {
        s3_bucket: Some(import.plan.place.bucket.clone()),
        s3_bucket_owner: import.plan.place.owner.clone(),
        s3_key_prefix: import.plan.place.prefix.clone(),
    }
}

/// Where AWS would log what is no item; here it is in the server's log.
pub(crate) fn log_group(import: &Import) -> Option<String> {
    let place = import.table_arn.strip_prefix("arn:aws:dynamodb:")?;
    let (place, _) = place.split_once(":table/")?;
    Some(format!("arn:aws:logs:{place}:log-group:/aws-dynamodb/imports:*"))
}

pub(crate) fn import_description(import: &Import) -> ImportTableDescription {
    let (failure_code, failure_message) = failure(&import.state);
    let count = |count: u64| Some(Long(i64::try_from(count).unwrap_or(i64::MAX)));
    let plan = &import.plan;
    let options = match &plan.format {
        FileFormat::Csv { delimiter, header } => Some(InputFormatOptions {
            csv: Some(CsvOptions {
                delimiter: Some(delimiter.to_string()),
                header_list: header.clone(),
            }),
        }),
        _ => None,
    };
    ImportTableDescription {
        import_arn: Some(import.arn()),
        import_status: Some(import_status(&import.state)),
        table_arn: Some(import.table_arn.clone()),
        table_id: Some(import.table_id.clone()),
        client_token: plan.token.clone(),
        s3_bucket_source: Some(source(import)),
        error_count: count(import.counts.errors),
        input_format: Some(input_format(&plan.format)),
        input_format_options: options,
        input_compression_type: Some(match plan.compression {
            Compression::None => wire::InputCompressionType::None,
            Compression::Gzip => wire::InputCompressionType::Gzip,
            Compression::Zstd => wire::InputCompressionType::Zstd,
        }),
        table_creation_parameters: Some(parameters(&plan.table)),
        start_time: Some(timestamp(import.started)),
        end_time: import.finished.map(timestamp),
        processed_size_bytes: count(import.counts.bytes),
        processed_item_count: count(import.counts.processed),
        imported_item_count: count(import.counts.imported),
        cloud_watch_log_group_arn: log_group(import),
        failure_code,
        failure_message,
    }
}

fn parameters(table: &Table) -> TableCreationParameters {
    let on_demand_table = table.billing == BillingMode::OnDemand;
    let indexes = table.globals.iter().map(|index| wire::GlobalSecondaryIndex {
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.key)),
        projection: Some(projection(&index.projection)),
        provisioned_throughput: (!on_demand_table).then(|| units(index.provisioned)),
        on_demand_throughput: index.on_demand.map(on_demand),
        warm_throughput: None,
    });
    let indexes: Vec<_> = indexes.collect();
    TableCreationParameters {
        table_name: Some(table.name.clone()),
        attribute_definitions: Some(crate::description::attribute_definitions(table)),
        key_schema: Some(key_schema(&table.key)),
        billing_mode: Some(match table.billing {
            BillingMode::Provisioned => wire::BillingMode::Provisioned,
            BillingMode::OnDemand => wire::BillingMode::PayPerRequest,
        }),
        provisioned_throughput: (!on_demand_table).then(|| units(table.provisioned)),
        on_demand_throughput: table.on_demand.map(on_demand),
        global_secondary_indexes: (!indexes.is_empty()).then_some(indexes),
        ..TableCreationParameters::default()
    }
}
