//! The reference pages of the book, made from the program itself: the commands from the command line's own
//! definition, measures, rankers, tests and dialects from their registries, keys of experiment files from
//! the lists by which files are checked, and shapes of JSON from outputs. Each test compares a page with
//! what the program says now; with UPDATE_BOOK=1 it writes the page.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod cheat_sheet;
mod commands;
mod exit_codes;
#[path = "../end_to_end/harness.rs"]
#[allow(dead_code)]
mod harness;
mod json;
mod keys;
mod layouts;
mod measures;
mod page;
mod rankers;
mod statistics;
