//! Compressed streams, read and written piece by piece.

use std::io::{self, Read, Write};

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// How an object's bytes are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
}

/// The largest window a Zstandard stream may ask for, as a power of two: 8 MiB, what its format
/// asks every reader to support. A hostile one could ask for gigabytes.
const MAX_WINDOW_LOG: u32 = 23;
/// gzip's usual balance.
const GZIP_LEVEL: u32 = 6;
/// Zstandard's usual balance.
const ZSTD_LEVEL: i32 = 3;

impl Compression {
    /// The bytes that a compressed stream stands for.
    pub fn reader<'a, R: Read + 'a>(self, from: R) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Compression::None => Box::new(from),
            Compression::Gzip => Box::new(MultiGzDecoder::new(from)),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::new(from)?;
                decoder.window_log_max(MAX_WINDOW_LOG)?;
                Box::new(decoder)
            }
        })
    }

    /// A writer that compresses; [`Compressor::finish`] completes the stream.
    pub fn writer<W: Write>(self, to: W) -> io::Result<Compressor<W>> {
        Ok(Compressor(match self {
            Compression::None => Encoder::None(to),
            Compression::Gzip => {
                Encoder::Gzip(GzEncoder::new(to, flate2::Compression::new(GZIP_LEVEL)))
            }
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(to, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
        }))
    }
}

/// Compresses what is written to it.
pub struct Compressor<W: Write>(Encoder<W>);

enum Encoder<W: Write> {
    None(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Compressor<W> {
    /// What lies beneath, so that it can be emptied now and then.
    pub fn get_mut(&mut self) -> &mut W {
        match &mut self.0 {
            Encoder::None(to) => to,
            Encoder::Gzip(encoder) => encoder.get_mut(),
            Encoder::Zstd(encoder) => encoder.get_mut(),
        }
    }

    /// Completes the stream.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            Encoder::None(to) => Ok(to),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Encoder::None(to) => to.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Encoder::None(to) => to.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zstd];

    fn compressed(compression: Compression, bytes: &[u8]) -> Vec<u8> {
        let mut writer = compression.writer(Vec::new()).unwrap();
        for piece in bytes.chunks(1000) {
            writer.write_all(piece).unwrap();
        }
        writer.finish().unwrap()
    }

    fn read(compression: Compression, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        compression.reader(bytes)?.read_to_end(&mut all)?;
        Ok(all)
    }

    #[test]
    fn streams_come_back() {
        let bytes: Vec<u8> = (0..100_000u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        for compression in ALL {
            let small = compressed(compression, &bytes);
            assert_eq!(small.len() < bytes.len(), compression != Compression::None);
            assert!(read(compression, &small).unwrap() == bytes, "{compression:?}");
            assert_eq!(read(compression, &compressed(compression, b"")).unwrap(), b"");
        }
    }

    #[test]
    fn streams_one_behind_the_other_are_one() {
        for compression in ALL {
            let both = [compressed(compression, b"ab"), compressed(compression, b"c")].concat();
            assert_eq!(read(compression, &both).unwrap(), b"abc", "{compression:?}");
        }
    }

    #[test]
    fn damage_is_an_error() {
        let bytes = vec![7; 10_000];
        for compression in [Compression::Gzip, Compression::Zstd] {
            let whole = compressed(compression, &bytes);
            assert!(read(compression, &whole[..whole.len() - 1]).is_err(), "{compression:?}");
            let mut damaged = whole.clone();
            let last = damaged.len() - 3;
            damaged[last] ^= 1;
            assert!(read(compression, &damaged).is_err(), "{compression:?}");
            assert!(read(compression, b"plain text").is_err(), "{compression:?}");
        }
    }

    #[test]
    fn a_window_of_gigabytes_is_refused() {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(&[0; 1000]).unwrap();
        encoder.flush().unwrap();
        encoder.write_all(&[0; 1000]).unwrap();
        let wide = encoder.finish().unwrap();
        assert!(read(Compression::Zstd, &wide).is_err());
    }
}
