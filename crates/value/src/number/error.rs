//! Why a text is not a number, in the words DynamoDB uses.

use std::fmt;

use thiserror::Error;

/// A text that is not a number of DynamoDB, or a result that does not fit into one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NumberError {
    /// The text is no decimal number; holds the text.
    NotNumeric(String),
    /// The magnitude is above the supported range.
    Overflow,
    /// The magnitude is below the supported range.
    Underflow,
    /// More than 38 significant digits.
    TooManyDigits,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumberError::NotNumeric(text) => {
                f.write_str("The parameter cannot be converted to a numeric value")?;
                if text.is_empty() { Ok(()) } else { write!(f, ": {text}") }
            }
            NumberError::Overflow => f.write_str(
                "Number overflow. Attempting to store a number with magnitude larger than \
                 supported range",
            ),
            NumberError::Underflow => f.write_str(
                "Number underflow. Attempting to store a number with magnitude smaller than \
                 supported range",
            ),
            NumberError::TooManyDigits => {
                f.write_str("Attempting to store more than 38 significant digits in a Number")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_aws() {
        let check = |error: NumberError, text: &str| assert_eq!(error.to_string(), text);
        check(
            NumberError::NotNumeric(String::new()),
            "The parameter cannot be converted to a numeric value",
        );
        check(
            NumberError::NotNumeric("abc".into()),
            "The parameter cannot be converted to a numeric value: abc",
        );
        check(
            NumberError::Overflow,
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        );
        check(
            NumberError::Underflow,
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        );
        check(
            NumberError::TooManyDigits,
            "Attempting to store more than 38 significant digits in a Number",
        );
    }
}
