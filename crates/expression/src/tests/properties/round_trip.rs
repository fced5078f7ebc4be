//! What is written down is read back the same.

use proptest::prelude::*;

use super::tree::{Postfix, Writer, right_hand_sides, trees};
use crate::syntax::ActionSyntax;
use crate::{ConditionSyntax, Kind, MAX_EXPRESSION_SIZE, ProjectionSyntax, UpdateSyntax};

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..60)
}

proptest! {
    #[test]
    fn conditions(tree in trees(), choices in choices()) {
        let mut writer = Writer::new(choices);
        writer.tree(&tree);
        prop_assume!(writer.text.len() <= MAX_EXPRESSION_SIZE);
        let syntax = ConditionSyntax::parse(Kind::Condition, &writer.text);
        let mut expect = Postfix::default();
        expect.tree(&tree);
        let syntax = match syntax {
            Ok(syntax) => syntax,
            Err(found) => return Err(TestCaseError::fail(format!("{}: {found}", writer.text))),
        };
        prop_assert_eq!(syntax.nodes, expect.nodes);
        prop_assert_eq!(syntax.terms, expect.terms);
        let tests: Vec<_> = syntax
            .tests
            .iter()
            .map(|test| (test.kind, test.start, test.end))
            .collect();
        prop_assert_eq!(tests, expect.tests);
    }

    #[test]
    fn updates(
        sets in prop::collection::vec((super::paths(), right_hand_sides()), 1..5),
        removes in prop::collection::vec(super::paths(), 0..4),
        adds in prop::collection::vec((super::paths(), 0..6_usize), 0..4),
        choices in choices(),
    ) {
        let mut writer = Writer::new(choices);
        let mut expect = Postfix::default();
        let mut clauses = Vec::new();
        for (position, (path, value)) in sets.iter().enumerate() {
            if position == 0 { writer.keyword("set") } else { writer.token(",") }
            writer.path(path);
            writer.token("=");
            writer.operand(value);
            let start = expect.terms.len();
            expect.operand(value);
            let end = expect.terms.len();
            clauses.push((path.clone(), ActionSyntax::Set { start, end }));
        }
        for (position, path) in removes.iter().enumerate() {
            if position == 0 { writer.keyword("remove") } else { writer.token(",") }
            writer.path(path);
            clauses.push((path.clone(), ActionSyntax::Remove));
        }
        for (position, (path, number)) in adds.iter().enumerate() {
            if position == 0 { writer.keyword("add") } else { writer.token(",") }
            let value = format!(":v{number}");
            writer.path(path);
            writer.token(&value);
            clauses.push((path.clone(), ActionSyntax::Add(value.into())));
        }
        prop_assume!(writer.text.len() <= MAX_EXPRESSION_SIZE);
        let syntax = UpdateSyntax::parse(&writer.text).unwrap();
        prop_assert_eq!(syntax.terms, expect.terms);
        let found: Vec<_> = syntax
            .clauses
            .into_iter()
            .map(|clause| (clause.target, clause.action))
            .collect();
        prop_assert_eq!(found, clauses);
    }

    #[test]
    fn projections(
        paths in prop::collection::vec(super::paths(), 1..20),
        choices in choices(),
    ) {
        let mut writer = Writer::new(choices);
        for (position, path) in paths.iter().enumerate() {
            if position > 0 {
                writer.token(",");
            }
            writer.path(path);
        }
        let syntax = ProjectionSyntax::parse(&writer.text).unwrap();
        prop_assert_eq!(syntax.paths, paths);
    }
}
