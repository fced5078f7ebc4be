//! What updates make of items.

use value::{Item, MAX_ITEM_SIZE, Value};

use super::notation::{item, value};
use super::{error, placeholders};
use crate::{Update, UpdateError, UpdateSyntax, Updated, depth_exceeded};

const VALUES: &str = "{s: 'new', n: 5, one: 1, neg: -3, big: 9e125, tiny: 1e-130, e50: 1e50, \
                      l: [7, 8], le: [], m: {k: 1}, me: {}, ss: <'a', 'b'>, sc: <'c'>, ns: <1, 2>, \
                      nb: <9>, bs: <x'01'>, z: null, t: true, b: x'02'}";

fn update(text: &str) -> Update {
    let syntax = UpdateSyntax::parse(text).unwrap_or_else(|found| panic!("{text}: {found}"));
    let update = syntax.bind(&mut placeholders("{n: 'x.y', d: 'date'}", VALUES));
    update.unwrap_or_else(|found| panic!("{text}: {found}"))
}

fn apply(text: &str, old: Option<&Item>) -> Result<Updated, UpdateError> {
    update(text).apply(old, &item("{pk: 'p'}"))
}

const OLD: &str = "{pk: 'p', s: 'old', n: 10, l: [0, 1, 2, 3], m: {a: 1, b: {c: 2}, l: [{x: 1}]}, \
                   ss: <'a', 'b', 'c'>, ns: <1, 2>, bs: <x'01', x'02'>, t: true, el: [], \
                   ll: [[1], [2]]}";

