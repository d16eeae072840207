//! Feeds the target that the variable FIVEFOLD_TARGET names.

#![no_main]

use std::sync::LazyLock;

use fivefold_fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;

static CHOSEN: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("FIVEFOLD_TARGET").unwrap_or_default();
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        panic!("set FIVEFOLD_TARGET to one of {}", names.join(", "))
    })
});

fuzz_target!(|bytes: &[u8]| (CHOSEN.run)(bytes));
