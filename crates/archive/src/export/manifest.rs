//! What the manifests of an export say.

use std::time::{Duration, SystemTime};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;

use super::{ExportKind, ExportSettings, Layout};
use crate::storage::Uploaded;

/// The members of the summary, in AWS's order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary<'a> {
    version: &'static str,
    export_arn: &'a str,
    start_time: String,
    end_time: String,
    table_arn: &'a str,
    table_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    export_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    export_from_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    export_to_time: Option<String>,
    s3_bucket: &'a str,
    s3_prefix: Option<&'a str>,
    s3_sse_algorithm: Option<&'a str>,
    s3_sse_kms_key_id: Option<&'a str>,
    manifest_files_s3_key: String,
    billed_size_bytes: u64,
    item_count: u64,
    output_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_view: Option<&'static str>,
    export_type: &'static str,
}

/// The summary of an export that has ended.
pub(super) fn summary(
    settings: &ExportSettings,
    layout: &Layout,
    end_time: u64,
    billed_size_bytes: u64,
    item_count: u64,
) -> serde_json::Result<Vec<u8>> {
    let mut summary = Summary {
        version: "2020-06-30",
        export_arn: &settings.export_arn,
        start_time: time(settings.start_time),
        end_time: time(end_time),
        table_arn: &settings.table_arn,
        table_id: &settings.table_id,
        export_time: None,
        export_from_time: None,
        export_to_time: None,
        s3_bucket: &settings.bucket,
        s3_prefix: settings.prefix.as_deref(),
        s3_sse_algorithm: settings.sse_algorithm.as_deref(),
        s3_sse_kms_key_id: settings.sse_kms_key_id.as_deref(),
        manifest_files_s3_key: layout.manifest_files(),
        billed_size_bytes,
        item_count,
        output_format: settings.format.name(),
        output_view: None,
        export_type: "FULL_EXPORT",
    };
    match settings.kind {
        ExportKind::Full { time: moment } => summary.export_time = Some(time(moment)),
        ExportKind::Incremental { from, to, view } => {
            summary.version = "2023-08-01";
            summary.export_from_time = Some(time(from));
            summary.export_to_time = Some(time(to));
            summary.output_view = Some(view.name());
            summary.export_type = "INCREMENTAL_EXPORT";
        }
    }
    serde_json::to_vec(&summary)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DataFile<'a> {
    item_count: u64,
    md5_checksum: String,
    etag: &'a str,
    data_file_s3_key: &'a str,
}

/// Appends the line of a data file.
pub(super) fn data_file(
    key: &str,
    item_count: u64,
    uploaded: &Uploaded,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let md5_checksum = md5_text(uploaded.md5);
    let line = DataFile { item_count, md5_checksum, etag: &uploaded.etag, data_file_s3_key: key };
    serde_json::to_writer(&mut *out, &line)?;
    out.push(b'\n');
    Ok(())
}

/// A digest as manifests and the objects beside them have it.
pub(super) fn md5_text(md5: [u8; 16]) -> String {
    STANDARD.encode(md5)
}

/// A time such as `2020-11-04T07:28:34.028Z`.
fn time(millis: u64) -> String {
    // The formatter refuses years beyond 9999, as no clock has them.
    const LAST: u64 = 253_402_300_799_999;
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(millis.min(LAST));
    humantime::format_rfc3339_millis(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds() {
        assert_eq!(time(1_604_474_914_028), "2020-11-04T07:28:34.028Z");
        assert_eq!(time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
