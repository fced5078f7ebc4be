//! Generates the request and response types of every operation, with their
//! constraint checks, from the service model's facts in `model/`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a build script stops the build by panicking"
)]

mod model;
mod names;
mod rust;

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=model");
    println!("cargo::rerun-if-changed=build");
    let model = model::Model::load(&PathBuf::from("model"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("shapes.rs");
    fs::write(out, rust::generate(&model)).expect("the output directory is writable");
}