#[test]
fn updates_write_what_they_say() {
    for (text, expect) in [
        ("SET x = :s", "x: 'new'"),
        ("SET s = :n", "s: 5"),
        ("SET #n = :s", "'x.y': 'new'"),
        ("SET x = s", "x: 'old'"),
        ("SET x = m.b.c", "x: 2"),
        ("SET x = l[1]", "x: 1"),
        ("SET s = n, n = s", "s: 10, n: 'old'"),
        ("SET x = n + :n", "x: 15"),
        ("SET n = n - :n", "n: 5"),
        ("SET n = :n - n", "n: -5"),
        ("SET n = n + n", "n: 20"),
        ("SET x = (n + :neg)", "x: 7"),
        ("SET x = :n + :one", "x: 6"),
        ("SET x = if_not_exists(gone, :n)", "x: 5"),
        ("SET x = if_not_exists(n, :n)", "x: 10"),
        ("SET x = if_not_exists(n, gone)", "x: 10"),
        ("SET x = if_not_exists(m.b.c, :n)", "x: 2"),
        ("SET x = if_not_exists(m.gone, :n)", "x: 5"),
        ("SET x = if_not_exists(gone.deep[3], :n)", "x: 5"),
        ("SET x = if_not_exists(gone, n) + :one", "x: 11"),
        ("SET x = if_not_exists(gone, :one) + if_not_exists(nope, :n)", "x: 6"),
        ("SET x = if_not_exists(gone, if_not_exists(nope, :n))", "x: 5"),
        ("SET x = if_not_exists(n, list_append(s, gone))", "x: 10"),
        ("SET l = list_append(l, :l)", "l: [0, 1, 2, 3, 7, 8]"),
        ("SET l = list_append(:l, l)", "l: [7, 8, 0, 1, 2, 3]"),
        ("SET x = list_append(:l, :l)", "x: [7, 8, 7, 8]"),
        ("SET x = list_append(if_not_exists(gone, :le), :l)", "x: [7, 8]"),
        ("SET x = list_append(list_append(:l, el), ll[0])", "x: [7, 8, 1]"),
        ("SET x = list_append(:l, list_append(:l, :l))", "x: [7, 8, 7, 8, 7, 8]"),
        ("SET m.a = :s", "m: {a: 'new', b: {c: 2}, l: [{x: 1}]}"),
        ("SET m.x = :s", "m: {a: 1, x: 'new', b: {c: 2}, l: [{x: 1}]}"),
        ("SET m.b.c = m.a", "m: {a: 1, b: {c: 1}, l: [{x: 1}]}"),
        ("SET m.l[0].x = :s, m.l[1] = :n", "m: {a: 1, b: {c: 2}, l: [{x: 'new'}, 5]}"),
        ("SET m.b = :z", "m: {a: 1, b: null, l: [{x: 1}]}"),
        ("SET l[1] = :s", "l: [0, 'new', 2, 3]"),
        ("SET l[4] = :s", "l: [0, 1, 2, 3, 'new']"),
        ("SET l[100] = :s", "l: [0, 1, 2, 3, 'new']"),
        ("SET l[9] = :n, l[7] = :s, l[8] = :one", "l: [0, 1, 2, 3, 'new', 1, 5]"),
        ("SET l[2] = l[0], l[0] = l[2]", "l: [2, 1, 0, 3]"),
        ("SET el[0] = :n", "el: [5]"),
        ("SET ll[0][1] = :n, ll[1][0] = :s", "ll: [[1, 5], ['new']]"),
        ("SET l = :le", "l: []"),
        ("REMOVE gone", ""),
        ("REMOVE m.gone", ""),
        ("REMOVE l[9]", ""),
        ("REMOVE l[0]", "l: [1, 2, 3]"),
        ("REMOVE l[0], l[1]", "l: [2, 3]"),
        ("REMOVE l[3], l[0], l[2]", "l: [1]"),
        ("REMOVE l[0], l[1], l[2], l[3]", "l: []"),
        ("REMOVE m.b", "m: {a: 1, l: [{x: 1}]}"),
        ("REMOVE m.b.c", "m: {a: 1, b: {}, l: [{x: 1}]}"),
        ("REMOVE m.l[0].x", "m: {a: 1, b: {c: 2}, l: [{}]}"),
        ("SET l[3] = :s REMOVE l[0]", "l: [1, 2, 'new']"),
        ("SET l[9] = :s REMOVE l[0], l[1]", "l: [2, 3, 'new']"),
        ("REMOVE ll[0] SET ll[1][0] = :s", "ll: [['new']]"),
        ("ADD n :n", "n: 15"),
        ("ADD n :neg", "n: 7"),
        ("ADD x :n", "x: 5"),
        ("ADD m.a :n", "m: {a: 6, b: {c: 2}, l: [{x: 1}]}"),
        ("ADD m.x :n", "m: {a: 1, x: 5, b: {c: 2}, l: [{x: 1}]}"),
        ("ADD l[1] :n", "l: [0, 6, 2, 3]"),
        ("ADD ss :sc", ""),
        ("ADD ss :ss", ""),
        ("ADD ns :nb", "ns: <1, 2, 9>"),
        ("ADD bs :bs", ""),
        ("ADD x :ss", "x: <'a', 'b'>"),
        ("ADD m.x :ns", "m: {a: 1, x: <1, 2>, b: {c: 2}, l: [{x: 1}]}"),
        ("DELETE ss :ss", "ss: <'c'>"),
        ("DELETE ss :sc", "ss: <'a', 'b'>"),
        ("DELETE ns :nb", ""),
        ("DELETE bs :bs", "bs: <x'02'>"),
        ("DELETE gone :ss", ""),
        ("DELETE m.gone :ss", ""),
        ("DELETE l[9] :ss", ""),
        ("SET x = n REMOVE #d ADD n :one DELETE ss :sc", "x: 10, n: 11, ss: <'a', 'b'>"),
        ("DELETE ss :sc ADD n :one SET x = ss", "x: <'a', 'b', 'c'>, n: 11, ss: <'a', 'b'>"),
    ] {
        let old = item(OLD);
        let mut expected = old.clone();
        expected.extend(item(&format!("{{{expect}}}")));
        let found = apply(text, Some(&old)).unwrap_or_else(|found| panic!("{text}: {found}"));
        assert_eq!(found.item, Some(expected), "{text}");
    }
    for (text, gone) in [
        ("REMOVE s", vec!["s"]),
        ("REMOVE s, m, l", vec!["s", "m", "l"]),
        ("DELETE ns :ns", vec!["ns"]),
    ] {
        let mut expected = item(OLD);
        expected.retain(|name, _| !gone.contains(&name.as_str()));
        let found = apply(text, Some(&item(OLD))).unwrap();
        assert_eq!(found.item, Some(expected), "{text}");
    }
}

