//! Prints the values of a refused request as AWS echoes them: Java's `toString`.

use super::{
    decode::Input,
    scalar::{Blob, Double, Integer, Long, Timestamp},
};
use std::{collections::BTreeMap, fmt::Write};

/// Something that can stand in a violation's text.
pub trait Echoed {
    /// Appends the value as AWS prints it.
    fn echo(&self, out: &mut String);
}

/// The members of one structure being printed.
pub struct Echo<'a> {
    out: &'a mut String,
    first: bool,
}

impl Echo<'_> {
    /// Appends `name=value`.
    pub fn member<T: Echoed>(&mut self, name: &str, value: &Option<T>) {
        if !std::mem::take(&mut self.first) {
            self.out.push_str(", ");
        }
        self.out.push_str(name);
        self.out.push('=');
        match value {
            Some(value) => value.echo(self.out),
            None => self.out.push_str("null"),
        }
    }
}

pub(super) fn structure<T: Input>(value: &T, out: &mut String) {
    out.push_str(T::NAME);
    out.push('(');
    value_members(value, out);
    out.push(')');
}

fn value_members<T: Input>(value: &T, out: &mut String) {
    Input::echo(value, &mut Echo { out, first: true });
}

impl Echoed for String {
    fn echo(&self, out: &mut String) {
        out.push_str(self);
    }
}

/// Scalars that print as Rust prints them.
macro_rules! displayed {
    ($($name:ty => $value:expr),*) => {
        $(impl Echoed for $name {
            fn echo(&self, out: &mut String) {
                let _ = write!(out, "{}", $value(self));
            }
        })*
    };
}

displayed! {
    bool => |v: &bool| *v,
    Integer => |v: &Integer| v.0,
    Long => |v: &Long| v.0,
    Double => |v: &Double| v.0,
    Timestamp => |v: &Timestamp| v.0
}

impl Echoed for Blob {
    fn echo(&self, out: &mut String) {
        let _ = write!(out, "java.nio.HeapByteBuffer[pos=0 lim={0} cap={0}]", self.0.len());
    }
}

impl<T: Echoed> Echoed for Vec<T> {
    fn echo(&self, out: &mut String) {
        out.push('[');
        for (i, element) in self.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            element.echo(out);
        }
        out.push(']');
    }
}

impl<T: Echoed> Echoed for BTreeMap<String, T> {
    fn echo(&self, out: &mut String) {
        out.push('{');
        for (i, (key, value)) in self.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            out.push_str(key);
            out.push('=');
            value.echo(out);
        }
        out.push('}');
    }
}
