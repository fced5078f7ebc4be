//! How long a storage is waited for, and how large files become.
//!
//! Debug builds take both from the environment, so that tests need neither minutes nor gigabytes.

use archive::{export::DEFAULT_DATA_FILE_BYTES, storage::Patience};

/// What bounds exports and imports.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// How long the storage is waited for.
    pub(crate) patience: Patience,
    /// The bytes of lines after which a data file ends and another starts.
    pub(crate) data_file_bytes: u64,
}

impl Limits {
    pub(crate) fn read() -> Limits {
        let usual =
            Limits { patience: Patience::default(), data_file_bytes: DEFAULT_DATA_FILE_BYTES };
        Limits::from_environment(usual)
    }

    #[cfg(debug_assertions)]
    fn from_environment(usual: Limits) -> Limits {
        let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
        let patience = number("MONOTABLE_STORAGE_PATIENCE_MS").map(|millis| {
            let time = std::time::Duration::from_millis(millis);
            Patience { answer: time, silence: time, retry: time }
        });
        Limits {
            patience: patience.unwrap_or(usual.patience),
            data_file_bytes: number("MONOTABLE_DATA_FILE_BYTES").unwrap_or(usual.data_file_bytes),
        }
    }

    #[cfg(not(debug_assertions))]
    const fn from_environment(usual: Limits) -> Limits {
        usual
    }
}
