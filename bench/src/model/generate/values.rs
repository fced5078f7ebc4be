//! Random values. They come from small ranges, so that comparisons are often close.

use crate::{
    model::{
        decimal::Decimal,
        value::{Item, Kind, Value},
    },
    random::Random,
};
use std::collections::BTreeSet;

/// Attributes and the type that each mostly has.
pub const ATTRIBUTES: [(&str, Kind); 17] = [
    ("n1", Kind::N),
    ("n2", Kind::N),
    ("n3", Kind::N),
    ("s1", Kind::S),
    ("s2", Kind::S),
    ("b1", Kind::B),
    ("f1", Kind::Bool),
    ("u1", Kind::Null),
    ("ss1", Kind::Ss),
    ("ns1", Kind::Ns),
    ("bs1", Kind::Bs),
    ("l1", Kind::L),
    ("l2", Kind::L),
    ("m1", Kind::M),
    ("m2", Kind::M),
    ("status", Kind::S),
    ("a.b-c", Kind::N),
];
/// Names in maps.
pub const ENTRIES: [&str; 5] = ["x", "y", "z", "status", "x.y"];
/// Lists and maps in lists and maps.
const DEEPEST: usize = 3;

/// One of several.
pub fn pick<'a, T>(random: &mut Random, choices: &'a [T]) -> Option<&'a T> {
    choices.get(random.between(0, choices.len() as u64) as usize)
}

/// The type that an attribute has most of the time.
pub fn favourite(name: &str) -> Option<Kind> {
    ATTRIBUTES.iter().find(|(other, _)| *other == name).map(|(_, kind)| *kind)
}

/// A type; that of the attribute, if there is one, most of the time.
pub fn kind(random: &mut Random, mostly: Option<Kind>) -> Kind {
    match mostly {
        Some(kind) if random.percent(80) => kind,
        _ => pick(random, &Kind::ALL).copied().unwrap_or(Kind::S),
    }
}

/// A value of a type.
pub fn value(random: &mut Random, kind: Kind) -> Value {
    nested(random, kind, 0)
}

fn nested(random: &mut Random, kind: Kind, depth: usize) -> Value {
    let count = random.between(0, 4);
    let some = |random: &mut Random| random.between(1, 4);
    match kind {
        Kind::S => Value::S(text(random)),
        Kind::N => Value::N(number(random)),
        Kind::B => Value::B(bytes(random)),
        Kind::Bool => Value::Bool(random.percent(50)),
        Kind::Null => Value::Null,
        Kind::Ss => Value::Ss((0..some(random)).map(|_| text(random)).collect()),
        Kind::Ns => Value::Ns((0..some(random)).map(|_| number(random)).collect()),
        Kind::Bs => Value::Bs((0..some(random)).map(|_| bytes(random)).collect::<BTreeSet<_>>()),
        Kind::L => Value::L((0..count).map(|_| element(random, depth + 1)).collect()),
        Kind::M => {
            let names = (0..count).filter_map(|_| pick(random, &ENTRIES)).collect::<BTreeSet<_>>();
            let entries = names.into_iter().map(|name| {
                let name = (*name).to_owned();
                (name, element(random, depth + 1))
            });
            Value::M(entries.collect::<Item>())
        }
    }
}

fn element(random: &mut Random, depth: usize) -> Value {
    let kind = match random.between(0, 10) {
        0..4 => Kind::N,
        4..6 => Kind::S,
        _ => kind(random, None),
    };
    match kind {
        Kind::L | Kind::M if depth >= DEEPEST => Value::N(number(random)),
        kind => nested(random, kind, depth),
    }
}

/// A text: short, at times of other letters or long.
pub fn text(random: &mut Random) -> String {
    const TEXTS: [&str; 13] = [
        "",
        "a",
        "ab",
        "abc",
        "b",
        "ba",
        "Z",
        "5",
        "\u{e9}",
        "\u{65e5}\u{672c}",
        "\"q\\",
        "a\nb\t",
        "\u{ff21}a",
    ];
    if random.percent(3) {
        let mut long = String::new();
        let length = random.spread(50, 2000) as usize;
        random.letters(length, &mut long);
        return long;
    }
    pick(random, &TEXTS).copied().unwrap_or_default().to_owned()
}

/// Bytes, of two values mostly.
pub fn bytes(random: &mut Random) -> Vec<u8> {
    let length = random.between(0, 4);
    (0..length)
        .map(
            |_| {
                if random.percent(80) {
                    7 + random.between(0, 2) as u8
                } else {
                    random.next() as u8
                }
            },
        )
        .collect()
}

/// A number: small, at times with a fraction, long, huge or tiny.
pub fn number(random: &mut Random) -> Decimal {
    let small = random.between(0, 13) as i128 - 3;
    match random.between(0, 100) {
        0..60 => Decimal::new(small, 0),
        60..75 => Decimal::new(random.between(0, 20_000) as i128 - 9_000, -2),
        75..82 => Decimal::new(small * 1000 + 1, -(random.between(0, 12) as i32)),
        82..88 => Decimal::new(small, random.between(2, 12) as i32),
        88..92 => Decimal::new(small, random.between(20, 40) as i32),
        92..94 => Decimal::new(small, -(random.between(20, 40) as i32)),
        94..96 => {
            // At most 38 digits.
            let digits = i128::from(random.next() >> 1) * i128::from(random.next() >> 1);
            Decimal::new(digits % 10_i128.pow(38), -(random.between(0, 45) as i32))
        }
        96..98 => Decimal::new(i128::from(random.next() as i64), 0),
        // Up to the largest and down to the smallest that there are.
        98 => Decimal::new(small, random.between(115, 126) as i32),
        _ => Decimal::new(small, -(random.between(115, 131) as i32)),
    }
}
