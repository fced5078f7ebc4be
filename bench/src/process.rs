//! Programs under our control: whatever happens, none outlives this one.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    io,
    process::{Child, ChildStdout, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// A running program, killed when this is dropped.
pub struct Process(Child);

impl Process {
    /// Starts a program.
    pub fn start(command: &mut Command) -> Result<Process, String> {
        let child = command.spawn();
        child
            .map(Process)
            .map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))
    }

    /// What it prints, if that was asked for; once.
    pub fn output(&mut self) -> Option<ChildStdout> {
        self.0.stdout.take()
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// Ends it by SIGKILL, and waits until it is gone with all it held.
    pub fn kill(&mut self) -> io::Result<()> {
        self.0.kill()?;
        self.0.wait().map(|_| ())
    }

    /// Lets it do nothing at all, until it may go on.
    pub fn pause(&self) -> io::Result<()> {
        Ok(kill_process(Pid::from_child(&self.0), Signal::STOP)?)
    }

    /// Lets it go on.
    pub fn resume(&self) -> io::Result<()> {
        Ok(kill_process(Pid::from_child(&self.0), Signal::CONT)?)
    }

    /// Asks it to end by SIGTERM, and waits.
    pub fn terminate(&mut self, patience: Duration) -> io::Result<Option<ExitStatus>> {
        kill_process(Pid::from_child(&self.0), Signal::TERM)?;
        let deadline = Instant::now() + patience;
        loop {
            let status = self.ended()?;
            if status.is_some() || Instant::now() >= deadline {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already, and there is nobody to tell.
        let _ = self.kill();
    }
}
