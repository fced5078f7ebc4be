//! What items are written to. A file is recorded now and then: its bytes are synced first, and a
//! compressed one ends a member or a frame there, so that it can be cut off at that place and go
//! on.

use crate::ending::Ending;
use archive::{Compression, compression::Compressor};
use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

const BUFFER_BYTES: usize = 256 * 1024;

/// Where bytes go.
enum Output {
    File(File),
    Standard(io::Stdout),
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(bytes),
            Output::Standard(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file) => file.flush(),
            Output::Standard(stdout) => stdout.flush(),
        }
    }
}

/// What items are written to.
pub(super) struct Sink {
    compression: Compression,
    /// None is standard output.
    path: Option<PathBuf>,
    /// None only while a member is being ended.
    to: Option<Compressor<BufWriter<Output>>>,
    unrecorded: u64,
}

impl Sink {
    pub(super) fn standard() -> Result<Sink, Ending> {
        Sink::over(Output::Standard(io::stdout()), None, Compression::None)
    }

    /// A file that is cut off at a length and goes on there. Nobody else may be writing it.
    pub(super) fn file(path: &Path, compression: Compression, length: u64) -> Result<Sink, Ending> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(Ending::file("write", path))?;
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(Ending::Failed(format!("{} is being written already", path.display())));
        }
        let there = file.metadata().map_err(Ending::file("read", path))?.len();
        if there < length {
            return Err(Ending::Failed(format!(
                "{} has {there} bytes, and {length} have been recorded: somebody has changed it; \
                 --restart begins again",
                path.display()
            )));
        }
        file.set_len(length)
            .and_then(|()| file.seek(SeekFrom::Start(length)))
            .map_err(Ending::file("write", path))?;
        Sink::over(Output::File(file), Some(path.to_owned()), compression)
    }

    fn over(to: Output, path: Option<PathBuf>, compression: Compression) -> Result<Sink, Ending> {
        let mut sink = Sink { compression, path, to: None, unrecorded: 0 };
        sink.to = Some(sink.compressor(BufWriter::with_capacity(BUFFER_BYTES, to))?);
        Ok(sink)
    }

    fn compressor(&self, to: BufWriter<Output>) -> Result<Compressor<BufWriter<Output>>, Ending> {
        self.compression.writer(to).map_err(|error| self.failed(error))
    }

    /// Bytes since the last record.
    pub(super) fn unrecorded(&self) -> u64 {
        self.unrecorded
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Ending> {
        let written = match &mut self.to {
            Some(to) => to.write_all(bytes),
            None => Err(ErrorKind::BrokenPipe.into()),
        };
        self.unrecorded += bytes.len() as u64;
        written.map_err(|error| self.failed(error))
    }

    /// Hands on what is in memory.
    pub(super) fn flush(&mut self) -> Result<(), Ending> {
        let flushed = self.to.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| self.failed(error))
    }

    /// Puts everything onto the disk; gives the length of the file.
    pub(super) fn sync(&mut self) -> Result<u64, Ending> {
        // A member without bytes would only make the file longer, unless nothing else is there.
        let length = self.length()?;
        if self.unrecorded == 0 && length > 0 {
            return Ok(length);
        }
        let Some(to) = self.to.take() else {
            return Err(self.failed(ErrorKind::BrokenPipe.into()));
        };
        let mut buffered = to.finish().map_err(|error| self.failed(error))?;
        buffered.flush().map_err(|error| self.failed(error))?;
        if let Output::File(file) = buffered.get_mut() {
            file.sync_data().map_err(|error| self.failed(error))?;
        }
        self.to = Some(self.compressor(buffered)?);
        self.unrecorded = 0;
        self.length()
    }

    fn length(&mut self) -> Result<u64, Ending> {
        let length = match self.to.as_mut().map(|to| to.get_mut().get_mut()) {
            Some(Output::File(file)) => file.stream_position(),
            _ => Ok(0),
        };
        length.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> Ending {
        match &self.path {
            Some(path) => Ending::file("write", path)(error),
            None if error.kind() == ErrorKind::BrokenPipe => Ending::Unread,
            None => Ending::file("write", Path::new("standard output"))(error),
        }
    }
}
