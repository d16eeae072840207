//! Runs the commands of pages. Each page has a fresh folder, in which its blocks are run in order.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::blocks::{Block, blocks};
use super::shown::{difference, fits, shortened};
use super::{Page, folder};
use crate::harness::{directory, has_long_proofs, real_data, skipped, stdout};

/// What the machine has for tagged blocks.
struct Needs {
    data: Option<PathBuf>,
    /// A Python, for `python`.
    python: Option<String>,
    /// A Python with the package of fivefold, for `package`.
    package: Option<String>,
    slurm: bool,
    long: bool,
    slow: bool,
}

impl Needs {
    fn of_machine() -> Self {
        let mut pythons: Vec<String> =
            ["FIVEFOLD_PACKAGE_PYTHON", "FIVEFOLD_PYTHON"].iter().filter_map(|name| std::env::var(name).ok()).collect();
        let system = "python3".to_owned();
        pythons.push(system.clone());
        let has = |python: &str, module: &str| {
            let tried = Command::new(python).args(["-c", &format!("import {module}")]).output();
            tried.is_ok_and(|output| output.status.success())
        };
        let there = |name: &str| ["/usr/sbin", "/usr/bin", "/sbin"].iter().any(|at| Path::new(at).join(name).exists());
        Needs {
            data: real_data().map(|folder| folder.canonicalize().unwrap()),
            // Not one of an environment elsewhere, whose files a confined ranker may not read.
            python: Some(system).filter(|python| has(python, "sys")),
            package: pythons.into_iter().find(|python| has(python, "fivefold")),
            slurm: ["slurmctld", "slurmd", "munged", "sbatch"].iter().all(|name| there(name)),
            long: has_long_proofs(),
            slow: std::env::var_os("BOOK_SLOW").is_some(),
        }
    }

    /// Why a block is not run, if it is not.
    fn lacking(&self, block: &Block) -> Option<&'static str> {
        let all = [
            ("install", false, "change the user's machine"),
            ("hand", false, "are run by hand in a checkout: they take hours, or rewrite pages"),
            ("data", self.data.is_some(), "need FIVEFOLD_DATA"),
            ("slurm", self.slurm, "need Slurm (Debian: slurm-wlm, munge)"),
            ("python", self.python.is_some(), "need Python"),
            ("package", self.package.is_some(), "need a Python with the package fivefold (FIVEFOLD_PACKAGE_PYTHON)"),
            ("long", self.long, "take seconds of processor time, as long proofs (FIVEFOLD_LONG_PROOFS=1)"),
            ("slow", self.slow, "take minutes (BOOK_SLOW=1)"),
            ("build", self.slow, "build crates (BOOK_SLOW=1)"),
        ];
        all.iter().find(|(tag, is_there, _)| block.has(tag) && !is_there).map(|(_, _, why)| *why)
    }
}

/// A Slurm cluster on this machine, which stops when the value is dropped.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    fn start() -> Self {
        let cluster = Cluster { folder: directory(&[]) };
        open_to_all(cluster.folder.path());
        /// Pages that run side by side have a cluster each.
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        // Three ports. Not those of the tests of faults, which may run at the same time, nor those from 32,768 on,
        // which the system gives to connections of browsers.
        let port = (11_000 + (std::process::id() % 750 * 4 + number % 4) * 3).to_string();
        let output = cluster.script("up").arg(port).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        cluster
    }

    fn script(&self, action: &str) -> Command {
        let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/cluster/loopback"));
        command.arg(action).arg(self.folder.path().join("cluster"));
        command
    }

    fn conf(&self) -> PathBuf {
        self.folder.path().join("cluster/slurm.conf")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.script("down").output();
    }
}

/// How long a block may take that is not `slow`.
const PATIENCE: Duration = Duration::from_secs(180);

/// Runs a command to its end. `None` if it takes too long: then it is stopped with all that it started.
fn within(command: &mut Command) -> Option<ExitStatus> {
    let slow = std::env::var_os("BOOK_SLOW").is_some();
    let (start, mut child) = (Instant::now(), command.process_group(0).spawn().unwrap());
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if !slow && start.elapsed() > PATIENCE {
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The program that pages call `fivefold`: FIVEFOLD_PROGRAM, or the one that was built with the tests.
fn program() -> PathBuf {
    std::env::var_os("FIVEFOLD_PROGRAM").map_or_else(crate::harness::program, PathBuf::from)
}

/// The folder of the repository.
fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Files of the repository that blocks name, and that are not there: of blocks that are run by hand in a
/// checkout, which no test runs.
pub fn absent(pages: &[Page]) -> Vec<String> {
    let mut complaints = Vec::new();
    for Page { path, text } in pages {
        for block in blocks(path, text).unwrap_or_default().iter().filter(|block| block.has("hand")) {
            let words = block.body.split(|letter: char| letter.is_whitespace() || letter == '=');
            let of_checkout = words.filter(|word| {
                ["tools/", "crates/", "docs/", "tests/", "fuzz/"].iter().any(|folder| word.starts_with(folder))
            });
            for word in of_checkout.filter(|word| !checkout().join(word).exists()) {
                complaints.push(format!("{path}:{}: no file {word} in the repository", block.line));
            }
        }
    }
    complaints
}

/// Another user may read and write here.
fn open_to_all(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    }
}

/// Runs the blocks of a page. Returns complaints, the blocks that were left out (why, how many), and the
/// outputs that are to be written into the page.
struct Trial<'p> {
    page: &'p Page,
    needs: &'p Needs,
    complaints: Vec<String>,
    left_out: BTreeMap<&'static str, usize>,
    ran: usize,
    seconds: u64,
    outputs: Vec<(usize, String)>,
}

