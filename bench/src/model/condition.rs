//! Conditions: a small grammar, its text, and its truth for an item.

use super::{
    decimal::Decimal,
    notation::Notation,
    path::Path,
    value::{Item, Kind, Value},
};

/// Something that a test looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    Path(Path),
    Value(Value),
    Size(Path),
}

/// How two operands are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    Compare(Operand, Comparator, Operand),
    Between(Operand, Operand, Operand),
    In(Operand, Vec<Operand>),
    Exists(Path),
    NotExists(Path),
    Type(Path, Kind),
    BeginsWith(Operand, Operand),
    Contains(Operand, Operand),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

impl Operand {
    fn value(&self, item: &Item) -> Option<Value> {
        match self {
            Operand::Path(path) => path.get(item).cloned(),
            Operand::Value(value) => Some(value.clone()),
            Operand::Size(path) => {
                let size = match path.get(item)? {
                    Value::S(text) => text.chars().count(),
                    Value::B(bytes) => bytes.len(),
                    Value::Ss(set) => set.len(),
                    Value::Ns(set) => set.len(),
                    Value::Bs(set) => set.len(),
                    Value::L(list) => list.len(),
                    Value::M(map) => map.len(),
                    Value::N(_) | Value::Bool(_) | Value::Null => return None,
                };
                Some(Value::N(Decimal::new(size as i128, 0)))
            }
        }
    }

    fn text(&self, notation: &mut Notation) -> String {
        match self {
            Operand::Path(path) => notation.path(path),
            Operand::Value(value) => notation.value(value),
            Operand::Size(path) => format!("size({})", notation.path(path)),
        }
    }
}

impl Comparator {
    /// All of them.
    pub const ALL: [Comparator; 6] = [
        Comparator::Equal,
        Comparator::NotEqual,
        Comparator::Less,
        Comparator::LessOrEqual,
        Comparator::Greater,
        Comparator::GreaterOrEqual,
    ];

    /// Whether it asks for an order.
    pub fn orders(self) -> bool {
        !matches!(self, Comparator::Equal | Comparator::NotEqual)
    }

    fn text(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }

    fn holds(self, left: Option<&Value>, right: Option<&Value>) -> bool {
        let (Some(left), Some(right)) = (left, right) else { return self == Comparator::NotEqual };
        let order = match (left, right) {
            (Value::S(a), Value::S(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Value::N(a), Value::N(b)) => a.cmp(b),
            (Value::B(a), Value::B(b)) => a.cmp(b),
            _ => {
                let equal = left == right;
                return match self {
                    Comparator::Equal => equal,
                    Comparator::NotEqual => !equal,
                    _ => false,
                };
            }
        };
        match self {
            Comparator::Equal => order.is_eq(),
            Comparator::NotEqual => order.is_ne(),
            Comparator::Less => order.is_lt(),
            Comparator::LessOrEqual => order.is_le(),
            Comparator::Greater => order.is_gt(),
            Comparator::GreaterOrEqual => order.is_ge(),
        }
    }
}

fn begins_with(whole: &Value, start: &Value) -> bool {
    match (whole, start) {
        (Value::S(whole), Value::S(start)) => whole.starts_with(start.as_str()),
        (Value::B(whole), Value::B(start)) => whole.starts_with(start),
        _ => false,
    }
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::S(whole), Value::S(part)) => whole.contains(part.as_str()),
        (Value::B(whole), Value::B(part)) => {
            part.is_empty() || whole.windows(part.len()).any(|window| window == part.as_slice())
        }
        (Value::Ss(set), Value::S(part)) => set.contains(part),
        (Value::Ns(set), Value::N(part)) => set.contains(part),
        (Value::Bs(set), Value::B(part)) => set.contains(part),
        (Value::L(list), part) => list.contains(part),
        _ => false,
    }
}

impl Condition {
    /// Whether it holds for an item; for none, with an empty one.
    pub fn holds(&self, item: &Item) -> bool {
        let both = |a: &Operand, b: &Operand, test: fn(&Value, &Value) -> bool| {
            a.value(item).is_some_and(|a| b.value(item).is_some_and(|b| test(&a, &b)))
        };
        match self {
            Condition::Compare(left, comparator, right) => {
                comparator.holds(left.value(item).as_ref(), right.value(item).as_ref())
            }
            Condition::Between(operand, low, high) => {
                let value = operand.value(item);
                Comparator::LessOrEqual.holds(low.value(item).as_ref(), value.as_ref())
                    && Comparator::LessOrEqual.holds(value.as_ref(), high.value(item).as_ref())
            }
            Condition::In(operand, list) => {
                list.iter().any(|other| both(operand, other, |a, b| a == b))
            }
            Condition::Exists(path) => path.get(item).is_some(),
            Condition::NotExists(path) => path.get(item).is_none(),
            Condition::Type(path, kind) => path.get(item).is_some_and(|v| v.kind() == *kind),
            Condition::BeginsWith(whole, start) => both(whole, start, begins_with),
            Condition::Contains(whole, part) => both(whole, part, contains),
            Condition::And(left, right) => left.holds(item) && right.holds(item),
            Condition::Or(left, right) => left.holds(item) || right.holds(item),
            Condition::Not(inner) => !inner.holds(item),
        }
    }

    /// The text, with the parentheses that precedence asks for, and a few more.
    pub fn text(&self, notation: &mut Notation) -> String {
        match self {
            Condition::Compare(left, comparator, right) => {
                let left = left.text(notation);
                format!("{left} {} {}", comparator.text(), right.text(notation))
            }
            Condition::Between(operand, low, high) => {
                let (operand, low) = (operand.text(notation), low.text(notation));
                format!("{operand} BETWEEN {low} AND {}", high.text(notation))
            }
            Condition::In(operand, list) => {
                let operand = operand.text(notation);
                let list: Vec<String> = list.iter().map(|other| other.text(notation)).collect();
                format!("{operand} IN ({})", list.join(", "))
            }
            Condition::Exists(path) => format!("attribute_exists({})", notation.path(path)),
            Condition::NotExists(path) => format!("attribute_not_exists({})", notation.path(path)),
            Condition::Type(path, kind) => {
                let kind = Value::S(kind.name().to_owned());
                format!("attribute_type({}, {})", notation.path(path), notation.value(&kind))
            }
            Condition::BeginsWith(whole, start) => {
                let whole = whole.text(notation);
                format!("begins_with({whole}, {})", start.text(notation))
            }
            Condition::Contains(whole, part) => {
                let whole = whole.text(notation);
                format!("contains({whole},{})", part.text(notation))
            }
            Condition::And(left, right) => {
                let left = left.part(notation, |c| matches!(c, Condition::Or(..)));
                // A pair on the right needs none, since AND may be grouped in any way.
                let right = right.part(notation, |c| matches!(c, Condition::Or(..)));
                format!("{left} AND {right}")
            }
            Condition::Or(left, right) => {
                let left = left.part(notation, |c| matches!(c, Condition::Exists(_)));
                let right = right.part(notation, |c| matches!(c, Condition::And(..)));
                format!("{left} OR {right}")
            }
            Condition::Not(inner) => {
                let compound = |c: &Condition| {
                    matches!(c, Condition::And(..) | Condition::Or(..) | Condition::Not(_))
                };
                format!("NOT {}", inner.part(notation, compound))
            }
        }
    }

    fn part(&self, notation: &mut Notation, parentheses: fn(&Condition) -> bool) -> String {
        let text = self.text(notation);
        if parentheses(self) { format!("({text})") } else { text }
    }
}

#[cfg(test)]
#[path = "condition_tests.rs"]
mod tests;
