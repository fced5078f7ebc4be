//! One row an anomaly, and random histories against a search through all orders.

use super::*;
use crate::random::Random;

/// Reads and appends of a transaction that was done at a time; `until` from 100 on: no answer.
fn transaction(
    invoked: u64,
    until: u64,
    appends: &[(Key, &[Value])],
    reads: &[(Key, &[Value])],
) -> Transaction {
    let read = |&(key, list): &(Key, &[Value])| Read { key, list: list.to_vec(), own: false };
    Transaction {
        client: 0,
        name: "transaction",
        invoked,
        completed: (until < 100).then_some(until),
        outcome: if until < 100 { Outcome::Done } else { Outcome::Unknown },
        appends: appends.iter().map(|&(key, values)| (key, values.to_vec())).collect(),
        reads: reads.iter().map(read).collect(),
    }
}

fn refused(invoked: u64, until: u64, appends: &[(Key, &[Value])]) -> Transaction {
    Transaction { outcome: Outcome::Refused, ..transaction(invoked, until, appends, &[]) }
}

/// A single update that answers with the list after it.
fn update(invoked: u64, until: u64, key: Key, value: Value, list: &[Value]) -> Transaction {
    let mut update = transaction(invoked, until, &[(key, &[value])], &[(key, list)]);
    update.reads[0].own = true;
    update
}

fn names(transactions: &[Transaction]) -> Vec<&'static str> {
    check(transactions).into_iter().map(|anomaly| anomaly.name).collect()
}

#[test]
fn good_histories_have_no_anomalies() {
    let t = transaction;
    for (name, history) in [
        ("nothing", vec![]),
        ("one after the other", vec![t(0, 1, &[(1, &[1])], &[]), t(2, 3, &[], &[(1, &[1])])]),
        (
            "either while it is under way",
            vec![t(0, 9, &[(1, &[1])], &[]), t(2, 3, &[], &[(1, &[])])],
        ),
        (
            "several keys at one moment",
            vec![
                t(0, 9, &[(1, &[1]), (2, &[2])], &[]),
                t(0, 9, &[(1, &[3]), (2, &[4])], &[]),
                t(0, 9, &[], &[(1, &[1]), (2, &[2])]),
                t(10, 11, &[], &[(1, &[1, 3]), (2, &[2, 4])]),
            ],
        ),
        (
            "updates that read",
            vec![
                update(0, 9, 1, 1, &[1]),
                update(0, 9, 1, 2, &[1, 2]),
                t(10, 11, &[], &[(1, &[1, 2])]),
            ],
        ),
        ("no answer, done", vec![t(0, 100, &[(1, &[1])], &[]), t(2, 3, &[], &[(1, &[1])])]),
        ("no answer, not done", vec![t(0, 100, &[(1, &[1])], &[]), t(2, 3, &[], &[(1, &[])])]),
        (
            "no answer, done late",
            vec![
                t(0, 100, &[(1, &[1])], &[]),
                t(2, 3, &[], &[(1, &[])]),
                t(4, 5, &[], &[(1, &[1])]),
            ],
        ),
        ("refused and not seen", vec![refused(0, 1, &[(1, &[1])]), t(2, 3, &[], &[(1, &[])])]),
        ("two values at once", vec![t(0, 1, &[(1, &[1, 2])], &[]), t(2, 3, &[], &[(1, &[1, 2])])]),
    ] {
        assert_eq!(names(&history), [""; 0], "{name}");
    }
}

