//! The credentials of a request. Any key is taken; the form is checked, and
//! region and account are read from it.

use crate::http::Head;
use api::{ApiError, Caller, ErrorKind};
use std::collections::HashMap;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The account of keys that do not name one.
const DEFAULT_ACCOUNT: &str = "000000000000";

/// Who sends the request.
pub(crate) fn caller(head: &Head) -> Result<Caller, ApiError> {
    let query = head.query().map(parameters);
    let query = query.filter(|query| query.contains_key("X-Amz-Algorithm"));
    let authorization = head.text("authorization");
    let (key, region) = match (authorization, query) {
        (Some(_), Some(_)) => {
            return Err(ApiError::new(
                ErrorKind::InvalidSignature,
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
            ));
        }
        (Some(value), None) if value.trim_start().starts_with("AWS4-") => {
            let date = head.text("x-amz-date");
            let credential = from_header(value.trim(), date.or(head.text("date")).is_some())?;
            date.map_or(Ok(()), check_date)?;
            scope(credential)?
        }
        (None, Some(query)) => {
            let credential = from_query(&query)?;
            query.get("X-Amz-Date").map_or(Ok(()), |date| check_date(date))?;
            scope(credential)?
        }
        _ => {
            return Err(ApiError::new(
                ErrorKind::MissingAuthenticationToken,
                "Request is missing Authentication Token",
            ));
        }
    };
    let is_account = key.len() == 12 && key.bytes().all(|b| b.is_ascii_digit());
    Ok(Caller {
        region,
        account: if is_account { key } else { DEFAULT_ACCOUNT.to_owned() },
        host: head.text("host").unwrap_or("localhost").to_owned(),
    })
}

fn incomplete(text: String) -> ApiError {
    ApiError::new(ErrorKind::IncompleteSignature, text)
}

/// The credential of an `Authorization` header, which must have all its parts.
fn from_header(header: &str, dated: bool) -> Result<&str, ApiError> {
    let end = memchr::memchr2(b' ', b'\t', header.as_bytes()).unwrap_or(header.len());
    let (algorithm, mut rest) = header.split_at_checked(end).unwrap_or((header, ""));
    if algorithm != ALGORITHM {
        return Err(incomplete(format!(
            "Unsupported AWS 'algorithm': '{algorithm}' (only AWS4-HMAC-SHA256 for now). "
        )));
    }
    let (mut credential, mut signature, mut signed) = (None, None, None);
    while !rest.is_empty() {
        let (part, after) = cut(rest, b',');
        rest = after;
        let part = part.trim();
        let (name, value) = cut(part, b'=');
        match name {
            _ if name.len() == part.len() => {}
            "Credential" => credential = Some(value),
            "Signature" => signature = Some(value),
            "SignedHeaders" => signed = Some(value),
            _ => {}
        }
    }
    let parts = [("Credential", credential), ("Signature", signature), ("SignedHeaders", signed)];
    let mut missing = String::new();
    for (name, value) in parts {
        if value.is_none_or(str::is_empty) {
            missing.push_str(&format!("Authorization header requires '{name}' parameter. "));
        }
    }
    if !dated {
        missing.push_str(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ",
        );
    }
    match credential {
        Some(credential) if missing.is_empty() => Ok(credential),
        _ => Err(incomplete(format!("{missing}Authorization={header}"))),
    }
}

/// What stands before an ASCII character, and behind it; all and nothing if it is not there.
fn cut(text: &str, at: u8) -> (&str, &str) {
    let place = memchr::memchr(at, text.as_bytes());
    let halves = place.and_then(|place| Some((text.get(..place)?, text.get(place + 1..)?)));
    halves.unwrap_or((text, ""))
}

/// `20260101T000000Z`.
fn check_date(date: &str) -> Result<(), ApiError> {
    let digits = |from: usize, to: usize| {
        date.get(from..to).is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()))
    };
    let basic = date.len() == 16
        && digits(0, 8)
        && date.get(8..9) == Some("T")
        && digits(9, 15)
        && date.ends_with('Z');
    if basic {
        return Ok(());
    }
    Err(incomplete(format!(
        "Date must be in ISO-8601 'basic format'. Got '{date}'. \
         See http://en.wikipedia.org/wiki/ISO_8601"
    )))
}

/// The credential of a presigned request.
fn from_query(query: &HashMap<String, String>) -> Result<&str, ApiError> {
    let mut missing = String::new();
    let names = ["Algorithm", "Credential", "Signature", "SignedHeaders", "Date"];
    for name in names.map(|name| format!("X-Amz-{name}")) {
        if query.get(&name).is_none_or(String::is_empty) {
            missing.push_str(&format!("AWS query-string parameters must include '{name}'. "));
        }
    }
    match query.get("X-Amz-Credential") {
        Some(credential) if missing.is_empty() => Ok(credential),
        _ => Err(incomplete(format!("{missing}Re-examine the query-string parameters."))),
    }
}

