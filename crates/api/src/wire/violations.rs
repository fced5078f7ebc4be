//! Collects the constraints of the model that a request breaks, in AWS's words.

use super::{Enumeration, echo::Echoed};
use std::{collections::BTreeMap, fmt::Write};

/// Of a longer value only the beginning is echoed.
const MOST_ECHOED: usize = 64 * 1024;
/// AWS lists no more than this many violations.
const MOST_LISTED: usize = 10;

/// The place of a value in the request, as `keySchema.1.member.keyType`.
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

enum Segment<'a> {
    Root,
    Member(&'static str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Path<'a> {
    /// The request itself.
    pub const ROOT: Path<'static> = Path { parent: None, segment: Segment::Root };

    /// A structure's member.
    pub fn member(&'a self, name: &'static str) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Member(name) }
    }

    /// A list's element, counted from one.
    pub fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Index(index) }
    }

    /// A map's value.
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Key(key) }
    }

    fn write(&self, out: &mut String) {
        if let Some(parent) = self.parent {
            parent.write(out);
            if !out.is_empty() {
                out.push('.');
            }
        }
        let _ = match self.segment {
            Segment::Root => Ok(()),
            Segment::Member(name) => write!(out, "{name}"),
            Segment::Index(index) => write!(out, "{index}.member"),
            Segment::Key(key) => write!(out, "{key}.member"),
        };
    }
}

/// One constraint that does not hold.
#[derive(Debug)]
pub(crate) struct Violation {
    /// The offending value as AWS echoes it; none for an absent member.
    pub(crate) value: Option<String>,
    pub(crate) path: String,
    pub(crate) constraint: String,
}

/// The constraints that do not hold, in the order AWS checks them.
#[derive(Debug, Default)]
pub struct Violations {
    found: Vec<Violation>,
    asked_for: Option<&'static str>,
}

impl Violations {
    /// Whether every constraint holds.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.asked_for.is_none()
    }

    /// An absent member that AWS asks for by name, before it says anything else.
    pub(crate) fn absent_parameter(&self) -> Option<&'static str> {
        self.asked_for
    }

    pub(super) fn asked_for(&mut self, member: &'static str) {
        self.asked_for.get_or_insert(member);
    }

    pub(crate) fn list(&self) -> &[Violation] {
        &self.found
    }

    fn add(&mut self, at: &Path<'_>, value: Option<&dyn Echoed>, constraint: String) {
        if self.found.len() == MOST_LISTED {
            return;
        }
        let mut path = String::new();
        at.write(&mut path);
        let value = value.map(|value| {
            let mut echo = String::new();
            value.echo(&mut echo);
            if echo.len() > MOST_ECHOED {
                echo.truncate(echo.floor_char_boundary(MOST_ECHOED));
                echo.push_str("...");
            }
            echo
        });
        self.found.push(Violation { value, path, constraint });
    }

    pub(super) fn missing(&mut self, at: &Path<'_>) {
        self.add(at, None, "Member must not be null".to_owned());
    }

    pub(super) fn enumeration<T: Enumeration + Echoed>(&mut self, at: &Path<'_>, value: &T) {
        if !value.is_known() {
            let values = T::VALUES.join(", ");
            self.add(at, Some(value), format!("Member must satisfy enum value set: [{values}]"));
        }
    }

    pub(super) fn pattern(&mut self, at: &Path<'_>, value: &String, pattern: &str) {
        if !matches(pattern, value) {
            let text = format!("Member must satisfy regular expression pattern: {pattern}");
            self.add(at, Some(value), text);
        }
    }

    pub(super) fn text_length(
        &mut self,
        at: &Path<'_>,
        value: &String,
        min: Option<usize>,
        max: Option<usize>,
    ) {
        self.length(at, value, value.chars().count(), min, max);
    }

    pub(super) fn length(
        &mut self,
        at: &Path<'_>,
        value: &dyn Echoed,
        length: usize,
        min: Option<usize>,
        max: Option<usize>,
    ) {
        if let Some(min) = min.filter(|min| length < *min) {
            self.add(at, Some(value), at_least(min));
        }
        if let Some(max) = max.filter(|max| length > *max) {
            self.add(at, Some(value), at_most(max));
        }
    }

    pub(super) fn range<T: Into<i64> + Copy + Echoed>(
        &mut self,
        at: &Path<'_>,
        value: T,
        min: Option<i64>,
        max: Option<i64>,
    ) {
        if let Some(min) = min.filter(|min| value.into() < *min) {
            let text = format!("Member must have value greater than or equal to {min}");
            self.add(at, Some(&value), text);
        }
        if let Some(max) = max.filter(|max| value.into() > *max) {
            let text = format!("Member must have value less than or equal to {max}");
            self.add(at, Some(&value), text);
        }
    }

    pub(super) fn map_keys<T: Echoed>(
        &mut self,
        at: &Path<'_>,
        map: &BTreeMap<String, T>,
        min: Option<usize>,
        max: Option<usize>,
    ) {
        if map.keys().any(|key| outside(key.chars().count(), min, max)) {
            let text = format!("Map keys must satisfy constraint: [{}]", bounds(min, max));
            self.add(at, Some(map), text);
        }
    }

    pub(super) fn map_values<T: Echoed + Measured>(
        &mut self,
        at: &Path<'_>,
        map: &BTreeMap<String, T>,
        min: Option<usize>,
        max: Option<usize>,
    ) {
        if map.values().any(|value| outside(value.measure(), min, max)) {
            let text = format!("Map value must satisfy constraint: [{}]", bounds(min, max));
            self.add(at, Some(map), text);
        }
    }

    /// The model allows an ARN wherever a table is named; a plain name keeps its own rules.
    pub(super) fn table_name_or_arn(&mut self, at: &Path<'_>, value: &String, min: Option<usize>) {
        if value.starts_with("arn:") {
            self.text_length(at, value, None, Some(1024));
        } else {
            if !value.is_empty() {
                self.pattern(at, value, NAME_PATTERN);
            }
            self.text_length(at, value, min, Some(255));
        }
    }
}

