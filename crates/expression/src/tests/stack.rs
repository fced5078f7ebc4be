//! No text gets anything here into deep recursion: all of it runs on a small stack.

use value::{Item, Value};

use super::placeholders;
use crate::{
    ConditionSyntax, KeyConditionSyntax, Kind, MAX_EXPRESSION_SIZE, ProjectionSyntax, UpdateSyntax,
};

const SMALL_STACK: usize = 256 * 1024;

/// Parses a text as everything, and binds, asks and applies what parses.
pub(super) fn use_everywhere(text: &str) {
    let names = "{a: 'a', n: 'x.y'}";
    let values = "{a: 1, v: 'x', l: [1]}";
    let item = Item::from([("a".to_owned(), Value::L(vec![Value::Null]))]);
    for kind in [Kind::Condition, Kind::Filter] {
        if let Ok(syntax) = ConditionSyntax::parse(kind, text)
            && let Ok(condition) = syntax.bind(&mut placeholders(names, values))
        {
            condition.matches(&item);
            condition.matches(&Item::new());
        }
    }
    if let Ok(syntax) = KeyConditionSyntax::parse(text) {
        drop(syntax.bind(&mut placeholders(names, values)));
    }
    if let Ok(syntax) = ProjectionSyntax::parse(text)
        && let Ok(projection) = syntax.bind(&mut placeholders(names, values))
    {
        projection.apply(&item);
    }
    if let Ok(syntax) = UpdateSyntax::parse(text)
        && let Ok(update) = syntax.bind(&mut placeholders(names, values))
    {
        for old in [Some(&item), None] {
            if let Ok(updated) = update.apply(old, &item) {
                updated.updated_old(old);
                updated.updated_new();
            }
        }
    }
}

pub(super) fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(SMALL_STACK);
    thread.spawn(work).unwrap().join().unwrap();
}

#[test]
fn deep_texts_fit_a_small_stack() {
    on_a_small_stack(|| {
        for opening in [
            "(",
            "NOT ",
            "NOT(",
            "f(",
            "size(",
            "a[",
            "a.",
            "a AND (",
            "a=:a AND (",
            "a=:a OR (",
            "NOT (a=:a OR ",
            "a IN (",
            "a BETWEEN ",
            "list_append(a,",
            "if_not_exists(a,",
            "((a)",
        ] {
            for prefix in ["", "SET a = ", "SET a = :a + "] {
                for (middle, closing) in [("", ""), ("a", ")"), ("a=:a", ")"), (":a", "]")] {
                    let room = MAX_EXPRESSION_SIZE - prefix.len() - middle.len();
                    for depth in [1, 2, 149, 290, room / (opening.len() + closing.len())] {
                        let text = format!(
                            "{prefix}{}{middle}{}",
                            opening.repeat(depth),
                            closing.repeat(depth)
                        );
                        use_everywhere(&text);
                    }
                }
            }
        }
    });
}

#[test]
fn deepest_accepted_texts_are_evaluated() {
    on_a_small_stack(|| {
        let item = super::notation::item("{a: 1, l: [1]}");
        let condition = format!("{}a=:a{}", "a=:a AND NOT(".repeat(99), ")".repeat(99));
        let syntax = ConditionSyntax::parse(Kind::Condition, &condition).unwrap();
        let bound = syntax.bind(&mut placeholders("{}", "{a: 1}")).unwrap();
        assert!(!bound.matches(&item));
        let nots = format!("{}a=:a", "NOT ".repeat(299));
        let syntax = ConditionSyntax::parse(Kind::Condition, &nots).unwrap();
        let bound = syntax.bind(&mut placeholders("{}", "{a: 1}")).unwrap();
        assert!(!bound.matches(&item));
        let update = format!("SET x={}l{}", "list_append(l,".repeat(271), ")".repeat(271));
        assert!(update.len() <= MAX_EXPRESSION_SIZE);
        let syntax = UpdateSyntax::parse(&update).unwrap();
        let bound = syntax.bind(&mut placeholders("{}", "{}")).unwrap();
        let updated = bound.apply(Some(&item), &item).unwrap();
        let Some(Value::L(list)) = updated.item.unwrap().remove("x") else {
            panic!("no list");
        };
        assert_eq!(list.len(), 272);
    });
}
