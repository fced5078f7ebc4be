//! Turns the stream off and on while clients write; at times everybody pauses for it, so that the
//! table at that moment is known.

use crate::{
    changes::{
        record::View,
        span::Interval,
        stage::Stage,
        table::{self, Items, TABLE},
    },
    dynamo::{RequestError, ask},
    http::Connection,
    outage::{PATIENCE, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

/// No cycle lasts longer.
const LONGEST: Duration = Duration::from_secs(60);

/// One switch of the stream.
pub struct Step {
    /// When.
    pub at: Interval,
    /// Whether it was answered.
    pub answered: bool,
    /// To what.
    pub turn: Turn,
    /// All items before and after it, if nobody wrote meanwhile.
    pub before: Option<Items>,
    /// The same, after it.
    pub after: Option<Items>,
}

/// What a switch does.
pub enum Turn {
    /// On, as a stream with this ARN, once it is known.
    On(View, Option<String>),
    /// Off.
    Off,
}

/// What was done to the stream.
#[derive(Default)]
pub struct Log {
    /// The switches; only the last may be without an answer.
    pub steps: Vec<Step>,
    /// What should not be.
    pub violations: Vec<Violation>,
}

/// Switches until the connection ends.
pub fn run(stage: &Stage, enabled: bool, cycle: u32) -> Log {
    let mut log = Log::default();
    if let Err(error) = work(stage, enabled, cycle, &mut log) {
        let complaint = stage.scene.complaint("switching the stream", &error);
        log.violations.extend(complaint.map(Violation::misbehaved));
    }
    log
}

fn work(stage: &Stage, mut enabled: bool, cycle: u32, log: &mut Log) -> Result<(), RequestError> {
    let scene = &stage.scene;
    let mut random = Random::stream(scene.seed, u64::from(cycle) << 32 | 1 << 20);
    let open = Connection::open(&scene.endpoint, PATIENCE);
    let mut connection = open.map_err(RequestError::Call)?;
    let started = Instant::now();
    while started.elapsed() < LONGEST {
        // A stream is on for most of the time.
        let most = if enabled { 2_000_000 } else { 150_000 };
        let wait = Instant::now() + Duration::from_micros(random.spread(5_000, most));
        while Instant::now() < wait {
            if scene.ending.load(Ordering::SeqCst) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(2));
        }
        let paused = random.percent(50).then(|| stage.pause());
        let look = |connection: &mut Connection| {
            paused.is_some().then(|| table::scan(connection)).transpose()
        };
        let view = choose_view(&mut random);
        let turn = if enabled { Turn::Off } else { Turn::On(view, None) };
        let before = look(&mut connection)?;
        let at = Interval { sent: scene.tick(), done: u64::MAX };
        log.steps.push(Step { at, answered: false, turn, before, after: None });
        let answer = ask(&mut connection, "UpdateTable", &request(enabled, view))?;
        let Some(step) = log.steps.last_mut() else { return Ok(()) };
        step.at.done = scene.tick();
        step.answered = true;
        if let Turn::On(view, arn) = &mut step.turn {
            let found = answer.get("TableDescription").and_then(latest);
            let found = found.ok_or(RequestError::Unexpected("a stream without an ARN"))?;
            stage.announce(&found, *view);
            *arn = Some(found);
        }
        enabled = !enabled;
        step.after = look(&mut connection)?;
    }
    Ok(())
}

fn choose_view(random: &mut Random) -> View {
    let some = random.between(0, View::ALL.len() as u64) as usize;
    let view = View::ALL.get(some).copied().unwrap_or(View::Both);
    if random.percent(55) { View::Both } else { view }
}

fn request(enabled: bool, view: View) -> String {
    let specification = if enabled {
        json!({"StreamEnabled": false})
    } else {
        json!({"StreamEnabled": true, "StreamViewType": view.name()})
    };
    json!({"TableName": TABLE, "StreamSpecification": specification}).to_string()
}

/// The ARN of the latest stream in a table's description.
pub fn latest(description: &Value) -> Option<String> {
    description.get("LatestStreamArn")?.as_str().map(str::to_owned)
}

/// What a table's description says is on.
pub fn enabled(description: &Value) -> Option<(String, String)> {
    let specification = description.get("StreamSpecification")?;
    specification.get("StreamEnabled")?.as_bool().filter(|enabled| *enabled)?;
    let view = specification.get("StreamViewType")?.as_str()?;
    Some((latest(description)?, view.to_owned()))
}
