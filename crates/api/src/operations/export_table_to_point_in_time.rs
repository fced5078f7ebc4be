//! ExportTableToPointInTime.

use super::{
    describe_continuous_backups::no_table,
    restore_table_to_point_in_time::{moment, restore_error},
};
use crate::{
    arn::TableReference,
    error::{ApiError, ErrorKind},
    exports::export_description,
    wire::{
        Enumeration, ExportFormat, ExportTableToPointInTimeInput, ExportTableToPointInTimeOutput,
        ExportType, ExportViewType, IncrementalExportSpecification,
    },
};
use engine::{
    Engine,
    environment::Moment,
    recovery::RestoreError,
    table::Table,
    transfer::{Export, ExportPlan, ExportRange, ExportView, FileFormat, Place},
};
use std::time::Duration;

/// How long a token is known.
const REMEMBERED: Duration = Duration::from_secs(8 * 60 * 60);
/// What lies between the two moments of an incremental export.
const SHORTEST: Duration = Duration::from_secs(15 * 60);
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) async fn export_table_to_point_in_time(
    engine: &Engine,
    request: ExportTableToPointInTimeInput,
) -> Result<ExportTableToPointInTimeOutput, ApiError> {
    if request.filter_specification.is_some() {
        return Err(ApiError::unsupported("FilterSpecification"));
    }
    let reference = TableReference::parse(request.table_arn)?;
    let entry = reference.find(engine).map_err(|_| no_table(&reference.name))?;
    let table = &entry.table;
    let (earliest, latest) = engine
        .restorable(table)
        .ok_or_else(|| restore_error(RestoreError::NotEnabled, &table.name))?;
    let incremental = request.export_type == Some(ExportType::IncrementalExport);
    let specification = request.incremental_export_specification.as_ref();
    let any_moment = match incremental {
        true => specification.is_none_or(|given| given.export_to_time.is_none()),
        false => request.export_time.is_none(),
    };
    let range = if incremental {
        between(request.incremental_export_specification, latest)?
    } else {
        ExportRange::Full { moment: request.export_time.map_or(latest, moment) }
    };
    check_window(range, earliest, latest)?;
    let plan = ExportPlan {
        range,
        any_moment,
        place: Place {
            bucket: request.s3_bucket.unwrap_or_default(),
            prefix: request.s3_prefix,
            owner: request.s3_bucket_owner,
        },
        format: match request.export_format {
            Some(ExportFormat::Ion) => FileFormat::Ion,
            _ => FileFormat::DynamoDbJson,
        },
        encryption: request.s3_sse_algorithm.map(|algorithm| algorithm.as_str().to_owned()),
        encryption_key: request.s3_sse_kms_key_id,
        token: request.client_token,
    };
    // Of requests with the same token that come at once, one makes the export.
    let _turn = engine.transfer_turn().await;
    let export = match known(engine, table, &plan).await? {
        Some(export) => export,
        None => engine.create_export(table, plan).await?,
    };
    Ok(ExportTableToPointInTimeOutput { export_description: Some(export_description(&export)) })
}

/// The moments of an incremental export.
fn between(
    given: Option<IncrementalExportSpecification>,
    latest: Moment,
) -> Result<ExportRange, ApiError> {
    let given = given.unwrap_or_default();
    let Some(from) = given.export_from_time else {
        return Err(ApiError::validation(
            "ExportFromTime must be provided in IncrementalExportSpecification",
        ));
    };
    let from = moment(from);
    let to = given.export_to_time.map_or(latest, moment);
    if from.after(SHORTEST) > to || from.after(LONGEST) < to {
        return Err(ApiError::validation(
            "The time between ExportFromTime and ExportToTime must be from 15 minutes to 24 hours",
        ));
    }
    let view = match given.export_view_type {
        Some(ExportViewType::NewImage) => ExportView::New,
        _ => ExportView::NewAndOld,
    };
    Ok(ExportRange::Incremental { from, to, view })
}

fn check_window(range: ExportRange, earliest: Moment, latest: Moment) -> Result<(), ApiError> {
    let (first, last) = match range {
        ExportRange::Full { moment } => (moment, moment),
        ExportRange::Incremental { from, to, .. } => (from, to),
    };
    if first < earliest || last > latest {
        return Err(ApiError::new(
            ErrorKind::InvalidExportTime,
            format!(
                "The export time must be between {}Z and {}Z",
                earliest.label(),
                latest.label()
            ),
        ));
    }
    Ok(())
}

/// The export that was asked for under the same token.
async fn known(
    engine: &Engine,
    table: &Table,
    plan: &ExportPlan,
) -> Result<Option<Export>, ApiError> {
    if plan.token.is_none() {
        return Ok(None);
    }
    let now = engine.now();
    let exports = engine.exports().await?;
    let same = exports
        .into_iter()
        .find(|export| export.plan.token == plan.token && export.started.after(REMEMBERED) > now);
    let Some(export) = same else { return Ok(None) };
    let mut asked = export.plan.clone();
    if plan.any_moment && asked.any_moment {
        asked.range = match (asked.range, plan.range) {
            (ExportRange::Incremental { from, view, .. }, ExportRange::Incremental { to, .. }) => {
                ExportRange::Incremental { from, to, view }
            }
            (_, wanted) => wanted,
        };
    }
    if asked == *plan && export.table_arn == table.arn() {
        return Ok(Some(export));
    }
    let text = "An export with this ClientToken was asked for with other parameters";
    Err(ApiError::new(ErrorKind::ExportConflict, text))
}
