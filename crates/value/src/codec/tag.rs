//! The tag byte in front of each value. Part of the on-disk format: numbers are never reused.

pub(super) const S: u8 = 1;
pub(super) const N: u8 = 2;
pub(super) const B: u8 = 3;
pub(super) const FALSE: u8 = 4;
pub(super) const TRUE: u8 = 5;
pub(super) const NULL: u8 = 6;
pub(super) const L: u8 = 7;
pub(super) const M: u8 = 8;
pub(super) const SS: u8 = 9;
pub(super) const NS: u8 = 10;
pub(super) const BS: u8 = 11;
