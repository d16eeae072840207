//! How tests run the program and find real data.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;

/// The program, in a directory, with nothing of the caller's environment that alters its output.
pub fn fivefold(directory: &Path) -> Command {
    let mut command = Command::new(program());
    command.current_dir(directory).env_remove("NO_COLOR").env_remove("RUST_BACKTRACE").env_remove("FIVEFOLD_DATA");
    command
}

/// Where the program is.
pub fn program() -> PathBuf {
    cargo_bin!("under-test").to_path_buf()
}

/// Runs the program on arguments written as on a shell's command line without quotes.
pub fn run(directory: &Path, arguments: &str) -> Output {
    fivefold(directory).args(arguments.split_whitespace()).output().unwrap()
}

/// Runs the program, which must succeed, and gives its standard output.
pub fn stdout(directory: &Path, arguments: &str) -> String {
    let output = run(directory, arguments);
    assert!(output.status.success(), "{arguments}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the program, which must end with this exit code, and gives its standard error.
pub fn stderr(directory: &Path, arguments: &str, code: i32) -> String {
    let output = run(directory, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}\n{text}");
    text
}

/// [`stdout`] as JSON.
pub fn json(directory: &Path, arguments: &str) -> serde_json::Value {
    serde_json::from_str(&stdout(directory, arguments)).unwrap()
}