#[test]
fn every_anomaly_is_found_by_its_name() {
    let t = transaction;
    for (name, history) in [
        // Two writers, each before the other.
        (
            "G0",
            vec![
                t(0, 9, &[(1, &[1]), (2, &[2])], &[]),
                t(0, 9, &[(1, &[3]), (2, &[4])], &[]),
                t(10, 11, &[], &[(1, &[1, 3]), (2, &[4, 2])]),
            ],
        ),
        ("G1a", vec![refused(0, 1, &[(1, &[1])]), t(2, 3, &[], &[(1, &[1])])]),
        (
            "G1b",
            vec![
                t(0, 9, &[(1, &[1, 2])], &[]),
                t(0, 9, &[], &[(1, &[1])]),
                t(10, 11, &[], &[(1, &[1, 2])]),
            ],
        ),
        // Each finds what the other has appended.
        ("G1c", vec![t(0, 9, &[(1, &[1])], &[(2, &[2])]), t(0, 9, &[(2, &[2])], &[(1, &[1])])]),
        // Half of a transaction: a read outside of one moment.
        (
            "G-single",
            vec![
                t(0, 9, &[(1, &[1]), (2, &[2])], &[]),
                t(0, 9, &[], &[(1, &[1]), (2, &[])]),
                t(10, 11, &[], &[(1, &[1]), (2, &[2])]),
            ],
        ),
        // The same without an answer: what is seen of it was done, so all of it must be.
        (
            "G-single",
            vec![t(0, 100, &[(1, &[1]), (2, &[2])], &[]), t(10, 11, &[], &[(1, &[1]), (2, &[])])],
        ),
        // Two that both append after the same read: a lost update.
        (
            "G-single",
            vec![
                t(0, 9, &[(1, &[1])], &[(1, &[])]),
                t(0, 9, &[(1, &[2])], &[(1, &[])]),
                t(10, 11, &[], &[(1, &[1, 2])]),
            ],
        ),
        // The same by updates that say what they made.
        ("incompatible order", vec![update(0, 9, 1, 1, &[1]), update(0, 9, 1, 2, &[2])]),
        // Write skew: each misses the other's append.
        (
            "G2",
            vec![
                t(0, 9, &[(1, &[1])], &[(2, &[])]),
                t(0, 9, &[(2, &[2])], &[(1, &[])]),
                t(10, 11, &[], &[(1, &[1]), (2, &[2])]),
            ],
        ),
        // Two readers that see two writers in different orders.
        (
            "G2",
            vec![
                t(0, 9, &[(1, &[1])], &[]),
                t(0, 9, &[(2, &[2])], &[]),
                t(0, 9, &[], &[(1, &[1]), (2, &[])]),
                t(0, 9, &[], &[(1, &[]), (2, &[2])]),
                t(10, 11, &[], &[(1, &[1]), (2, &[2])]),
            ],
        ),
        // A stale read: acknowledged before, found later, missed in between.
        (
            "G-single-realtime",
            vec![t(0, 1, &[(1, &[1])], &[]), t(2, 3, &[], &[(1, &[])]), t(4, 5, &[], &[(1, &[1])])],
        ),
        // Appends in an order against that of time.
        (
            "G0-realtime",
            vec![
                t(0, 1, &[(1, &[1])], &[]),
                t(2, 3, &[(1, &[2])], &[]),
                t(4, 5, &[], &[(1, &[2, 1])]),
            ],
        ),
        // Found before it was sent.
        ("G1c-realtime", vec![t(0, 1, &[], &[(1, &[1])]), t(2, 3, &[(1, &[1])], &[])]),
        // Each misses an append, and only time closes the cycle.
        (
            "G2-realtime",
            vec![
                t(0, 1, &[(2, &[2])], &[]),
                t(4, 30, &[], &[(1, &[])]),
                t(0, 30, &[(1, &[1])], &[]),
                t(0, 30, &[], &[(1, &[1]), (2, &[])]),
                t(40, 41, &[], &[(1, &[1]), (2, &[2])]),
            ],
        ),
        (
            "torn append",
            vec![
                t(0, 9, &[(1, &[1, 2])], &[]),
                t(0, 9, &[(1, &[3])], &[]),
                t(10, 11, &[], &[(1, &[1, 3, 2])]),
            ],
        ),
        ("lost append", vec![t(0, 1, &[(1, &[1])], &[]), t(2, 3, &[], &[(1, &[])])]),
        ("duplicated append", vec![t(0, 1, &[(1, &[1])], &[]), t(2, 3, &[], &[(1, &[1, 1])])]),
        ("garbage read", vec![t(2, 3, &[], &[(1, &[7])])]),
        (
            "incompatible order",
            vec![
                t(0, 9, &[(1, &[1])], &[]),
                t(0, 9, &[(1, &[2])], &[]),
                t(0, 9, &[], &[(1, &[1, 2])]),
                t(0, 9, &[], &[(1, &[2])]),
            ],
        ),
        ("internal", vec![update(0, 1, 1, 1, &[])]),
    ] {
        assert_eq!(names(&history).first(), Some(&name), "{history:#?}");
    }
}