/// What has a length as the value of a map.
pub(super) trait Measured {
    fn measure(&self) -> usize;
}

impl Measured for String {
    fn measure(&self) -> usize {
        self.chars().count()
    }
}

impl<T> Measured for Vec<T> {
    fn measure(&self) -> usize {
        self.len()
    }
}

fn outside(length: usize, min: Option<usize>, max: Option<usize>) -> bool {
    min.is_some_and(|min| length < min) || max.is_some_and(|max| length > max)
}

fn at_least(min: usize) -> String {
    format!("Member must have length greater than or equal to {min}")
}

fn at_most(max: usize) -> String {
    format!("Member must have length less than or equal to {max}")
}

fn bounds(min: Option<usize>, max: Option<usize>) -> String {
    let texts: Vec<String> = max.map(at_most).into_iter().chain(min.map(at_least)).collect();
    texts.join(", ")
}

const NAME_PATTERN: &str = "[a-zA-Z0-9_.-]+";

/// The dozen patterns of the model, each as a predicate; a pattern not listed here
/// fails the test `every_pattern_of_the_model_is_known`.
fn matches(pattern: &str, text: &str) -> bool {
    let all = |allowed: fn(char) -> bool| text.chars().all(allowed);
    let some = |allowed: fn(char) -> bool| !text.is_empty() && text.chars().all(allowed);
    match pattern {
        NAME_PATTERN => some(|c| c.is_ascii_alphanumeric() || "_.-".contains(c)),
        r"\p{Print}+" => some(|c| (' '..='~').contains(&c)),
        r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*" => {
            all(|c| c >= ' ' || "\r\n\t".contains(c))
        }
        r"([0-9a-f]{16})+" => {
            text.len().is_multiple_of(16) && some(|c| matches!(c, '0'..='9' | 'a'..='f'))
        }
        r"^[^\$]+$" => some(|c| c != '$'),
        r"[,;:|\t ]" => text.chars().count() == 1 && all(|c| ",;:|\t ".contains(c)),
        r"[\x20-\x21\x23-\x2B\x2D-\x7E]*" => {
            all(|c| (' '..='~').contains(&c) && c != '"' && c != ',')
        }
        r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$" => {
            let ends = [text.chars().next(), text.chars().next_back()];
            text.len() > 1
                && all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
                && ends.iter().flatten().all(char::is_ascii_alphanumeric)
        }
        "[0-9]{12}" => text.len() == 12 && all(|c| c.is_ascii_digit()),
        _ => unknown_pattern(pattern),
    }
}

/// A pattern we cannot check holds; the test below keeps this from being reached.
fn unknown_pattern(pattern: &str) -> bool {
    debug_assert!(false, "the model has a pattern without a predicate: {pattern}");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_the_model_is_known() {
        for file in ["dynamodb.json", "dynamodbstreams.json"] {
            let path = format!("{}/model/{file}", env!("CARGO_MANIFEST_DIR"));
            let model: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            let inputs_only = ["ContributorInsightsRule", "TableId"];
            for (name, shape) in model["shapes"].as_object().unwrap() {
                if let Some(pattern) = shape["pattern"].as_str()
                    && !inputs_only.contains(&name.as_str())
                {
                    matches(pattern, "x");
                }
            }
        }
    }

    #[test]
    fn patterns_match_as_their_text_says() {
        for (pattern, text, expected) in [
            (NAME_PATTERN, "a.B-9_", true),
            (NAME_PATTERN, "", false),
            (NAME_PATTERN, "a b", false),
            ("[0-9]{12}", "123456789012", true),
            ("[0-9]{12}", "12345678901", false),
            (r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$", "my-bucket", true),
            (r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$", "my-bucket-", false),
            (r"([0-9a-f]{16})+", "0123456789abcdef", true),
            (r"([0-9a-f]{16})+", "0123456789abcde", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text:?}");
        }
    }
}
