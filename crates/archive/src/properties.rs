//! What is written is read back, and no input brings a reader down.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::ion::Frames;
use crate::strategies::item;
use crate::{NetChange, dynamodb_json, ion, plain};

type Write<T> = fn(&T, &mut Vec<u8>);

fn line<T>(write: Write<T>, of: &T) -> Vec<u8> {
    let mut line = Vec::new();
    write(of, &mut line);
    line
}

/// Reads the bytes in every format.
fn read_all(bytes: &[u8]) {
    let _ = dynamodb_json::read_item(bytes);
    let _ = dynamodb_json::read_change(bytes);
    let _ = ion::read_item(bytes);
    let _ = ion::read_change(bytes);
    let mut frames = Frames::new(1000);
    for byte in bytes {
        let _ = frames.push(*byte);
    }
    let _ = frames.finish();
}

/// Bytes of which the formats are made.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&str> = concat!(
        "{ } {{ }} [ ] ( ) : :: , \" ' ''' \\ // /* */ \n $ion_1_0 Item Record \"Item\" \"S\" ",
        "\"N\" \"L\" \"M\" \"SS\" $dynamodb_SS:: $dynamodb_NS:: 1 -1 1d5 0x 1e999999999 null ",
        "null. true {\"Item\":{\"a\": {\"L\":[ {\"M\":{\"a\": \\u \\x4 \\ud83d \u{e9}",
    )
    .split(' ')
    .collect();
    vec(proptest::sample::select(pieces), 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn items_come_back(item in item()) {
        let json = line(dynamodb_json::write_item, &item);
        prop_assert_eq!(dynamodb_json::read_item(&json), Ok(item.clone()));
        let ion = line(ion::write_item, &item);
        prop_assert_eq!(ion::read_item(&ion), Ok(item.clone()));
        for line in [&json, &ion] {
            prop_assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        }
    }

    #[test]
    fn changes_come_back(
        written_micros in 0..i64::MAX as u64,
        keys in item(),
        new_image in proptest::option::of(item()),
        old_image in proptest::option::of(item()),
    ) {
        let change = NetChange { written_micros, keys, new_image, old_image };
        let json = line(dynamodb_json::write_change, &change);
        prop_assert_eq!(dynamodb_json::read_change(&json), Ok(change.clone()));
        let ion = line(ion::write_change, &change);
        prop_assert_eq!(ion::read_change(&ion), Ok(change.clone()));
    }

    #[test]
    fn lines_of_ion_are_the_frames(items in vec(item(), 0..5)) {
        let lines: Vec<Vec<u8>> = items.iter().map(|item| line(ion::write_item, item)).collect();
        let mut frames = Frames::new(1_000_000);
        let found: Vec<_> =
            lines.concat().into_iter().filter_map(|byte| frames.push(byte)).collect();
        prop_assert_eq!(frames.finish(), None);
        prop_assert_eq!(found.len(), items.len());
        for (position, (frame, item)) in found.into_iter().zip(&items).enumerate() {
            prop_assert_eq!(frame.line, position as u64 + 1);
            let read = frame.text.map(|text| ion::read_item(&text));
            prop_assert_eq!(read, Ok(Ok(item.clone())));
        }
    }

    #[test]
    fn plain_lines_are_json(item in item()) {
        let line = line(plain::write_json, &item);
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(read.as_object().unwrap().len(), item.len());
    }

    #[test]
    fn hostile_text_is_refused_or_read(bytes in hostile()) {
        read_all(&bytes);
    }

    #[test]
    fn random_bytes_are_refused_or_read(bytes in vec(any::<u8>(), 0..100)) {
        read_all(&bytes);
    }

    #[test]
    fn damaged_lines_are_refused_or_read(item in item(), at in any::<Index>(), byte in any::<u8>()) {
        for write in [dynamodb_json::write_item as Write<_>, ion::write_item] {
            let mut line = line(write, &item);
            let at = at.index(line.len());
            read_all(&line[..at]);
            line[at] = byte;
            read_all(&line);
        }
    }
}
