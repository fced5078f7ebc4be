//! Conditions and right-hand sides as plain recursive trees, how they are written and what they
//! are in postfix order.

use std::fmt::Write;

use proptest::prelude::*;

use crate::syntax::{Comparator, ElementSyntax, Function, Node, PathSyntax, Term, TestKind};

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Test(TreeTest),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
}

#[derive(Clone, Debug)]
pub(super) enum TreeTest {
    Compare(Comparator, Operand, Operand),
    Between(Operand, Operand, Operand),
    In(Operand, Vec<Operand>),
    Call(Function, Vec<Operand>),
}

#[derive(Clone, Debug)]
pub(super) enum Operand {
    Path(PathSyntax),
    Value(String),
    Call(Function, Vec<Operand>),
    Arithmetic(bool, Box<Operand>, Box<Operand>),
}

const COMPARATORS: [Comparator; 6] = [
    Comparator::Eq,
    Comparator::Ne,
    Comparator::Lt,
    Comparator::Le,
    Comparator::Gt,
    Comparator::Ge,
];

fn leaves() -> impl Strategy<Value = Operand> {
    prop_oneof![
        3 => super::paths().prop_map(Operand::Path),
        1 => (0..6_usize).prop_map(|number| Operand::Value(format!(":v{number}"))),
    ]
}

fn operands() -> impl Strategy<Value = Operand> {
    prop_oneof![
        6 => leaves(),
        1 => leaves().prop_map(|operand| Operand::Call(Function::Size, vec![operand])),
    ]
}

fn tests() -> impl Strategy<Value = TreeTest> {
    let path = || super::paths().prop_map(Operand::Path);
    prop_oneof![
        4 => (prop::sample::select(&COMPARATORS[..]), operands(), operands())
            .prop_map(|(comparator, left, right)| TreeTest::Compare(comparator, left, right)),
        1 => (operands(), operands(), operands())
            .prop_map(|(value, lower, upper)| TreeTest::Between(value, lower, upper)),
        1 => (operands(), prop::collection::vec(operands(), 1..4))
            .prop_map(|(value, members)| TreeTest::In(value, members)),
        1 => path().prop_map(|path| TreeTest::Call(Function::AttributeExists, vec![path])),
        1 => path().prop_map(|path| TreeTest::Call(Function::AttributeNotExists, vec![path])),
        1 => (operands(), operands())
            .prop_map(|(left, right)| TreeTest::Call(Function::BeginsWith, vec![left, right])),
        1 => (operands(), operands())
            .prop_map(|(left, right)| TreeTest::Call(Function::Contains, vec![left, right])),
    ]
}

pub(super) fn trees() -> impl Strategy<Value = Tree> {
    tests().prop_map(Tree::Test).prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|tree| Tree::Not(Box::new(tree))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Tree::And),
            prop::collection::vec(inner, 2..4).prop_map(Tree::Or),
        ]
    })
}

pub(super) fn right_hand_sides() -> impl Strategy<Value = Operand> {
    let operand = leaves().prop_recursive(3, 12, 2, |inner| {
        let path = super::paths().prop_map(Operand::Path);
        prop_oneof![
            (path, inner.clone())
                .prop_map(|(path, or)| { Operand::Call(Function::IfNotExists, vec![path, or]) }),
            (inner.clone(), inner).prop_map(|(left, right)| {
                Operand::Call(Function::ListAppend, vec![left, right])
            }),
        ]
    });
    prop_oneof![
        2 => operand.clone(),
        1 => (any::<bool>(), operand.clone(), operand).prop_map(|(plus, left, right)| {
            Operand::Arithmetic(plus, Box::new(left), Box::new(right))
        }),
    ]
}

/// Writes trees down, with blanks, cases and needless parentheses as the numbers say.
pub(super) struct Writer {
    pub(super) text: String,
    choices: Vec<u8>,
    next: usize,
}

impl Writer {
    pub(super) fn new(choices: Vec<u8>) -> Writer {
        let text = String::new();
        let next = 0;
        Writer { text, choices, next }
    }

    fn choose(&mut self, of: u8) -> u8 {
        self.next += 1;
        self.choices[self.next % self.choices.len()] % of
    }

    /// Writes a token and enough space to keep it apart from the next word.
    pub(super) fn token(&mut self, token: &str) {
        let blank = [" ", "  ", "\n", "\t", "\r\n"][usize::from(self.choose(5))];
        self.text.push_str(token);
        self.text.push_str(blank);
    }

    pub(super) fn keyword(&mut self, word: &str) {
        let word = match self.choose(3) {
            0 => word.to_lowercase(),
            1 => word.to_uppercase(),
            _ => word[..1].to_uppercase() + &word[1..].to_lowercase(),
        };
        self.token(&word);
    }