impl Trial<'_> {
    fn run(&mut self) {
        let all = match blocks(&self.page.path, &self.page.text) {
            Ok(all) => all,
            Err(error) => return self.complaints.push(error),
        };
        if !all.iter().any(Block::is_command) {
            return;
        }
        let home = directory(&[]);
        let (at, bin) = (home.path().join("work"), home.path().join("bin"));
        for folder in [&at, &bin] {
            fs::create_dir(folder).unwrap();
        }
        open_to_all(home.path());
        open_to_all(&at);
        // The program and Python by the names that pages use.
        let link = |name: &str, to: &str| std::os::unix::fs::symlink(to, bin.join(name)).unwrap();
        link("fivefold", program().to_str().unwrap());
        let package = all.iter().any(|block| block.has("package"));
        let python = if package { &self.needs.package } else { &self.needs.python };
        let needs_cluster = self.needs.slurm && all.iter().any(|block| block.is_command() && block.has("slurm"));
        let cluster = needs_cluster.then(Cluster::start);
        if let Some(python) = python.as_deref().filter(|python| *python != "python3") {
            // A link would leave the environment in which the modules are.
            let script = format!("#!/bin/sh\nexec '{python}' \"$@\"\n");
            for name in ["python", "python3"] {
                fs::write(bin.join(name), &script).unwrap();
                open_to_all(&bin.join(name));
            }
        }
        if all.iter().any(|block| block.has("checkout")) {
            std::os::unix::fs::symlink(checkout().join("crates"), at.join("crates")).unwrap();
        }
        for (index, block) in all.iter().enumerate() {
            if let Some(file) = &block.file {
                let path = at.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, &block.body).unwrap();
                continue;
            }
            if !block.is_command() {
                continue;
            }
            if let Some(why) = self.needs.lacking(block) {
                *self.left_out.entry(why).or_default() += 1;
                continue;
            }
            let kept = all.get(index + 1).filter(|next| next.is_output);
            if !self.block(block, kept, &at, &bin, cluster.as_ref()) {
                // What follows would fail for the same reason.
                return;
            }
        }
    }

    /// Runs a block, and compares its output. Returns whether its exit code is as the page says.
    fn block(&mut self, block: &Block, kept: Option<&Block>, at: &Path, bin: &Path, cluster: Option<&Cluster>) -> bool {
        let place = format!("{}:{}", self.page.path, block.line);
        let log = at.with_file_name("output");
        let file = fs::File::create(&log).unwrap();
        let mut path = OsString::from(bin);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command
            .args(["-e", "-c", &block.body])
            .current_dir(at)
            .env("PATH", path)
            .env("HOME", at.with_file_name("home"));
        for name in ["NO_COLOR", "RUST_BACKTRACE", "FIVEFOLD_DATA", "FIVEFOLD_CACHE", "UPDATE_BOOK"] {
            command.env_remove(name);
        }
        if let Some(data) = self.needs.data.as_ref().filter(|_| block.has("data")) {
            command.env("FIVEFOLD_DATA", data);
        }
        // A page's own home has no toolchain and no packages.
        if let Some(home) = std::env::var_os("HOME").filter(|_| block.has("build")) {
            for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
                command.env(name, std::env::var_os(name).unwrap_or_else(|| Path::new(&home).join(below).into()));
            }
        }
        if let Some(cluster) = cluster {
            command.env("SLURM_CONF", cluster.conf());
        }
        let status = within(command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file));
        let output = String::from_utf8_lossy(&fs::read(&log).unwrap()).into_owned();
        self.ran += 1;
        let Some(status) = status else {
            let told = format!("{place}: took more than {} s: tag it `slow`:\n{}", PATIENCE.as_secs(), block.body);
            self.complaints.push(told);
            return false;
        };
        if status.code() != Some(block.fails) {
            let told =
                format!("{place}: ended with {:?}, not {}:\n{}\n{output}", status.code(), block.fails, block.body);
            self.complaints.push(told);
            return false;
        }
        if let Some(kept) = kept.filter(|kept| !fits(&kept.body, &output)) {
            self.outputs.push((kept.line, shortened(&output)));
            if !updates() {
                self.complaints.push(format!(
                    "{place}: another output (UPDATE_BOOK=1 writes it):\n{}",
                    difference(&kept.body, &output)
                ));
            }
        }
        true
    }

    /// Writes the outputs that differ into the page.
    fn update(&self) {
        let mut lines: Vec<String> = self.page.text.lines().map(str::to_owned).collect();
        for (fence, output) in self.outputs.iter().rev() {
            let indent: String = lines[fence - 1].chars().take_while(|letter| letter.is_whitespace()).collect();
            let end = (*fence..lines.len()).find(|&line| lines[line].trim() == "```").unwrap_or(lines.len());
            let new: Vec<String> = output.lines().map(|line| format!("{indent}{line}").trim_end().to_owned()).collect();
            lines.splice(*fence..end, new);
        }
        fs::write(folder().join(&self.page.path), lines.join("\n") + "\n").unwrap();
    }
}

