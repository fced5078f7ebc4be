//! Truth by small tables.

use super::{super::tests_of::*, *};

fn operand(text: &str) -> Operand {
    match (text.strip_prefix("size "), text.starts_with('{')) {
        (Some(inner), _) => Operand::Size(path(inner)),
        (None, true) => Operand::Value(value(text)),
        (None, false) => Operand::Path(path(text)),
    }
}

fn sample() -> Item {
    item(
        "{'n': {'N': '5'}, 's': {'S': 'abc'}, 'e': {'S': 'h\u{e9}'}, 'b': {'B': 'xyz'}, \
         't': {'BOOL': true}, 'z': {'NULL': true}, 'ss': {'SS': ['p', 'q']}, \
         'ns': {'NS': ['1', '2.5']}, 'l': {'L': [{'N': '5'}, {'M': {'k': {'S': 'v'}}}]}, \
         'm': {'M': {'l': {'L': [{'S': 'abc'}]}}}}",
    )
}

#[test]
fn comparisons() {
    use Comparator::*;
    for (left, comparator, right, truth) in [
        ("n", Equal, "{'N': '5.0'}", true),
        ("n", Equal, "{'S': '5'}", false),
        ("n", NotEqual, "{'S': '5'}", true),
        ("n", Less, "{'N': '10'}", true),
        ("n", Less, "{'S': 'z'}", false),
        ("n", GreaterOrEqual, "{'S': 'z'}", false),
        ("s", Less, "{'S': 'abd'}", true),
        ("b", Greater, "{'B': 'xy'}", true),
        ("n", Equal, "l[0]", true),
        ("s", Equal, "m.l[0]", true),
        ("none", Equal, "{'N': '1'}", false),
        ("none", Equal, "nothing", false),
        ("none", NotEqual, "nothing", true),
        ("none", NotEqual, "{'N': '1'}", true),
        ("none", Less, "{'N': '1'}", false),
        ("t", Equal, "{'BOOL': true}", true),
        ("t", LessOrEqual, "z", false),
        ("ss", Equal, "{'SS': ['q', 'p']}", true),
        ("ss", NotEqual, "{'SS': ['q']}", true),
        ("l[1]", Equal, "{'M': {'k': {'S': 'v'}}}", true),
        ("size s", Equal, "{'N': '3'}", true),
        ("size e", Equal, "{'N': '2'}", true),
        ("size m", Less, "size l", true),
        ("size n", Equal, "{'N': '1'}", false),
        ("size n", Less, "{'N': '100'}", false),
    ] {
        let condition = Condition::Compare(operand(left), comparator, operand(right));
        assert_eq!(condition.holds(&sample()), truth, "{left} {comparator:?} {right}");
    }
}

#[test]
fn functions() {
    use Condition::*;
    for (condition, truth) in [
        (Exists(path("z")), true),
        (Exists(path("l[2]")), false),
        (NotExists(path("m.l[0].x")), true),
        (Type(path("ns"), Kind::Ns), true),
        (Type(path("none"), Kind::S), false),
        (BeginsWith(operand("s"), operand("{'S': 'ab'}")), true),
        (BeginsWith(operand("s"), operand("{'B': 'ab'}")), false),
        (BeginsWith(operand("b"), operand("{'B': 'x'}")), true),
        (BeginsWith(operand("n"), operand("{'S': '5'}")), false),
        (Contains(operand("s"), operand("{'S': 'bc'}")), true),
        (Contains(operand("b"), operand("{'B': 'yz'}")), true),
        (Contains(operand("b"), operand("{'B': ''}")), true),
        (Contains(operand("ss"), operand("{'S': 'q'}")), true),
        (Contains(operand("ss"), operand("{'SS': ['q']}")), false),
        (Contains(operand("ns"), operand("{'N': '2.5'}")), true),
        (Contains(operand("l"), operand("{'N': '5'}")), true),
        (Contains(operand("l"), operand("l[1]")), true),
        (Contains(operand("m"), operand("{'S': 'l'}")), false),
        (Contains(operand("none"), operand("{'S': ''}")), false),
        (Between(operand("n"), operand("{'N': '5'}"), operand("{'N': '6'}")), true),
        (Between(operand("n"), operand("{'N': '6'}"), operand("{'N': '7'}")), false),
        (Between(operand("n"), operand("{'S': '1'}"), operand("{'S': '9'}")), false),
        (Between(operand("n"), operand("none"), operand("{'N': '9'}")), false),
        (In(operand("n"), vec![operand("{'S': 'x'}"), operand("{'N': '5'}")]), true),
        (In(operand("n"), vec![operand("none")]), false),
        (In(operand("none"), vec![operand("nothing")]), false),
    ] {
        assert_eq!(condition.holds(&sample()), truth, "{condition:?}");
    }
}

#[test]
fn a_missing_item_is_an_empty_one() {
    let empty = Item::new();
    assert!(Condition::NotExists(path("a")).holds(&empty));
    assert!(Condition::Not(Box::new(Condition::Exists(path("a")))).holds(&empty));
    let equal = Condition::Compare(operand("a"), Comparator::Equal, operand("{'N': '1'}"));
    assert!(!equal.holds(&empty));
}

#[test]
fn parentheses_say_what_is_meant() {
    use Condition::*;
    let leaf = |name: &str| Box::new(NotExists(path(name)));
    let text = |condition: Condition| condition.text(&mut Notation::default());
    let either = Or(leaf("a"), leaf("b"));
    let a_or_b = "attribute_not_exists(a) OR attribute_not_exists(b)";
    assert_eq!(text(either.clone()), a_or_b);
    assert_eq!(
        text(And(Box::new(either.clone()), leaf("c"))),
        format!("({a_or_b}) AND attribute_not_exists(c)")
    );
    let not = Not(Box::new(either));
    assert_eq!(text(not.clone()), format!("NOT ({a_or_b})"));
    assert_eq!(text(Not(Box::new(not))), format!("NOT (NOT ({a_or_b}))"));
}
