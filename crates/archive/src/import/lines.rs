//! The lines of a stream, one in memory at a time and none beyond a limit.

use std::io::{self, BufRead};

/// A line: its number from one, and its text or that it is too long.
pub(crate) type Line<'a> = (u64, Result<&'a [u8], TooLong>);

/// A line beyond the limit.
pub(crate) struct TooLong;

/// The lines of a stream.
pub(crate) struct Lines<R> {
    from: R,
    max_bytes: usize,
    number: u64,
    text: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(max_bytes: usize, from: R) -> Lines<R> {
        Lines { from, max_bytes, number: 0, text: Vec::new() }
    }

    /// The number of the line that is being read, or was read last.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The next line, without its end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.text.clear();
        self.number += 1;
        let mut too_long = false;
        let mut read = 0;
        loop {
            let buffer = self.from.fill_buf()?;
            if buffer.is_empty() {
                if read == 0 {
                    return Ok(None);
                }
                break;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(buffer.len());
            too_long |= self.text.len() + taken > self.max_bytes;
            if !too_long {
                self.text.extend_from_slice(buffer.get(..taken).unwrap_or_default());
            }
            let consumed = taken + usize::from(end.is_some());
            read += consumed;
            self.from.consume(consumed);
            if end.is_some() {
                break;
            }
        }
        let text = if too_long { Err(TooLong) } else { Ok(self.text.as_slice()) };
        Ok(Some((self.number, text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_a_limit() {
        let text = b"a\n\nlonger than that\nfive5\nend";
        let from = io::BufReader::with_capacity(3, text.as_slice());
        let mut lines = Lines::new(5, from);
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            let line = line.map(|line| String::from_utf8(line.to_vec()).unwrap());
            found.push((number, line.ok()));
        }
        let line = |text: &str| Some(text.to_owned());
        let expected =
            [(1, line("a")), (2, line("")), (3, None), (4, line("five5")), (5, line("end"))];
        assert_eq!(found, expected);
    }
}
