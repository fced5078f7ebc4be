//! The healthy directories that are damaged: with every feature, with several tables after flushes and
//! compactions, ended in every way.

use super::{
    copies,
    server::{NoServer, Program, Server},
    truth::{self, Answers},
};
use crate::{Failure, dynamo, http::Connection, random::Random};
use serde_json::{Value, json};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(60);

/// So many writes of one item make the server write its memory out.
const WRITES_TO_FLUSH: usize = 4200;

/// How long it takes at most until a server notes what it has acknowledged.
const UNTIL_NOTED: Duration = Duration::from_millis(2500);

/// A healthy directory, and what a server says of it.
pub struct Original {
    pub name: &'static str,
    pub path: PathBuf,
    pub truth: Answers,
    /// What it would say without the last write, if that cannot be told from a torn one.
    pub earlier: Option<Answers>,
    /// Whether the end of its journal may be lost without a word.
    pub unsynced: bool,
}

pub struct Originals(pub Vec<Original>);

impl fmt::Display for Originals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for original in &self.0 {
            let files = copies::files(&original.path).unwrap_or_default();
            let tables = files.iter().filter(|f| f.parent().is_some_and(|p| p.ends_with("tables")));
            let journals = files.iter().filter(|f| f.extension().is_some_and(|e| e == "jnl"));
            write!(
                f,
                "original {:?}: {} files, {} tables, {} journals; ",
                original.name,
                files.len(),
                tables.count(),
                journals.count()
            )?;
        }
        Ok(())
    }
}

/// The keys of all items that may be in a table.
pub fn keys(table: &str) -> Vec<Value> {
    match table {
        "orders" | "restored" => {
            let key =
                |n: u32| json!({"PK": {"S": customer(n)}, "SK": {"S": format!("order-{n:03}")}});
            (0..ORDERS).map(key).collect()
        }
        "users" => (0..USERS).map(|n| json!({"id": {"N": n.to_string()}})).collect(),
        _ => {
            let names = (0..PLAIN).map(|n| format!("plain-{n}"));
            let names = names.chain(["hot".to_owned(), "last".to_owned()]);
            names.map(|name| json!({"id": {"S": name}})).collect()
        }
    }
}

const ORDERS: u32 = 120;
const USERS: u32 = 80;
const PLAIN: u32 = 60;

fn customer(number: u32) -> String {
    format!("customer-{}", number % 8)
}

impl Originals {
    pub fn make(program: &Program, place: &Path, short: bool) -> Result<Originals, Failure> {
        let base = place.join("stopped");
        let mut random = Random::new(7);
        {
            let mut running = Running::start(program, &base, false, place)?;
            running.create_tables()?;
            for round in 0..(if short { 1 } else { 6 }) {
                running.write_round(round, &mut random)?;
                running.flush(&base)?;
            }
            running.backup_and_restore()?;
            running.write_round(9, &mut random)?;
            running.stop()?;
        }
        let killed = place.join("killed");
        copies::copy(&base, &killed, &[])?;
        {
            let mut running = Running::start(program, &killed, true, place)?;
            running.write_round(10, &mut random)?;
            thread::sleep(UNTIL_NOTED);
            running.kill()?;
        }
        let at_once = place.join("killed-at-once");
        copies::copy(&base, &at_once, &[])?;
        let earlier = {
            let mut running = Running::start(program, &at_once, true, place)?;
            running.write_round(11, &mut random)?;
            thread::sleep(UNTIL_NOTED);
            let earlier = truth::ask_everything(&running.server.endpoint)?;
            running.put("plain", json!({"id": {"S": "last"}, "text": {"S": "the last write"}}))?;
            running.kill()?;
            earlier
        };
        // Its journal has never been cut, so that it is filled up with zeros.
        let fresh = place.join("fresh");
        {
            let mut running = Running::start(program, &fresh, true, place)?;
            running.create_tables()?;
            running.write_round(0, &mut random)?;
            running.backup_and_restore()?;
            running.write_round(13, &mut random)?;
            thread::sleep(UNTIL_NOTED);
            running.kill()?;
        }
        let unsynced = place.join("unsynced");
        copies::copy(&base, &unsynced, &[])?;
        {
            let mut running = Running::start(program, &unsynced, false, place)?;
            running.write_round(12, &mut random)?;
            running.kill()?;
        }
        let mut originals = Vec::new();
        for (name, path) in [
            ("stopped", base),
            ("killed", killed),
            ("killed-at-once", at_once),
            ("unsynced", unsynced),
            ("fresh", fresh),
        ] {
            let copy = place.join("truth");
            copies::copy(&path, &copy, &[])?;
            let mut running = Running::start(program, &copy, name != "unsynced", place)?;
            let truth = truth::ask_everything(&running.server.endpoint)?;
            running.kill()?;
            fs::remove_dir_all(&copy)?;
            if let Some((name, error)) = truth.iter().find(|(_, answer)| answer.is_err()) {
                return Err(format!("a healthy server: {name}: {error:?}").into());
            }
            let earlier = (name == "killed-at-once").then(|| earlier.clone());
            originals.push(Original { name, path, truth, earlier, unsynced: name == "unsynced" });
        }
        Ok(Originals(originals))
    }
}

