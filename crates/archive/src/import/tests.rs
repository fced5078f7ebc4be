use std::collections::BTreeMap;
use std::io::Write as _;

use bytes::Bytes;
use value::{KeyType, Number, Value};

use super::*;
use crate::storage::{Bucket, StorageConfig};
use crate::{Delimiter, dynamodb_json, ion};

struct Place {
    _root: tempfile::TempDir,
    storage: Storage,
    bucket: Bucket,
}

fn place() -> Place {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("b")).unwrap();
    let storage = Storage::new(StorageConfig::Folder(root.path().to_owned()));
    let bucket = storage.bucket("b").unwrap();
    Place { _root: root, storage, bucket }
}

fn item(pk: i64) -> Item {
    Item::from([
        ("pk".to_owned(), Value::N(Number::from(pk))),
        ("text".to_owned(), Value::S(format!("text {pk}"))),
    ])
}

fn compressed(compression: Compression, text: &[u8]) -> Bytes {
    let mut writer = compression.writer(Vec::new()).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap().into()
}

async fn import(
    place: &Place,
    prefix: &str,
    format: InputFormat,
    compression: Compression,
) -> (Vec<Result<Item, BadLine>>, u64) {
    let source =
        ImportSource { bucket: "b".to_owned(), prefix: prefix.to_owned(), format, compression };
    let mut import = Import::start(&place.storage, source).await.unwrap();
    let mut all = Vec::new();
    while let Some(found) = import.next().await.unwrap() {
        all.push(found);
    }
    (all, import.processed_bytes())
}

fn csv_options() -> CsvOptions {
    CsvOptions {
        delimiter: Delimiter::COMMA,
        header: None,
        key_types: BTreeMap::from([("pk".to_owned(), KeyType::N)]),
    }
}

#[tokio::test]
async fn every_format_and_compression_is_read() {
    let items: Vec<Item> = (0..2000).map(item).collect();
    let (mut json, mut ion_text, mut csv) = (Vec::new(), Vec::new(), b"pk,text\n".to_vec());
    for (pk, item) in items.iter().enumerate() {
        dynamodb_json::write_item(item, &mut json);
        ion::write_item(item, &mut ion_text);
        csv.extend_from_slice(format!("{pk},text {pk}\n").as_bytes());
    }
    let expected: Vec<Result<Item, BadLine>> = items.into_iter().map(Ok).collect();
    let place = place();
    for (format, text) in [
        (InputFormat::DynamoDbJson, json),
        (InputFormat::Ion, ion_text),
        (InputFormat::Csv(csv_options()), csv),
    ] {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let bytes = compressed(compression, &text);
            place.bucket.put("data", bytes).await.unwrap();
            let (found, bytes) = import(&place, "data", format.clone(), compression).await;
            assert!(found == expected, "{format:?} {compression:?}");
            assert_eq!(bytes, text.len() as u64);
        }
    }
}

#[tokio::test]
async fn objects_come_in_order_and_only_those_of_the_prefix() {
    let place = place();
    for (key, pk) in [("p/b", 2), ("p/a", 1), ("q/a", 9), ("p/c", 3), ("p", 9)] {
        let mut line = Vec::new();
        dynamodb_json::write_item(&item(pk), &mut line);
        // The last line needs no end.
        line.pop();
        let key = if key == "p" { "pp" } else { key };
        place.bucket.put(key, line.into()).await.unwrap();
    }
    place.bucket.put("p/empty", Bytes::new()).await.unwrap();
    let (found, _) = import(&place, "p/", InputFormat::DynamoDbJson, Compression::None).await;
    assert_eq!(found, [Ok(item(1)), Ok(item(2)), Ok(item(3))]);
}

#[tokio::test]
async fn what_is_no_item_is_reported_and_skipped() {
    let place = place();
    let text = "{\"Item\":{\"pk\":{\"N\":\"x\"}}}\n\n\
                {\"Item\":{\"pk\":{\"N\":\"1\"},\"text\":{\"S\":\"text 1\"}}}\r\nno\n";
    place.bucket.put("a", text.into()).await.unwrap();
    let (found, _) = import(&place, "", InputFormat::DynamoDbJson, Compression::None).await;
    let lines: Vec<_> =
        found.iter().map(|found| found.as_ref().err().map(|bad| bad.line)).collect();
    assert_eq!(lines, [Some(1), None, Some(4)]);
    let bad = found[0].clone().unwrap_err();
    assert_eq!(bad.object, "a");
    assert!(bad.reason.contains("numeric"), "{}", bad.reason);
    assert_eq!(found[1], Ok(item(1)));
}

#[tokio::test]
async fn a_damaged_object_costs_what_is_behind_the_damage() {
    let place = place();
    let mut text = Vec::new();
    for pk in 0..5000 {
        dynamodb_json::write_item(&item(pk), &mut text);
    }
    for compression in [Compression::Gzip, Compression::Zstd] {
        let whole = compressed(compression, &text);
        place.bucket.put("a", whole.slice(..whole.len() - 9)).await.unwrap();
        place.bucket.put("b", Bytes::from_static(b"not compressed at all")).await.unwrap();
        place.bucket.put("c", whole).await.unwrap();
        let (found, _) = import(&place, "", InputFormat::DynamoDbJson, compression).await;
        let bad: Vec<&str> = found
            .iter()
            .filter_map(|found| found.as_ref().err())
            .map(|bad| bad.object.as_str())
            .collect();
        assert_eq!(bad, ["a", "b"], "{compression:?}");
        assert!(found.len() >= 5002);
        assert_eq!(found.last(), Some(&Ok(item(4999))));
    }
}

#[tokio::test]
async fn symbol_tables_are_no_items() {
    let place = place();
    let text = "$ion_1_0\n$ion_symbol_table::{symbols:[\"a\"]}\n{Item:{pk:1,text:\"text 1\"}}";
    place.bucket.put("a", text.into()).await.unwrap();
    let (found, _) = import(&place, "", InputFormat::Ion, Compression::None).await;
    assert_eq!(found, [Ok(item(1))]);
}

#[tokio::test]
async fn a_bucket_that_is_none_is_told() {
    let place = place();
    let source = ImportSource {
        bucket: "absent".to_owned(),
        prefix: String::new(),
        format: InputFormat::Ion,
        compression: Compression::None,
    };
    let outcome = Import::start(&place.storage, source).await;
    assert_eq!(outcome.err(), Some(StorageError::NoSuchBucket));
}

#[tokio::test]
async fn an_object_that_goes_away_ends_the_import() {
    let place = place();
    let mut text = Vec::new();
    for pk in 0..100_000 {
        dynamodb_json::write_item(&item(pk), &mut text);
    }
    for key in ["a", "b"] {
        place.bucket.put(key, text.clone().into()).await.unwrap();
    }
    let source = ImportSource {
        bucket: "b".to_owned(),
        prefix: String::new(),
        format: InputFormat::DynamoDbJson,
        compression: Compression::None,
    };
    let mut import = Import::start(&place.storage, source).await.unwrap();
    assert_eq!(import.object_count(), 2);
    assert_eq!(import.next().await, Ok(Some(Ok(item(0)))));
    // The caller is slow, so the second object cannot have been opened yet.
    std::fs::remove_file(place._root.path().join("b/b")).unwrap();
    let mut count = 1;
    let end = loop {
        match import.next().await {
            Ok(Some(_)) => count += 1,
            other => break other,
        }
    };
    assert_eq!(count, 100_000);
    assert_eq!(end, Err(StorageError::NotFound("b".to_owned())));
}
