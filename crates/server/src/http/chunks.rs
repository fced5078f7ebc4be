//! A body that comes in chunks, each behind its size.

use super::broken;
use std::io;

/// What may stand behind the sizes of chunks, and behind the last chunk, all in all.
const MOST_ASIDE: usize = 16 * 1024;

/// Takes the chunks out of what is read.
#[derive(Debug)]
pub(crate) struct Chunks {
    place: Place,
    aside: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a size.
    Size,
    /// Behind digits of a size.
    Digits(u64),
    /// Behind a size and a blank.
    Blank(u64),
    /// In what is behind a size, of no use to anybody.
    Aside(u64),
    /// Behind the CR of a size's line.
    SizeEnd(u64),
    /// In data of which so much is to come, or behind the last of it.
    Data(u64),
    /// Behind the CR of data.
    DataEnd,
    /// At the start of a line behind the last chunk.
    Trailer,
    /// In such a line.
    TrailerText,
    /// Behind its CR.
    TrailerEnd,
    /// Behind the CR of the empty line that ends it all.
    LastLine,
    End,
    /// Behind something that is no chunk. There is no way on from here.
    Broken,
}

impl Chunks {
    pub(crate) fn new() -> Chunks {
        Chunks { place: Place::Size, aside: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.place == Place::End
    }

    /// Adds up to `most` bytes of data to `into`. Gives how many bytes of `from` are used.
    pub(crate) fn take(
        &mut self,
        from: &[u8],
        into: &mut Vec<u8>,
        most: usize,
    ) -> io::Result<usize> {
        let mut rest = from;
        let mut room = most;
        while self.place != Place::End {
            if let Place::Data(left @ 1..) = self.place {
                let here = usize::try_from(left).unwrap_or(usize::MAX).min(room).min(rest.len());
                let Some((data, behind)) = rest.split_at_checked(here) else { break };
                if data.is_empty() {
                    break;
                }
                into.extend_from_slice(data);
                room -= data.len();
                rest = behind;
                self.place = Place::Data(left - data.len() as u64);
                continue;
            }
            let Some((byte, behind)) = rest.split_first() else { break };
            self.place = self.step(*byte).unwrap_or(Place::Broken);
            if self.place == Place::Broken {
                return Err(broken("chunks that are none"));
            }
            rest = behind;
        }
        Ok(from.len() - rest.len())
    }

    fn step(&mut self, byte: u8) -> Option<Place> {
        let digit = char::from(byte).to_digit(16).map(u64::from);
        match (self.place, byte) {
            (Place::Size, _) => digit.map(Place::Digits),
            (Place::Digits(size) | Place::Blank(size) | Place::Aside(size), b'\r') => {
                Some(Place::SizeEnd(size))
            }
            (Place::Digits(size) | Place::Blank(size), b';') => Some(Place::Aside(size)),
            (Place::Digits(size) | Place::Blank(size), b' ' | b'\t') => {
                self.put_aside(Place::Blank(size))
            }
            (Place::Digits(0), b'0') => self.put_aside(Place::Digits(0)),
            (Place::Digits(size), _) => {
                size.checked_mul(16)?.checked_add(digit?).map(Place::Digits)
            }
            (Place::Aside(_) | Place::Trailer | Place::TrailerText, b'\n') => None,
            (Place::Aside(size), _) => self.put_aside(Place::Aside(size)),
            (Place::SizeEnd(0), b'\n') => Some(Place::Trailer),
            (Place::SizeEnd(size), b'\n') => Some(Place::Data(size)),
            (Place::Data(_), b'\r') => Some(Place::DataEnd),
            (Place::DataEnd, b'\n') => Some(Place::Size),
            (Place::Trailer, b'\r') => Some(Place::LastLine),
            (Place::LastLine, b'\n') => Some(Place::End),
            (Place::TrailerText, b'\r') => Some(Place::TrailerEnd),
            (Place::TrailerEnd, b'\n') => Some(Place::Trailer),
            (Place::Trailer | Place::TrailerText, _) => self.put_aside(Place::TrailerText),
            _ => None,
        }
    }

    /// One more byte that is of no use to anybody.
    fn put_aside(&mut self, place: Place) -> Option<Place> {
        self.aside += 1;
        (self.aside <= MOST_ASIDE).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a body in pieces of that size; gives it, and what is left behind it.
    fn read(body: &[u8], piece: usize, most: usize) -> io::Result<(Vec<u8>, usize)> {
        let (mut chunks, mut data, mut used) = (Chunks::new(), Vec::new(), 0);
        while !chunks.is_at_end() {
            let end = (used + piece).min(body.len());
            if used == end {
                return Err(broken("cut off"));
            }
            let taken = chunks.take(&body[used..end], &mut data, most)?;
            used += taken;
        }
        Ok((data, body.len() - used))
    }

    #[test]
    fn chunks_are_put_together_however_they_come() {
        let body =
            b"5\r\nhello\r\n0A ;x=y\r\n, \r\nworld!\r\n0\r\nName: value\r\nOther: x\r\n\r\nPOST";
        for piece in [1, 2, 3, 7, 100] {
            for most in [1, 4, 100] {
                let (data, left) = read(body, piece, most).unwrap();
                assert_eq!(data, b"hello, \r\nworld!");
                assert_eq!(left, 4);
            }
        }
        assert_eq!(read(b"000\r\n\r\n", 3, 10).unwrap(), (Vec::new(), 0));
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        for body in [
            &b"\r\n"[..],
            b"g\r\n",
            b"-1\r\n",
            b"5\nhello",
            b"5\r\nhello0\r\n",
            b"5\r\nhello\n0\r\n\r\n",
            b"5;x\ny\r\nhello\r\n0\r\n\r\n",
            b"0\r\n\n",
            b"0\r\n\rx",
            b"2 7\r\n{}",
            b"0\r\na: b\n\r\n",
            b"0\r\na: b\r\r\n",
            b"10000000000000000\r\n",
        ] {
            let error = read(body, 100, 100).unwrap_err();
            assert_eq!(error.to_string(), "chunks that are none", "{body:?}");
        }
        // What comes after it is not looked at, nor is it looked at again.
        let mut chunks = Chunks::new();
        for _ in 0..2 {
            assert!(chunks.take(b"\n0\r\n\r\n", &mut Vec::new(), 10).is_err());
            assert!(!chunks.is_at_end());
        }
    }

    #[test]
    fn what_stands_beside_chunks_is_bounded() {
        let mut body = b"1;".to_vec();
        body.resize(MOST_ASIDE + 2, b'x');
        body.extend_from_slice(b"\r\nx\r\n0\r\n\r\n");
        assert!(read(&body, 1000, 1000).is_ok());
        body.splice(..2, *b"1;;");
        assert!(read(&body, 1000, 1000).is_err());
        assert!(read(&[b'0'; MOST_ASIDE + 2], 1000, 1000).is_err());
        let endless = "1;xxxxxxxx\r\nx\r\n".repeat(MOST_ASIDE / 8 + 1);
        assert!(read(endless.as_bytes(), 1000, 1000).is_err());
    }
}
