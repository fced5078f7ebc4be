//! Where the body of a request of HTTP/1 ends. What can be understood in two ways is refused: a
//! proxy in front may understand it in the other.

use super::{Head, chunks::Chunks};

/// What of a body is still to come.
#[derive(Debug)]
pub(crate) enum Framing {
    Length(u64),
    Chunks(Chunks),
}

impl Framing {
    /// As the head says, if it makes sense.
    pub(crate) fn of(head: &Head, is_old: bool) -> Option<Framing> {
        let mut lengths = head.all("content-length");
        let mut codings = head.all("transfer-encoding");
        let (length, coding) = (lengths.next(), codings.next());
        match (length, coding) {
            (None, None) => Some(Framing::Length(0)),
            (Some(length), None) => {
                let same = lengths.all(|other| other == length);
                number(length).filter(|_| same).map(Framing::Length)
            }
            (None, Some(coding)) => {
                let known = coding.eq_ignore_ascii_case(b"chunked") && codings.next().is_none();
                (known && !is_old).then(|| Framing::Chunks(Chunks::new()))
            }
            (Some(_), Some(_)) => None,
        }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        match self {
            Framing::Length(left) => *left == 0,
            Framing::Chunks(chunks) => chunks.is_at_end(),
        }
    }
}

fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(fields: &[(&str, &str)], is_old: bool) -> Option<Result<u64, ()>> {
        let mut head = Head::new("POST", "/", 0, 0);
        for (name, value) in fields {
            head.add(name, value.as_bytes());
        }
        Framing::of(&head, is_old).map(|framing| match framing {
            Framing::Length(length) => Ok(length),
            Framing::Chunks(_) => Err(()),
        })
    }

    #[test]
    fn a_body_has_a_length_or_chunks() {
        assert_eq!(framing(&[], false), Some(Ok(0)));
        assert_eq!(framing(&[("Content-Length", "12")], true), Some(Ok(12)));
        assert_eq!(
            framing(&[("Content-Length", "7"), ("content-length", "7")], false),
            Some(Ok(7))
        );
        assert_eq!(framing(&[("Transfer-Encoding", "Chunked")], false), Some(Err(())));
    }

    #[test]
    fn what_can_be_taken_in_two_ways_is_refused() {
        for length in ["", "+1", "-1", "1 ", "0x1", "1,1", "18446744073709551616"] {
            assert_eq!(framing(&[("Content-Length", length)], false), None, "{length}");
        }
        assert_eq!(framing(&[("Content-Length", "1"), ("Content-Length", "2")], false), None);
        let both = [("Content-Length", "1"), ("Transfer-Encoding", "chunked")];
        assert_eq!(framing(&both, false), None);
        assert_eq!(framing(&[("Transfer-Encoding", "chunked")], true), None);
        for coding in ["gzip, chunked", "chunked, chunked", "gzip", "identity", "xchunked"] {
            assert_eq!(framing(&[("Transfer-Encoding", coding)], false), None, "{coding}");
        }
        let twice = [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")];
        assert_eq!(framing(&twice, false), None);
    }
}
