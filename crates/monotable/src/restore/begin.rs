//! Asking the server for a restore.

use super::{RestoreOptions, error::RestoreError, error::instead, keys};
use crate::{
    client::Client,
    since,
    table_key::{KeyKind, TableKey},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::SystemTime;

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Request {
    table_name: String,
    restore_date_time: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition_key_prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_table_name: Option<String>,
    dry_run: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    restore_id: String,
}

/// The request that the options mean, and the table. The moment is settled here: what is shown
/// before a question and what is done after it are of the same.
pub(super) fn request(options: &RestoreOptions) -> Result<(TableKey, Request), RestoreError> {
    let to = since::parse(options.to.as_deref().unwrap_or_default(), SystemTime::now())?;
    let name = options.table.clone().unwrap_or_default();
    let table = TableKey::find(&mut options.endpoint.client()?, &name)?;
    if options.pk_prefix.is_some() && table.partition.kind != KeyKind::S {
        let kind = table.partition.kind.word();
        let attribute = table.partition.name;
        return Err(RestoreError::Prefix { name: attribute, table: name, kind });
    }
    let keys = options.keys.as_ref().map(|file| keys::read(file, &table)).transpose()?;
    let request = Request {
        table_name: name,
        restore_date_time: seconds(to),
        condition: options.condition.clone(),
        partition_key_prefix: options.pk_prefix.clone(),
        keys,
        target_table_name: options.into.clone(),
        dry_run: options.dry_run,
    };
    Ok((table, request))
}

/// Seconds since 1970, to the millisecond; what is behind it is cut off, so that a moment is never
/// later than what was asked for.
fn seconds(moment: SystemTime) -> f64 {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let millis = u32::try_from(since.as_millis() % 1000).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a time")]
    let whole = since.as_secs() as f64;
    whole + f64::from(millis) / 1000.0
}

impl Request {
    /// The same, only to look.
    pub(super) fn preview(&self) -> Request {
        Request { dry_run: true, ..self.clone() }
    }

    /// Begins it; gives its id.
    pub(super) fn begin(
        &self,
        client: &mut Client,
        options: &RestoreOptions,
    ) -> Result<String, RestoreError> {
        let answer: Result<Answer, _> = client.call("RestoreItems", self);
        let answer = answer.map_err(|error| instead(error, &self.table_name, &options.endpoint))?;
        Ok(answer.restore_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn moments_are_cut_to_the_millisecond() {
        for (nanos, expect) in [
            (1_769_860_800_000_000_000, 1_769_860_800.0),
            (1_769_860_800_123_999_999, 1_769_860_800.123),
            (1_769_860_800_999_999_999, 1_769_860_800.999),
        ] {
            let found = seconds(SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos));
            assert!((found - expect).abs() < 1e-6, "{found}");
        }
    }

    #[test]
    fn what_is_not_given_is_not_asked_for() {
        let whole = Request { table_name: "t".to_owned(), ..Request::default() };
        let expect = json!({"TableName": "t", "RestoreDateTime": 0.0, "DryRun": false});
        assert_eq!(serde_json::to_value(&whole).unwrap(), expect);
        assert_eq!(serde_json::to_value(whole.preview()).unwrap()["DryRun"], json!(true));
    }
}
