//! Cuts a stream of Ion text into its top-level values without reading them: a value ends where its
//! outermost brace closes. It counts braces instead of recursing, and holds one value at most.
//!
//! Damage must cost one value, not the rest of the file. So a line that starts with the version
//! marker starts a value, whatever is open, and after a bracket too many the line's rest is left out.

use super::VERSION_MARKER;

/// A piece of the text that should hold one value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The line it starts in, from one.
    pub(crate) line: u64,
    /// Its text, or what is wrong with it.
    pub(crate) text: Result<Vec<u8>, &'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between words.
    Plain,
    /// Behind a slash.
    Slash,
    LineComment,
    BlockComment,
    BlockCommentStar,
    /// Behind an opening brace: another one makes a blob.
    Brace,
    String,
    Symbol,
    /// Behind this many quotes that may open a long string.
    Quotes(u8),
    Long,
    /// Within a long string, behind this many quotes.
    LongQuotes(u8),
    Blob,
    BlobBrace,
    BlobString,
    /// Behind what cannot be understood, up to the end of the line.
    Lost,
}

/// Cuts frames from the bytes it is given.
pub(crate) struct Frames {
    max_bytes: usize,
    text: Vec<u8>,
    state: State,
    escaped: bool,
    depth: usize,
    line: u64,
    /// Where the frame's first word is.
    first_line: Option<u64>,
    /// Bytes of the version marker seen since the line's start; none if it starts otherwise.
    marker: Option<usize>,
    problem: Option<&'static str>,
}

impl Frames {
    /// Frames of a text; one that is longer than the limit is a bad one.
    pub(crate) fn new(max_bytes: usize) -> Frames {
        Frames {
            max_bytes,
            text: Vec::new(),
            state: State::Plain,
            escaped: false,
            depth: 0,
            line: 1,
            first_line: None,
            marker: Some(0),
            problem: None,
        }
    }

    /// The line that is being read.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Takes in a byte; gives the frame that it ends.
    pub(crate) fn push(&mut self, byte: u8) -> Option<Frame> {
        let restarted = self.restart_at_marker(byte);
        let line = self.line;
        if byte == b'\n' {
            self.line += 1;
            self.marker = Some(0);
        }
        if self.text.len() >= self.max_bytes {
            self.problem.get_or_insert("the value is too long");
        }
        if self.problem.is_none() {
            self.text.push(byte);
        }
        let ended = self.step(byte, line);
        if self.first_line.is_none() && self.state != State::Slash {
            // Blank space and comments before a value are not gathered.
            self.text.clear();
        }
        restarted.or(if ended { self.take() } else { None })
    }

    /// What is left at the end of the text.
    pub(crate) fn finish(&mut self) -> Option<Frame> {
        if self.first_line.is_some() {
            self.problem.get_or_insert("the value does not end");
        }
        self.take()
    }

    fn take(&mut self) -> Option<Frame> {
        let text = std::mem::take(&mut self.text);
        let problem = self.problem.take();
        self.state = State::Plain;
        self.escaped = false;
        self.depth = 0;
        let line = self.first_line.take()?;
        // A marker may stand alone.
        if text.trim_ascii() == VERSION_MARKER.as_bytes() {
            return None;
        }
        Some(Frame { line, text: problem.map_or(Ok(text), Err) })
    }

    /// If this byte completes the marker at a line's start, what was open before it is a bad frame.
    fn restart_at_marker(&mut self, byte: u8) -> Option<Frame> {
        // Within these, a line may start with anything.
        if matches!(self.state, State::Long | State::LongQuotes(_) | State::BlockComment) {
            self.marker = None;
            return None;
        }
        let seen = self.marker?;
        let marker = VERSION_MARKER.as_bytes();
        if marker.get(seen) != Some(&byte) {
            self.marker = None;
            return None;
        }
        self.marker = Some(seen + 1);
        if seen + 1 < marker.len() {
            return None;
        }
        self.marker = None;
        let started = self.first_line.filter(|first| *first < self.line);
        if started.is_some() {
            self.problem.get_or_insert("the value does not end");
        }
        let frame = started.and_then(|_| self.take());
        // The marker's other bytes were taken in already, by the frame that is given up.
        self.text.clear();
        self.text.extend(marker.iter().take(seen));
        self.first_line = Some(self.line);
        self.state = State::Plain;
        self.problem = None;
        frame
    }

    /// Moves on by a byte; says whether it ends the frame.
    fn step(&mut self, byte: u8, line: u64) -> bool {
        if std::mem::take(&mut self.escaped) {
            return false;
        }
        self.state = match (self.state, byte) {
            (State::String | State::Symbol | State::Long | State::BlobString, b'\\') => {
                self.escaped = true;
                return false;
            }
            (State::LongQuotes(_), b'\\') => {
                self.escaped = true;
                State::Long
            }
            // A line break ends no text of one line; the reader will refuse what is cut off here.
            (State::String | State::Symbol | State::BlobString, b'\n') => return self.lost(true),
            (State::String, b'"') => State::Plain,
            (State::Symbol, b'\'') => State::Plain,
            (State::BlobString, b'"') => State::Blob,
            (State::Long, b'\'') => State::LongQuotes(1),
            (State::LongQuotes(2), b'\'') => State::Plain,
            (State::LongQuotes(count), b'\'') => State::LongQuotes(count + 1),
            (State::LongQuotes(_), _) => State::Long,
            (State::LineComment, b'\n') => State::Plain,
            (State::BlockComment | State::BlockCommentStar, b'*') => State::BlockCommentStar,
            (State::BlockCommentStar, b'/') => State::Plain,
            (State::BlockCommentStar, _) => State::BlockComment,
            (State::Blob, b'}') => State::BlobBrace,
            (State::Blob, b'"') => State::BlobString,
            (State::BlobBrace, b'}') => {
                self.state = State::Plain;
                return self.close();
            }
            (State::BlobBrace, _) => State::Blob,
            (State::Brace, b'{') => State::Blob,
            (State::Quotes(1), b'\'') => State::Quotes(2),
            (State::Quotes(2), b'\'') => State::Long,
            (State::Quotes(1), _) => {
                // One quote opened a symbol, and this is its first byte.
                self.state = State::Symbol;
                return self.step(byte, line);
            }
            (State::Slash, b'/') => State::LineComment,
            (State::Slash, b'*') => State::BlockComment,
            (State::Slash, _) => {
                self.first_line.get_or_insert(line);
                return self.plain(byte, line);
            }
            (State::Plain | State::Brace | State::Quotes(_), byte) => {
                return self.plain(byte, line);
            }
            (State::Lost, b'\n') => return true,
            (state, _) => state,
        };
        false
    }

    fn plain(&mut self, byte: u8, line: u64) -> bool {
        self.state = State::Plain;
        if byte == b'/' {
            self.state = State::Slash;
            return false;
        }
        if !byte.is_ascii_whitespace() {
            self.first_line.get_or_insert(line);
        }
        match byte {
            b'"' => self.state = State::String,
            b'\'' => self.state = State::Quotes(1),
            b'{' => {
                self.depth += 1;
                self.state = State::Brace;
            }
            b'[' | b'(' => self.depth += 1,
            b'}' | b']' | b')' => return self.close(),
            _ => {}
        }
        false
    }

    fn close(&mut self) -> bool {
        match self.depth {
            0 => self.lost(false),
            depth => {
                self.depth = depth - 1;
                self.depth == 0
            }
        }
    }

    fn lost(&mut self, at_line_end: bool) -> bool {
        self.problem.get_or_insert("the value is not well formed");
        self.state = State::Lost;
        at_line_end
    }
}
