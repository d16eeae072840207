//! Tests files that no reader expects. The program must give a clear error and exit code 2 in
//! bounded memory, and never panic.
//!
//! With `ulimit`, the program gets 2 GiB of address space. So it would abort before it could fill
//! the memory of the machine.

mod escapes;
mod limits;
#[cfg(unix)]
mod own;

use std::path::Path;
use std::process::{Command, Output};

use crate::harness::{directory, program};

/// The size of the address space in KiB.
const MOST_MEMORY: u64 = 2 << 20;

/// Runs the program with little memory.
fn run(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {MOST_MEMORY} && exec \"$0\" \"$@\"")]).arg(program());
        shell
    } else {
        Command::new(program())
    };
    // Each thread reserves address space, even if the thread does not use the space.
    command.env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "2").env_remove("FIVEFOLD_MOST_EXPANSION");
    command.env_remove("FIVEFOLD_DATA").env_remove("FIVEFOLD_CACHE").current_dir(directory).args(arguments);
    command.output().unwrap()
}

/// The error of a request that cannot be done, as one line.
fn refused(directory: &Path, arguments: &str) -> String {
    let output = run(directory, &arguments.split_whitespace().collect::<Vec<_>>());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments}: {}{text}", String::from_utf8_lossy(&output.stdout));
    assert!(text.len() < 4000, "{arguments}: {} bytes of error", text.len());
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{arguments}: {text:?}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn refused_with(directory: &Path, arguments: &str, parts: &[&str]) {
    let text = refused(directory, arguments);
    for part in parts {
        assert!(text.contains(part), "{arguments}: {text}\nlacks: {part}");
    }
}

/// A command for each kind of file. `X` stands for the file to be read.
const READERS: [&str; 7] = [
    "eval --data X --scores scores.txt --measures ndcg@10",
    "eval --data data.txt --scores X --measures ndcg@10",
    "eval --qrels X --runs run.txt --measures ap",
    "eval --qrels qrels.txt --runs X --measures ap",
    "compare X",
    "run X",
    "score --model X --data data.txt",
];

fn good() -> tempfile::TempDir {
    directory(&[
        ("data.txt", "1 qid:1 1:0.5\n0 qid:1 1:1\n"),
        ("scores.txt", "1\n2\n"),
        ("qrels.txt", "1 0 a 1\n"),
        ("run.txt", "1 Q0 a 1 0.5 t\n"),
    ])
}
