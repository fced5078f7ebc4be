//! What holds for which items.

use super::notation::{item, value};
use super::{condition, error};
use value::Item;

const VALUES: &str = "{s: 'b', n: 2, b: x'62', t: true, z: null, l: [1, 'x'], m: {k: 1}, \
                      ss: <'a', 'b'>, ns: <1, 2>, bs: <x'61', x'62'>, one: 1, three: 3, \
                      a: 'a', c: 'c', e: '', x: 'x', ba: x'61', be: x'', ts: 'S', tss: 'SS', \
                      tn: 'N', tns: 'NS', tb: 'B', tbs: 'BS', tt: 'BOOL', tz: 'NULL', tl: 'L', \
                      tm: 'M', zero: 0}";

const ITEM: &str = "{s: 'b', n: 2, b: x'62', t: true, z: null, l: [1, 'x', [2], {k: 'v'}], \
                    m: {k: 1, deep: {er: [10, 20]}}, ss: <'b', 'a'>, ns: <2.0, 1>, \
                    bs: <x'62', x'61'>, e: '', lng: 'hello', u: 'h\u{e9}\u{1F600}', \
                    byt: x'00ff6162', n2: 2.00, 'x.y': 'dotted', size: 7, el: [], em: {}}";

fn check(text: &str, expect: bool) {
    let condition = condition(text, VALUES).unwrap_or_else(|found| panic!("{text}: {found}"));
    assert_eq!(condition.matches(&item(ITEM)), expect, "{text}");
}

