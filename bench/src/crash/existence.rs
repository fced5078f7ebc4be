//! Whether a table or an index is there, as far as a client can know.

/// What is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existence {
    /// Its creation was acknowledged.
    There,
    /// Its deletion was acknowledged, or it never was there.
    #[default]
    Gone,
    /// Its creation or deletion was not acknowledged.
    Open,
}

impl Existence {
    /// What is wrong with what was found, if anything. From then on that is what is known.
    pub fn settle(&mut self, there: bool) -> Option<&'static str> {
        let wrong = match (*self, there) {
            (Existence::There, false) => Some("was created, it is not there"),
            (Existence::Gone, true) => Some("was deleted, it is there"),
            _ => None,
        };
        *self = if there { Existence::There } else { Existence::Gone };
        wrong
    }
}
