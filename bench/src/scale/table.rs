//! The table: ten items for each user, each item in two indexes, and loading it.

use crate::{
    Failure,
    dynamo::{send, settle},
    http::{Connection, Endpoint},
    random::Random,
};
use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The table's name.
const NAME: &str = "scale";
/// Items with the same partition key, in the table and in the index by group.
pub const TOGETHER: u64 = 10;
/// Items with the same partition key in the index by day.
const A_DAY: u64 = 1000;
/// No request takes this long.
const PATIENCE: Duration = Duration::from_secs(30);
/// A prime above every number of items: multiplying by it visits all of them, far apart.
const FAR: u64 = 2_654_435_761;
/// Letters that bring an item to about 150 bytes.
const FILLING: usize = 80;

const CREATE: &str = r#"{"TableName":"scale","BillingMode":"PAY_PER_REQUEST",
"AttributeDefinitions":[
{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},
{"AttributeName":"group","AttributeType":"S"},{"AttributeName":"rank","AttributeType":"N"},
{"AttributeName":"day","AttributeType":"S"}],
"KeySchema":[
{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
"GlobalSecondaryIndexes":[
{"IndexName":"by-group","KeySchema":[
{"AttributeName":"group","KeyType":"HASH"},{"AttributeName":"rank","KeyType":"RANGE"}],
"Projection":{"ProjectionType":"ALL"}},
{"IndexName":"by-day","KeySchema":[
{"AttributeName":"day","KeyType":"HASH"},{"AttributeName":"rank","KeyType":"RANGE"}],
"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["amount"]}}]}"#;

/// A table of a size.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    users: u64,
}

impl Table {
    /// A table with that many items, less what does not make a whole user.
    pub fn new(items: u64) -> Table {
        Table { users: (items / TOGETHER).max(1) }
    }

    /// How many items it has.
    pub fn items(self) -> u64 {
        self.users * TOGETHER
    }

    /// The group of an item: each has ten of them, of users far apart.
    fn group(self, item: u64) -> u64 {
        item * FAR % self.items() / TOGETHER
    }

    fn days(self) -> u64 {
        (self.items() / A_DAY).max(1)
    }

    /// Makes the table with all its items; gives the items per second. Users come in an order that is
    /// not that of their keys, so that the server cannot simply append.
    pub fn load(self, endpoint: &Endpoint, connections: u32) -> Result<f64, Failure> {
        let mut connection = connect(endpoint)?;
        send(&mut connection, "CreateTable", CREATE)?;
        if !settle(&mut connection, NAME, true, PATIENCE)? {
            return Err("the table does not become active".into());
        }
        println!("\nloading {} items over {connections} connections", self.items());
        let started = Instant::now();
        let next = &AtomicU64::new(0);
        let load_part = &|number: u32| -> Result<(), String> {
            let mut connection = connect(endpoint)?;
            let mut random = Random::stream(1, number.into());
            let mut body = String::new();
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn >= self.users {
                    return Ok(());
                }
                let user = turn * FAR % self.users;
                for item in user * TOGETHER..(user + 1) * TOGETHER {
                    self.put_body(&mut body, item, &mut random);
                    send(&mut connection, "PutItem", &body).map_err(|error| error.to_string())?;
                }
                self.tell(turn + 1, started);
            }
        };
        thread::scope(|scope| -> Result<(), Failure> {
            let parts: Vec<_> =
                (0..connections).map(|number| scope.spawn(move || load_part(number))).collect();
            for part in parts {
                part.join().map_err(|_| "a thread panicked")??;
            }
            Ok(())
        })?;
        Ok(self.items() as f64 / started.elapsed().as_secs_f64())
    }

    /// Says how far it is, five times in all.
    fn tell(self, users: u64, started: Instant) {
        if users.is_multiple_of((self.users / 5).max(1)) {
            let items = users * TOGETHER;
            let seconds = started.elapsed().as_secs_f64();
            println!("  {items} items after {seconds:.0} s, {:.0}/s", items as f64 / seconds);
        }
    }

    /// Some item that was loaded.
    pub fn some_item(self, random: &mut Random) -> u64 {
        random.between(0, self.items())
    }

    /// Writes the request that gets an item.
    pub fn get_body(self, body: &mut String, item: u64) {
        let (user, number) = (item / TOGETHER, item % TOGETHER);
        body.clear();
        // Writing to a string cannot fail, here and below.
        let _ = write!(
            body,
            r#"{{"TableName":"{NAME}","Key":{{"pk":{{"S":"USER#{user}"}},"sk":{{"S":"ITEM#{number}"}}}}}}"#
        );
    }

    /// Writes the request that puts an item that was loaded, with a new rank and amount.
    pub fn put_body(self, body: &mut String, item: u64, random: &mut Random) {
        let (user, number) = (item / TOGETHER, item % TOGETHER);
        begin_put(body, user);
        let _ = write!(body, "ITEM#{number}");
        end_put(body, self.group(item), item % self.days(), random);
    }

    /// Writes the request that puts an item that is not there yet, beside others.
    pub fn insert_body(self, body: &mut String, new: u64, random: &mut Random) {
        let group = random.between(0, self.users);
        begin_put(body, random.between(0, self.users));
        let _ = write!(body, "NEW#{new}");
        end_put(body, group, random.between(0, self.days()), random);
    }

    /// Writes the request that reads all items of a user.
    pub fn query_body(self, body: &mut String, random: &mut Random) {
        self.any_query(body, "", "pk", &format!("USER#{}", random.between(0, self.users)));
    }

    /// Writes the request that reads all items of a group.
    pub fn query_group_body(self, body: &mut String, random: &mut Random) {
        let group = format!("GROUP#{}", random.between(0, self.users));
        self.any_query(body, r#""IndexName":"by-group","#, "group", &group);
    }

    /// Writes the request that reads the first items of a day.
    pub fn query_day_body(self, body: &mut String, random: &mut Random) {
        let day = format!("DAY#{}", random.between(0, self.days()));
        self.any_query(body, r#""IndexName":"by-day","#, "day", &day);
    }

    fn any_query(self, body: &mut String, index: &str, key: &str, value: &str) {
        body.clear();
        let _ = write!(
            body,
            r##"{{"TableName":"{NAME}",{index}"Limit":{TOGETHER},"KeyConditionExpression":"#k = :v","ExpressionAttributeNames":{{"#k":"{key}"}},"ExpressionAttributeValues":{{":v":{{"S":"{value}"}}}}}}"##
        );
    }
}

/// Connects to the server.
pub fn connect(endpoint: &Endpoint) -> Result<Connection, String> {
    let connection = Connection::open(endpoint, PATIENCE);
    connection.map_err(|error| format!("{endpoint}: {error}"))
}

fn begin_put(body: &mut String, user: u64) {
    body.clear();
    let _ =
        write!(body, r#"{{"TableName":"{NAME}","Item":{{"pk":{{"S":"USER#{user}"}},"sk":{{"S":""#);
}

fn end_put(body: &mut String, group: u64, day: u64, random: &mut Random) {
    let (rank, amount) = (random.between(0, 1_000_000), random.between(1, 100_000));
    let _ = write!(
        body,
        r#""}},"group":{{"S":"GROUP#{group}"}},"rank":{{"N":"{rank}"}},"day":{{"S":"DAY#{day}"}},"amount":{{"N":"{amount}"}},"text":{{"S":""#
    );
    random.letters(FILLING, body);
    body.push_str(r#""}}}"#);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_group_has_ten_items() {
        let table = Table::new(5_000);
        let mut groups = vec![0; 500];
        for item in 0..table.items() {
            groups[table.group(item) as usize] += 1;
        }
        assert!(groups.iter().all(|&items| items == TOGETHER));
    }

    #[test]
    fn requests_are_json_and_items_small() {
        let (table, mut random, mut body) = (Table::new(1_000_000), Random::new(1), String::new());
        table.put_body(&mut body, 123_456, &mut random);
        let put: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(put["Item"]["pk"]["S"], "USER#12345");
        assert_eq!(put["Item"]["sk"]["S"], "ITEM#6");
        let attributes = put["Item"].as_object().unwrap().iter();
        let size: usize = attributes
            .map(|(name, value)| {
                let value = value.as_object().unwrap().values().next().unwrap();
                name.len() + value.as_str().unwrap().len()
            })
            .sum();
        assert!((140..180).contains(&size), "{size}");
        let bodies: [fn(Table, &mut String, &mut Random); 4] = [
            |table, body, random| table.insert_body(body, 1, random),
            Table::query_body,
            Table::query_group_body,
            Table::query_day_body,
        ];
        for write in bodies {
            write(table, &mut body, &mut random);
            assert!(serde_json::from_str::<Value>(&body).is_ok(), "{body}");
        }
        table.get_body(&mut body, 5);
        assert!(serde_json::from_str::<Value>(&body).is_ok(), "{body}");
    }
}