#[test]
fn updates_that_do_not_fit_the_item() {
    let missing = "The provided expression refers to an attribute that does not exist in the item";
    let operand = "An operand in the update expression has an incorrect data type";
    let path = "The document path provided in the update expression is invalid for update";
    let overflow = "Number overflow. Attempting to store a number with magnitude larger than \
                    supported range";
    for (text, expect) in [
        ("SET x = gone", missing),
        ("SET x = m.gone", missing),
        ("SET x = l[4]", missing),
        ("SET x = s.y", missing),
        ("SET x = gone + :n", missing),
        ("SET x = :n - gone", missing),
        ("SET x = if_not_exists(gone, nope)", missing),
        ("SET x = list_append(gone, :l)", missing),
        ("SET x = :n, y = x", missing),
        ("SET x = s + :n", operand),
        ("SET x = :n + s", operand),
        ("SET x = l - :n", operand),
        ("SET x = if_not_exists(s, :n) + :n", operand),
        ("SET x = list_append(s, :l)", operand),
        ("SET x = list_append(:l, n)", operand),
        ("SET x = list_append(if_not_exists(m, :l), :l)", operand),
        ("ADD s :n", operand),
        ("ADD n :ss", operand),
        ("ADD ss :n", operand),
        ("ADD ss :ns", operand),
        ("ADD l :n", operand),
        ("ADD l :ss", operand),
        ("ADD m.b :n", operand),
        ("ADD t :n", operand),
        ("DELETE s :ss", operand),
        ("DELETE n :ns", operand),
        ("DELETE ss :ns", operand),
        ("DELETE l :ss", operand),
        ("SET gone.x = :n", path),
        ("SET m.gone.x = :n", path),
        ("SET s.x = :n", path),
        ("SET l.x = :n", path),
        ("SET m[0] = :n", path),
        ("SET s[0] = :n", path),
        ("SET gone[0] = :n", path),
        ("SET l[9].x = :n", path),
        ("SET l[0].x = :n", path),
        ("SET ss[0] = :n", path),
        ("REMOVE gone.x", path),
        ("REMOVE m.gone.x", path),
        ("REMOVE s.x", path),
        ("REMOVE l[9].x", path),
        ("REMOVE l.x", path),
        ("REMOVE m[0]", path),
        ("ADD gone.x :n", path),
        ("ADD m.gone.x :n", path),
        ("DELETE gone.x :ss", path),
        ("SET x = :big + :big", overflow),
        ("SET x = :e50 + :one", overflow),
        ("SET x = n - :tiny", overflow),
        ("SET x = gone + :n, y = s + :n", missing),
        ("SET x = s + :n, y = gone", operand),
    ] {
        assert_eq!(error(apply(text, Some(&item(OLD)))), expect, "{text}");
    }
    let old = item("{pk: 'p', n: 9e125}");
    assert_eq!(error(apply("ADD n :big", Some(&old))), overflow);
}

