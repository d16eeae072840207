//! Tests the program as its users see it: every command of the binary, with its output, exit codes
//! and files.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod adapters;
mod blind_validation;
#[cfg(unix)]
mod book;
mod browser;
mod cache;
mod collections;
mod command;
mod compare;
#[cfg(target_os = "linux")]
mod confine;
mod converge;
mod correlate;
mod designs;
mod determinism;
mod diff;
mod drawn;
mod eval;
mod exchange;
mod explain;
mod explain_cache;
mod export;
mod faces;
mod features;
mod formats;
mod fuse;
mod harness;
mod hostile;
mod imported;
mod interrupted;
mod lab;
mod lab_code;
mod latex;
mod leaks;
mod licences;
mod many;
mod models;
mod new_ranker;
mod old_folders;
mod old_words;
mod outside;
mod pages;
mod playground;
mod public_reports;
mod rbo;
mod reading;
mod real_data;
mod replaced;
mod reproduce;
mod residual;
mod round_trips;
mod runs;
mod screens;
mod stale;
mod standardise;
mod structure;
#[cfg(unix)]
mod terminal;
mod texts;
mod topics;
mod trec;
mod trec_eval;
mod tune;
mod verify;