struct Running {
    server: Server,
    connection: Connection,
}

impl Running {
    fn start(
        program: &Program,
        data: &Path,
        synced: bool,
        place: &Path,
    ) -> Result<Running, Failure> {
        let log = place.join("original.log");
        let server = program.serve(data, synced, &log).map_err(|why| match why {
            NoServer::Ended | NoServer::Hangs => {
                format!(
                    "the server did not start: {}",
                    fs::read_to_string(&log).unwrap_or_default()
                )
            }
            NoServer::Failed(error) => error,
        })?;
        let connection = Connection::open(&server.endpoint, PATIENCE)?;
        Ok(Running { server, connection })
    }

    fn ask(&mut self, operation: &str, body: Value) -> Result<Value, Failure> {
        Ok(dynamo::ask(&mut self.connection, operation, &body.to_string())?)
    }

    fn put(&mut self, table: &str, item: Value) -> Result<(), Failure> {
        self.ask("PutItem", json!({"TableName": table, "Item": item})).map(drop)
    }

    fn stop(mut self) -> Result<(), Failure> {
        match self.server.process.terminate(PATIENCE)? {
            Some(status) if status.success() => Ok(()),
            other => Err(format!("the server did not stop: {other:?}").into()),
        }
    }

    fn kill(&mut self) -> Result<(), Failure> {
        Ok(self.server.process.kill()?)
    }