/// Access key and region out of `key/date/region/service/aws4_request`.
fn scope(credential: &str) -> Result<(String, String), ApiError> {
    let (key, rest) = cut(credential, b'/');
    let (_date, rest) = cut(rest, b'/');
    let (region, _) = cut(rest, b'/');
    match memchr::memchr_iter(b'/', credential.as_bytes()).count() {
        4 if !region.is_empty() => Ok((key.to_owned(), region.to_owned())),
        4 => Err(ApiError::new(
            ErrorKind::InvalidSignature,
            format!("Credential should be scoped to a valid region, not '{region}'. "),
        )),
        _ => Err(incomplete(format!(
            "Credential must have exactly 5 slash-delimited elements, \
             e.g. keyid/date/region/service/term, got '{credential}'"
        ))),
    }
}

fn parameters(query: &str) -> HashMap<String, String> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (unescape(name), unescape(value))).collect()
}

/// Undoes percent encoding; what is not valid stays as it is.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        match after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(
        header: Option<&str>,
        date: bool,
        query: Option<&str>,
    ) -> Result<Caller, (ErrorKind, String)> {
        let target = format!("/?{}", query.unwrap_or_default());
        let mut head = Head::new("POST", &target, 0, 0);
        head.add("host", b"here:8000");
        if let Some(header) = header {
            head.add("authorization", header.as_bytes());
        }
        if date {
            head.add("x-amz-date", b"20260101T000000Z");
        }
        caller(&head).map_err(|error| (error.kind, error.message.unwrap_or_default()))
    }

    const FULL: &str = "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/dynamodb/aws4_request, \
                        SignedHeaders=host;x-amz-date, Signature=abc";

    #[test]
    fn region_and_account_come_from_the_credential() {
        let caller = call(Some(FULL), true, None).unwrap();
        assert_eq!(
            (caller.region.as_str(), caller.account.as_str()),
            ("eu-west-1", DEFAULT_ACCOUNT)
        );
        assert_eq!(caller.host, "here:8000");
        let tight = "AWS4-HMAC-SHA256 Signature=a,SignedHeaders=host,Credential=123456789012/d/r/dynamodb/aws4_request";
        let caller = call(Some(tight), true, None).unwrap();
        assert_eq!((caller.region.as_str(), caller.account.as_str()), ("r", "123456789012"));
        let query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=K%2F20260101%2Fus-east-1%2Fdynamodb%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Signature=s";
        assert_eq!(call(None, false, Some(query)).unwrap().region, "us-east-1");
    }

    #[test]
    fn malformed_credentials_get_the_error_of_aws() {
        use ErrorKind::{IncompleteSignature, InvalidSignature, MissingAuthenticationToken};
        let unsigned = "Request is missing Authentication Token";
        for (header, date, query, kind, text) in [
            (None, true, None, MissingAuthenticationToken, unsigned),
            (Some("Basic abc"), true, None, MissingAuthenticationToken, unsigned),
            (
                Some("AWS4-HMAC-SHA256 Signature=b"),
                false,
                None,
                IncompleteSignature,
                "Authorization header requires 'Credential' parameter. Authorization header requires \
                 'SignedHeaders' parameter. Authorization header requires existence of either a \
                 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-HMAC-SHA256 Signature=b",
            ),
            (
                Some("AWS4-X Credential=a"),
                true,
                None,
                IncompleteSignature,
                "Unsupported AWS 'algorithm': 'AWS4-X' (only AWS4-HMAC-SHA256 for now). ",
            ),
            (
                Some("AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=h, Signature=s"),
                true,
                None,
                IncompleteSignature,
                "Credential must have exactly 5 slash-delimited elements, \
                 e.g. keyid/date/region/service/term, got 'a/b/c'",
            ),
            (
                Some(FULL),
                true,
                Some("X-Amz-Algorithm=x"),
                InvalidSignature,
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
            ),
            (
                None,
                true,
                Some("X-Amz-Algorithm=x&X-Amz-Date=1"),
                IncompleteSignature,
                "AWS query-string parameters must include 'X-Amz-Credential'. AWS query-string \
                 parameters must include 'X-Amz-Signature'. AWS query-string parameters must include \
                 'X-Amz-SignedHeaders'. Re-examine the query-string parameters.",
            ),
        ] {
            assert_eq!(
                call(header, date, query).unwrap_err(),
                (kind, text.to_owned()),
                "{header:?}"
            );
        }
    }
}
