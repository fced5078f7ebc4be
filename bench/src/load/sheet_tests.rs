//! Rounds, ratios and what is wrong, with contenders whose figures are known.

use super::*;
use crate::load::{Role, ratios};

struct Known {
    name: &'static str,
    role: Role,
    rates: Vec<Result<f64, &'static str>>,
    missing: Option<&'static str>,
    asked: usize,
}

fn known(
    name: &'static str,
    role: Role,
    rates: &[Result<f64, &'static str>],
) -> Box<dyn Contender> {
    Box::new(Known { name, role, rates: rates.to_vec(), missing: None, asked: 0 })
}

impl Contender for Known {
    fn name(&self) -> &str {
        self.name
    }

    fn role(&self) -> Role {
        self.role
    }

    fn missing(&self) -> Option<&str> {
        self.missing
    }

    fn does(&self, workload: Workload) -> bool {
        self.role != Role::Limit || workload != Workload::Scan
    }

    fn measure(
        &mut self,
        _workload: Workload,
        _connections: u32,
        _pace: Pace,
        _plan: &Plan,
    ) -> Result<Round, String> {
        let rate = self.rates[self.asked % self.rates.len()]?;
        self.asked += 1;
        let mut latencies = Histogram::new();
        latencies.record(Duration::from_millis(1));
        Ok(Round { rate, latencies, cost: Duration::ZERO })
    }
}

fn plan(workloads: &[Workload]) -> Plan {
    Plan {
        connections: vec![16],
        time: Duration::from_secs(1),
        rounds: 3,
        item_bytes: 5,
        keys: 1_000,
        workloads: workloads.to_vec(),
    }
}

#[test]
fn ratios_are_those_of_neighbouring_rounds() {
    let mut contenders = [
        known("ours", Role::Ours, &[Ok(100.0), Ok(20.0), Ok(200.0)]),
        known("theirs", Role::Peer, &[Ok(50.0), Ok(10.0), Ok(100.0)]),
    ];
    let plan = plan(&[Workload::GetItem]);
    let sheet = Sheet::measure(&mut contenders, &plan, Pace::Closed).unwrap();
    assert_eq!(sheet.find(16, Workload::GetItem, 0, false).unwrap().rate(), 100.0);
    assert_eq!(sheet.ratio(16, Workload::GetItem, 1), Some(2.0));
    assert!(sheet.is_good());
}

#[test]
fn what_is_missing_or_wrong_is_in_the_table() {
    let missing = Known {
        name: "gone",
        role: Role::Peer,
        rates: vec![Ok(1.0)],
        missing: Some("not installed"),
        asked: 0,
    };
    let mut contenders = [
        known("ours", Role::Ours, &[Ok(100.0)]),
        known("broken", Role::Peer, &[Ok(50.0), Err("no transactions")]),
        Box::new(missing),
        known("limit", Role::Limit, &[Ok(200.0)]),
    ];
    let plan = plan(&[Workload::GetItem, Workload::Scan]);
    let sheet = Sheet::measure(&mut contenders, &plan, Pace::Closed).unwrap();
    let table = ratios(&sheet, &plan, 16);
    let rest = |line: usize| table[line][4..].join(" ");
    assert_eq!(rest(0), "/ broken / gone / limit");
    assert_eq!(rest(1), "error missing 0.50");
    assert_eq!(rest(2), "error missing -");
    let notes = crate::load::notes(&sheet);
    assert!(notes.contains("missing: gone: not installed\n"), "{notes}");
    assert!(notes.contains("error: broken, get-item, scan: no transactions\n"), "{notes}");
    assert!(sheet.is_good(), "a peer's errors are its own");
}

#[test]
fn an_error_of_ours_is_a_failure() {
    for role in [Role::Ours, Role::Limit] {
        let mut contenders =
            [known("ours", Role::Ours, &[Ok(1.0)]), known("other", role, &[Err("broken")])];
        let sheet = Sheet::measure(&mut contenders, &plan(&[Workload::PutItem]), Pace::Closed);
        assert!(!sheet.unwrap().is_good());
    }
}

#[test]
fn a_fixed_rate_is_a_share_of_what_was_reached() {
    let mut contenders =
        [known("ours", Role::Ours, &[Ok(100.0)]), known("limit", Role::Limit, &[Ok(9.0)])];
    let plan = plan(&[Workload::GetItem]);
    let mut sheet = Sheet::measure(&mut contenders, &plan, Pace::Closed).unwrap();
    sheet.measure_fixed(&mut contenders, &plan, 0.5).unwrap();
    assert!(sheet.find(16, Workload::GetItem, 0, true).is_some());
    assert!(sheet.find(16, Workload::GetItem, 1, true).is_none());
}

#[test]
fn the_median_is_in_the_middle() {
    for (values, middle) in
        [(&[][..], 0.0), (&[3.0], 3.0), (&[9.0, 1.0, 2.0], 2.0), (&[4.0, 1.0, 2.0, 9.0], 3.0)]
    {
        assert_eq!(median(values), middle);
    }
}
