//! Why an attribute value is refused, in the classic wording of DynamoDB, oddities included.

use thiserror::Error;

use crate::NumberError;

/// An attribute value that DynamoDB does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ValueError {
    /// No type given.
    #[error(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    )]
    Empty,
    /// Two or more types given.
    #[error(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the \
         supported datatypes"
    )]
    SeveralTypes,
    /// `NULL` given as false.
    #[error(
        "One or more parameter values were invalid: Null attribute value types must have the value \
         of true"
    )]
    NullMustBeTrue,
    /// A string set without elements.
    #[error("One or more parameter values were invalid: An string set  may not be empty")]
    EmptyStringSet,
    /// A number set without elements.
    #[error("One or more parameter values were invalid: An number set  may not be empty")]
    EmptyNumberSet,
    /// A binary set without elements.
    #[error("One or more parameter values were invalid: Binary sets should not be empty")]
    EmptyBinarySet,
    /// A string set with equal elements; holds all elements as given.
    #[error(
        "One or more parameter values were invalid: Input collection [{}] contains duplicates.",
        .0.join(", ")
    )]
    DuplicateStrings(Vec<String>),
    /// A number set with equal elements.
    #[error("Input collection contains duplicates")]
    DuplicateNumbers,
    /// A binary set with equal elements; holds all elements as given.
    #[error(
        "One or more parameter values were invalid: Input collection [{}]of type BS contains \
         duplicates.",
        base64_list(.0)
    )]
    DuplicateBinaries(Vec<Vec<u8>>),
    /// A number that is none or does not fit.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// More levels of nesting than allowed.
    #[error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels \
         beyond supported limit"
    )]
    TooDeep,
    /// An attribute without a name.
    #[error("One or more parameter values were invalid: Empty attribute name")]
    EmptyAttributeName,
    /// An attribute with a name longer than AWS keeps.
    #[error(
        "One or more parameter values were invalid: Attribute name is too large, \
         must be less than 65536 bytes"
    )]
    AttributeNameTooLong,
}

fn base64_list(elements: &[Vec<u8>]) -> String {
    let elements: Vec<String> = elements.iter().map(|element| base64(element)).collect();
    elements.join(", ")
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let padded = chunk.iter().chain(&[0; 3]).take(3);
        let group = padded.fold(0, |group: usize, byte| group << 8 | usize::from(*byte));
        for (position, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let symbol = ALPHABET.get(group >> shift & 63).copied();
            let symbol = symbol.filter(|_| position <= chunk.len());
            text.push(char::from(symbol.unwrap_or(b'=')));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_aws() {
        const INVALID: &str = "One or more parameter values were invalid: ";
        let strings = vec!["b".to_owned(), "a".to_owned(), "b".to_owned()];
        let binaries = vec![b"a".to_vec(), b"foobar".to_vec(), b"a".to_vec()];
        for (error, text) in [
            (
                ValueError::Empty,
                "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes".to_owned(),
            ),
            (
                ValueError::SeveralTypes,
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes".to_owned(),
            ),
            (
                ValueError::NullMustBeTrue,
                format!("{INVALID}Null attribute value types must have the value of true"),
            ),
            (
                ValueError::EmptyStringSet,
                format!("{INVALID}An string set  may not be empty"),
            ),
            (
                ValueError::EmptyNumberSet,
                format!("{INVALID}An number set  may not be empty"),
            ),
            (
                ValueError::EmptyBinarySet,
                format!("{INVALID}Binary sets should not be empty"),
            ),
            (
                ValueError::DuplicateStrings(strings),
                format!("{INVALID}Input collection [b, a, b] contains duplicates."),
            ),
            (
                ValueError::DuplicateNumbers,
                "Input collection contains duplicates".to_owned(),
            ),
            (
                ValueError::DuplicateBinaries(binaries),
                format!("{INVALID}Input collection [YQ==, Zm9vYmFy, YQ==]of type BS contains duplicates."),
            ),
            (
                ValueError::from(NumberError::TooManyDigits),
                "Attempting to store more than 38 significant digits in a Number".to_owned(),
            ),
            (
                ValueError::TooDeep,
                "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit".to_owned(),
            ),
            (
                ValueError::EmptyAttributeName,
                format!("{INVALID}Empty attribute name"),
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn base64_is_the_standard_one() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xFB\xFF\xFE", "+//+"),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }
}
