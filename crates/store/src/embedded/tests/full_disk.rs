//! A disk without room lets nobody commit and loses nothing. Needs the right to mount; passes over without it.

use super::*;
use std::process::Command;

struct Mount(tempfile::TempDir);

impl Mount {
    fn new(size: &str) -> Option<Self> {
        let root = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o"])
            .arg(format!("size={size}"))
            .arg("tmpfs")
            .arg(root.path())
            .output()
            .is_ok_and(|done| done.status.success());
        mounted.then_some(Self(root))
    }

    fn resize(&self, size: &str) {
        let done = Command::new("mount")
            .args(["-o", &format!("remount,size={size}")])
            .arg(self.0.path())
            .status();
        assert!(done.unwrap().success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let Some(mount) = Mount::new("3m") else {
        return;
    };
    let path = mount.0.path().join("data");
    let mut acknowledged = BTreeMap::new();
    let mut version = Version(0);
    for round in 0..3 {
        let store = match Embedded::open(&path, flushing()) {
            Ok(store) => store,
            Err(error) => panic!("round {round}: {error}"),
        };
        for n in 0.. {
            let (key, value) = (Bytes::from(format!("{round}/{n}")), Bytes::from(vec![7; 9000]));
            match write(&store, vec![put(key.clone(), value.clone())]).await {
                Ok(committed) => {
                    acknowledged.insert(key, value);
                    version = committed;
                }
                Err(StoreError::Full { .. }) => {
                    assert_eq!(all(&store).await.unwrap(), acknowledged);
                    break;
                }
                Err(StoreError::Poisoned { .. }) => break,
                Err(error) => panic!("{error}"),
            }
        }
        drop(store);
        mount.resize(&format!("{}m", 3 * (round + 2)));
        let (found, mut entries) = read(&path).await.unwrap();
        // The commit that failed may be there after all.
        assert!(found >= version && found.0 <= version.0 + 1);
        entries.retain(|key, _| acknowledged.contains_key(key) || found == version);
        assert_eq!(entries, acknowledged);
        acknowledged = match open(&path) {
            Ok(store) => all(&store).await.unwrap(),
            Err(error) => panic!("round {round}: {error}"),
        };
        version = found;
    }
}

#[tokio::test]
async fn a_store_without_room_goes_on_reading_and_writes_again_when_there_is_some() {
    let Some(mount) = Mount::new("4m") else {
        return;
    };
    let path = mount.0.path().join("data");
    let options = || Options { clock: still(), ..Options::default() };
    let store = Embedded::open(&path, options()).unwrap();
    let mut acknowledged = BTreeMap::new();
    for round in 0..3 {
        let mut refused = 0;
        for n in 0.. {
            let (key, value) = (Bytes::from(format!("{round}/{n}")), Bytes::from(vec![7; 9000]));
            match write(&store, vec![put(key.clone(), value.clone())]).await {
                Ok(_) => acknowledged.insert(key, value),
                Err(StoreError::Full { free, kept, .. }) => {
                    // What is kept is not touched, and nothing is given away before.
                    assert!(free >= kept && free < kept + (100 << 10), "{free} {kept}");
                    refused += 1;
                    None
                }
                Err(error) => panic!("{error}"),
            };
            if refused == 3 {
                break;
            }
        }
        assert_eq!(all(&store).await.unwrap(), acknowledged);
        mount.resize(&format!("{}m", 4 * (round + 2)));
    }
    store.close().await.unwrap();
    drop(store);
    assert_eq!(read(&path).await.unwrap().1, acknowledged);
}

/// To write versions out that are only in the way must not cost a full disk its last bytes.
#[tokio::test]
async fn a_disk_without_room_is_left_alone_while_nothing_is_written() {
    let Some(mount) = Mount::new("8m") else {
        return;
    };
    let path = mount.0.path().join("data");
    let tables = path.join("store/keyspaces/1/tables");
    let store = open(&path).unwrap();
    let filler = mount.0.path().join("filler");
    for _ in 0..300 {
        write(&store, vec![put("k", "v")]).await.unwrap();
    }
    let _ = std::fs::write(&filler, vec![1; 8 << 20]);
    // On a slow machine it may have been quiet for long enough before.
    let before = files(&tables);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(files(&tables), before);
    let entries = Entries::from([("k".into(), "v".into())]);
    assert_eq!(all(&store).await.unwrap(), entries);
    assert!(matches!(write(&store, vec![put("k", "w")]).await, Err(StoreError::Full { .. })));
    std::fs::remove_file(&filler).unwrap();
    while files(&tables).is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    write(&store, vec![put("k", "w")]).await.unwrap();
    store.close().await.unwrap();
}
