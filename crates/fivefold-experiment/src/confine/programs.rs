//! Finds the files that a program needs to run: the program, the targets of its links, its
//! interpreters, its libraries, and the system.
//!
//! A program in `PREFIX/bin` has its libraries in `PREFIX/lib` and similar folders. Conda, a JDK, R
//! and Node have this layout. A virtual environment has this layout too, and also needs the
//! libraries of the Python that it was made from (`pyvenv.cfg`). The folder `shims` of pyenv and
//! similar tools chooses among versions beside it. Scripts start programs on the search path, so
//! these programs are allowed in the same way.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use fivefold_results::config::CommandLine;

/// Places that every program may read: programs and libraries of the system, its settings, and its
/// facts about itself. The kernel hides the processes outside the confinement in `/proc`.
const SYSTEM: [&str; 13] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr",
    "/opt",
    "/etc",
    "/proc",
    "/sys",
    "/nix/store",
    "/gnu/store",
];

/// Devices that give access to nothing else. Programs may write to them.
pub(super) const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Names that programs need in the folder above their `bin`.
const PREFIX: [&str; 19] = [
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "include",
    "share",
    "etc",
    "ssl",
    "conf",
    "jmods",
    "plugins",
    "opt",
    "Cellar",
    "conda-meta",
    "release",
    "pyvenv.cfg",
    "Scripts",
];

/// Variables with the folders of libraries.
const LIBRARIES: [&str; 12] = [
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "R_HOME",
    "R_LIBS",
    "R_LIBS_SITE",
    "R_LIBS_USER",
    "JAVA_HOME",
    "NODE_PATH",
    "PERL5LIB",
    "GEM_PATH",
];

/// Libraries of the user below `$HOME`; a command has another `$HOME`. Each entry holds the
/// variable that names the folder of the libraries, and the path below the user's `$HOME`.
pub(crate) const OF_USER: [(&str, &str); 2] = [("PYTHONUSERBASE", ".local"), ("R_LIBS_USER", "R/%p-library/%v")];

/// The most links and interpreters that are followed.
const MOST_STEPS: usize = 40;

/// Files and folders to read and execute.
#[derive(Default)]
pub(super) struct Needed {
    /// Files without which the program cannot start: the program, the targets of its links, and its
    /// interpreters.
    pub own: BTreeSet<PathBuf>,
    pub others: BTreeSet<PathBuf>,
}

/// The files that a command needs. `find` returns the path of a listed file.
pub(super) fn of_command(command: &CommandLine, find: impl Fn(&str) -> PathBuf) -> Needed {
    let mut needed = Needed::default();
    needed.others.extend(SYSTEM.iter().map(PathBuf::from));
    for folder in search_path() {
        needed.folder_of_programs(&folder);
    }
    let named = LIBRARIES.iter().filter_map(env::var_os).flat_map(|value| env::split_paths(&value).collect::<Vec<_>>());
    needed.others.extend(named.filter(|path| is_some_place(path)));
    if let Some(home) = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute()) {
        needed.others.extend([home.join(".local/lib"), home.join("R")]);
    }
    match command.own_program() {
        // The program itself is copied into the working folder, but its interpreter is not.
        Some(own) => needed.interpreter(&find(own), MOST_STEPS),
        None => {
            if let Some(program) = on_path(&command.argv[0]) {
                needed.program(&program, MOST_STEPS);
            }
        }
    }
    // An argument can be the path of a script or a library. If an argument names data, the leak
    // guards have already refused the run.
    let arguments = command.argv.iter().skip(1).map(PathBuf::from);
    needed.others.extend(arguments.filter(|path| path.is_absolute() && path.is_file()));
    needed
}

impl Needed {
    /// Adds a program and the targets of its links.
    fn program(&mut self, program: &Path, steps: usize) {
        let mut next = Some(program.to_owned());
        let mut last = None;
        for _ in 0..steps {
            let Some(name) = next.as_deref().and_then(Path::file_name) else { break };
            let Some(folder) = next.as_deref().and_then(Path::parent).and_then(|parent| fs::canonicalize(parent).ok())
            else {
                break;
            };
            let hop = folder.join(name);
            self.own.insert(hop.clone());
            self.folder_of_programs_if_so(&folder);
            next = fs::read_link(&hop).ok().map(|target| folder.join(target));
            last = Some(hop);
        }
        if let (Some(last), true) = (last, steps > 0) {
            self.interpreter(&last, steps - 1);
        }
    }

    /// Adds the interpreter that the first line of a script names.
    fn interpreter(&mut self, script: &Path, steps: usize) {
        let mut start = Vec::new();
        let read = File::open(script).and_then(|file| file.take(512).read_to_end(&mut start));
        let line = String::from_utf8_lossy(&start);
        let Some(line) = line.lines().next().and_then(|line| line.strip_prefix("#!")).filter(|_| read.is_ok()) else {
            return;
        };
        let mut words = line.split_whitespace();
        let Some(interpreter) = words.next() else { return };
        self.program(Path::new(interpreter), steps);
        if Path::new(interpreter).file_name().is_some_and(|name| name == "env") {
            // `env -S NAME=VALUE program`.
            let program = words.find(|word| !word.starts_with('-') && !word.contains('='));
            if let Some(program) = program.and_then(on_path) {
                self.program(&program, steps);
            }
        }
    }

