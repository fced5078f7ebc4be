//! The generator against servers whose speed is known.

use super::*;
use crate::load::{Plan, Workload};
use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

/// Answers every request of every connection with these bytes; the one with the number `slow`
/// of a connection after this time.
fn server(answer: &'static str, slow: usize, pause: Duration) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                for number in 0.. {
                    // Requests are small and come one at a time: each is one read.
                    if stream.read(&mut bytes).unwrap_or(0) == 0 {
                        return;
                    }
                    if number == slow {
                        thread::sleep(pause);
                    }
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    Endpoint::local(port)
}

fn run(
    endpoint: &Endpoint,
    pace: Pace,
    connections: u32,
    workload: Workload,
) -> Result<Round, String> {
    let time = Duration::from_millis(400);
    let plan = Plan {
        connections: vec![connections],
        time,
        rounds: 1,
        item_bytes: 5,
        keys: 1_000,
        workloads: vec![workload],
    };
    let mut script = Script::new(workload, endpoint, "bench", &plan);
    measure(&mut script, endpoint, Setting { connections, pace, time, item_bytes: 5 })
}

const GOOD: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n12345";

#[test]
fn at_a_fixed_rate_a_stall_is_seen_by_all_who_waited() {
    // A number that is reached after the warm-up of 100 ms, and before the end.
    let endpoint = server(GOOD, 50, Duration::from_millis(200));
    let round = run(&endpoint, Pace::Fixed(250.0), 1, Workload::GetItem).unwrap();
    assert_eq!(round.latencies.count(), 100);
    // 50 requests came during the pause and waited for 100 ms on average.
    let late = round.latencies.permille(800);
    assert!(late > Duration::from_millis(60), "{late:?}");
}

#[test]
fn a_rate_that_is_too_high_ends_and_shows() {
    let endpoint = server(GOOD, 0, Duration::from_millis(700));
    let round = run(&endpoint, Pace::Fixed(1_000.0), 1, Workload::GetItem).unwrap();
    assert!(round.latencies.count() >= 399, "{}", round.latencies.count());
    assert!(round.rate < 900.0, "{}", round.rate);
    assert!(round.latencies.permille(500) > Duration::from_millis(200));
}

#[test]
fn a_server_that_closes_each_time_is_asked_again() {
    let closing = "HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\n12345";
    let endpoint = server(closing, usize::MAX, Duration::ZERO);
    // More requests than connections; a busy machine may need more than one run for that.
    let counts = (0..50)
        .map(|_| run(&endpoint, Pace::Closed, 1, Workload::GetItem).unwrap().latencies.count());
    assert!(counts.into_iter().any(|count| count > 4));
}

#[test]
fn a_slow_server_is_waited_for() {
    let endpoint = server(GOOD, 0, Duration::from_millis(900));
    let round = run(&endpoint, Pace::Closed, 2, Workload::GetItem).unwrap();
    assert!(round.latencies.count() >= 1);
    assert!(round.rate < 5.0, "{}", round.rate);
}

#[test]
fn wrong_answers_end_it() {
    for (answer, workload, text) in [
        ("HTTP/1.1 400 Bad\r\ncontent-length: 2\r\n\r\n{}", Workload::PutItem, "400"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", Workload::GetItem, "not what GetItem"),
        ("nonsense\r\n\r\n", Workload::PutItem, "status line"),
    ] {
        let endpoint = server(answer, usize::MAX, Duration::ZERO);
        let error = run(&endpoint, Pace::Closed, 1, workload).unwrap_err();
        assert!(error.contains(text), "{error}");
    }
}
