//! Which transaction must come before which, and why. A cycle means that there is no order; which
//! relations it needs says what kind of anomaly it is.

use super::lists::{Anomaly, Transaction};
use std::collections::VecDeque;

/// Why one transaction must come before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Its append comes before the other's.
    WriteWrite,
    /// The other found its append.
    WriteRead,
    /// It did not find the other's append.
    ReadWrite,
    /// It was answered before the other was sent.
    RealTime,
}

/// A reason, and by which append of which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The reason.
    pub relation: Relation,
    /// The list.
    pub key: u32,
    /// The value of the second transaction, or for a read the one that was found.
    pub value: u64,
}

/// All reasons.
#[derive(Debug)]
pub struct Graph {
    edges: Vec<Vec<(usize, Edge)>>,
}

/// Steps from a transaction: reasons and where they lead.
type Path = Vec<(usize, Edge)>;

/// A kind of cycle: its name, whether exactly one read must miss an append, and what else it may use.
struct Shape {
    name: &'static str,
    one_missed: bool,
    uses: &'static [Relation],
}

use Relation::{ReadWrite, RealTime, WriteRead, WriteWrite};

/// From the gravest to the one that only breaks the order of time.
const SHAPES: [Shape; 8] = [
    Shape { name: "G0", one_missed: false, uses: &[WriteWrite] },
    Shape { name: "G1c", one_missed: false, uses: &[WriteWrite, WriteRead] },
    Shape { name: "G-single", one_missed: true, uses: &[WriteWrite, WriteRead] },
    Shape { name: "G2", one_missed: false, uses: &[WriteWrite, WriteRead, ReadWrite] },
    Shape { name: "G0-realtime", one_missed: false, uses: &[WriteWrite, RealTime] },
    Shape { name: "G1c-realtime", one_missed: false, uses: &[WriteWrite, WriteRead, RealTime] },
    Shape { name: "G-single-realtime", one_missed: true, uses: &[WriteWrite, WriteRead, RealTime] },
    Shape {
        name: "G2-realtime",
        one_missed: false,
        uses: &[WriteWrite, WriteRead, ReadWrite, RealTime],
    },
];

impl Graph {
    /// So many transactions, and no reasons.
    pub fn new(transactions: usize) -> Graph {
        Graph { edges: vec![Vec::new(); transactions] }
    }

    /// Adds a reason between two that are there and not the same.
    pub fn add(&mut self, from: Option<usize>, to: Option<usize>, edge: Edge) {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
            && let Some(edges) = self.edges.get_mut(from)
        {
            edges.push((to, edge));
        }
    }

    fn of(&self, from: usize) -> &[(usize, Edge)] {
        self.edges.get(from).map(Vec::as_slice).unwrap_or_default()
    }

    /// The gravest anomaly, by its shortest cycle.
    pub fn anomaly(&self, transactions: &[Transaction]) -> Option<Anomaly> {
        if !self.has_cycle() {
            return None;
        }
        SHAPES.iter().find_map(|shape| {
            let cycle = self.cycle(shape)?;
            Some(Anomaly { name: shape.name, text: describe(&cycle, transactions) })
        })
    }

    /// Whether some transactions cannot be taken away one after the other, first those that
    /// nothing must come before.
    fn has_cycle(&self) -> bool {
        let mut before = vec![0_usize; self.edges.len()];
        for (to, _) in self.edges.iter().flatten() {
            if let Some(count) = before.get_mut(*to) {
                *count += 1;
            }
        }
        let free = before.iter().enumerate().filter(|(_, count)| **count == 0);
        let mut free: Vec<usize> = free.map(|(index, _)| index).collect();
        let mut taken = 0;
        while let Some(index) = free.pop() {
            taken += 1;
            for (to, _) in self.of(index) {
                if let Some(count) = before.get_mut(*to) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(*to);
                    }
                }
            }
        }
        taken < self.edges.len()
    }

    /// The shortest cycle of a shape, as steps that end where the first begins.
    fn cycle(&self, shape: &Shape) -> Option<Path> {
        let mut shortest: Option<Path> = None;
        for start in 0..self.edges.len() {
            for &(next, edge) in self.of(start) {
                let first = if shape.one_missed {
                    edge.relation == ReadWrite
                } else {
                    shape.uses.contains(&edge.relation)
                };
                if !first {
                    continue;
                }
                if let Some(rest) = self.path(next, start, shape.uses) {
                    let cycle: Path = [(next, edge)].into_iter().chain(rest).collect();
                    if shortest.as_ref().is_none_or(|known| cycle.len() < known.len()) {
                        shortest = Some(cycle);
                    }
                }
            }
        }
        shortest
    }

    /// The shortest way from one to another.
    fn path(&self, from: usize, to: usize, uses: &[Relation]) -> Option<Path> {
        let mut came: Vec<Option<(usize, Edge)>> = vec![None; self.edges.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if at == to {
                break;
            }
            for &(next, edge) in self.of(at).iter().filter(|(_, e)| uses.contains(&e.relation)) {
                if let Some(slot) = came.get_mut(next)
                    && slot.is_none()
                    && next != from
                {
                    *slot = Some((at, edge));
                    queue.push_back(next);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = to;
        while at != from {
            let (before, edge) = came.get(at).copied().flatten()?;
            path.push((at, edge));
            at = before;
        }
        path.reverse();
        Some(path)
    }
}

/// A cycle in words, one step a line.
fn describe(cycle: &Path, transactions: &[Transaction]) -> String {
    let mut text = "a cycle, each before the next:".to_owned();
    let mut at = cycle.last().map(|(to, _)| *to).unwrap_or_default();
    for (to, edge) in cycle {
        if let Some(transaction) = transactions.get(at) {
            text.push_str(&format!("\n    T{at}: {transaction}"));
        }
        let Edge { key, value, .. } = edge;
        let reason = match edge.relation {
            WriteWrite => format!("{value}, which T{to} appended to {key}, comes after its own"),
            WriteRead => format!("T{to} found its {value} in {key}"),
            ReadWrite => format!("it did not find {value}, which T{to} appended to {key}"),
            RealTime => format!("it was answered before T{to} was sent"),
        };
        text.push_str(&format!("\n      before T{to}, since {reason}"));
        at = *to;
    }
    text
}
