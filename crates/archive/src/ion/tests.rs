use value::{Item, Number, Value, ValueError};

use super::*;
use crate::{BadItem, NetChange};

fn number(text: &str) -> Value {
    Value::N(Number::parse(text).unwrap())
}

fn string(text: &str) -> Value {
    Value::S(text.to_owned())
}

fn item(attributes: &[(&str, Value)]) -> Item {
    attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn numbers(texts: &[&str]) -> Value {
    Value::number_set(texts.iter().map(|text| Number::parse(text).unwrap()).collect()).unwrap()
}

#[test]
fn an_item_is_one_line() {
    let item = item(&[
        ("b", Value::B(vec![255, 0])),
        ("bs", Value::Bs(vec![vec![1], vec![2]])),
        ("f", Value::Bool(false)),
        ("l", Value::L(vec![Value::Null, string("a\"'\\\n\t\u{1}\u{e9}")])),
        ("m", Value::M(item(&[("x y", number("0")), ("it's", Value::M(Item::new()))]))),
        ("ns", numbers(&["103", "600", "0.5"])),
        ("null", number("-1e-10")),
        ("ss", Value::Ss(vec!["a".to_owned()])),
    ]);
    let mut line = Vec::new();
    write_item(&item, &mut line);
    let expected = concat!(
        "$ion_1_0 {Item:{b:{{/wA=}},bs:$dynamodb_BS::[{{AQ==}},{{Ag==}}],f:false,",
        "l:[null,\"a\\\"'\\\\\\n\\t\\x01\u{e9}\"],m:{'it\\'s':{},'x y':0.},",
        "ns:$dynamodb_NS::[0.5,103.,6d2],'null':-1d-10,ss:$dynamodb_SS::[\"a\"]}}\n",
    );
    assert_eq!(String::from_utf8(line.clone()).unwrap(), expected);
    assert_eq!(read_item(&line), Ok(item));
}

#[test]
fn a_change_is_one_line() {
    let key = item(&[("pk", string("a"))]);
    let new = item(&[("pk", string("a")), ("n", number("-12.5"))]);
    let mut change = NetChange {
        written_micros: 1_680_109_764_000_000,
        keys: key.clone(),
        new_image: Some(new),
        old_image: Some(key),
    };
    let mut line = Vec::new();
    write_change(&change, &mut line);
    let expected = concat!(
        "$ion_1_0 {Record:{Metadata:{WriteTimestampMicros:1680109764000000.},Keys:{pk:\"a\"},",
        "NewImage:{n:-12.5,pk:\"a\"},OldImage:{pk:\"a\"}}}\n",
    );
    assert_eq!(String::from_utf8(line.clone()).unwrap(), expected);
    assert_eq!(read_change(&line), Ok(change.clone()));
    change.new_image = None;
    change.old_image = None;
    line.clear();
    write_change(&change, &mut line);
    assert_eq!(read_change(&line), Ok(change));
}

#[test]
fn names_are_quoted_where_they_could_be_something_else() {
    for (name, bare) in [
        ("a", true),
        ("_x9", true),
        ("$x", true),
        ("9a", false),
        ("a-b", false),
        ("true", false),
        ("nan", false),
        ("$10", false),
        ("$", false),
        ("$ion_1_0", false),
        ("\u{e9}", false),
    ] {
        let item = item(&[(name, Value::Null)]);
        let mut line = Vec::new();
        write_item(&item, &mut line);
        assert_eq!(!line.contains(&b'\''), bare, "{name}");
        assert_eq!(read_item(&line), Ok(item), "{name}");
    }
}

#[test]
fn text_written_by_hand_is_read() {
    for (text, value) in [
        ("12", number("12")),
        ("-0x1F", number("-31")),
        ("0b101", number("5")),
        ("1_000", number("1000")),
        ("1.5e3", number("1500")),
        ("103.", number("103")),
        ("6d2", number("600")),
        ("6.D-2", number("0.06")),
        ("-0.", number("0")),
        ("null", Value::Null),
        ("null.string", Value::Null),
        ("true", Value::Bool(true)),
        ("hint::'other hint'::5", number("5")),
        (
            r#""a\x41\u00e9\U0001f600\/\
b""#,
            string("aA\u{e9}\u{1f600}/b"),
        ),
        (r#""\ud83d\ude00""#, string("\u{1f600}")),
        ("'''one ''' // behind it\n '''two\nlines'''", string("one two\nlines")),
        ("''''quoted' '''", string("'quoted' ")),
        ("{{ aGVs\n bG8= }}", Value::B(b"hello".to_vec())),
        ("{{}}", Value::B(vec![])),
        ("[1, /* two */ 2,]", Value::L(vec![number("1"), number("2")])),
        ("[]", Value::L(vec![])),
        ("{ \"q\" : 1, '''l''': 2, }", Value::M(item(&[("q", number("1")), ("l", number("2"))]))),
        ("$dynamodb_NS::[3, 1.0]", numbers(&["1", "3"])),
        ("'$dynamodb_SS' :: [\"b\", \"a\"]", Value::Ss(vec!["a".to_owned(), "b".to_owned()])),
    ] {
        let whole = format!("// first\n$ion_1_0\n {{ 'Item' : {{ a : {text} }} }} ");
        assert_eq!(read_item(whole.as_bytes()), Ok(item(&[("a", value)])), "{text}");
    }
}

#[test]
fn what_is_no_value_is_refused() {
    for text in [
        "",
        "symbol",
        "'quoted'",
        "nan",
        "+inf",
        "-inf",
        "null.x",
        "(a b)",
        "2020-01-01T",
        "007",
        "1__0",
        "_1",
        "1_",
        "0x",
        "0x+1",
        "1e",
        "- 1",
        "{{?}}",
        "{{\"clob\"}}",
        "{{AQ==",
        "\"a",
        "\"a\nb\"",
        "\"\\q\"",
        "\"\\x4\"",
        "\"\\ud83d\"",
        "[1 2]",
        "[1",
        "{a 1}",
        "{a:1 b:2}",
        "{true:1}",
        "{$10:1}",
        "{9:1}",
        "$dynamodb_SS::[1]",
        "$dynamodb_SS::[]",
        "/* open",
        "$dynamodb_SS::\"a\"",
        "$dynamodb_NS::[1,1.0]",
        "1e200",
        "\"\u{1}\"",
    ] {
        let whole = format!("$ion_1_0 {{Item:{{a:{text}}}}}");
        assert!(read_item(whole.as_bytes()).is_err(), "{text}");
    }
    for whole in ["", "5", "{}", "{Item:5}", "x::{Item:{}} 5", "$dynamodb_SS::{Item:{}}"] {
        assert!(read_item(whole.as_bytes()).is_err(), "{whole}");
    }
    assert!(read_item(b"{Item:{a:\"\xff\"}}").is_err());
    assert_eq!(read_item(b"{Item:{'':1}}"), Err(BadItem::Value(ValueError::EmptyAttributeName)));
}

#[test]
fn nesting_is_bounded() {
    let nested =
        |levels: usize| format!("{{Item:{{a:{}{}}}}}", "[".repeat(levels), "]".repeat(levels));
    assert!(read_item(nested(31).as_bytes()).is_ok());
    let too_deep = Err(BadItem::Value(ValueError::TooDeep));
    assert_eq!(read_item(nested(32).as_bytes()), too_deep);
    assert_eq!(read_item(nested(1_000_000).as_bytes()), too_deep);
    let deepest = format!(
        "{{Record:{{Metadata:{{WriteTimestampMicros:1}},Keys:{{a:{}{}}}}}}}",
        "{b:".repeat(30) + "$dynamodb_SS::[\"x\"]",
        "}".repeat(30)
    );
    assert!(read_change(deepest.as_bytes()).is_ok());
}

fn frames(text: &str) -> Vec<(u64, Result<String, &'static str>)> {
    let mut frames = Frames::new(200);
    let mut found: Vec<Frame> = text.bytes().filter_map(|byte| frames.push(byte)).collect();
    found.extend(frames.finish());
    found
        .into_iter()
        .map(|frame| {
            let text = frame.text.map(|text| String::from_utf8(text).unwrap().trim().to_owned());
            (frame.line, text)
        })
        .collect()
}

fn good(line: u64, text: &str) -> (u64, Result<String, &'static str>) {
    (line, Ok(text.to_owned()))
}

#[test]
fn values_are_cut_at_their_ends() {
    assert_eq!(frames(""), []);
    assert_eq!(frames(" // nothing { here\n/* nor { here\n*/ $ion_1_0 \n"), []);
    assert_eq!(
        frames("$ion_1_0 {a:1}\n$ion_1_0 {b:{{a//b}}}\n\n{\n c:\"}\\\"{\"\n}{d:'}'}"),
        [
            good(1, "$ion_1_0 {a:1}"),
            good(2, "$ion_1_0 {b:{{a//b}}}"),
            good(4, "{\n c:\"}\\\"{\"\n}"),
            good(6, "{d:'}'}"),
        ]
    );
    assert_eq!(
        frames("{a:'''}'\n$ion_1_0 { '' ''' /* } */, b:'', // }\n c:1} {d:[{}]}"),
        [good(1, "{a:'''}'\n$ion_1_0 { '' ''' /* } */, b:'', // }\n c:1}"), good(3, "{d:[{}]}"),]
    );
}

#[test]
fn damage_costs_one_value() {
    let bad = |line, text| (line, Err(text));
    let next = good(2, "$ion_1_0 {b:1}");
    for broken in ["$ion_1_0 {a:{", "$ion_1_0 {a:\"x", "}}} {c:1}", "{{AQ", "word", "{a:'x"] {
        let found = frames(&format!("{broken}\n$ion_1_0 {{b:1}}"));
        assert_eq!(found.len(), 2, "{broken}: {found:?}");
        assert!(found[0].0 == 1 && found[0].1.is_err(), "{broken}: {found:?}");
        assert_eq!(found[1], next, "{broken}");
    }
    assert_eq!(frames("{a:"), [bad(1, "the value does not end")]);
    let long = format!("{{a:\"{}\"}}\n{{b:1}}", "x".repeat(300));
    assert_eq!(frames(&long), [bad(1, "the value is too long"), good(2, "{b:1}")]);
}