#[test]
fn tests_hold_or_not() {
    for (text, expect) in [
        ("s = :s", true),
        ("s = :a", false),
        ("s = :n", false),
        ("n = :n", true),
        ("n = n2", true),
        ("b = :b", true),
        ("s = b", false),
        ("t = :t", true),
        ("z = :z", true),
        ("l = :l", false),
        ("m = :m", false),
        ("m.k = :one", true),
        ("ss = :ss", true),
        ("ns = :ns", true),
        ("bs = :bs", true),
        ("e = :e", true),
        ("l[1] = :x", true),
        ("l[2][0] = :n", true),
        ("l[3].k = :x", false),
        ("m.deep.er[1] > m.deep.er[0]", true),
        ("gone = :s", false),
        ("gone = nope", false),
        (":s = :s", true),
        ("#n = :s", false),
        ("attribute_exists(#n)", true),
        ("attribute_exists(x.y)", false),
        ("#r > :three", true),
        ("s <> :s", false),
        ("s <> :a", true),
        ("s <> :n", true),
        ("gone <> :s", true),
        (":s <> gone", true),
        ("gone <> nope", true),
        ("NOT gone <> nope", false),
        ("z <> :z", false),
        ("s < :c", true),
        ("s < :s", false),
        ("s <= :s", true),
        ("s > :a", true),
        ("s >= :c", false),
        ("n < :three", true),
        ("n > :one", true),
        ("n >= :n", true),
        ("n < :s", false),
        ("b > :ba", true),
        ("b <= :ba", false),
        ("gone < :s", false),
        (":s > gone", false),
        ("t < s", false),
        ("l < l[0]", false),
        ("NOT n < :s", true),
        ("e < :a", true),
        ("s BETWEEN :a AND :c", true),
        ("s BETWEEN :s AND :s", true),
        ("s BETWEEN :c AND :x", false),
        ("n BETWEEN :one AND :three", true),
        ("n BETWEEN :one AND :n", true),
        ("n BETWEEN :a AND :c", false),
        ("b BETWEEN :ba AND :b", true),
        ("gone BETWEEN :a AND :c", false),
        ("s BETWEEN gone AND :c", false),
        ("s BETWEEN :a AND gone", false),
        ("n BETWEEN m.k AND :three", true),
        (":n BETWEEN m.k AND n", true),
        ("NOT s BETWEEN :a AND :c", false),
        ("t BETWEEN :a AND :c", false),
        ("s IN (:a, :s)", true),
        ("s IN (:a, :n)", false),
        ("n IN (:a, :n, :t)", true),
        ("l IN (:l)", false),
        ("gone IN (:a)", false),
        ("s IN (gone, :s)", true),
        ("s IN (gone)", false),
        ("z IN (:z)", true),
        ("ss IN (:ns, :ss)", true),
        (":one IN (n, m.k)", true),
        ("attribute_exists(s)", true),
        ("attribute_exists(z)", true),
        ("attribute_exists(e)", true),
        ("attribute_exists(gone)", false),
        ("attribute_exists(m.k)", true),
        ("attribute_exists(m.gone)", false),
        ("attribute_exists(m[0])", false),
        ("attribute_exists(l[3])", true),
        ("attribute_exists(l[4])", false),
        ("attribute_exists(l.k)", false),
        ("attribute_exists(s.k)", false),
        ("attribute_not_exists(gone)", true),
        ("attribute_not_exists(s)", false),
        ("attribute_not_exists(m.gone.er)", true),
        ("attribute_type(s, :ts)", true),
        ("attribute_type(s, :tn)", false),
        ("attribute_type(n, :tn)", true),
        ("attribute_type(b, :tb)", true),
        ("attribute_type(t, :tt)", true),
        ("attribute_type(z, :tz)", true),
        ("attribute_type(l, :tl)", true),
        ("attribute_type(m, :tm)", true),
        ("attribute_type(ss, :tss)", true),
        ("attribute_type(ns, :tns)", true),
        ("attribute_type(bs, :tbs)", true),
        ("attribute_type(ss, :ts)", false),
        ("attribute_type(gone, :ts)", false),
        ("begins_with(lng, :e)", true),
        ("begins_with(s, :s)", true),
        ("begins_with(lng, s)", false),
        ("begins_with(lng, :x)", false),
        ("begins_with(byt, :be)", true),
        ("begins_with(b, :b)", true),
        ("begins_with(b, :s)", false),
        ("begins_with(s, :b)", false),
        ("begins_with(n, :s)", false),
        ("begins_with(gone, :e)", false),
        ("begins_with(:s, s)", true),
        ("begins_with(ss, :a)", false),
        ("contains(s, :s)", true),
        ("contains(s, :e)", true),
        ("contains(lng, :x)", false),
        ("contains(byt, :b)", true),
        ("contains(byt, :ba)", true),
        ("contains(byt, :be)", true),
        ("contains(byt, :s)", false),
        ("contains(ss, :a)", true),
        ("contains(ss, :c)", false),
        ("contains(ss, :ba)", false),
        ("contains(ns, :one)", true),
        ("contains(ns, n2)", true),
        ("contains(ns, :three)", false),
        ("contains(ns, :a)", false),
        ("contains(bs, :b)", true),
        ("contains(bs, :s)", false),
        ("contains(l, :one)", true),
        ("contains(l, :x)", true),
        ("contains(l, l[2])", true),
        ("contains(l, l[3])", true),
        ("contains(l, :z)", false),
        ("contains(m, :x)", false),
        ("contains(n, :n)", false),
        ("contains(gone, :a)", false),
        ("contains(ss, gone)", false),
        ("contains(:ss, s)", true),
        ("size(s) = :one", true),
        ("size(e) = :zero", true),
        ("size(u) = :three", true),
        ("size(b) = :one", true),
        ("size(ss) = :n", true),
        ("size(ns) = :n", true),
        ("size(bs) = :n", true),
        ("size(l) > :three", true),
        ("size(m) = :n", true),
        ("size(el) = :zero", true),
        ("size(em) = :zero", true),
        ("size(n) >= :zero", false),
        ("size(t) = :one", false),
        ("size(z) <> :one", true),
        ("size(gone) = :zero", false),
        ("size(gone) < :three", false),
        ("size(:ss) = :n", true),
        ("size(lng) BETWEEN size(ss) AND #r", true),
        ("size(ss) IN (:one, :n)", true),
        ("contains(ns, size(ss))", true),
    ] {
        check(text, expect);
    }
}

#[test]
fn connectives_bind_as_documented() {
    for (text, expect) in [
        ("s = :s AND n = :n", true),
        ("s = :s AND n = :one", false),
        ("s = :a OR n = :n", true),
        ("s = :a OR n = :one", false),
        ("s = :s OR s = :a AND s = :a", true),
        ("(s = :s OR s = :a) AND s = :a", false),
        ("s = :a AND s = :a OR s = :s", true),
        ("NOT s = :a", true),
        ("NOT s = :a AND s = :a", false),
        ("NOT (s = :a AND s = :a)", true),
        ("NOT s = :s OR s = :s", true),
        ("NOT (s = :s OR s = :s)", false),
        ("NOT NOT s = :s", true),
        ("NOT NOT NOT s = :s", false),
        ("s = :s AND NOT (n = :one OR NOT b = :b)", true),
        ("n BETWEEN :one AND :three AND s = :s", true),
        ("n BETWEEN :one AND :three AND s = :a", false),
        ("s = :a OR s = :c OR s = :s OR s = :x", true),
        ("s = :s AND (n = :one OR (b = :b AND (t = :t)))", true),
    ] {
        check(text, expect);
    }
}

