//! An API on a store in memory, with a clock that tests move by hand, and
//! `check(request, answer)` in JSON.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests fail by panicking")]

use engine::{
    Engine, Settings,
    environment::{Environment, Moment},
};

use monotable_api::{Api, Caller, Operation};
use serde_json::Value;
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};
use store::Memory;

pub struct Clock {
    now: AtomicI64,
    chance: AtomicU64,
}

impl Environment for Clock {
    fn now(&self) -> Moment {
        Moment(self.now.load(Ordering::Relaxed))
    }

    fn random(&self) -> u128 {
        u128::from(self.chance.fetch_add(1, Ordering::Relaxed))
    }
}

pub struct Server {
    api: Api,
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    runtime: tokio::runtime::Runtime,
}

impl Server {
    pub fn new() -> Server {
        Server::with_delay(Duration::ZERO)
    }

    pub fn with_delay(table_delay: Duration) -> Server {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let clock = Arc::new(Clock { now: 1_700_000_000_000.into(), chance: 0.into() });
        let store_clock = clock.clone();
        let store_clock = store::Clock::new(move || store_clock.now.load(Ordering::Relaxed) as u64);
        let opening = Engine::open(
            Arc::new(Memory::new(store_clock)),
            clock.clone(),
            Settings { table_delay, ..Settings::default() },
        );
        let engine = Arc::new(runtime.block_on(opening).unwrap());
        Server { api: Api::new(engine.clone()), engine, clock, runtime }
    }

    /// Time passes.
    #[allow(dead_code, reason = "not every test file moves time")]
    pub fn wait(&self, time: Duration) {
        self.clock.now.fetch_add(time.as_millis() as i64, Ordering::Relaxed);
    }

    /// Does what a server does in the background.
    #[allow(dead_code, reason = "not every test file needs it")]
    pub fn work(&self) {
        self.runtime.block_on(async {
            self.engine.build_indexes().await.unwrap();
            self.engine.index_expiries().await.unwrap();
            self.engine.expire().await.unwrap();
            self.engine.run_restores().await.unwrap();
            self.engine.run_backups().await.unwrap();
            self.engine.roll_shards().await.unwrap();
            self.engine.trim_log().await.unwrap();
            self.engine.sweep().await.unwrap();
        });
    }

    /// Carries out exports and imports, to and from a folder.
    #[allow(dead_code, reason = "not every test file needs it")]
    pub fn transfer(&self, folder: &std::path::Path) {
        let storage = transfer::StorageConfig::Folder(folder.to_owned());
        let transfers = transfer::Transfers::new(self.engine.clone(), Some(storage));
        self.runtime.block_on(transfers.run()).unwrap();
    }

    /// The answer, or the error's name and text.
    pub fn call(&self, operation: &str, request: &Value) -> Result<Value, (String, String)> {
        self.send(operation, request.to_string().as_bytes())
    }

    pub fn send(&self, operation: &str, body: &[u8]) -> Result<Value, (String, String)> {
        let caller = Caller {
            region: "eu-west-1".into(),
            account: "123456789012".into(),
            host: "here:8000".into(),
        };
        let streams = ["ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"];
        let own = ["RestoreItems", "DescribeRestore", "ListRestores", "DescribeItemHistory"];
        let service = match operation {
            _ if streams.contains(&operation) => "DynamoDBStreams_20120810",
            _ if own.contains(&operation) => "Monotable_1",
            _ => "DynamoDB_20120810",
        };
        let target = format!("{service}.{operation}");
        let operation = Operation::from_target(&target).unwrap();
        match self.runtime.block_on(self.api.call(operation, &caller, body)) {
            Ok(body) if body.is_empty() => Ok(Value::Null),
            Ok(body) => Ok(serde_json::from_slice(&body).unwrap()),
            Err(error) => Err((error.kind.name().to_owned(), error.message.unwrap_or_default())),
        }
    }

    #[track_caller]
    pub fn ok(&self, operation: &str, request: Value) -> Value {
        match self.call(operation, &request) {
            Ok(answer) => answer,
            Err((name, text)) => panic!("{operation} {request}\n{name}: {text}"),
        }
    }

    /// Checks an error: `Name: text`.
    #[track_caller]
    pub fn refused(&self, operation: &str, request: Value, expected: &str) {
        match self.call(operation, &request) {
            Ok(answer) => panic!("{operation} {request}\nexpected {expected}\ngot {answer}"),
            Err((name, text)) => {
                let found = format!("{name}: {text}");
                assert_eq!(found, expected, "{operation} {request}");
            }
        }
    }

    /// Checks a ValidationException by its text.
    #[track_caller]
    #[allow(dead_code, reason = "not every test file refuses")]
    pub fn invalid(&self, operation: &str, request: Value, text: &str) {
        self.refused(operation, request, &format!("ValidationException: {text}"));
    }

    /// Puts every two faults that go together into one request: the first of them in the list
    /// must be the one that is reported. Gives what was not so.
    #[allow(dead_code, reason = "not every test file has faults in pairs")]
    pub fn pairs_of_faults<T: AsRef<str>>(
        &self,
        operation: &str,
        base: &Value,
        faults: &[(Value, T)],
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        for (at, (first, text)) in faults.iter().enumerate() {
            for (second, _) in &faults[at..] {
                let members = second.as_object().unwrap();
                if members.keys().any(|name| first.get(name).is_some_and(|v| *v != second[name])) {
                    continue;
                }
                let mut request = base.clone();
                for (name, value) in first.as_object().unwrap().iter().chain(members) {
                    request[name] = value.clone();
                }
                let (name, found) = self.call(operation, &request).unwrap_err();
                let (found, text) = (format!("{name}: {found}"), text.as_ref());
                if !found.starts_with(text) {
                    wrong.push(format!("{request}\n  expected {text}\n  got      {found}"));
                }
            }
        }
        wrong
    }
}
