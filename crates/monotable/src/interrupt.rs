//! Ctrl-C, for commands that have something to put in order before they end.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};
use tokio::signal::unix::{SignalKind, signal};

/// How long a pause lasts at most before Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Whether Ctrl-C was pressed, or the program was asked to end.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from here on. The second time the program ends at once.
    pub(crate) fn listen() -> io::Result<Interrupt> {
        let interrupt = Interrupt(Arc::new(AtomicBool::new(false)));
        let heard = interrupt.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (mut pressed, mut asked) = {
            let _within = runtime.enter();
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
        };
        std::thread::spawn(move || {
            runtime.block_on(async {
                loop {
                    tokio::select! {
                        _ = pressed.recv() => {}
                        _ = asked.recv() => {}
                    }
                    if heard.0.swap(true, Ordering::Relaxed) {
                        std::process::exit(i32::from(crate::INTERRUPTED));
                    }
                }
            });
        });
        Ok(interrupt)
    }

    /// Whether it was.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits; ends early with false if it was.
    pub(crate) fn pause(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        loop {
            if self.is_heard() {
                return false;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            sleep(left.min(LOOK));
        }
    }
}