#[test]
fn missing_items_are_created_or_not() {
    let path = "The document path provided in the update expression is invalid for update";
    for (text, expect) in [
        ("SET x = :n", Some("{pk: 'p', x: 5}")),
        ("SET x = if_not_exists(x, :n) + :one", Some("{pk: 'p', x: 6}")),
        ("SET x = list_append(if_not_exists(x, :le), :l)", Some("{pk: 'p', x: [7, 8]}")),
        ("ADD x :n", Some("{pk: 'p', x: 5}")),
        ("ADD x :ss", Some("{pk: 'p', x: <'a', 'b'>}")),
        ("SET x = :n REMOVE y, z.a[0]", Some("{pk: 'p', x: 5}")),
        ("ADD x :n DELETE y :ss", Some("{pk: 'p', x: 5}")),
        ("REMOVE x", None),
        ("REMOVE x.y[0], z", None),
        ("DELETE x :ss", None),
        ("DELETE x.y :ss REMOVE z", None),
    ] {
        let found = apply(text, None).unwrap_or_else(|found| panic!("{text}: {found}"));
        assert_eq!(found.item, expect.map(item), "{text}");
        assert_eq!(found.updated_old(None), Item::new(), "{text}");
    }
    assert_eq!(error(apply("SET x.y = :n", None)), path);
    assert_eq!(error(apply("SET x[0] = :n", None)), path);
    assert_eq!(error(apply("ADD x.y :n", None)), path);
    assert_eq!(
        error(apply("SET x = y", None)),
        "The provided expression refers to an attribute that does not exist in the item"
    );
}

#[test]
fn touched_parts_are_given_back() {
    for (text, before, after) in [
        ("SET x = :n", "{}", "{x: 5}"),
        ("SET s = :n", "{s: 'old'}", "{s: 5}"),
        ("SET m.b.c = :n", "{m: {b: {c: 2}}}", "{m: {b: {c: 5}}}"),
        ("SET m.x = :n", "{}", "{m: {x: 5}}"),
        ("SET m.a = :n, m.x = :s", "{m: {a: 1}}", "{m: {a: 5, x: 'new'}}"),
        ("SET l[1] = :n", "{l: [1]}", "{l: [5]}"),
        ("SET l[3] = :n, l[1] = :s", "{l: [1, 3]}", "{l: ['new', 5]}"),
        ("SET l[50] = :n", "{}", "{l: [5]}"),
        ("SET l[9] = :n, l[8] = :s, l[0] = :z", "{l: [0]}", "{l: [null, 'new', 5]}"),
        ("SET l[3] = :n REMOVE l[0]", "{l: [0, 3]}", "{l: [5]}"),
        ("SET m.l[0].x = :n", "{m: {l: [{x: 1}]}}", "{m: {l: [{x: 5}]}}"),
        ("REMOVE s", "{s: 'old'}", "{}"),
        ("REMOVE gone", "{}", "{}"),
        ("REMOVE m.a", "{m: {a: 1}}", "{}"),
        ("REMOVE l[0]", "{l: [0]}", "{}"),
        ("REMOVE l[0], l[2]", "{l: [0, 2]}", "{}"),
        ("ADD n :n", "{n: 10}", "{n: 15}"),
        ("ADD x :n", "{}", "{x: 5}"),
        ("ADD ss :sc", "{ss: <'a', 'b', 'c'>}", "{ss: <'a', 'b', 'c'>}"),
        ("DELETE ss :sc", "{ss: <'a', 'b', 'c'>}", "{ss: <'a', 'b'>}"),
        ("DELETE ns :nb", "{ns: <1, 2>}", "{ns: <1, 2>}"),
        ("DELETE ns :ns", "{ns: <1, 2>}", "{}"),
        ("DELETE gone :ns", "{}", "{}"),
        ("SET s = :s REMOVE n ADD x :n", "{s: 'old', n: 10}", "{s: 'new', x: 5}"),
    ] {
        let old = item(OLD);
        let found = apply(text, Some(&old)).unwrap();
        assert_eq!(found.updated_old(Some(&old)), item(before), "{text}");
        assert_eq!(found.updated_new(), item(after), "{text}");
    }
    let created = apply("SET x = :n REMOVE y", None).unwrap();
    assert_eq!(created.updated_new(), item("{x: 5}"));
    assert_eq!(apply("REMOVE y", None).unwrap().updated_new(), Item::new());
}

