use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use value::{Item, Number, Value};

use super::*;
use crate::import::{Import, ImportSource, InputFormat};
use crate::storage::{Bucket, Storage, StorageConfig, StorageError, md5};
use crate::{Compression, NetChange, dynamodb_json, ion};

fn place() -> (tempfile::TempDir, Storage, Bucket) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("b")).unwrap();
    let storage = Storage::new(StorageConfig::Folder(root.path().to_owned()));
    let bucket = storage.bucket("b").unwrap();
    (root, storage, bucket)
}

const ARN: &str = "arn:aws:dynamodb:us-east-1:123456789012:table/Music";

fn settings(format: ExportFormat, kind: ExportKind) -> ExportSettings {
    let id = ExportId::new(1_693_685_827_463, 0x2d87_52fd);
    ExportSettings {
        id,
        export_arn: format!("{ARN}/export/{id}"),
        table_arn: ARN.to_owned(),
        table_id: "12345a12-abcd-123a-ab12-1234abc12345".to_owned(),
        start_time: 1_693_685_827_463,
        bucket: "b".to_owned(),
        prefix: Some("2023/sep/".to_owned()),
        sse_algorithm: None,
        sse_kms_key_id: None,
        format,
        kind,
        data_file_bytes: 2000,
    }
}

const FULL: ExportKind = ExportKind::Full { time: 1_693_685_000_000 };

fn incremental(view: ExportView) -> ExportKind {
    ExportKind::Incremental { from: 1_693_685_000_000, to: 1_693_688_600_000, view }
}

fn item(pk: i64) -> Item {
    Item::from([
        ("pk".to_owned(), Value::N(Number::from(pk))),
        ("text".to_owned(), Value::S("x".repeat(usize::try_from(pk % 50).unwrap()))),
    ])
}

async fn read(bucket: &Bucket, key: &str) -> Vec<u8> {
    bucket.get(key).await.unwrap().bytes().await.unwrap()
}

async fn keys(bucket: &Bucket) -> Vec<String> {
    bucket.list("").await.unwrap().into_iter().map(|object| object.key).collect()
}

/// The lines of the data files, in the order of the manifest; checks all it says of them.
async fn listed_lines(bucket: &Bucket, folder: &str) -> (usize, Vec<Vec<u8>>) {
    let root = "2023/sep/AWSDynamoDB/01693685827463-2d8752fd";
    let manifest = read(bucket, &format!("{root}/manifest-files.json")).await;
    let digest = read(bucket, &format!("{root}/manifest-files.md5")).await;
    assert_eq!(digest, STANDARD.encode(md5(&manifest)).as_bytes());
    let mut lines = Vec::new();
    let mut files = 0;
    for line in manifest.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let file: BTreeMap<String, serde_json::Value> = serde_json::from_slice(line).unwrap();
        let names: Vec<&str> = file.keys().map(String::as_str).collect();
        assert_eq!(names, ["dataFileS3Key", "etag", "itemCount", "md5Checksum"]);
        let key = file["dataFileS3Key"].as_str().unwrap();
        assert!(key.starts_with(folder), "{key}");
        let bytes = read(bucket, key).await;
        assert_eq!(file["md5Checksum"], json!(STANDARD.encode(md5(&bytes))));
        let hex: String = md5(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(file["etag"], json!(hex));
        let mut text = Vec::new();
        let mut reader = Compression::Gzip.reader(bytes.as_slice()).unwrap();
        std::io::Read::read_to_end(&mut reader, &mut text).unwrap();
        let of_file: Vec<Vec<u8>> =
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        assert_eq!(file["itemCount"], json!(of_file.len()));
        lines.extend(of_file);
        files += 1;
    }
    (files, lines)
}

#[tokio::test]
async fn a_full_export_is_laid_out_as_awss_and_can_be_imported() {
    for (format, input) in [
        (ExportFormat::DynamoDbJson, InputFormat::DynamoDbJson),
        (ExportFormat::Ion, InputFormat::Ion),
    ] {
        let (_root, storage, bucket) = place();
        let mut exporter = Exporter::start(&storage, settings(format, FULL)).await.unwrap();
        let root = "2023/sep/AWSDynamoDB/01693685827463-2d8752fd";
        assert_eq!(keys(&bucket).await, [format!("{root}/_started")]);
        for pk in 0..100 {
            exporter.item(&item(pk)).await.unwrap();
        }
        assert_eq!(exporter.item_count(), 100);
        assert!(!keys(&bucket).await.iter().any(|key| key.contains("manifest")));
        let exported = exporter.finish(1_693_685_900_000, 4321).await.unwrap();
        assert_eq!(exported.manifest_key, format!("{root}/manifest-summary.json"));

        let folder = format!("{root}/data/");
        let (files, lines) = listed_lines(&bucket, &folder).await;
        assert!(files > 2, "data files do not end");
        assert_eq!(lines.len(), 100);
        assert_eq!(exported.line_bytes, lines.iter().map(|line| line.len() as u64).sum::<u64>());

        let summary = read(&bucket, &exported.manifest_key).await;
        let digest = read(&bucket, &format!("{root}/manifest-summary.md5")).await;
        assert_eq!(digest, STANDARD.encode(md5(&summary)).as_bytes());
        let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
        let expected = json!({
            "version": "2020-06-30",
            "exportArn": format!("{ARN}/export/01693685827463-2d8752fd"),
            "startTime": "2023-09-02T20:17:07.463Z",
            "endTime": "2023-09-02T20:18:20.000Z",
            "tableArn": ARN,
            "tableId": "12345a12-abcd-123a-ab12-1234abc12345",
            "exportTime": "2023-09-02T20:03:20.000Z",
            "s3Bucket": "b",
            "s3Prefix": "2023/sep/",
            "s3SseAlgorithm": null,
            "s3SseKmsKeyId": null,
            "manifestFilesS3Key": format!("{root}/manifest-files.json"),
            "billedSizeBytes": 4321,
            "itemCount": 100,
            "outputFormat": format.name(),
            "exportType": "FULL_EXPORT",
        });
        assert_eq!(summary, expected);
        assert_eq!(keys(&bucket).await.len(), files + 5);

        let source = ImportSource {
            bucket: "b".to_owned(),
            prefix: folder,
            format: input,
            compression: Compression::Gzip,
        };
        let mut import = Import::start(&storage, source).await.unwrap();
        let mut items = Vec::new();
        while let Some(found) = import.next().await.unwrap() {
            items.push(found.unwrap());
        }
        items.sort_by_key(|item| format!("{:?}", item["pk"]));
        let mut expected: Vec<Item> = (0..100).map(item).collect();
        expected.sort_by_key(|item| format!("{:?}", item["pk"]));
        assert!(items == expected, "{format:?}");
    }
}