    /// Adds a folder that holds only programs, and their libraries.
    fn folder_of_programs(&mut self, folder: &Path) {
        self.others.insert(folder.to_owned());
        if let Ok(folder) = fs::canonicalize(folder) {
            self.folder_of_programs_if_so(&folder);
        }
    }

    /// Adds the libraries of the programs in a folder, if the folder's name says that it holds
    /// programs.
    fn folder_of_programs_if_so(&mut self, folder: &Path) {
        let (Some(name), Some(prefix)) = (folder.file_name().and_then(|name| name.to_str()), folder.parent()) else {
            return;
        };
        match name {
            "shims" => drop(self.others.insert(prefix.to_owned())),
            "bin" | "sbin" | "Scripts" => {
                let fresh = self.others.insert(prefix.join("bin"));
                self.others.extend(PREFIX.iter().map(|part| prefix.join(part)));
                let settings = fs::read_to_string(prefix.join("pyvenv.cfg")).unwrap_or_default();
                let entries = settings.lines().filter_map(|line| line.split_once('='));
                let home = entries.filter(|(key, _)| key.trim() == "home").map(|(_, value)| value.trim()).next_back();
                // If `home` leads back to this folder, `fresh` is false, and the recursion ends.
                if let Some(home) = home.map(Path::new).filter(|home| fresh && home.is_absolute()) {
                    self.folder_of_programs(home);
                }
            }
            _ => {}
        }
    }
}

fn search_path() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| is_some_place(folder)).collect()
}

/// Whether a path is absolute and not just `/`, which would allow everything.
fn is_some_place(path: &Path) -> bool {
    path.is_absolute() && path.file_name().is_some()
}

/// The program of this name: the path itself, or else the first program of this name on the search
/// path.
fn on_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_absolute());
    }
    search_path().into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests
    fn put(root: &Path, file: &str, text: &str) -> PathBuf {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn needed(program: &Path) -> BTreeSet<PathBuf> {
        let mut needed = Needed::default();
        needed.program(program, MOST_STEPS);
        needed.own.into_iter().chain(needed.others).collect()
    }

    #[test]
    fn links_and_environments_lead_to_their_libraries() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        put(&root, "versions/3.11/bin/python3.11", "");
        symlink("python3.11", root.join("versions/3.11/bin/python3")).unwrap();
        put(&root, "venv/pyvenv.cfg", "version = 3.11\n");
        fs::create_dir_all(root.join("venv/bin")).unwrap();
        symlink(root.join("versions/3.11/bin/python3"), root.join("venv/bin/python")).unwrap();
        let found = needed(&root.join("venv/bin/python"));
        for path in
            ["venv/bin/python", "venv/lib", "venv/pyvenv.cfg", "versions/3.11/lib", "versions/3.11/bin/python3.11"]
        {
            assert!(found.contains(&root.join(path)), "{path}: {found:?}");
        }
        assert!(!found.contains(&root.join("venv")) && !found.contains(&root), "{found:?}");
        // The interpreter is copied, not linked. The settings name its home.
        put(&root, "copied/bin/python", "");
        put(&root, "copied/pyvenv.cfg", &format!("home = {}\n", root.join("versions/3.11/bin").display()));
        assert!(needed(&root.join("copied/bin/python")).contains(&root.join("versions/3.11/lib")));
        // Links form a circle, and settings lead back.
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        assert!(needed(&root.join("a")).contains(&root.join("b")));
        put(&root, "copied/pyvenv.cfg", &format!("home = {}\n", root.join("copied/bin").display()));
        assert!(!needed(&root.join("copied/bin/python")).is_empty());
    }

    #[test]
    fn scripts_lead_to_their_interpreters() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        put(&root, "tool/bin/inner", "");
        let outer = put(&root, "tool2/bin/outer", &format!("#! {}/tool/bin/inner -x\n", root.display()));
        let script = put(&root, "s/run", &format!("#!{} --y", outer.display()));
        let found = needed(&script);
        for path in ["s/run", "tool2/bin/outer", "tool2/lib", "tool/bin/inner", "tool/lib"] {
            assert!(found.contains(&root.join(path)), "{path}: {found:?}");
        }
        assert!(!found.contains(&root.join("s")), "a folder that is no `bin` may hold anything");
        let by_env = put(&root, "s/env", "#!/usr/bin/env -S A=1 sh -e\n");
        assert!(needed(&by_env).iter().any(|path| path.ends_with("sh")));
        let shim = put(&root, "pyenv/shims/python3", "#!/bin/sh\n");
        assert!(needed(&shim).contains(&root.join("pyenv")));
        // A script names itself as its interpreter.
        let own = root.join("loop");
        fs::write(&own, format!("#!{}\n", own.display())).unwrap();
        assert!(needed(&own).contains(&own));
    }
}
