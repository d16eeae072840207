//! Helpers that find the processes of a results folder, to check that no process is left over, and
//! that send signals.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a test waits for an event that must come.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The processes that work for jobs of a results folder, with their command lines. Their temporary
/// directory is below the folder.
pub fn below(folder: &Path) -> Vec<(i32, String)> {
    let variable = format!("TMPDIR={}/", std::path::absolute(folder).unwrap().display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let text = |name: &str| String::from_utf8_lossy(&read(name)).replace('\0', "\n");
        // Both files are empty for a process that has ended, but that its parent has not yet waited
        // for.
        if text("environ").lines().any(|line| line.starts_with(&variable)) {
            found.push((id, text("cmdline").replace('\n', " ")));
        }
    }
    found
}

/// Waits until the condition `is_so` is true.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patience = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patience, "not within a minute: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until no process works for jobs of a results folder.
pub fn nobody_is_left(folder: &Path) {
    let patience = Instant::now() + PATIENCE;
    loop {
        let left = below(folder);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < patience, "outlived its run: {left:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal such as `INT`, `TERM` or `KILL`.
pub fn signal(process: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap().success());
}
