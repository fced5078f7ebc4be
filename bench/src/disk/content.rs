//! What a file holds. Journals are mostly holes, so only pages with anything in them are kept.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt,
    path::Path,
};

const PAGE: usize = 4096;
type Page = [u8; PAGE];

/// Pages that are not there are zeros.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Content {
    pages: BTreeMap<u64, Box<Page>>,
    length: u64,
}

impl Content {
    /// How long the file is.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads a file.
    pub fn load(path: &Path) -> io::Result<Content> {
        let mut file = File::open(path)?;
        let mut content = Content { length: file.metadata()?.len(), ..Content::default() };
        let mut window = vec![0; 256 * PAGE];
        let mut at = 0;
        loop {
            let read = file.read(&mut window)?;
            let Some(found) = window.get(..read).filter(|found| !found.is_empty()) else {
                return Ok(content);
            };
            content.put(at, found);
            at += read as u64;
        }
    }

    /// Writes the file.
    pub fn store(&self, path: &Path) -> io::Result<()> {
        let file = File::create(path)?;
        file.set_len(self.length)?;
        let mut run: Vec<u8> = Vec::new();
        let mut start = 0;
        for (&number, page) in &self.pages {
            let at = number * PAGE as u64;
            if at != start + run.len() as u64 {
                file.write_all_at(&run, start)?;
                run.clear();
            }
            if run.is_empty() {
                start = at;
            }
            let left = self.length.saturating_sub(at).min(PAGE as u64) as usize;
            run.extend_from_slice(page.get(..left).unwrap_or_default());
        }
        file.write_all_at(&run, start)
    }

    /// Writes as a program does: the file grows if need be.
    pub fn write(&mut self, offset: u64, data: &[u8]) {
        self.put(offset, data);
        self.length = self.length.max(offset + data.len() as u64);
    }

    /// Writes what comes to lie inside the file and no more.
    pub fn write_inside(&mut self, offset: u64, data: &[u8]) {
        let left = self.length.saturating_sub(offset).min(data.len() as u64) as usize;
        self.put(offset, data.get(..left).unwrap_or_default());
    }

    fn put(&mut self, offset: u64, data: &[u8]) {
        let (mut at, mut rest) = (offset, data);
        while !rest.is_empty() {
            let inside = (at % PAGE as u64) as usize;
            let (piece, next) = rest.split_at(rest.len().min(PAGE - inside));
            let number = at / PAGE as u64;
            if self.pages.contains_key(&number) || piece.iter().any(|byte| *byte != 0) {
                let page = self.pages.entry(number).or_insert_with(|| Box::new([0; PAGE]));
                if let Some(place) = page.get_mut(inside..inside + piece.len()) {
                    place.copy_from_slice(piece);
                }
                // So that equal files are equal here, too.
                if page.iter().all(|byte| *byte == 0) {
                    self.pages.remove(&number);
                }
            }
            at += piece.len() as u64;
            rest = next;
        }
    }

    /// Gives the file a length.
    pub fn truncate(&mut self, length: u64) {
        if length < self.length {
            let whole = length.div_ceil(PAGE as u64);
            self.pages.split_off(&whole);
            let rest = whole * PAGE as u64 - length;
            self.put(length, [0; PAGE].get(..rest as usize).unwrap_or_default());
        }
        self.length = length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_as_they_were_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mut content = Content::default();
        content.truncate(100_000);
        content.write(5_000, &[7; 9_000]);
        content.write(99_999, b"ab");
        content.truncate(13_000);
        content.write(20_000, b"xyz");
        content.store(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mut expected = vec![0; 20_003];
        expected[5_000..13_000].fill(7);
        expected[20_000..].copy_from_slice(b"xyz");
        assert!(bytes == expected);
        assert!(Content::load(&path).unwrap() == content);
    }

    #[test]
    fn zeros_that_were_written_are_as_good_as_none() {
        let (mut written, mut hole) = (Content::default(), Content::default());
        written.write(0, &[1; 5000]);
        written.write(0, &[0; 5000]);
        hole.truncate(5000);
        assert!(written == hole);
    }
}
