//! Property tests of the crate, and the strategies they share.

mod arithmetic;
mod items;
mod keys;
mod numbers;
mod strategies;
