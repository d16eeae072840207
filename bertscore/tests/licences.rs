//! Tests the licences of this workspace's packages by the list that the main workspace keeps.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

#[path = "../../tests/tests/end_to_end/licences.rs"]
mod licences;
