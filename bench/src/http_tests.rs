//! The client against a server that says what each test wants.

use super::*;
use std::{net::TcpListener, thread};

/// Answers the requests of one connection after the other with these bytes.
fn server(connections: Vec<Vec<&'static str>>) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint(listener.local_addr().unwrap());
    thread::spawn(move || {
        for answers in connections {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            for answer in answers {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    if let Some(value) = line.strip_prefix("Content-Length: ") {
                        length = value.trim().parse().unwrap();
                    }
                    if line == "\r\n" {
                        break;
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                assert_eq!(body, b"{}");
                reader.get_mut().write_all(answer.as_bytes()).unwrap();
            }
        }
    });
    endpoint
}

fn open(endpoint: &Endpoint) -> Connection {
    Connection::open(endpoint, Duration::from_secs(5)).unwrap()
}

#[test]
fn answers_of_every_form_are_read_one_after_the_other() {
    let endpoint = server(vec![
        vec![
            "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
            "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n\
             2\r\nde\r\n1;x=y\r\nf\r\n0\r\nTrailer: t\r\n\r\n",
            "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ],
        vec!["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end"],
    ]);
    let mut connection = open(&endpoint);
    for (status, body) in [(200, "abc"), (400, "def"), (500, ""), (200, "to the end")] {
        let answer = connection.call("PutItem", "{}").unwrap();
        assert_eq!((answer.status, answer.body), (status, body.as_bytes()), "{body}");
    }
}

#[test]
fn a_connection_that_ends_is_told_from_an_answer_that_makes_no_sense() {
    for (answer, closed) in [
        ("", true),
        ("HTTP/1.1 200", true),
        ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab", true),
        ("SSH-2.0\r\n", false),
        ("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\n\r\n", false),
    ] {
        let endpoint = server(vec![vec![answer]]);
        let error = open(&endpoint).call("PutItem", "{}").unwrap_err();
        assert_eq!(matches!(error, CallError::Closed(_)), closed, "{answer}");
    }
}

#[test]
fn only_this_machine_is_an_endpoint() {
    for (url, good) in [
        ("http://127.0.0.1:8000", true),
        ("http://localhost:8000/", true),
        ("http://[::1]:8000", true),
        ("http://10.0.0.1:8000", false),
        ("http://0.0.0.0:8000", false),
        ("http://127.0.0.1", false),
        ("http://example.com:80", false),
        ("https://127.0.0.1:8000", false),
    ] {
        assert_eq!(Endpoint::parse(url).is_ok(), good, "{url}");
    }
}
