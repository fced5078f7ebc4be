//! Standard output and standard error: who is there, how wide it is, whether colours are wanted.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use std::{
    io::{self, ErrorKind, IsTerminal},
    time::Duration,
};

/// For terminals that do not tell.
const USUAL_WIDTH: usize = 80;

/// How many characters fit into a line of the terminal; none if standard output is no terminal.
pub(crate) fn width() -> Option<usize> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = terminal_size::terminal_size_of(&stdout);
    Some(size.map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0)).max(1))
}

/// Whether a terminal is there that shows colours, and nobody objects (<https://no-color.org>).
pub(crate) fn is_colourful() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    io::stdout().is_terminal() && !set("NO_COLOR") && !is_dumb
}

/// Says something that is no output.
pub(crate) fn note(text: &str) {
    eprintln!("monotable: {text}");
}

/// Waits. Ends at once with `BrokenPipe` when nobody reads standard output any more: otherwise
/// that would only be found with the next record.
pub(crate) fn pause(time: Duration) -> io::Result<()> {
    let stdout = io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let timeout = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut watched, Some(&timeout)) {
        Ok(0) | Err(Errno::INTR) => Ok(()),
        Ok(_) if watched.iter().any(is_closed) => Err(ErrorKind::BrokenPipe.into()),
        // Not every system can watch every kind of output.
        Ok(_) | Err(_) => {
            std::thread::sleep(time);
            Ok(())
        }
    }
}

fn is_closed(watched: &PollFd<'_>) -> bool {
    watched.revents().intersects(PollFlags::ERR | PollFlags::HUP)
}
