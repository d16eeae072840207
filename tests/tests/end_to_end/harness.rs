//! Helpers that run the program and find real data.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{LazyLock, Mutex, OnceLock};

use serde_json::Value;

/// The path of the program.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_under-test"))
}

/// The program in a directory, without variables of the caller's environment that would alter its
/// output.
pub fn fivefold(directory: &Path) -> Command {
    let mut command = Command::new(program());
    command.current_dir(directory).env_remove("NO_COLOR").env_remove("RUST_BACKTRACE").env_remove("FIVEFOLD_DATA");
    command.env_remove("FIVEFOLD_CACHE");
    command
}

/// Runs the program on arguments that are separated by blanks. There are no quotes.
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

/// Does the same as [`stdout`], with real data.
pub fn stdout_with_data(directory: &Path, data: &Path, arguments: &[&str]) -> String {
    let output = fivefold(directory).env("FIVEFOLD_DATA", data).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Does the same as [`stdout`], and parses the output as JSON.
pub fn json(directory: &Path, arguments: &str) -> Value {
    serde_json::from_str(&stdout(directory, arguments)).unwrap()
}

/// The sentences of the summary of a page. Blanks replace the markup between them.
pub fn summary_of(page: &Path) -> String {
    between(page, "<section id=\"summary\"", "</section>")
}

/// The first screen of a page up to its figure.
pub fn overview_of(page: &Path) -> String {
    between(page, "<div id=\"overview\"", "<section id=\"differences\"")
}

fn between(page: &Path, start: &str, end: &str) -> String {
    let page = std::fs::read_to_string(page).unwrap().replace("&#x2f;", "/");
    let part = page.split(start).nth(1).unwrap().split(end).next().unwrap();
    part.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes a new directory with some files. It is removed when the value is dropped.
pub fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir_in(&*ROOT).unwrap();
    write(directory.path(), files);
    directory
}

/// Writes some files into a directory.
pub fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        std::fs::write(directory.join(name), content).unwrap();
    }
}

/// Where directories of tests are made: in memory where Linux has room for them, unless `TMPDIR` names
/// a place. Tests make and remove so many small files that a disk would take a third of their time.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    if std::env::var_os("TMPDIR").is_none() && has_room(memory) { memory.to_owned() } else { std::env::temp_dir() }
});

/// Tests of limits write files of gigabytes, and some tests start programs that lie in their directory,
/// which containers may forbid there.
#[cfg(target_os = "linux")]
fn has_room(folder: &Path) -> bool {
    use nix::sys::statvfs::{FsFlags, statvfs};
    const ROOM: u64 = 8 << 30;
    statvfs(folder).is_ok_and(|found| {
        !found.flags().contains(FsFlags::ST_NOEXEC) && found.blocks_available() * found.fragment_size() >= ROOM
    })
}

#[cfg(not(target_os = "linux"))]
fn has_room(_: &Path) -> bool {
    false
}

/// The files of a folder that several tests begin with.
pub type Made = OnceLock<BTreeMap<String, Vec<u8>>>;

/// A new directory with the files that `make` makes. The first test makes them; all get copies.
pub fn copy_of(made: &Made, make: impl FnOnce(&Path)) -> tempfile::TempDir {
    let folder = directory(&[]);
    write_all(folder.path(), files_of(made, make));
    folder
}

/// The files that `make` makes, which is called once.
pub fn files_of(made: &Made, make: impl FnOnce(&Path)) -> &BTreeMap<String, Vec<u8>> {
    made.get_or_init(|| {
        let folder = directory(&[]);
        make(folder.path());
        content(folder.path())
    })
}

/// Every file of a folder, also hidden files, with its content.
pub fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files(folder).into_iter().map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

/// Every file of a folder, also hidden files: its name below the folder, and its path.
pub fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.strip_prefix(folder).unwrap().to_string_lossy().into_owned(), path));
            }
        }
    }
    found
}

/// Copies every file of a folder.
pub fn copy(from: &Path, to: &Path) {
    write_all(to, &content(from));
}

/// Writes files below a folder.
pub fn write_all(folder: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Fails with the names of the files that differ, not with their bytes.
pub fn assert_same_content(one: &Path, other: &Path) {
    let (one, other) = (content(one), content(other));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    let differing: Vec<&String> = one.keys().filter(|name| one[*name] != other[*name]).collect();
    assert!(differing.is_empty(), "{differing:?}");
    assert!(!one.is_empty());
}

/// The quickstart with fewer queries, but with all its rankers, tables and figures.
pub fn small_quickstart() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../experiments/quickstart.toml");
    let mut text = std::fs::read_to_string(path).unwrap();
    for (from, to) in [
        ("queries = 300", "queries = 20"),
        ("queries = 600", "queries = 25"),
        ("trees = 100", "trees = 10"),
        ("bags = 50", "bags = 5"),
        ("uninformative = 150\nideal = 150", "uninformative = 5\nideal = 5"),
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

/// Prints that a test is skipped. The message avoids the capture of the test runner, which shows
/// the output of failing tests only.
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
}

/// Whether long proofs are made: if `FIVEFOLD_LONG_PROOFS` or `CI` is set. Otherwise the same is
/// tested on less data, or with fewer threads, kills and states.
pub fn has_long_proofs() -> bool {
    ["FIVEFOLD_LONG_PROOFS", "CI"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// A Python that has these modules. If FIVEFOLD_PYTHON names a Python, that Python must have the
/// modules. Otherwise `python3` is used if it has the modules.
pub fn python(modules: &str) -> Option<String> {
    let named = std::env::var("FIVEFOLD_PYTHON").ok();
    let python = named.clone().unwrap_or_else(|| "python3".to_owned());
    if modules.split(", ").all(|module| imports(&python, module)) {
        return Some(python);
    }
    assert!(named.is_none(), "{python}, which FIVEFOLD_PYTHON names, lacks one of {modules}");
    assert!(std::env::var_os("CI").is_none(), "no Python with {modules}, which CI must have");
    skipped(&format!("python3 lacks one of {modules} (FIVEFOLD_PYTHON names another Python)"));
    None
}

/// Whether a Python has a module. It is imported once for all tests, because some imports take a second.
fn imports(python: &str, module: &str) -> bool {
    static TRIED: Mutex<BTreeMap<(String, String), bool>> = Mutex::new(BTreeMap::new());
    let mut tried = TRIED.lock().unwrap();
    *tried.entry((python.to_owned(), module.to_owned())).or_insert_with(|| {
        let output = Command::new(python).args(["-c", &format!("import {module}")]).output();
        output.is_ok_and(|output| output.status.success())
    })
}

/// The folder of real data. If FIVEFOLD_DATA is not set, prints a message and returns `None`.
pub fn real_data() -> Option<PathBuf> {
    let folder = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if folder.is_none() {
        skipped("FIVEFOLD_DATA is not set");
    }
    // Cargo runs tests in the folder of their package, but the variable is relative to the
    // workspace.
    folder.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder))
}
