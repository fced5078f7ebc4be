//! DescribeExport and ListExports.

use crate::{
    error::{ApiError, ErrorKind},
    exports::{export_description, export_status, export_type},
    wire::{
        DescribeExportInput, DescribeExportOutput, ExportSummary, ListExportsInput,
        ListExportsOutput,
    },
};
use engine::Engine;

const MOST: usize = 25;

pub(crate) async fn describe_export(
    engine: &Engine,
    request: DescribeExportInput,
) -> Result<DescribeExportOutput, ApiError> {
    let arn = request.export_arn.unwrap_or_default();
    let export = engine.exports().await?.into_iter().find(|export| export.arn() == arn);
    let export = export.ok_or_else(|| {
        ApiError::new(ErrorKind::ExportNotFound, format!("Export not found: {arn}"))
    })?;
    Ok(DescribeExportOutput { export_description: Some(export_description(&export)) })
}

pub(crate) async fn list_exports(
    engine: &Engine,
    request: ListExportsInput,
) -> Result<ListExportsOutput, ApiError> {
    let limit = request.max_results.and_then(|most| usize::try_from(most.0).ok()).unwrap_or(MOST);
    let after = match &request.next_token {
        Some(token) => {
            Some(token.parse::<u32>().map_err(|_| ApiError::validation("Invalid NextToken"))?)
        }
        None => None,
    };
    let exports = engine.exports().await?;
    let mut wanted = exports.iter().filter(|export| {
        request.table_arn.as_ref().is_none_or(|arn| export.table_arn == *arn)
            && after.is_none_or(|after| export.number > after)
    });
    let page: Vec<_> = wanted.by_ref().take(limit).collect();
    let next = page.last().filter(|_| wanted.next().is_some());
    Ok(ListExportsOutput {
        next_token: next.map(|export| export.number.to_string()),
        export_summaries: Some(
            page.iter()
                .map(|export| ExportSummary {
                    export_arn: Some(export.arn()),
                    export_status: Some(export_status(&export.state)),
                    export_type: Some(export_type(export.plan.range)),
                })
                .collect(),
        ),
    })
}
