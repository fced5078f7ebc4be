//! The folder storage; what S3 does is checked from outside, against a server.

use super::upload::PART_BYTES;
use super::*;

fn folder() -> (tempfile::TempDir, Bucket) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("b")).unwrap();
    let storage = Storage::new(StorageConfig::Folder(root.path().to_owned()));
    let bucket = storage.bucket("b").unwrap();
    (root, bucket)
}

fn files(root: &std::path::Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    files
}

#[tokio::test]
async fn what_is_put_is_read() {
    let (_root, bucket) = folder();
    let uploaded = bucket.put("a/b.json", Bytes::from_static(b"hello")).await.unwrap();
    assert_eq!(uploaded.etag, "5d41402abc4b2a76b9719d911017c592");
    assert_eq!(hex(&uploaded.md5), uploaded.etag);
    assert_eq!(uploaded.size, 5);
    let download = bucket.get("a/b.json").await.unwrap();
    assert_eq!(download.size(), 5);
    assert_eq!(download.bytes().await.unwrap(), b"hello");
}

#[tokio::test]
async fn buckets_that_are_none_are_refused() {
    let (root, _) = folder();
    let storage = Storage::new(StorageConfig::Folder(root.path().to_owned()));
    for name in ["absent", "", ".", "..", "b/..", "../b", "b/", "b\\c", "b\0"] {
        assert_eq!(storage.bucket(name).err(), Some(StorageError::NoSuchBucket), "{name:?}");
    }
}

#[tokio::test]
async fn keys_cannot_leave_the_bucket() {
    let (root, bucket) = folder();
    for key in ["../x", "a/../../x", "a/./b"] {
        let outcome = bucket.put(key, Bytes::new()).await;
        assert!(matches!(outcome, Err(StorageError::Other(_))), "{key}: {outcome:?}");
    }
    assert_eq!(files(root.path()), Vec::<String>::new());
}

#[tokio::test]
async fn an_absent_object_is_not_found() {
    let (_root, bucket) = folder();
    let outcome = bucket.get("a/b").await.err();
    assert_eq!(outcome, Some(StorageError::NotFound("a/b".to_owned())));
}

#[tokio::test]
async fn listing_takes_any_prefix_and_is_in_order() {
    let (_root, bucket) = folder();
    for key in ["x/b2", "x/b10", "x/a", "x/b/c", "y"] {
        bucket.put(key, Bytes::from_static(b"1")).await.unwrap();
    }
    for (prefix, expected) in [
        ("", vec!["x/a", "x/b/c", "x/b10", "x/b2", "y"]),
        ("x/", vec!["x/a", "x/b/c", "x/b10", "x/b2"]),
        ("x/b", vec!["x/b/c", "x/b10", "x/b2"]),
        ("x/b/", vec!["x/b/c"]),
        ("absent/", vec![]),
        ("z", vec![]),
    ] {
        let found = bucket.list(prefix).await.unwrap();
        let keys: Vec<&str> = found.iter().map(|object| object.key.as_str()).collect();
        assert_eq!(keys, expected, "{prefix}");
        assert!(found.iter().all(|object| object.size == 1));
    }
}

#[tokio::test]
async fn a_large_object_goes_out_in_parts() {
    let (root, bucket) = folder();
    let bytes: Vec<u8> = (0..2 * PART_BYTES + 7).map(|position| (position % 251) as u8).collect();
    let mut upload = bucket.upload("big").unwrap();
    for piece in bytes.chunks(700_001) {
        upload.write(piece).await.unwrap();
        assert!(bucket.list("").await.unwrap().is_empty(), "half of it is taken for an object");
    }
    let uploaded = upload.finish().await.unwrap();
    assert_eq!(uploaded.size, bytes.len() as u64);
    assert_eq!(uploaded.md5, <[u8; 16]>::from(Md5::digest(&bytes)));
    let digests: Vec<u8> =
        bytes.chunks(PART_BYTES).flat_map(|part| Md5::digest(part).to_vec()).collect();
    assert_eq!(uploaded.etag, format!("{}-3", hex(&Md5::digest(digests))));
    assert!(bucket.get("big").await.unwrap().bytes().await.unwrap() == bytes);
    assert_eq!(files(root.path()), ["b/big"]);
}

#[tokio::test]
async fn a_small_upload_is_one_put() {
    let (_root, bucket) = folder();
    let mut upload = bucket.upload("small").unwrap();
    upload.write(b"hel").await.unwrap();
    upload.write(b"lo").await.unwrap();
    let uploaded = upload.finish().await.unwrap();
    assert_eq!(uploaded.etag, "5d41402abc4b2a76b9719d911017c592");
    assert_eq!(bucket.get("small").await.unwrap().bytes().await.unwrap(), b"hello");
}

#[tokio::test]
async fn an_aborted_upload_leaves_nothing() {
    let (root, bucket) = folder();
    let mut upload = bucket.upload("big").unwrap();
    upload.write(&vec![1; PART_BYTES + 1]).await.unwrap();
    upload.abort().await;
    assert_eq!(files(root.path()), Vec::<String>::new());
}

#[tokio::test]
async fn an_endpoint_without_tls_must_be_allowed() {
    let config = |allow_http| S3Config {
        endpoint: Some("http://127.0.0.1:1".to_owned()),
        region: "us-east-1".to_owned(),
        access_key: "a".to_owned(),
        secret_key: "s".to_owned(),
        allow_http,
        path_style: true,
    };
    let storage = |allow_http| Storage::new(StorageConfig::S3(config(allow_http)));
    assert!(matches!(storage(false).bucket("b"), Err(StorageError::Other(_))));
    assert!(storage(true).bucket("b").is_ok());
}