#[tokio::test]
async fn an_incremental_export_has_the_images_of_its_view() {
    let key = Item::from([("pk".to_owned(), Value::N(Number::from(1)))]);
    let change = |new: bool, old: bool| NetChange {
        written_micros: 1_693_685_000_000_001,
        keys: key.clone(),
        new_image: new.then(|| item(1)),
        old_image: old.then(|| item(2)),
    };
    for (format, view) in [
        (ExportFormat::DynamoDbJson, ExportView::NewImage),
        (ExportFormat::DynamoDbJson, ExportView::NewAndOldImages),
        (ExportFormat::Ion, ExportView::NewAndOldImages),
    ] {
        let (_root, storage, bucket) = place();
        let settings = settings(format, incremental(view));
        let mut exporter = Exporter::start(&storage, settings).await.unwrap();
        for (new, old) in [(true, false), (true, true), (false, true), (false, false)] {
            exporter.change(change(new, old)).await.unwrap();
        }
        let exported = exporter.finish(1_693_689_000_000, 0).await.unwrap();
        assert_eq!(exported.item_count, 3, "an item that came and went is there");

        let (_, lines) = listed_lines(&bucket, "2023/sep/AWSDynamoDB/data/").await;
        let images: Vec<(bool, bool)> = lines
            .iter()
            .map(|line| match format {
                ExportFormat::DynamoDbJson => dynamodb_json::read_change(line).unwrap(),
                ExportFormat::Ion => ion::read_change(line).unwrap(),
            })
            .map(|change| (change.new_image.is_some(), change.old_image.is_some()))
            .collect();
        let both = view == ExportView::NewAndOldImages;
        assert_eq!(images, [(true, false), (true, both), (false, both)]);

        let summary = read(&bucket, &exported.manifest_key).await;
        let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
        for (name, expected) in [
            ("version", json!("2023-08-01")),
            ("exportFromTime", json!("2023-09-02T20:03:20.000Z")),
            ("exportToTime", json!("2023-09-02T21:03:20.000Z")),
            ("exportType", json!("INCREMENTAL_EXPORT")),
            ("outputView", json!(view.name())),
        ] {
            assert_eq!(summary[name], expected);
        }
        assert_eq!(summary.get("exportTime"), None);
    }
}

#[tokio::test]
async fn an_export_of_nothing_has_one_empty_data_file() {
    let (_root, storage, bucket) = place();
    let settings = ExportSettings { prefix: None, ..settings(ExportFormat::DynamoDbJson, FULL) };
    let exporter = Exporter::start(&storage, settings).await.unwrap();
    let exported = exporter.finish(1_693_685_900_000, 0).await.unwrap();
    assert_eq!(exported.manifest_key, "AWSDynamoDB/01693685827463-2d8752fd/manifest-summary.json");
    let data: Vec<String> =
        keys(&bucket).await.into_iter().filter(|key| key.contains("/data/")).collect();
    assert_eq!(data.len(), 1);
    assert!(data[0].ends_with(".json.gz"));
    let bytes = read(&bucket, &data[0]).await;
    let mut text = Vec::new();
    let mut reader = Compression::Gzip.reader(bytes.as_slice()).unwrap();
    std::io::Read::read_to_end(&mut reader, &mut text).unwrap();
    assert_eq!(text, b"");
}

#[tokio::test]
async fn an_aborted_export_has_no_manifests() {
    let (_root, storage, bucket) = place();
    let settings = settings(ExportFormat::Ion, FULL);
    let mut exporter = Exporter::start(&storage, settings).await.unwrap();
    exporter.item(&item(1)).await.unwrap();
    exporter.abort().await;
    let left = keys(&bucket).await;
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].ends_with("_started"));
}

#[tokio::test]
async fn a_bucket_that_is_none_is_told() {
    let (_root, storage, _) = place();
    let settings =
        ExportSettings { bucket: "absent".to_owned(), ..settings(ExportFormat::Ion, FULL) };
    let outcome = Exporter::start(&storage, settings).await;
    assert_eq!(outcome.err(), Some(StorageError::NoSuchBucket));
}
