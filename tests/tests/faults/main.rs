//! Tests what can go wrong around a run. A run is killed, stopped, on a full disk or beside another
//! run; files are damaged; rankers crash, hang or take too much memory. The script `tests/faults`
//! runs these tests with many more rounds, and prints what it did.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod clocks;
mod cluster;
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
mod scheduler;
mod signals;
