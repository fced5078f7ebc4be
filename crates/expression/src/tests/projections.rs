//! What projections keep of items.

use super::notation::item;
use super::placeholders;
use crate::{Projection, ProjectionSyntax};

fn projection(text: &str) -> Projection {
    let syntax = ProjectionSyntax::parse(text).unwrap();
    syntax.bind(&mut placeholders("{n: 'x.y', m: 'm'}", "{}")).unwrap()
}

#[test]
fn nesting_is_kept_and_lists_move_together() {
    let whole = "{a: 1, b: {c: 2, d: [3, 4, {e: 5, f: 6}], g: {}}, l: [0, 1, 2, 3], \
                 ll: [[1, 2], [3, 4]], 'x.y': 'dot', m: {k: {v: null}}, z: null, el: [], ss: <1>}";
    for (text, expect) in [
        ("a", "{a: 1}"),
        ("gone", "{}"),
        ("a, gone", "{a: 1}"),
        ("z, ss", "{z: null, ss: <1>}"),
        ("b", "{b: {c: 2, d: [3, 4, {e: 5, f: 6}], g: {}}}"),
        ("b.c", "{b: {c: 2}}"),
        ("b.gone", "{}"),
        ("b.g", "{b: {g: {}}}"),
        ("b.g.h", "{}"),
        ("b[0]", "{}"),
        ("a.b", "{}"),
        ("a[0]", "{}"),
        ("b.d", "{b: {d: [3, 4, {e: 5, f: 6}]}}"),
        ("b.d[1]", "{b: {d: [4]}}"),
        ("b.d[2].f", "{b: {d: [{f: 6}]}}"),
        ("b.d[2].e, b.d[0], b.c", "{b: {c: 2, d: [3, {e: 5}]}}"),
        ("b.d[2].f, b.d[2].e", "{b: {d: [{e: 5, f: 6}]}}"),
        ("b.d[9]", "{}"),
        ("b.d[9], b.c", "{b: {c: 2}}"),
        ("l[3], l[1]", "{l: [1, 3]}"),
        ("l[0], l[7], l[2]", "{l: [0, 2]}"),
        ("l.x", "{}"),
        ("el", "{el: []}"),
        ("el[0]", "{}"),
        ("ll[1][0]", "{ll: [[3]]}"),
        ("ll[1][1], ll[0][1], ll[1][0]", "{ll: [[2], [3, 4]]}"),
        ("#n", "{'x.y': 'dot'}"),
        ("x.y", "{}"),
        ("#m.k.v", "{m: {k: {v: null}}}"),
        ("a, l[0], b.c, #n", "{a: 1, l: [0], b: {c: 2}, 'x.y': 'dot'}"),
    ] {
        assert_eq!(projection(text).apply(&item(whole)), item(expect), "{text}");
    }
}

#[test]
fn projections_know_what_they_mention() {
    let projection = projection("b.c, a, b.d[0], #n, l[1]");
    let attributes: Vec<&str> = projection.attributes().collect();
    assert_eq!(attributes, ["a", "b", "l", "x.y"]);
    let nested: Vec<String> = projection.nested_paths().map(|path| path.to_string()).collect();
    assert_eq!(nested, ["[b, c]", "[b, d, [0]]", "[l, [1]]"]);
    assert_eq!(projection.paths().len(), 5);
}