    fn create_tables(&mut self) -> Result<(), Failure> {
        let key = |p: &str, s: &str| json!([{"AttributeName": p, "KeyType": "HASH"}, {"AttributeName": s, "KeyType": "RANGE"}]);
        let hash = |p: &str| json!([{"AttributeName": p, "KeyType": "HASH"}]);
        let types = |all: &[(&str, &str)]| -> Value {
            let one = |(n, t): &(&str, &str)| json!({"AttributeName": n, "AttributeType": t});
            Value::Array(all.iter().map(one).collect())
        };
        self.ask("CreateTable", json!({
            "TableName": "orders", "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("PK", "SK"),
            "AttributeDefinitions": types(&[("PK", "S"), ("SK", "S"), ("total", "N"), ("state", "S"), ("day", "S")]),
            "LocalSecondaryIndexes": [{"IndexName": "by_total", "KeySchema": key("PK", "total"), "Projection": {"ProjectionType": "KEYS_ONLY"}}],
            "GlobalSecondaryIndexes": [
                {"IndexName": "by_state", "KeySchema": key("state", "day"), "Projection": {"ProjectionType": "ALL"}},
                {"IndexName": "by_day", "KeySchema": hash("day"), "Projection": {"ProjectionType": "KEYS_ONLY"}}
            ],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        }))?;
        self.ask("CreateTable", json!({
            "TableName": "users", "BillingMode": "PAY_PER_REQUEST", "KeySchema": hash("id"),
            "AttributeDefinitions": types(&[("id", "N"), ("mail", "S")]),
            "GlobalSecondaryIndexes": [{"IndexName": "by_mail", "KeySchema": hash("mail"), "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]}}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}
        }))?;
        for table in ["plain", "gone"] {
            self.ask(
                "CreateTable",
                json!({
                    "TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": hash("id"),
                    "AttributeDefinitions": types(&[("id", "S")])
                }),
            )?;
        }
        for table in ["orders", "gone"] {
            let on = json!({"PointInTimeRecoveryEnabled": true});
            self.ask(
                "UpdateContinuousBackups",
                json!({"TableName": table, "PointInTimeRecoverySpecification": on}),
            )?;
        }
        let ttl = json!({"Enabled": true, "AttributeName": "expires"});
        self.ask(
            "UpdateTimeToLive",
            json!({"TableName": "orders", "TimeToLiveSpecification": ttl}),
        )?;
        Ok(())
    }

    /// Writes to a part of all items; each round to another one.
    fn write_round(&mut self, round: u32, random: &mut Random) -> Result<(), Failure> {
        let mut text = || {
            let mut text = String::new();
            let length = usize::try_from(random.between(20, 300)).unwrap_or(20);
            random.letters(length, &mut text);
            text
        };
        for n in (0..ORDERS).filter(|n| n % 3 == round % 3 || n % 5 == round % 5) {
            let key = json!({"PK": {"S": customer(n)}, "SK": {"S": format!("order-{n:03}")}});
            if (n + round).is_multiple_of(7) {
                self.ask("DeleteItem", json!({"TableName": "orders", "Key": key}))?;
                continue;
            }
            self.put("orders", json!({
                "PK": {"S": customer(n)}, "SK": {"S": format!("order-{n:03}")},
                "total": {"N": (n * 10 + round).to_string()}, "state": {"S": format!("state-{}", (n + round) % 4)},
                "day": {"S": format!("day-{}", n % 9)}, "expires": {"N": (4_000_000_000_u64 + u64::from(n)).to_string()},
                "text": {"S": text()}
            }))?;
        }
        for n in (0..USERS).filter(|n| n % 2 == round % 2) {
            self.put("users", json!({
                "id": {"N": n.to_string()}, "mail": {"S": format!("{}@example.com", n % 30)}, "text": {"S": text()}
            }))?;
        }
        for n in (0..PLAIN).filter(|n| n % 4 == round % 4) {
            self.put("plain", json!({"id": {"S": format!("plain-{n}")}, "text": {"S": text()}}))?;
        }
        if round < 9 {
            self.put("gone", json!({"id": {"S": format!("gone-{round}")}, "text": {"S": text()}}))?;
        }
        let token = format!("token-{round}");
        let put = |id: &str| json!({"Put": {"TableName": "plain", "Item": {"id": {"S": id}, "text": {"S": token}}}});
        self.ask(
            "TransactWriteItems",
            json!({
                "ClientRequestToken": token, "TransactItems": [put("plain-1"), put("plain-2")]
            }),
        )?;
        Ok(())
    }

    /// Makes the server write its memory out, and waits for the file.
    fn flush(&mut self, data: &Path) -> Result<(), Failure> {
        let tables = data.join("store/keyspaces/1/tables");
        let newest = || -> Option<u64> {
            let entries = fs::read_dir(&tables).ok()?.flatten();
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).max()
        };
        let before = newest();
        for n in 0..WRITES_TO_FLUSH {
            self.put("plain", json!({"id": {"S": "hot"}, "n": {"N": n.to_string()}}))?;
        }
        let deadline = Instant::now() + PATIENCE;
        while newest() == before {
            if Instant::now() > deadline {
                return Err("the server does not write its memory out".into());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn backup_and_restore(&mut self) -> Result<(), Failure> {
        let made =
            self.ask("CreateBackup", json!({"TableName": "orders", "BackupName": "saved"}))?;
        let arn = made.pointer("/BackupDetails/BackupArn").cloned().unwrap_or_default();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let described = self.ask("DescribeBackup", json!({"BackupArn": arn}))?;
            let status = described.pointer("/BackupDescription/BackupDetails/BackupStatus");
            if status.and_then(Value::as_str) == Some("AVAILABLE") {
                break;
            }
            if Instant::now() > deadline {
                return Err("the backup does not come".into());
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.ask(
            "RestoreTableFromBackup",
            json!({"TargetTableName": "restored", "BackupArn": arn}),
        )?;
        if !dynamo::settle(&mut self.connection, "restored", true, PATIENCE)? {
            return Err("the restored table does not come".into());
        }
        self.ask("DeleteTable", json!({"TableName": "gone"}))?;
        Ok(())
    }
}