    pub(super) fn path(&mut self, path: &PathSyntax) {
        let mut text = String::new();
        for (position, element) in std::iter::once(&path.root).chain(&path.rest).enumerate() {
            match element {
                ElementSyntax::Index(index) => write!(text, "[{index}]").unwrap(),
                ElementSyntax::Name(name) | ElementSyntax::Alias(name) => {
                    let dot = if position > 0 { "." } else { "" };
                    write!(text, "{dot}{name}").unwrap();
                }
            }
        }
        self.token(&text);
    }

    pub(super) fn operand(&mut self, operand: &Operand) {
        let grouped = self.choose(4) == 0;
        if grouped {
            self.token("(");
        }
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(name) => self.token(name),
            Operand::Call(function, operands) => {
                self.token(function.name());
                self.operands(operands);
            }
            Operand::Arithmetic(plus, left, right) => {
                self.operand(left);
                self.token(if *plus { "+" } else { "-" });
                self.operand(right);
            }
        }
        if grouped {
            self.token(")");
        }
    }

    fn operands(&mut self, operands: &[Operand]) {
        self.token("(");
        for (position, operand) in operands.iter().enumerate() {
            if position > 0 {
                self.token(",");
            }
            self.operand(operand);
        }
        self.token(")");
    }

    fn test(&mut self, test: &TreeTest) {
        match test {
            TreeTest::Compare(comparator, left, right) => {
                self.operand(left);
                self.token(comparator.symbol());
                self.operand(right);
            }
            TreeTest::Between(value, lower, upper) => {
                self.operand(value);
                self.keyword("between");
                self.operand(lower);
                self.keyword("and");
                self.operand(upper);
            }
            TreeTest::In(value, members) => {
                self.operand(value);
                self.keyword("in");
                self.operands(members);
            }
            TreeTest::Call(function, operands) => {
                self.token(function.name());
                self.operands(operands);
            }
        }
    }

    pub(super) fn tree(&mut self, tree: &Tree) {
        let (word, trees) = match tree {
            Tree::Test(test) => return self.test(test),
            Tree::Not(inner) => {
                self.keyword("not");
                let grouped = !matches!(**inner, Tree::Test(_)) || self.choose(3) == 0;
                return self.grouped(inner, grouped);
            }
            Tree::And(trees) => ("and", trees),
            Tree::Or(trees) => ("or", trees),
        };
        for (position, inner) in trees.iter().enumerate() {
            if position > 0 {
                self.keyword(word);
            }
            let must = match inner {
                Tree::Or(_) => true,
                Tree::And(_) => word == "and",
                Tree::Test(_) | Tree::Not(_) => false,
            };
            let grouped = must || self.choose(4) == 0;
            self.grouped(inner, grouped);
        }
    }

    fn grouped(&mut self, tree: &Tree, grouped: bool) {
        if grouped {
            self.token("(");
        }
        self.tree(tree);
        if grouped {
            self.token(")");
        }
    }
}

/// A tree in postfix order, as the parser should give it.
#[derive(Default)]
pub(super) struct Postfix {
    pub(super) nodes: Vec<Node>,
    pub(super) tests: Vec<(TestKind, usize, usize)>,
    pub(super) terms: Vec<Term>,
}

impl Postfix {
    pub(super) fn tree(&mut self, tree: &Tree) {
        let trees = match tree {
            Tree::Test(test) => return self.test(test),
            Tree::Not(inner) => {
                self.tree(inner);
                return self.nodes.push(Node::Not);
            }
            Tree::And(trees) | Tree::Or(trees) => trees,
        };
        for inner in trees {
            self.tree(inner);
        }
        self.nodes.push(match tree {
            Tree::And(_) => Node::And(trees.len()),
            _ => Node::Or(trees.len()),
        });
    }

    fn test(&mut self, test: &TreeTest) {
        let start = self.terms.len();
        let kind = match test {
            TreeTest::Compare(comparator, left, right) => {
                self.operand(left);
                self.operand(right);
                TestKind::Compare(*comparator)
            }
            TreeTest::Between(value, lower, upper) => {
                for operand in [value, lower, upper] {
                    self.operand(operand);
                }
                TestKind::Between
            }
            TreeTest::In(value, members) => {
                self.operand(value);
                members.iter().for_each(|member| self.operand(member));
                TestKind::In
            }
            TreeTest::Call(function, operands) => {
                self.operand(&Operand::Call(*function, operands.clone()));
                TestKind::Call
            }
        };
        self.tests.push((kind, start, self.terms.len()));
        self.nodes.push(Node::Test);
    }

    pub(super) fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Path(path) => self.terms.push(Term::Path(path.clone())),
            Operand::Value(name) => self.terms.push(Term::Value(name.as_str().into())),
            Operand::Call(function, operands) => {
                operands.iter().for_each(|operand| self.operand(operand));
                self.terms.push(Term::Call { function: *function, operands: operands.len() });
            }
            Operand::Arithmetic(plus, left, right) => {
                self.operand(left);
                self.operand(right);
                self.terms.push(if *plus { Term::Plus } else { Term::Minus });
            }
        }
    }
}
