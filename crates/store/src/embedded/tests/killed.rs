//! A process that is killed at any moment has lost nothing that it acknowledged.

use super::*;
use std::{
    io::{BufRead, BufReader, Write as _},
    process::{Command, Stdio},
};

const DIRECTORY: &str = "MONOTABLE_TEST_KILLED";

fn entry(n: u64) -> (String, String) {
    (format!("k{n}"), format!("{n}").repeat(50))
}

/// The process that is killed; does nothing when it is run as a test.
#[tokio::test(flavor = "multi_thread")]
async fn writer() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let store = Arc::new(Embedded::open(Path::new(&directory), flushing()).unwrap());
    for _ in 0..8 {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            loop {
                let decide = |version: Version, _: &[Option<Bytes>]| {
                    let (key, value) = entry(version.0);
                    vec![put(key, value), put("last", version.to_string())]
                };
                let version = store.commit(vec![], Box::new(decide)).await.unwrap();
                writeln!(std::io::stdout(), "committed {version}").unwrap();
            }
        });
    }
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_kill() {
    let root = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 0..8u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "embedded::tests::killed::writer", "--nocapture"])
            .env(DIRECTORY, root.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut answers = 0;
        while let Some(Ok(line)) = lines.next() {
            let version = line.strip_prefix("committed ").and_then(|v| v.parse().ok());
            if let Some(version) = version {
                acknowledged = acknowledged.max(version);
                answers += 1;
                if answers == 20 + 37 * round {
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        let (version, entries) = read(root.path()).await.unwrap();
        assert!(answers > round && version.0 >= acknowledged);
        // Each commit is there as a whole, and none is missing before the last.
        assert_eq!(entries.len() as u64, version.0 + 1);
        assert_eq!(entries[&b"last"[..]], version.to_string());
        for n in 1..=version.0 {
            let (key, value) = entry(n);
            assert_eq!(entries[key.as_bytes()], value);
        }
    }
}

/// Background work that fails must not leave anyone waiting.
#[tokio::test]
async fn a_flush_that_fails_poisons_the_store() {
    let root = tempfile::tempdir().unwrap();
    let store = Embedded::open(root.path(), flushing()).unwrap();
    std::fs::remove_dir_all(root.path().join("store/keyspaces/1/tables")).unwrap();
    let mut written = 0;
    let reason = loop {
        match write(&store, vec![put("a", vec![1; 500])]).await {
            Ok(_) => written += 1,
            Err(StoreError::Poisoned { reason }) => break reason,
            Err(error) => panic!("{error}"),
        }
        assert!(written < 100_000);
    };
    assert!(reason.contains(root.path().to_str().unwrap()), "{reason}");
}
