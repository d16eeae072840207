//! What goes wrong around a run: it is killed, stopped, out of room, beside another one; its files are damaged; its rankers
//! crash, hang and hoard. `tests/faults` runs all this at full strength and prints what it did.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod clocks;
mod damage;
mod disk;
#[path = "../end_to_end/harness.rs"]
#[allow(dead_code)]
mod harness;
mod kills;
mod limits;
mod locks;
mod mixed;
#[path = "../end_to_end/outside.rs"]
#[allow(dead_code)]
mod outside;
mod processes;
mod signals;
