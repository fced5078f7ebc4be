//! One cycle of a table: streams that followed one another, the time without one between them, and
//! what was there at each switch as far as anybody knows.

use super::switch::{Step, Turn};
use crate::{
    changes::{
        belief::{Belief, Beliefs, between, scanned, shown},
        check::{Reading, Verdict, check as check_stream},
        deed::{Deed, Outcome},
        follow::Follower,
        span::{FIRST, Interval, LAST, Span},
        table::{Items, Key},
    },
    outage::Violation,
};
use std::collections::{BTreeSet, HashSet};

/// What happened in a cycle.
pub struct Timeline<'a> {
    /// The switches, all of them made.
    pub steps: &'a [Step],
    /// What clients did.
    pub deeds: &'a [Deed],
    /// The streams, read to their end.
    pub followers: &'a [Follower],
    /// The stream that was on at the beginning.
    pub on: Option<&'a str>,
    /// What was there at the end, before the streams were read.
    pub items: &'a Items,
}

/// A stream that is on.
struct On<'a> {
    follower: &'a Follower,
    from: Interval,
    base: Beliefs,
}

/// Checks all streams of a cycle one after the other. `known` is what was there before.
pub fn check(timeline: &Timeline<'_>, known: Beliefs) -> Verdict {
    let mut whole = Verdict { end: known, ..Verdict::default() };
    let mut on = None;
    if let Some(arn) = timeline.on {
        on = timeline.turn_on(arn, FIRST, std::mem::take(&mut whole.end), &mut whole);
    }
    let mut off_since = FIRST;
    for step in timeline.steps {
        match &step.turn {
            Turn::On(_, arn) => {
                let gap = Span { from: off_since, to: step.at };
                let mut base = aged(std::mem::take(&mut whole.end), timeline.deeds, gap);
                if let Some(before) = &step.before {
                    whole.violations.extend(contradictions(&base, before));
                }
                if let (Some(before), Some(after)) = (&step.before, &step.after) {
                    base = between(before, after);
                }
                let arn = arn.as_deref().unwrap_or_default();
                on = timeline.turn_on(arn, step.at, base, &mut whole);
            }
            Turn::Off => {
                if let Some(on) = on.take() {
                    timeline.finish(on, step.at, step.before.as_ref(), &mut whole);
                }
                off_since = step.at;
            }
        }
    }
    match on {
        Some(on) => timeline.finish(on, LAST, Some(timeline.items), &mut whole),
        None => {
            let gap = Span { from: off_since, to: LAST };
            let known = aged(std::mem::take(&mut whole.end), timeline.deeds, gap);
            whole.violations.extend(contradictions(&known, timeline.items));
            whole.end = scanned(timeline.items);
        }
    }
    whole
}

impl<'a> Timeline<'a> {
    fn turn_on(
        &self,
        arn: &str,
        from: Interval,
        base: Beliefs,
        whole: &mut Verdict,
    ) -> Option<On<'a>> {
        let follower = self.followers.iter().find(|follower| follower.arn == arn);
        if follower.is_none() {
            let text = format!("nobody followed {arn}");
            whole.violations.push(Violation::misbehaved(text));
        }
        Some(On { follower: follower?, from, base })
    }

    /// Checks a stream when it has ended, or at the end of the cycle.
    fn finish(&self, on: On<'_>, to: Interval, end: Option<&Items>, whole: &mut Verdict) {
        let On { follower, from, base } = on;
        let verdict = check_stream(&Reading {
            view: follower.view,
            records: follower.records.get(follower.checked..).unwrap_or_default(),
            base: &base,
            deeds: self.deeds,
            span: Span { from, to },
            end,
        });
        whole.violations.extend(verdict.violations);
        whole.expired += verdict.expired;
        whole.end = verdict.end;
        for id in verdict.made {
            if !whole.made.insert(id) {
                let text = format!("write {id} has records in two streams");
                whole.violations.push(Violation::inconsistent(text));
            }
        }
    }
}

/// What is known after a time without a stream, in which some items were written.
fn aged(known: Beliefs, deeds: &[Deed], gap: Span) -> Beliefs {
    let touched = deeds.iter().filter(|d| d.outcome != Outcome::Refused && gap.may_hold(d));
    let touched: HashSet<Key> = touched.map(|deed| deed.key).collect();
    let mut aged: Beliefs = known.into_iter().map(|(key, belief)| (key, belief.aged())).collect();
    aged.extend(touched.into_iter().map(|key| (key, Belief::Unknown)));
    aged
}

/// What was found and cannot be.
fn contradictions(known: &Beliefs, found: &Items) -> Vec<Violation> {
    let keys: BTreeSet<Key> = known.keys().chain(found.keys()).copied().collect();
    let mut violations = Vec::new();
    for key in keys {
        let belief = known.get(&key).unwrap_or(&Belief::Absent);
        let (fits, is) = match found.get(&key) {
            Some(item) => (belief.may_be(item), shown(item)),
            None => (belief.may_be_absent(), "not there".to_owned()),
        };
        if !fits {
            let text = format!("{key} is {is}, though nobody wrote to {belief}");
            violations.push(Violation::lost(text));
        }
    }
    violations
}