#[test]
fn a_missing_item_is_an_empty_one() {
    for (text, expect) in [
        ("attribute_not_exists(s)", true),
        ("attribute_exists(s)", false),
        ("s = :s", false),
        ("s <> :s", true),
        ("NOT s = :s", true),
        ("size(s) = :zero", false),
        ("contains(s, :e)", false),
    ] {
        let condition = condition(text, VALUES).unwrap();
        assert_eq!(condition.matches(&Item::new()), expect, "{text}");
    }
}

/// Two values of each type; of those with an order, the first is the smaller one.
const PAIRS: [(&str, &str); 10] = [
    ("'a'", "'b'"),
    ("-1", "1"),
    ("x'61'", "x'6100'"),
    ("false", "true"),
    ("null", "null"),
    ("[1]", "[2]"),
    ("{a: 1}", "{a: 2}"),
    ("<'a'>", "<'a', 'b'>"),
    ("<1>", "<1, 2>"),
    ("<x'61'>", "<x'62'>"),
];

#[test]
fn comparisons_of_all_pairs_of_types() {
    let all: Vec<(usize, &str)> = PAIRS
        .iter()
        .enumerate()
        .flat_map(|(kind, (low, high))| [(kind, *low), (kind, *high)])
        .collect();
    for (left_at, (left_type, left)) in all.iter().enumerate() {
        for (right_at, (right_type, right)) in all.iter().enumerate() {
            let equal = value(left) == value(right);
            let ordered = left_type == right_type && *left_type < 3;
            let item = item(&format!("{{l: {left}, r: {right}}}"));
            for (operator, expect) in [
                ("=", equal),
                ("<>", !equal),
                ("<", ordered && left_at < right_at),
                ("<=", ordered && left_at <= right_at),
                (">", ordered && left_at > right_at),
                (">=", ordered && left_at >= right_at),
            ] {
                let text = format!("l {operator} r");
                let both = condition(&text, "{}").unwrap();
                assert_eq!(both.matches(&item), expect, "{left} {operator} {right}");
                // The same against a value of the request, unless that is refused.
                let values = format!("{{r: {right}}}");
                let literal = condition(&format!("l {operator} :r"), &values);
                if *right_type < 3 || ["=", "<>"].contains(&operator) {
                    assert_eq!(literal.unwrap().matches(&item), expect, "{left} {right}");
                } else {
                    assert!(error(literal).contains("Incorrect operand type"));
                }
            }
            for (text, expect) in [
                ("l IN (r)", equal),
                ("l BETWEEN r AND r", ordered && left_at == right_at),
                ("begins_with(l, r)", prefix(left, right)),
            ] {
                let condition = condition(text, "{}").unwrap();
                assert_eq!(condition.matches(&item), expect, "{text} of {left} and {right}");
            }
        }
    }
}

fn prefix(left: &str, right: &str) -> bool {
    (left.starts_with('\'') || left.starts_with('x'))
        && (left == right || (left, right) == ("x'6100'", "x'61'"))
}

#[test]
fn contains_of_all_pairs_of_types() {
    for (whole, part, expect) in [
        ("'abc'", "'bc'", true),
        ("'abc'", "'ac'", false),
        ("'abc'", "x'62'", false),
        ("'1'", "1", false),
        ("x'616263'", "x'6263'", true),
        ("x'6161616162'", "x'616162'", true),
        ("x'61'", "x'6161'", false),
        ("x''", "x''", true),
        ("12", "1", false),
        ("true", "true", false),
        ("null", "null", false),
        ("{a: 'b'}", "'a'", false),
        ("<'a'>", "'a'", true),
        ("<'a'>", "<'a'>", false),
        ("<'ab'>", "'a'", false),
        ("<1>", "1.0", true),
        ("<1>", "'1'", false),
        ("<x'61'>", "x'61'", true),
        ("[<'a', 'b'>]", "<'b', 'a'>", true),
        ("[[1]]", "[1]", true),
        ("[[1]]", "1", false),
        ("[{a: null}]", "{a: null}", true),
        ("[null]", "null", true),
        ("[true]", "false", false),
        ("['abc']", "'b'", false),
    ] {
        let condition = condition("contains(w, :p)", &format!("{{p: {part}}}")).unwrap();
        let found = condition.matches(&item(&format!("{{w: {whole}}}")));
        assert_eq!(found, expect, "{whole} {part}");
    }
}

#[test]
fn conditions_know_what_they_mention() {
    let condition =
        condition("a.b = :s AND size(c[0]) > d OR attribute_exists(#n) AND a IN (:s, e)", VALUES)
            .unwrap();
    let attributes: Vec<&str> = condition.attributes().collect();
    assert_eq!(attributes, ["a", "c", "d", "x.y", "a", "e"]);
    let nested: Vec<String> = condition.nested_paths().map(|path| path.to_string()).collect();
    assert_eq!(nested, ["[a, b]", "[c, [0]]"]);
}