#[test]
fn a_cycle_is_told_step_by_step() {
    let history = [
        transaction(0, 1, &[(1, &[1])], &[]),
        transaction(2, 3, &[], &[(1, &[])]),
        transaction(4, 5, &[], &[(1, &[1])]),
    ];
    let text = check(&history)[0].text.clone();
    assert!(text.contains("before T1, since it was answered before T1 was sent"), "{text}");
    assert!(text.contains("it did not find 1, which T0 appended to 1"), "{text}");
}

/// Tries every order of every choice of those without an answer.
fn brute(all: &[Transaction], done: u32, lists: &BTreeMap<Key, Vec<Value>>) -> bool {
    let open = |i: &usize| done & 1 << i == 0;
    let required = |i: &usize| open(i) && all[*i].outcome == Outcome::Done;
    if !(0..all.len()).any(|i| required(&i)) {
        return true;
    }
    let possible = |i: &usize| open(i) && all[*i].outcome != Outcome::Refused;
    (0..all.len()).filter(possible).any(|i| {
        let t = &all[i];
        let early = (0..all.len())
            .filter(required)
            .any(|j| all[j].completed.is_some_and(|completed| completed < t.invoked));
        let mut after = lists.clone();
        for (key, values) in &t.appends {
            after.entry(*key).or_default().extend(values);
        }
        let fits = t.reads.iter().all(|read| {
            let lists = if read.own { &after } else { lists };
            lists.get(&read.key).map(Vec::as_slice).unwrap_or_default() == read.list
        });
        !early && fits && brute(all, done | 1 << i, &after)
    })
}

/// A history that was made in some order, at times that need not keep to it, and sometimes with a
/// read that is not as it was; and at its end a read of everything.
fn random_history(random: &mut Random) -> Vec<Transaction> {
    let count = random.between(2, 6);
    let mut lists: BTreeMap<Key, Vec<Value>> = BTreeMap::new();
    let mut history = Vec::new();
    let mut next = 0;
    let keep_time = random.percent(70);
    for place in 0..count {
        let from = if keep_time { place * 4 } else { random.between(0, 24) };
        let invoked = from.saturating_sub(random.between(0, 12));
        let completed = from + 1 + random.between(0, 12);
        let mut t = transaction(invoked, completed.min(99), &[], &[]);
        for key in 0..2 {
            let list = lists.entry(key).or_default();
            if random.percent(50) {
                t.reads.push(Read { key, list: list.clone(), own: false });
            }
            if random.percent(50) {
                let values: Vec<Value> = (0..random.between(1, 3)).map(|i| next + i).collect();
                next += 2;
                list.extend(&values);
                t.appends.push((key, values));
                if random.percent(30) {
                    t.reads.push(Read { key, list: list.clone(), own: true });
                }
            }
        }
        if random.percent(15) {
            (t.outcome, t.completed) = (Outcome::Unknown, None);
            t.reads.clear();
        }
        history.push(t);
    }
    let reads = (0..2).map(|key| Read { key, list: lists[&key].clone(), own: false }).collect();
    history.push(Transaction { reads, ..transaction(98, 99, &[], &[]) });
    if random.percent(50) {
        let reader = random.between(0, history.len() as u64) as usize;
        if let Some(read) = history[reader].reads.first_mut() {
            match random.between(0, 3) {
                0 => drop(read.list.pop()),
                1 => read.list.reverse(),
                _ => read.list.push(random.between(0, next.max(1))),
            }
        }
    }
    history
}

#[test]
fn the_checker_agrees_with_all_orders() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..20_000 {
        let history = random_history(&mut Random::stream(seed, 2));
        let expected = brute(&history, 0, &BTreeMap::new());
        let anomalies = check(&history);
        assert_eq!(anomalies.is_empty(), expected, "seed {seed}: {anomalies:#?} {history:#?}");
        if expected { good += 1 } else { bad += 1 }
    }
    assert!(good > 2_000 && bad > 2_000, "{good} good, {bad} bad");
}
