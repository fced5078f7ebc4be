//! More and larger answers than anybody should ask for at once: from clients that take them, and from
//! clients that do not.

use crate::{
    dynamo::{RequestError, send},
    histogram::Histogram,
    http::{CallError, Connection, Endpoint},
    random::Random,
};
use socket2::SockRef;
use std::{
    io::Write,
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(60);
const STACK: usize = 256 * 1024;
/// Items of a batch, which together are as large as an answer can be.
const ITEMS: usize = 40;
const ITEM_BYTES: usize = 390_000;

/// What readers saw.
#[derive(Debug)]
pub struct Seen {
    /// Latencies of answers.
    pub answered: Histogram,
    /// Refusals.
    pub refused: u64,
    /// What should not be.
    pub complaints: Vec<String>,
}

/// Puts the items, and gives the request for all of them.
pub fn prepare(connection: &mut Connection) -> Result<String, RequestError> {
    let mut text = String::new();
    Random::new(2).letters(ITEM_BYTES, &mut text);
    let mut keys = Vec::new();
    for number in 0..ITEMS {
        let key = format!(r#""pk":{{"S":"large{number}"}}"#);
        let put = format!(r#"{{"TableName":"overload","Item":{{{key},"text":{{"S":"{text}"}}}}}}"#);
        send(connection, "PutItem", &put)?;
        keys.push(format!("{{{key}}}"));
    }
    Ok(format!(r#"{{"RequestItems":{{"overload":{{"Keys":[{}]}}}}}}"#, keys.join(",")))
}

/// Clients that ask again and again for that long, and take what they get.
pub fn run(endpoint: &Endpoint, count: usize, body: &str, time: Duration) -> Seen {
    let stop = AtomicBool::new(false);
    let stop_ref = &stop;
    thread::scope(|scope| {
        let mut whole = Seen { answered: Histogram::new(), refused: 0, complaints: Vec::new() };
        let mut threads = Vec::new();
        for _ in 0..count {
            let work = move || read(endpoint, body, stop_ref);
            match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(error) => whole.complaints.push(format!("no thread: {error}")),
            }
        }
        thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            match thread.join() {
                Ok(seen) => {
                    whole.answered.merge(&seen.answered);
                    whole.refused += seen.refused;
                    whole.complaints.extend(seen.complaints);
                }
                Err(_) => whole.complaints.push("a reader panicked".to_owned()),
            }
        }
        whole
    })
}

fn read(endpoint: &Endpoint, body: &str, stop: &AtomicBool) -> Seen {
    let mut seen = Seen { answered: Histogram::new(), refused: 0, complaints: Vec::new() };
    let mut kept = None;
    while !stop.load(Ordering::Relaxed) && seen.complaints.is_empty() {
        let connection = match kept.take() {
            Some(connection) => Ok(connection),
            None => Connection::open(endpoint, PATIENCE),
        };
        let mut connection = match connection {
            Ok(connection) => connection,
            Err(error) => {
                seen.complaints.push(format!("no connection: {error}"));
                break;
            }
        };
        let started = Instant::now();
        match send(&mut connection, "BatchGetItem", body) {
            Ok(()) => {
                seen.answered.record(started.elapsed());
                kept = Some(connection);
            }
            Err(error) if error.is("ThrottlingException") => {
                seen.refused += 1;
                kept = Some(connection);
                thread::sleep(Duration::from_millis(200));
            }
            // Whoever takes an answer too slowly while others wait is cut off.
            Err(RequestError::Call(CallError::Closed(_))) => {
                seen.refused += 1;
                thread::sleep(Duration::from_millis(200));
            }
            Err(error) => seen.complaints.push(format!("BatchGetItem: {error}")),
        }
    }
    seen
}

/// Clients that ask, and take nothing.
pub fn deaf(endpoint: &Endpoint, count: usize, body: &str) -> std::io::Result<Vec<TcpStream>> {
    let request = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.BatchGetItem\r\n\
         Content-Type: application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential=deaf/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, \
         Signature=0000000000000000000000000000000000000000000000000000000000000000\r\n\
         X-Amz-Date: 20260101T000000Z\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut streams = Vec::with_capacity(count);
    for _ in 0..count {
        let mut stream = TcpStream::connect_timeout(&endpoint.address(), PATIENCE)?;
        SockRef::from(&stream).set_recv_buffer_size(4096)?;
        stream.write_all(request.as_bytes())?;
        streams.push(stream);
    }
    Ok(streams)
}
