//! DescribeImport and ListImports.

use crate::{
    description::timestamp,
    error::{ApiError, ErrorKind},
    exports::{import_description, import_status, input_format, log_group, source},
    wire::{
        DescribeImportInput, DescribeImportOutput, ImportSummary, ListImportsInput,
        ListImportsOutput,
    },
};
use engine::Engine;

const MOST: usize = 25;
/// The model wants so many hexadecimal digits at least.
const TOKEN_DIGITS: usize = 112;

/// The number of an import in a token.
fn number(token: &str) -> Option<u32> {
    u32::from_str_radix(token.get(TOKEN_DIGITS - 8..)?, 16).ok()
}

pub(crate) async fn describe_import(
    engine: &Engine,
    request: DescribeImportInput,
) -> Result<DescribeImportOutput, ApiError> {
    let arn = request.import_arn.unwrap_or_default();
    let import = engine.imports().await?.into_iter().find(|import| import.arn() == arn);
    let import = import.ok_or_else(|| {
        ApiError::new(ErrorKind::ImportNotFound, format!("Import not found: {arn}"))
    })?;
    Ok(DescribeImportOutput { import_table_description: Some(import_description(&import)) })
}

pub(crate) async fn list_imports(
    engine: &Engine,
    request: ListImportsInput,
) -> Result<ListImportsOutput, ApiError> {
    let limit = request.page_size.and_then(|size| usize::try_from(size.0).ok()).unwrap_or(MOST);
    let after = match &request.next_token {
        Some(token) => {
            Some(number(token).ok_or_else(|| ApiError::validation("Invalid NextToken"))?)
        }
        None => None,
    };
    let imports = engine.imports().await?;
    let mut wanted = imports.iter().filter(|import| {
        request.table_arn.as_ref().is_none_or(|arn| import.table_arn == *arn)
            && after.is_none_or(|after| import.number > after)
    });
    let page: Vec<_> = wanted.by_ref().take(limit).collect();
    let next = page.last().filter(|_| wanted.next().is_some());
    Ok(ListImportsOutput {
        next_token: next.map(|import| format!("{:0TOKEN_DIGITS$x}", import.number)),
        import_summary_list: Some(
            page.iter()
                .map(|import| ImportSummary {
                    import_arn: Some(import.arn()),
                    import_status: Some(import_status(&import.state)),
                    table_arn: Some(import.table_arn.clone()),
                    s3_bucket_source: Some(source(import)),
                    input_format: Some(input_format(&import.plan.format)),
                    start_time: Some(timestamp(import.started)),
                    end_time: import.finished.map(timestamp),
                    cloud_watch_log_group_arn: log_group(import),
                })
                .collect(),
        ),
    })
}