fn updates() -> bool {
    std::env::var_os("UPDATE_BOOK").is_some()
}

/// Runs all pages, and returns the complaints. What the machine lacks is told.
pub fn run(pages: &[Page]) -> Vec<String> {
    let needs = Needs::of_machine();
    let word = std::env::var("BOOK_PAGE").unwrap_or_default();
    let chosen: Vec<&Page> = pages.iter().filter(|page| page.path.contains(&word)).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(page) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut trial = Trial {
                        page,
                        needs: &needs,
                        complaints: Vec::new(),
                        left_out: BTreeMap::new(),
                        ran: 0,
                        seconds: 0,
                        outputs: Vec::new(),
                    };
                    let start = Instant::now();
                    trial.run();
                    trial.seconds = start.elapsed().as_secs();
                    // At once: a run of all pages is long.
                    for complaint in &trial.complaints {
                        let _ = writeln!(std::io::stderr(), "{complaint}");
                    }
                    if updates() && !trial.outputs.is_empty() {
                        trial.update();
                    }
                    done.lock().unwrap().push(trial);
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by(|one, other| one.page.path.cmp(&other.page.path));
    let mut left_out: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for trial in &done {
        for (why, count) in &trial.left_out {
            left_out.entry(why).or_default().insert(&trial.page.path, *count);
        }
    }
    for (why, pages) in left_out {
        let count: usize = pages.values().sum();
        let names: Vec<&str> = pages.into_keys().collect();
        skipped(&format!("{count} blocks of the book {why}: {}", names.join(", ")));
    }
    let mut slowest: Vec<(u64, &str)> = done.iter().map(|trial| (trial.seconds, trial.page.path.as_str())).collect();
    slowest.sort_unstable_by(|one, other| other.cmp(one));
    slowest.iter().take(5).for_each(|(seconds, path)| println!("{seconds} s: {path}"));
    println!("{} blocks ran", done.iter().map(|trial| trial.ran).sum::<usize>());
    done.into_iter().flat_map(|trial| trial.complaints).collect()
}

/// Commands in blocks and within lines that the program does not have, and options in blocks that
/// a command does not have.
pub fn misspelt(pages: &[Page]) -> Vec<String> {
    let folder = directory(&[]);
    let help = stdout(folder.path(), "--help");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: BTreeSet<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 30, "{help}");
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut complaints = Vec::new();
    for Page { path, text } in pages {
        let Ok(all) = blocks(path, text) else { continue };
        for block in all.iter().filter(|block| block.is_command()) {
            // A command may go on in the next line.
            for line in block.body.replace("\\\n", " ").lines().filter_map(|line| line.trim().strip_prefix("fivefold "))
            {
                let words: Vec<&str> = line
                    .split_whitespace()
                    .take_while(|word| !["|", ">", "&&", ";", "#", "--"].contains(word))
                    .collect();
                let Some(name) = words.first().filter(|word| !word.starts_with('-')) else { continue };
                let place = format!("{path}:{}", block.line);
                if !names.contains(name) {
                    complaints.push(format!("{place}: no command `fivefold {name}`"));
                    continue;
                }
                let mut help_of = |name: &str| {
                    let help = || stdout(folder.path(), &format!("{name} --help"));
                    helps.entry(name.to_owned()).or_insert_with(help).clone()
                };
                // A command may have commands below it.
                let (mut name, mut help) = ((*name).to_owned(), help_of(name));
                if let Some(below) = words.get(1).filter(|_| help.contains("\nCommands:\n")) {
                    name = format!("{name} {below}");
                    help = help_of(&name);
                }
                let options = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
                for option in options.filter_map(|word| word.split('=').next()) {
                    let is_there = help
                        .split(|letter: char| letter.is_whitespace() || ",[]".contains(letter))
                        .any(|word| word == option);
                    // A command that must fail may ask for what is not there.
                    if !is_there && block.fails == 0 {
                        complaints.push(format!("{place}: `fivefold {name}` has no option `{option}`"));
                    }
                }
            }
        }
        for quoted in text.split('`').skip(1).step_by(2).filter_map(|quoted| quoted.strip_prefix("fivefold ")) {
            let name = quoted.split_whitespace().next().unwrap_or_default();
            let is_word = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
            if is_word && !name.starts_with('-') && !names.contains(name) {
                complaints.push(format!("{path}: no command `fivefold {name}`"));
            }
        }
    }
    complaints
}
