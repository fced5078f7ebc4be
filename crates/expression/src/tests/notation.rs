//! A short way to write values: `{a: 1, b: 'x', c: [true, null], d: <1, 2>, e: x'00ff'}`.

use value::{Item, Map, Number, Value};

pub(super) fn item(text: &str) -> Item {
    match value(text) {
        Value::M(map) => map,
        other => panic!("{other:?} is no item"),
    }
}

pub(super) fn value(text: &str) -> Value {
    let mut reader = Reader { rest: text };
    let value = reader.value();
    reader.blanks();
    assert!(reader.rest.is_empty(), "{} left over of {text}", reader.rest);
    value
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, mark: &str) -> bool {
        self.blanks();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self, allowed: fn(char) -> bool) -> &'t str {
        self.blanks();
        let end = self.rest.find(|c| !allowed(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn until(&mut self, mark: &str) -> &'t str {
        let (text, rest) = self.rest.split_once(mark).expect("the end of a text");
        self.rest = rest;
        text
    }

    fn list(&mut self, end: &str) -> Vec<Value> {
        let mut values = Vec::new();
        while !self.take(end) {
            values.push(self.value());
            self.take(",");
        }
        values
    }

    fn value(&mut self) -> Value {
        if self.take("'") {
            return Value::S(self.until("'").to_owned());
        }
        if self.take("x'") {
            let digits = self.until("'").as_bytes();
            let byte = |pair: &[u8]| {
                let text = std::str::from_utf8(pair).unwrap();
                u8::from_str_radix(text, 16).unwrap()
            };
            return Value::B(digits.chunks(2).map(byte).collect());
        }
        if self.take("[") {
            return Value::L(self.list("]"));
        }
        if self.take("{") {
            let mut map = Map::new();
            while !self.take("}") {
                let name = if self.take("'") {
                    self.until("'")
                } else {
                    self.word(|c| c.is_alphanumeric() || c == '_')
                };
                assert!(self.take(":"), "a colon at {}", self.rest);
                map.insert(name.to_owned(), self.value());
                self.take(",");
            }
            return Value::M(map);
        }
        if self.take("<") {
            return set(self.list(">"));
        }
        match self.word(|c| c.is_alphanumeric() || "+-.".contains(c)) {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            number => Value::N(Number::parse(number).unwrap()),
        }
    }
}

fn set(elements: Vec<Value>) -> Value {
    let mut strings = Vec::new();
    let mut numbers = Vec::new();
    let mut binaries = Vec::new();
    for element in elements {
        match element {
            Value::S(text) => strings.push(text),
            Value::N(number) => numbers.push(number),
            Value::B(bytes) => binaries.push(bytes),
            other => panic!("{other:?} in a set"),
        }
    }
    if !strings.is_empty() {
        Value::string_set(strings).unwrap()
    } else if !numbers.is_empty() {
        Value::number_set(numbers).unwrap()
    } else {
        Value::binary_set(binaries).unwrap()
    }
}
