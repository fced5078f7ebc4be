//! The checker must be able to fail: each test shows it a server that broke one promise.

use super::{super::transaction::Deed, *};
use crate::outage::Kind;

fn sent(id: u64, deed: Deed, outcome: Outcome) -> Sent {
    Sent { transaction: Transaction { deed, cycle: 1, id, tokened: false }, outcome }
}

/// One of each kind and outcome.
fn all() -> Vec<Sent> {
    let transfer = |amount| Deed::Transfer { from: 0, to: 1, amount };
    let order = |quantity| Deed::Order { customer: 5, product: 0, quantity };
    let entry = |income| Deed::Entry { branch: 0, day: 0, income, amount: 7 };
    vec![
        sent(0, transfer(10), Outcome::Acknowledged),
        sent(1, transfer(20), Outcome::Refused),
        sent(2, transfer(30), Outcome::Unanswered),
        sent(3, order(3), Outcome::Acknowledged),
        sent(4, order(-2), Outcome::Unanswered),
        sent(5, entry(true), Outcome::Acknowledged),
        sent(6, entry(false), Outcome::Unanswered),
    ]
}

/// A server that has made these, and nothing else.
fn seen(made: &[usize]) -> Seen {
    let mut seen = Seen { totals: bank::first_totals(), records: BTreeMap::new() };
    for one in made.iter().filter_map(|&index| all().into_iter().nth(index)) {
        seen.records.insert(one.transaction.sort_key(), one.transaction.record());
        for (total, amount) in one.transaction.deed.moves() {
            *seen.totals.entry(total).or_default() += amount;
        }
    }
    seen
}

fn kinds(seen: &Seen) -> Vec<Kind> {
    check(&bank::first_totals(), &all(), seen).iter().map(|v| v.kind).collect()
}

#[test]
fn what_has_no_answer_may_be_there_or_not() {
    for made in [&[0, 3, 5][..], &[0, 2, 3, 5], &[0, 3, 4, 5, 6], &[0, 2, 3, 4, 5, 6]] {
        assert_eq!(kinds(&seen(made)), [], "{made:?}");
    }
}

#[test]
fn a_lost_transaction_is_noticed() {
    assert_eq!(kinds(&seen(&[3, 5])), [Kind::Lost]);
    assert_eq!(kinds(&seen(&[0, 3])), [Kind::Lost]);
}

#[test]
fn a_refused_transaction_must_not_be_there() {
    assert_eq!(kinds(&seen(&[0, 1, 3, 5])), [Kind::HalfApplied]);
}

#[test]
fn half_of_a_transaction_is_noticed_whichever_half_it_is() {
    // Only the record, then only the updates, of one without an answer.
    let mut only_record = seen(&[0, 2, 3, 5]);
    only_record.totals = seen(&[0, 3, 5]).totals;
    assert_eq!(kinds(&only_record), [Kind::HalfApplied, Kind::HalfApplied]);
    let mut only_updates = seen(&[0, 3, 5]);
    only_updates.totals = seen(&[0, 2, 3, 5]).totals;
    assert_eq!(kinds(&only_updates), [Kind::HalfApplied, Kind::HalfApplied]);
    // Only the debit: the sum is wrong, too.
    let mut only_debit = seen(&[0, 3, 5]);
    *only_debit.totals.entry(Total::Balance(0)).or_default() -= 30;
    assert_eq!(kinds(&only_debit), [Kind::HalfApplied, Kind::Inconsistent]);
}

#[test]
fn a_transaction_made_twice_is_noticed() {
    for (index, wrong) in [(0, 2), (3, 1), (5, 2)] {
        let mut twice = seen(&[0, 3, 5]);
        for (total, amount) in all()[index].transaction.deed.moves() {
            *twice.totals.entry(total).or_default() += amount;
        }
        assert_eq!(kinds(&twice), vec![Kind::HalfApplied; wrong], "{index}");
    }
}

#[test]
fn a_lost_increment_is_noticed() {
    let mut less = seen(&[0, 3, 5]);
    *less.totals.entry(Total::Entries(0, 0)).or_default() -= 1;
    assert_eq!(kinds(&less), [Kind::HalfApplied]);
}

#[test]
fn a_negative_total_is_noticed_even_if_the_records_explain_it() {
    let far = vec![sent(0, Deed::Transfer { from: 0, to: 1, amount: 101 }, Outcome::Acknowledged)];
    let mut seen = Seen { totals: bank::first_totals(), records: BTreeMap::new() };
    seen.records.insert(far[0].transaction.sort_key(), far[0].transaction.record());
    seen.totals.insert(Total::Balance(0), -1);
    seen.totals.insert(Total::Balance(1), 201);
    let found = check(&bank::first_totals(), &far, &seen);
    assert_eq!(found.iter().map(|v| v.kind).collect::<Vec<_>>(), [Kind::Inconsistent]);
}

#[test]
fn records_that_nobody_sent_and_records_that_differ_are_noticed() {
    let mut unknown = seen(&[0, 3, 5]);
    unknown.records.insert("TRANSFER#9".to_owned(), Value::Null);
    assert_eq!(kinds(&unknown), [Kind::HalfApplied]);
    let mut other = seen(&[0, 3, 5]);
    let key = all()[0].transaction.sort_key();
    other.records.insert(key, all()[1].transaction.record());
    assert_eq!(kinds(&other), [Kind::HalfApplied]);
}

#[test]
fn settling_counts_what_was_made_and_leaves_nothing_open() {
    let mut all = all();
    assert_eq!(settle(&mut all, &seen(&[0, 2, 3, 5])), 1);
    assert_eq!(all[2].outcome, Outcome::Acknowledged);
    assert_eq!(all[4].outcome, Outcome::Refused);
    assert_eq!(check(&bank::first_totals(), &all, &seen(&[0, 2, 3, 5])).len(), 0);
}
