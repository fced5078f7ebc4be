//! Which write each record is of. Items bear the id of the write that left them, so puts and
//! updates are known; deletes are known if their answer or their condition names what was there.

use super::{
    belief::{Belief, shown},
    check::{Line, Verdict},
    deed::{Deed, Outcome},
    record::{Event, Record, View},
    table::{BY, Item, number_of},
};
use crate::outage::Violation;
use std::collections::HashSet;

/// Finds the write of every record of an item, and looks for writes without one.
pub fn check(line: &Line<'_>, verdict: &mut Verdict) {
    if line.view == View::Keys {
        return counts(line, &mut verdict.violations);
    }
    let mut matching = Matching { line, used: HashSet::new(), violations: Vec::new() };
    // Each record's time: its write was sent and over then; the rest is open.
    let mut times = matching.deletes();
    let mut unsigned = 0;
    for (place, (record, time)) in line.records.iter().zip(&mut times).enumerate() {
        if record.event == Event::Remove {
            continue;
        }
        match line.new_image(place) {
            Some(new) => *time = matching.signed(place, record, new).map(Deed::time),
            None => unsigned += 1,
        }
    }
    matching.order(&times);
    matching.missing(&times, unsigned);
    verdict.made.extend(matching.used);
    verdict.violations.append(&mut matching.violations);
}

impl<'a> Line<'a> {
    /// The item after a record, as far as it is known.
    fn new_image(&self, place: usize) -> Option<&'a Item> {
        let next = || self.records.get(place + 1).map(|next| next.old.as_ref());
        let last = || self.end.flatten();
        self.records.get(place)?.new.as_ref().or_else(|| match self.view {
            View::Old => next().unwrap_or_else(last),
            _ => None,
        })
    }

    /// The item before a record, as far as it is known.
    fn old_image(&self, place: usize) -> Option<&Item> {
        let shown = self.records.get(place).and_then(|record| record.old.as_ref());
        shown.or_else(|| match self.states.get(place) {
            Some(Belief::Is(item) | Belief::IsOrExpired(item)) => Some(item),
            _ => None,
        })
    }
}

struct Matching<'a, 'l> {
    line: &'l Line<'a>,
    used: HashSet<u64>,
    violations: Vec<Violation>,
}

