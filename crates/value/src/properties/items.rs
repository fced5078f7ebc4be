//! Item bytes: they come back, the reader in place agrees with the whole decode, damage is noticed
//! or harmless, and nothing panics.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::strategies::{item, string, value};
use crate::codec::{ItemRef, ValueRef, decode, encode};
use crate::{CodecError, Item, Value, item_size};

/// Touches all there is in a value the way a reader in place would.
fn walk(value: ValueRef<'_>) -> Result<usize, CodecError> {
    let mut parts = 1;
    match value {
        ValueRef::L(list) => {
            for (index, element) in list.iter().enumerate() {
                parts += walk(element?)?;
                list.get(index)?;
            }
        }
        ValueRef::M(map) => {
            for entry in map {
                let (name, element) = entry?;
                parts += walk(element)?;
                map.get(name)?;
            }
        }
        ValueRef::Ss(set) => parts += set.iter().count(),
        ValueRef::Ns(set) => parts += set.iter().count(),
        ValueRef::Bs(set) => parts += set.iter().count(),
        _ => {}
    }
    Ok(parts)
}

/// Whatever the bytes are, reading them ends, and if they are accepted they are the only encoding.
fn check_any_bytes(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(item) = decode(bytes) {
        prop_assert_eq!(encode(&item), bytes);
    }
    if let Ok(item) = ItemRef::new(bytes) {
        let _ = item.get("m");
        for (name, value) in item.attributes().flatten() {
            let _ = walk(value);
            let _ = value.to_value();
            let _ = item.get(name);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn items_come_back(item in item()) {
        let bytes = encode(&item);
        prop_assert_eq!(decode(&bytes), Ok(item));
    }

    #[test]
    fn reading_in_place_agrees_with_decoding(item in item(), absent in string()) {
        let bytes = encode(&item);
        let reader = ItemRef::new(&bytes).unwrap();
        prop_assert_eq!(reader.size(), item_size(&item));
        prop_assert_eq!(reader.len(), item.len());

        let attributes: Item = reader
            .attributes()
            .map(|attribute| {
                let (name, value) = attribute.unwrap();
                (name.to_owned(), value.to_value().unwrap())
            })
            .collect();
        prop_assert_eq!(&attributes, &item);

        for name in item.keys().chain([&absent]) {
            let found = reader.get(name).unwrap();
            let names = found.map(|value| value.type_name());
            prop_assert_eq!(names, item.get(name).map(Value::type_name));
            let value = found.map(|value| value.to_value().unwrap());
            prop_assert_eq!(value.as_ref(), item.get(name));
            if let Some(found) = found {
                prop_assert!(walk(found).is_ok());
            }
        }
    }

    #[test]
    fn list_elements_are_found_by_position(values in vec(value(), 0..6)) {
        let item = Item::from([("l".to_owned(), Value::L(values.clone()))]);
        let bytes = encode(&item);
        let Some(ValueRef::L(list)) = ItemRef::new(&bytes).unwrap().get("l").unwrap() else {
            panic!("no list");
        };
        for index in 0..=values.len() {
            let element = list.get(index).unwrap().map(|value| value.to_value().unwrap());
            prop_assert_eq!(element.as_ref(), values.get(index));
        }
    }

    #[test]
    fn random_bytes_are_refused_or_canonical(
        mut bytes in vec(prop_oneof![0..16u8, any::<u8>()], 0..60),
        versioned in any::<bool>(),
    ) {
        if let (true, Some(first)) = (versioned, bytes.first_mut()) {
            *first = 1;
        }
        check_any_bytes(&bytes)?;
    }

    #[test]
    fn a_damaged_byte_is_refused_or_canonical(
        item in item(),
        damages in vec((any::<Index>(), any::<u8>()), 8),
    ) {
        let bytes = encode(&item);
        for (position, byte) in damages {
            let mut damaged = bytes.clone();
            let position = position.index(damaged.len());
            damaged[position] = byte;
            check_any_bytes(&damaged)?;
            damaged[position] = bytes[position] ^ 1;
            check_any_bytes(&damaged)?;
        }
    }

    #[test]
    fn a_cut_or_longer_item_is_refused(item in item(), cut in any::<Index>(), extra in any::<u8>()) {
        let mut bytes = encode(&item);
        prop_assert!(decode(&bytes[..cut.index(bytes.len())]).is_err());
        bytes.push(extra);
        prop_assert_eq!(decode(&bytes), Err(CodecError::TrailingBytes(1)));
    }
}
