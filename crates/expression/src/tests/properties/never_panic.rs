//! No text makes anything panic, and none takes long.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::MAX_EXPRESSION_SIZE;
use crate::tests::stack::{on_a_small_stack, use_everywhere};

const TOKENS: [&str; 46] = [
    "a",
    "b",
    "#a",
    "#n",
    "#gone",
    ":a",
    ":v",
    ":l",
    ":gone",
    "size",
    "contains",
    "begins_with",
    "attribute_exists",
    "attribute_type",
    "if_not_exists",
    "list_append",
    "nope",
    "abort",
    "0",
    "12",
    "99999999999",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    ".",
    ",",
    "=",
    "<>",
    "<",
    ">=",
    "+",
    "-",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "!",
    "\u{e9}",
];

/// Whole pieces, so that much of the soup gets past the parser.
const PIECES: [&str; 12] = [
    "a = :a",
    "size(a) > :a",
    "NOT b IN (:a, a)",
    "(a = :a)",
    "AND",
    "OR",
    "contains(a, :v)",
    "SET a = :a",
    "REMOVE b[0]",
    "a[0].b, b",
    "attribute_exists(a)",
    "(",
];

fn timed(text: String) {
    let start = Instant::now();
    on_a_small_stack({
        let text = text.clone();
        move || use_everywhere(&text)
    });
    // Far above what it takes, far below what a bad growth would take.
    assert!(start.elapsed() < Duration::from_secs(2), "{text}");
}

fn soup(tokens: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(tokens), 0..700).prop_map(|tokens| {
        let mut text = tokens.join(" ");
        let mut end = text.len().min(MAX_EXPRESSION_SIZE);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn of_random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..MAX_EXPRESSION_SIZE)) {
        timed(String::from_utf8_lossy(&bytes).into_owned());
    }

    #[test]
    fn of_random_text(text in "[ -~\u{e9}\n]{0,4000}") {
        timed(text);
    }

    #[test]
    fn of_token_soup(text in soup(&TOKENS)) {
        timed(text);
    }

    #[test]
    fn of_pieces(text in soup(&PIECES)) {
        timed(text);
    }
}

#[test]
fn wide_texts_are_quick() {
    for text in [
        format!("SET {}", (0..600).map(|n| format!("a{n}=:a")).collect::<Vec<_>>().join(",")),
        format!("REMOVE {}", (0..500).map(|n| format!("a[{n}]")).collect::<Vec<_>>().join(",")),
        format!("REMOVE {}", (0..800).map(|n| format!("b{n}")).collect::<Vec<_>>().join(",")),
        vec!["a"; 2048].join(","),
        (0..500).map(|n| format!("a.b{n}")).collect::<Vec<_>>().join(","),
        format!("a IN ({})", vec![":a"; 1300].join(",")),
        vec!["a=:a"; 512].join(" OR "),
    ] {
        timed(text);
    }
}