impl<'a> Matching<'a, '_> {
    fn wrong(&mut self, text: String) {
        self.violations.push(Violation::inconsistent(text));
    }

    /// The write that an item bears. Its record must be what it makes of the item before.
    fn signed(&mut self, place: usize, record: &Record, new: &Item) -> Option<&'a Deed> {
        let id = number_of(new, BY);
        let deed = self.line.deeds.iter().copied().find(|deed| Some(deed.id) == id && deed.signs());
        let Some(deed) = deed else {
            self.wrong(format!("{record} is of no write: {}", shown(new)));
            return None;
        };
        if !self.used.insert(deed.id) {
            self.wrong(format!("{record} is another one of {deed}"));
        }
        if deed.outcome == Outcome::Refused {
            let text = format!("{record} is of {deed}");
            self.violations.push(Violation::half_applied(text));
        }
        if !self.line.span.may_hold(deed) {
            self.wrong(format!("{record} is of {deed}, when the stream was off"));
        }
        let old = self.line.old_image(place);
        let known = record.event == Event::Insert || old.is_some();
        let old = old.filter(|_| record.event != Event::Insert);
        if known && deed.result(old).as_ref() != Some(new) {
            self.wrong(format!("{record} of {deed} leaves {}", shown(new)));
        }
        if known && deed.old.as_ref().is_some_and(|told| told.as_ref() != old) {
            let told = deed.old.clone().flatten().map(|item| shown(&item));
            self.wrong(format!("{record} of {deed}, which was told of {told:?}"));
        }
        if known && deed.expected.is_some() && deed.expected != old.and_then(|o| number_of(o, BY)) {
            self.wrong(format!("{record} of {deed}, which expected {:?}", deed.expected));
        }
        Some(deed)
    }

    /// Finds the deletes of all records, first those that know what was there. Gives their times.
    fn deletes(&mut self) -> Vec<Option<(u64, u64)>> {
        let line = self.line;
        let mut times = vec![None; line.records.len()];
        let mut open = Vec::new();
        for (place, (record, time)) in line.records.iter().zip(&mut times).enumerate() {
            if record.event != Event::Remove || record.by_service {
                continue;
            }
            let old = line.old_image(place);
            let by = old.and_then(|old| number_of(old, BY));
            let exact = |deed: &Deed| {
                deed.outcome == Outcome::Acknowledged
                    && match &deed.old {
                        Some(told) => told.as_ref() == old,
                        None => deed.expected.is_some() && deed.expected == by,
                    }
            };
            match old.and_then(|_| self.take_delete(exact)) {
                Some(deed) => *time = Some(deed.time()),
                None => open.push((old.is_some(), by, record)),
            }
        }
        // The others may be of any delete that fits, so their time is not known. Those of which less
        // is known choose first, among deletes that are of no other record.
        open.sort_by_key(|(known, _, _)| *known);
        let blind = |deed: &Deed| deed.old.is_none() && deed.expected.is_none();
        for (known, by, record) in open {
            let fits = |deed: &Deed| {
                let may_fit = !known || (deed.old.is_none() && deed.expected == by);
                !blind(deed) && deed.old != Some(None) && may_fit
            };
            if self.take_delete(fits).or_else(|| self.take_delete(blind)).is_none() {
                self.wrong(format!("{record} is of no delete"));
            }
        }
        times
    }

    /// Some delete that has no record yet.
    fn take_delete(&mut self, fits: impl Fn(&Deed) -> bool) -> Option<&'a Deed> {
        let free = |deed: &&Deed| {
            !deed.signs()
                && deed.outcome != Outcome::Refused
                && self.line.span.may_hold(deed)
                && !self.used.contains(&deed.id)
                && fits(deed)
        };
        let deed = self.line.deeds.iter().copied().find(free)?;
        self.used.insert(deed.id);
        Some(deed)
    }

    /// What was over before another was sent must come before it.
    fn order(&mut self, times: &[Option<(u64, u64)>]) {
        let mut latest = 0;
        for (record, time) in self.line.records.iter().zip(times) {
            let Some((sent, done)) = *time else { continue };
            if done < latest {
                let text = format!(
                    "{record} is of a write that was over at {done}, after one of {latest}"
                );
                self.violations.push(Violation::inconsistent(text));
            }
            latest = latest.max(sent);
        }
    }

    /// Writes that changed something and have no record.
    fn missing(&mut self, times: &[Option<(u64, u64)>], unsigned: usize) {
        let line = self.line;
        let mut open = unsigned;
        for deed in &line.deeds {
            let certain = deed.outcome == Outcome::Acknowledged && line.span.must_hold(deed);
            if !certain || self.used.contains(&deed.id) {
                continue;
            }
            let removed = matches!(deed.old, Some(Some(_))) || deed.expected.is_some();
            if deed.signs() && open > 0 {
                open -= 1;
            } else if deed.signs() || removed {
                self.violations.push(Violation::lost(format!("{deed} has no record")));
            } else if !self.may_have_been_absent(deed, times) {
                let text = format!("{deed} has no record, though something was there");
                self.violations.push(Violation::lost(text));
            }
        }
    }

    /// Whether the item may have been absent at a moment between a delete's request and answer.
    fn may_have_been_absent(&self, deed: &Deed, times: &[Option<(u64, u64)>]) -> bool {
        let time = |place: usize| times.get(place).copied().flatten();
        self.line.states.iter().enumerate().any(|(place, state)| {
            let since = place.checked_sub(1).and_then(time).map_or(0, |(sent, _)| sent);
            let until = time(place).map_or(u64::MAX, |(_, done)| done);
            state.may_be_absent() && since <= deed.done && until >= deed.sent
        })
    }
}

/// Without images there are only numbers.
fn counts(line: &Line<'_>, violations: &mut Vec<Violation>) {
    let of_users = line.records.iter().copied().filter(|record| !record.by_service);
    let (removes, others): (Vec<&Record>, Vec<&Record>) =
        of_users.partition(|r| r.event == Event::Remove);
    for (found, signs) in [(others.len(), true), (removes.len(), false)] {
        let deeds = || line.deeds.iter().filter(|deed| deed.signs() == signs);
        let certain = |deed: &&&Deed| {
            let changed = signs || matches!(deed.old, Some(Some(_))) || deed.expected.is_some();
            changed && deed.outcome == Outcome::Acknowledged && line.span.must_hold(deed)
        };
        let possible = |deed: &&&Deed| {
            let may_change = signs || deed.old != Some(None);
            may_change && deed.outcome != Outcome::Refused && line.span.may_hold(deed)
        };
        let (least, most) = (deeds().filter(certain).count(), deeds().filter(possible).count());
        let what = if signs { "puts and updates" } else { "deletes" };
        if found < least {
            let text = format!("{} has {found} records of at least {least} {what}", line.key);
            violations.push(Violation::lost(text));
        }
        if found > most {
            let text = format!("{} has {found} records of at most {most} {what}", line.key);
            violations.push(Violation::inconsistent(text));
        }
    }
}
