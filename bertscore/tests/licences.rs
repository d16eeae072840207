//! Tests the licences of this workspace's packages by the list that the main workspace keeps.

#[path = "../../tests/tests/end_to_end/licences.rs"]
mod licences;