#[test]
fn weight_counts_what_the_request_writes() {
    for (text, weight) in [
        ("SET x = :s", 3 + (1 + 3) + 19),
        ("SET abc = :n", 3 + (3 + 2) + 19),
        ("SET x = :s, y = :s", 3 + 2 * ((1 + 3) + 19)),
        ("SET l[0] = :s", 3 + 3 + 20),
        ("SET m.a = :s", 3 + (1 + 3) + 19),
        ("ADD x :n", 3 + (1 + 2) + 19),
        ("REMOVE x", 3 + 2),
        ("REMOVE x, m.z, l[0]", 3 + 2 * 3),
        ("DELETE ss :sc", 3 + 2),
        ("SET x = :s REMOVE y DELETE ss :sc", 3 + (1 + 3) + 19 + 2 + 2),
    ] {
        let found = apply(text, Some(&item(OLD))).unwrap();
        assert_eq!(found.weight, weight, "{text}");
    }
}

#[test]
fn updates_know_what_they_mention() {
    let update =
        update("SET a = :s, b.c = :n, d = e[0], f = :n + :n REMOVE g ADD h :n DELETE i.j :ss");
    let targets: Vec<&str> = update.targets().collect();
    assert_eq!(targets, ["a", "b", "d", "f", "g", "h", "i"]);
    let literals: Vec<(&str, &Value)> = update.literals().collect();
    assert_eq!(literals, [("a", &value("'new'"))]);
    let nested: Vec<String> = update.nested_paths().map(|path| path.to_string()).collect();
    assert_eq!(nested, ["[b, c]", "[e, [0]]", "[i, j]"]);
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(value("1"), |inner, level| {
        if level % 2 == 0 {
            Value::L(vec![inner])
        } else {
            Value::M([("k".to_owned(), inner)].into())
        }
    })
}

#[test]
fn results_do_not_nest_too_deep() {
    let deep = |levels: usize| Item::from([("a".to_owned(), nested(levels))]);
    assert!(!depth_exceeded(&Item::new()));
    assert!(!depth_exceeded(&deep(31)));
    assert!(depth_exceeded(&deep(32)));
    assert!(depth_exceeded(&deep(500)));
    let text = "Nesting Levels have exceeded supported limits: Attributes in the item have nested \
                levels beyond supported limit";
    for (target, levels, fits) in [
        ("SET x = v", 31, true),
        ("SET m.x = v", 30, true),
        ("SET m.x = v", 31, false),
        ("SET m.b.x = v", 29, true),
        ("SET m.b.x = v", 30, false),
        ("SET l[0] = v", 30, true),
        ("SET l[0] = v", 31, false),
        ("SET l[9] = v", 31, false),
    ] {
        let mut old = item(OLD);
        old.insert("v".to_owned(), nested(levels));
        let found = apply(target, Some(&old));
        if fits {
            assert!(!depth_exceeded(&found.unwrap().item.unwrap()), "{target} {levels}");
        } else {
            assert_eq!(error(found), text, "{target} {levels}");
        }
    }
}

#[test]
fn results_beyond_any_item_are_not_built() {
    let mut old = item(OLD);
    old.insert("v".to_owned(), Value::L(vec![Value::S("x".repeat(1000)); 390]));
    let appends = format!("SET x = {}v{}", "list_append(v,".repeat(250), ")".repeat(250));
    assert_eq!(apply(&appends, Some(&old)), Err(UpdateError::TooLarge));
    let copies: Vec<String> = (0..500).map(|number| format!("x{number}=v")).collect();
    let copies = format!("SET {}", copies.join(","));
    assert_eq!(
        error(apply(&copies, Some(&old))),
        "Item size to update has exceeded the maximum allowed size"
    );
    let within = Item::from([("v".to_owned(), Value::S("x".repeat(MAX_ITEM_SIZE)))]);
    assert!(apply("SET v = v", Some(&within)).is_ok());
}
