//! The requests are what they say.

use super::*;
use serde_json::Value;
use std::{collections::HashSet, time::Duration};

fn plan() -> Plan {
    Plan {
        connections: vec![1],
        time: Duration::from_secs(1),
        rounds: 1,
        item_bytes: 50,
        keys: 1_000,
        workloads: Workload::ALL.to_vec(),
    }
}

fn script(workload: Workload) -> Script {
    Script::new(workload, &Endpoint::local(8000), "bench", &plan())
}

#[test]
fn requests_are_whole_http_with_json() {
    for workload in Workload::ALL {
        let (mut script, mut out) = (script(workload), Vec::new());
        for _ in 0..200 {
            let kind = script.next(&mut out);
            let text = String::from_utf8(out.clone()).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.contains(&format!("_20120810.{}\r\n", kind.operation())), "{head}");
            assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{head}");
            assert!(serde_json::from_str::<Value>(body).unwrap().is_object(), "{body}");
        }
    }
}

#[test]
fn mixes_are_mixed() {
    for (workload, updates) in [(Workload::MixB, 5), (Workload::MixA, 50)] {
        let (mut script, mut out) = (script(workload), Vec::new());
        let kinds: Vec<Kind> = (0..10_000).map(|_| script.next(&mut out)).collect();
        let found = kinds.iter().filter(|kind| **kind == Kind::Set).count();
        assert!(found.abs_diff(updates * 100) < 200, "{found}");
    }
}

#[test]
fn no_request_names_an_item_twice() {
    for (kind, list, number) in [
        (Kind::Batch, "/RequestItems/bench", BATCH as usize),
        (Kind::Transact, "/TransactItems", 2),
    ] {
        let mut script = script(Workload::BatchWrite25);
        for _ in 0..200 {
            let body: Value = serde_json::from_str(script.body(kind)).unwrap();
            let writes = body.pointer(list).and_then(Value::as_array).unwrap();
            let key = |write: &Value| {
                let item = write.pointer("/PutRequest/Item").or(write.pointer("/Update/Key"));
                (item.unwrap()["pk"].to_string(), item.unwrap()["sk"].to_string())
            };
            let keys: HashSet<_> = writes.iter().map(key).collect();
            assert_eq!(keys.len(), number);
        }
    }
}
