//! The notation of values in the tables.

use super::{Members, Outcome};
use serde_json::{Map, Value, json};

/// Reads the notation of the tables from the front of a text.
pub struct Notation<'t>(pub &'t str);

impl Notation<'_> {
    pub fn next(&mut self) -> Option<char> {
        self.0 = self.0.trim_start_matches([' ', ',', '\n']);
        self.0.chars().next()
    }

    pub fn takes(&mut self, token: &str) -> bool {
        self.next();
        match self.0.strip_prefix(token) {
            Some(rest) => self.0 = rest,
            None => return false,
        }
        true
    }

    pub fn expect(&mut self, token: &str) -> Outcome<()> {
        if self.takes(token) {
            return Ok(());
        }
        Err(format!("{token} should stand before: {}", self.0))
    }

    pub fn word(&mut self) -> Outcome<String> {
        if self.next() == Some('"') {
            return Ok(self.json()?.as_str().unwrap().into());
        }
        let end = self.0.find(|c: char| " ,:=(){}[];\"".contains(c)).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        if word.is_empty() {
            Err(format!("a word should stand before: {rest}"))
        } else {
            Ok(word.into())
        }
    }

    pub fn json(&mut self) -> Outcome<Value> {
        let mut values = serde_json::Deserializer::from_str(self.0).into_iter();
        let value = values.next().ok_or("JSON is missing")?.map_err(|e| e.to_string())?;
        self.0 = &self.0[values.byte_offset()..];
        Ok(value)
    }

    pub fn value(&mut self) -> Outcome<Value> {
        Ok(match self.next() {
            Some('{') => json!({"M": self.attributes()?}),
            Some('"') => json!({"S": self.json()?}),
            Some('[') => {
                self.expect("[")?;
                json!({"L": self.values("]")?})
            }
            _ => match self.word()?.as_str() {
                "null" => json!({"NULL": true}),
                "true" => json!({"BOOL": true}),
                "false" => json!({"BOOL": false}),
                "bin" => {
                    self.expect("(")?;
                    let text = self.json()?;
                    self.expect(")")?;
                    json!({"B": text})
                }
                "raw" => {
                    self.expect("(")?;
                    let value = self.json()?;
                    self.expect(")")?;
                    value
                }
                "set" => {
                    self.expect("(")?;
                    let members = self.values(")")?;
                    let (kind, _) =
                        members.first().and_then(Value::as_object).unwrap().iter().next().unwrap();
                    let bare: Vec<_> = members.iter().map(|member| &member[kind]).collect();
                    json!({format!("{kind}S"): bare})
                }
                number => json!({"N": number}),
            },
        })
    }

    pub fn values(&mut self, end: &str) -> Outcome<Vec<Value>> {
        let mut values = Vec::new();
        while !self.takes(end) {
            values.push(self.value()?);
        }
        Ok(values)
    }

    pub fn attributes(&mut self) -> Outcome<Members> {
        let mut members = Map::new();
        self.expect("{")?;
        while !self.takes("}") {
            let name = self.word()?;
            self.expect(":")?;
            members.insert(name, self.value()?);
        }
        Ok(members)
    }

    /// `:v=5 #n="name"`
    pub fn placeholders(&mut self) -> Outcome<Vec<(String, Value)>> {
        let mut all = Vec::new();
        while let Some(sign) = self.next() {
            self.0 = &self.0[1..];
            let name = format!("{sign}{}", self.word()?);
            self.expect("=")?;
            all.push((name, self.value()?));
        }
        Ok(all)
    }

    /// `a=5, -b`
    pub fn changes(&mut self, item: &mut Members) -> Outcome<()> {
        while self.next().is_some() {
            if self.takes("-") {
                item.remove(&self.word()?);
            } else {
                let name = self.word()?;
                self.expect("=")?;
                item.insert(name, self.value()?);
            }
        }
        Ok(())
    }

    /// `n EQ 5; s Exists=false`, with `OR:` or `AND:` in front for a ConditionalOperator.
    pub fn expected(&mut self) -> Outcome<Members> {
        let mut members = Map::new();
        for operator in ["OR", "AND"] {
            if self.takes(&format!("{operator}:")) {
                members.insert("ConditionalOperator".into(), operator.into());
            }
        }
        let mut entries = Map::new();
        while self.next().is_some() {
            let name = self.word()?;
            let mut entry = Map::new();
            while !self.takes(";") && self.next().is_some() {
                if self.takes("Exists=") {
                    entry.insert("Exists".into(), (self.word()? == "true").into());
                } else if self.takes("Value=") {
                    entry.insert("Value".into(), self.value()?);
                } else if self.takes("List=") {
                    self.expect("[")?;
                    entry.insert("AttributeValueList".into(), self.values("]")?.into());
                } else if self.next().unwrap().is_ascii_uppercase() {
                    entry.insert("ComparisonOperator".into(), self.word()?.into());
                } else {
                    let value = self.value()?;
                    let list = entry.entry("AttributeValueList").or_insert_with(|| json!([]));
                    list.as_array_mut().unwrap().push(value);
                }
            }
            entries.insert(name, entry.into());
        }
        members.insert("Expected".into(), entries.into());
        Ok(members)
    }

    /// `n PUT 5; s DELETE; a 6`
    pub fn updates(&mut self) -> Outcome<Members> {
        let mut updates = Map::new();
        while self.next().is_some() {
            if self.takes("-") {
                break;
            }
            let name = self.word()?;
            let mut update = Map::new();
            while !self.takes(";") && self.next().is_some() {
                if self.next().unwrap().is_ascii_uppercase() {
                    update.insert("Action".into(), self.word()?.into());
                } else {
                    update.insert("Value".into(), self.value()?);
                }
            }
            updates.insert(name, update.into());
        }
        Ok(updates)
    }

    /// `Key={p:"k"} ReturnValues=ALL_NEW`: attributes in this notation, all else in JSON.
    pub fn members(&mut self) -> Outcome<Members> {
        let mut members = Map::new();
        while self.next().is_some() {
            let name = self.word()?;
            self.expect("=")?;
            let value = match name.as_str() {
                "Key" | "Item" | "ExpressionAttributeValues" => self.attributes()?.into(),
                _ if self.next().is_some_and(|c| "{[\"0123456789".contains(c)) => self.json()?,
                _ => self.word()?.into(),
            };
            members.insert(name, value);
        }
        Ok(members)
    }
}
