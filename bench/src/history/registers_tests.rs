//! Known histories, and random ones against a search through all orders.

use super::*;
use crate::random::Random;

fn operation(invoked: u64, completed: u64, action: Action) -> Operation {
    let completed = (completed < 100).then_some(completed);
    Operation { client: 0, invoked, completed, action }
}

fn put(value: u64) -> Action {
    Action::Write { to: Some(value), was: None }
}

fn swap(from: u64, to: u64, applied: bool) -> Action {
    Action::Swap { from: Some(from), to: Some(to), applied: Some(applied), was: None }
}

/// No answer.
const NEVER: u64 = 100;

#[test]
fn known_histories() {
    let read = |value| Action::Read(Some(value));
    let gone = Action::Read(None);
    let delete = Action::Write { to: None, was: None };
    for (name, good, operations) in [
        ("nothing", true, vec![]),
        ("a read of nothing", true, vec![(0, 1, gone)]),
        ("a read of what nobody wrote", false, vec![(0, 1, read(1))]),
        ("one after the other", true, vec![(0, 1, put(1)), (2, 3, read(1))]),
        ("stale read", false, vec![(0, 1, put(1)), (2, 3, put(2)), (4, 5, read(1))]),
        ("a read during the write may be either", true, vec![(0, 9, put(1)), (2, 3, gone)]),
        ("but not go back", false, vec![(0, 9, put(1)), (2, 3, read(1)), (4, 5, gone)]),
        (
            "two writes at once, any first",
            true,
            vec![(0, 9, put(1)), (0, 9, put(2)), (10, 11, read(1))],
        ),
        (
            "two readers in different orders",
            false,
            vec![(0, 9, put(1)), (0, 9, put(2)), (10, 11, read(1)), (12, 13, read(2))],
        ),
        ("a lost write", false, vec![(0, 1, put(1)), (2, 3, gone)]),
        (
            "a deleted item that is back",
            false,
            vec![(0, 1, put(1)), (2, 3, delete), (4, 5, read(1))],
        ),
        ("a write without answer, seen", true, vec![(0, NEVER, put(1)), (4, 5, read(1))]),
        ("a write without answer, not seen", true, vec![(0, NEVER, put(1)), (4, 5, gone)]),
        (
            "a write without answer, seen late",
            true,
            vec![(0, NEVER, put(1)), (4, 5, gone), (6, 7, read(1))],
        ),
        (
            "a write without answer, seen and gone",
            false,
            vec![(0, NEVER, put(1)), (4, 5, read(1)), (6, 7, gone)],
        ),
        ("a write seen before it was sent", false, vec![(0, 1, read(1)), (2, NEVER, put(1))]),
        (
            "lost update",
            false,
            vec![(0, 1, put(1)), (2, 9, swap(1, 2, true)), (2, 9, swap(1, 3, true))],
        ),
        (
            "one of two swaps",
            true,
            vec![(0, 1, put(1)), (2, 9, swap(1, 2, true)), (2, 9, swap(1, 3, false))],
        ),
        ("a swap refused without cause", false, vec![(0, 1, put(1)), (2, 3, swap(1, 2, false))]),
        (
            "a swap that says what was there",
            true,
            vec![
                (0, 1, put(1)),
                (
                    2,
                    3,
                    Action::Swap {
                        from: None,
                        to: Some(2),
                        applied: Some(false),
                        was: Some(Some(1)),
                    },
                ),
            ],
        ),
        (
            "a swap that says what was not there",
            false,
            vec![
                (0, 1, put(1)),
                (
                    2,
                    3,
                    Action::Swap {
                        from: None,
                        to: Some(2),
                        applied: Some(false),
                        was: Some(Some(7)),
                    },
                ),
            ],
        ),
        (
            "a put that says what was there before",
            false,
            vec![(0, 1, put(1)), (2, 3, Action::Write { to: Some(2), was: Some(None) })],
        ),
    ] {
        let operations: Vec<_> =
            operations.into_iter().map(|(from, to, action)| operation(from, to, action)).collect();
        assert_eq!(check(&operations).is_ok(), good, "{name}");
    }
}

#[test]
fn an_explanation_shows_every_operation() {
    let operations = [operation(0, 1, put(1)), operation(2, 3, Action::Read(None))];
    let longest = check(&operations).unwrap_err();
    let text = explain("key 1", &operations, &longest);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("# 0") && text.contains(" - "), "{text}");
}

/// Tries every order of every choice of operations.
fn brute(operations: &[Operation], done: u128, state: State) -> bool {
    let all_answered =
        operations.iter().enumerate().all(|(i, o)| done & bit(i) != 0 || o.completed.is_none());
    all_answered
        || (0..operations.len()).filter(|&i| done & bit(i) == 0).any(|i| {
            let early = |(j, other): (usize, &Operation)| {
                done & bit(j) == 0 && other.completed.is_some_and(|c| c < operations[i].invoked)
            };
            !operations.iter().enumerate().any(early)
                && operations[i]
                    .action
                    .step(state)
                    .is_some_and(|state| brute(operations, done | bit(i), state))
        })
}

fn random_action(random: &mut Random) -> Action {
    let state = |random: &mut Random| match random.between(0, 4) {
        0 => None,
        value => Some(value),
    };
    let was = |random: &mut Random| random.percent(30).then(|| state(random));
    match random.between(0, 4) {
        0 | 1 => Action::Read(state(random)),
        2 => Action::Write { to: state(random), was: was(random) },
        _ => Action::Swap {
            from: state(random),
            to: Some(random.between(1, 4)),
            applied: match random.between(0, 5) {
                0 => None,
                choice => Some(choice < 3),
            },
            was: was(random),
        },
    }
}

#[test]
fn the_search_agrees_with_all_orders() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..30_000 {
        let mut random = Random::stream(seed, 1);
        let count = random.between(1, 7);
        let operations: Vec<_> = (0..count)
            .map(|_| {
                let invoked = random.between(0, 20);
                let mut action = random_action(&mut random);
                let completed = (!random.percent(15)).then(|| invoked + 1 + random.between(0, 12));
                match &mut action {
                    Action::Swap { applied, was, .. } if completed.is_none() => {
                        (*applied, *was) = (None, None);
                    }
                    Action::Write { was, .. } if completed.is_none() => *was = None,
                    _ => {}
                }
                Operation { client: 0, invoked, completed, action }
            })
            .collect();
        let expected = brute(&operations, 0, None);
        assert_eq!(check(&operations).is_ok(), expected, "seed {seed}: {operations:#?}");
        if expected { good += 1 } else { bad += 1 }
    }
    // Both verdicts must be tried often.
    assert!(good > 2_000 && bad > 2_000, "{good} good, {bad} bad");
}

#[test]
fn the_search_takes_long_histories_of_many_clients() {
    let mut operations = Vec::new();
    for round in 0..15 {
        for client in 0..8 {
            let start = round * 10;
            let action = put(round * 8 + client);
            operations.push(Operation {
                client: 0,
                invoked: start,
                completed: Some(start + 9),
                action,
            });
        }
    }
    operations.push(Operation {
        client: 0,
        invoked: 1_000,
        completed: Some(1_001),
        action: Action::Read(Some(14 * 8 + 3)),
    });
    assert!(check(&operations).is_ok());
}
