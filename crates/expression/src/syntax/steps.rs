//! The order in which a condition's tests are made: straight code with jumps that leave out tests
//! whose outcome no longer matters.

use super::Node;

/// One step. The outcome so far is a single truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Make the next test not made yet by its number; its outcome becomes the outcome so far.
    Test(usize),
    /// Negate.
    Not,
    /// Go on at another step when the outcome so far is this one.
    Jump { when: bool, to: usize },
}

/// The steps of a condition given in postfix order.
pub(crate) fn steps(nodes: &[Node]) -> Vec<Step> {
    let jumps = jumps(nodes);
    let mut steps = Vec::with_capacity(nodes.len());
    let mut ends = Vec::with_capacity(nodes.len());
    let mut tests = 0;
    for (node, jump) in nodes.iter().zip(jumps) {
        match node {
            Node::Test => {
                steps.push(Step::Test(tests));
                tests += 1;
            }
            Node::Not => steps.push(Step::Not),
            Node::And(_) | Node::Or(_) => {}
        }
        ends.push(steps.len());
        steps.extend(jump);
    }
    for step in &mut steps {
        if let Step::Jump { to, .. } = step {
            *to = ends.get(*to).copied().unwrap_or_default();
        }
    }
    steps
}

/// For each node the jump that follows it, still naming the node whose end it goes to: all operands
/// of AND and OR but the last may settle the matter.
fn jumps(nodes: &[Node]) -> Vec<Option<Step>> {
    let mut jumps = vec![None; nodes.len()];
    let mut open: Vec<usize> = Vec::new();
    for (parent, node) in nodes.iter().enumerate() {
        let (operands, when) = match node {
            Node::Test | Node::Not => (usize::from(*node == Node::Not), false),
            Node::And(operands) => (*operands, false),
            Node::Or(operands) => (*operands, true),
        };
        let first = open.len().saturating_sub(operands);
        let mut operands = open.drain(first..).rev();
        operands.next();
        for operand in operands {
            if let Some(jump) = jumps.get_mut(operand) {
                *jump = Some(Step::Jump { when, to: parent });
            }
        }
        open.push(parent);
    }
    jumps
}

#[cfg(test)]
mod tests {
    use super::*;
    use Node::{And, Not, Or, Test};

    #[test]
    fn jumps_leave_out_what_is_settled() {
        let jump = |when, to| Step::Jump { when, to };
        for (nodes, expect) in [
            (vec![], vec![]),
            (vec![Test], vec![Step::Test(0)]),
            (vec![Test, Not], vec![Step::Test(0), Step::Not]),
            (
                vec![Test, Test, Test, And(3)],
                vec![Step::Test(0), jump(false, 5), Step::Test(1), jump(false, 5), Step::Test(2)],
            ),
            (
                vec![Test, Test, And(2), Test, Not, Or(2)],
                vec![
                    Step::Test(0),
                    jump(false, 3),
                    Step::Test(1),
                    jump(true, 6),
                    Step::Test(2),
                    Step::Not,
                ],
            ),
        ] {
            assert_eq!(steps(&nodes), expect, "{nodes:?}");
        }
    }
}
