//! The program as its users see it: every command through the binary, its output, its exit codes, its files.

mod harness;
mod screens;
