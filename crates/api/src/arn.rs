//! Table names and ARNs as requests give them.

use crate::{
    Caller,
    error::{ApiError, ErrorKind},
};
use engine::{Engine, Entry, table::Table};
use std::sync::Arc;

/// A table as a request names it: by name, or by an ARN that must then be the table's own.
pub(crate) struct TableReference {
    /// What the request said; AWS repeats it in some answers.
    pub(crate) given: String,
    /// The name it means.
    pub(crate) name: String,
}

impl TableReference {
    /// Reads a `TableName` member.
    pub(crate) fn parse(given: Option<String>) -> Result<TableReference, ApiError> {
        let given = given.unwrap_or_default();
        let name = match given.strip_prefix("arn:") {
            Some(_) => arn_table_name(&given)
                .ok_or_else(|| {
                    let text =
                        format!("Invalid TableArn: Invalid ResourceArn provided as input {given}");
                    ApiError::request(text)
                })?
                .to_owned(),
            None => given.clone(),
        };
        Ok(TableReference { given, name })
    }

    /// Whether this table is the one meant.
    pub(crate) fn names(&self, table: &Table) -> bool {
        !self.given.starts_with("arn:") || self.given == table.arn()
    }

    /// The table, for operations on tables.
    pub(crate) fn find(&self, engine: &Engine) -> Result<Arc<Entry>, ApiError> {
        let entry = engine.table(&self.name).filter(|entry| self.names(&entry.table));
        entry.ok_or_else(|| ApiError::no_table(&self.name))
    }

    /// The table, for operations on items.
    pub(crate) fn usable(&self, engine: &Engine) -> Result<Arc<Entry>, ApiError> {
        let entry = engine.usable_table(&self.name)?;
        if self.names(&entry.table) { Ok(entry) } else { Err(ApiError::no_resource()) }
    }
}

/// The table named by the `ResourceArn` of a tag or policy call.
pub(crate) fn resource_table(
    engine: &Engine,
    caller: &Caller,
    arn: &str,
) -> Result<Arc<Entry>, ApiError> {
    if !arn.starts_with("arn:") {
        return Err(ApiError::parameters(format!("ARNs must start with 'arn:': {arn}")));
    }
    let Some(name) = arn_table_name(arn) else {
        let text = format!("Invalid TableArn: Invalid ResourceArn provided as input {arn}");
        return Err(ApiError::validation(text));
    };
    let entry = engine.table(name).filter(|entry| entry.table.arn() == arn);
    entry.ok_or_else(|| match arn.split(':').nth(4) {
        Some(account) if account != caller.account => ApiError::new(
            ErrorKind::AccessDenied,
            format!(
                "User: arn:aws:iam::{}:root is not authorized to access resource: {arn}",
                caller.account
            ),
        ),
        _ => no_resource(arn),
    })
}

/// The thing an ARN names is not there.
pub(crate) fn no_resource(arn: &str) -> ApiError {
    let text = format!("Requested resource not found: ResourceArn: {arn} not found");
    ApiError::new(ErrorKind::ResourceNotFound, text)
}

/// `arn:aws:dynamodb:<region>:<account>:table/<name>`.
fn arn_table_name(arn: &str) -> Option<&str> {
    let mut parts = arn.splitn(6, ':');
    let fixed = [parts.next()?, parts.next()?, parts.next()?];
    let (region, account, resource) = (parts.next()?, parts.next()?, parts.next()?);
    let name = resource.strip_prefix("table/")?;
    let valid_name = (3..=255).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
    let valid =
        fixed[0] == "arn" && fixed[2] == "dynamodb" && !region.is_empty() && !account.is_empty();
    (valid && valid_name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arns_name_tables() {
        for (arn, expected) in [
            ("arn:aws:dynamodb:eu-west-1:000000000000:table/abc", Some("abc")),
            ("arn:aws:dynamodb:eu-west-1:000000000000:table/abc/index/x", None),
            ("arn:aws:dynamodb:eu-west-1:000000000000:table/", None),
            ("arn:aws:s3:eu-west-1:000000000000:table/abc", None),
            ("arn:aws:dynamodb::000000000000:table/abc", None),
            ("arn:", None),
            ("arn:aws:dynamodb", None),
        ] {
            assert_eq!(arn_table_name(arn), expected, "{arn}");
        }
    }
}
