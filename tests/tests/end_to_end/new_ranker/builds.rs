//! The crate of `fivefold new-ranker` builds wherever it takes fivefold from: a checkout, a git
//! repository, a version. Nothing comes from the network: cargo has fetched all other packages for
//! this workspace, whose `Cargo.lock` the crate is given.
//!
//! A build takes a minute of processor time, so the crates are built in long proofs alone
//! (`FIVEFOLD_LONG_PROOFS`). Otherwise cargo says where the packages are. The crate's files are
//! those of the template (`only_names_differ_from_the_template`), which the suite builds as a
//! member of the workspace.
//!
//! A version resolves against what `cargo package` makes of each crate, by `[patch.crates-io]`:
//! cargo takes a patch only for a requirement that the version of the package meets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::{content, has_long_proofs, skipped, stdout};

/// Packages of the workspace that nobody depends on.
const NO_DEPENDENCIES: [&str; 5] =
    ["example-ranker", "fivefold-tests", "fivefold-library-tests", "fivefold-bench", "fivefold-fuzz"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().canonicalize().unwrap()
}

/// An empty folder for one test, always at the same place, so that a second run finds what the
/// first one built.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-ranker").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    place
}

fn succeeded(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Cargo in a folder. It takes what `cargo clippy` or `cargo check` made of others' packages for
/// this workspace.
fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).current_dir(folder).env("CARGO_INCREMENTAL", "0");
    cargo.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap());
    cargo
}

/// Whether the crates are built in this run of the suite. They take minutes and no data: the run
/// without real data has them.
fn has_time() -> bool {
    std::env::var_os("FIVEFOLD_DATA").is_none()
}

/// The new crate with everything that it needs to be built offline.
fn new_crate(place: &Path, origin: &str) -> PathBuf {
    let told = stdout(place, &format!("new-ranker my-ranker --fivefold {origin}"));
    assert!(
        told.contains("The crate takes fivefold from ") && told.contains(": --fivefold asks for this source."),
        "{told}"
    );
    fs::copy(root().join("Cargo.lock"), place.join("my-ranker/Cargo.lock")).unwrap();
    place.join("my-ranker")
}

/// How a new crate is examined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Examined {
    /// Cargo checks the crate with its test and bench.
    Built,
    /// Cargo finds all packages.
    Resolved,
}

impl Examined {
    fn as_there_is_time() -> Self {
        if has_long_proofs() {
            return Self::Built;
        }
        skipped("the crate is resolved, not built: a long proof (FIVEFOLD_LONG_PROOFS=1)");
        Self::Resolved
    }
}

/// Asserts that a crate has the files of one that takes fivefold from the checkout. Only
/// `Cargo.toml` says where the packages are.
fn assert_files_of_checkout(place: &Path, folder: &Path) {
    let other = place.join("other");
    fs::create_dir(&other).unwrap();
    let other = new_crate(&other, root().to_str().unwrap());
    let files = |folder: &Path| {
        let mut files = content(folder);
        assert!(files.remove("Cargo.toml").is_some() && files.len() > 4, "{:?}", files.keys());
        files
    };
    assert_eq!(files(folder), files(&other));
}

/// Examines the crate, and gives the `source` and `manifest_path` of `fivefold-core`, all offline.
fn examined(folder: &Path, how: Examined, prepare: impl Fn(&mut Command)) -> [String; 2] {
    let offline = |arguments: &[&str]| {
        let mut cargo = cargo(folder, arguments);
        cargo.arg("--offline");
        prepare(&mut cargo);
        succeeded(cargo.output().unwrap())
    };
    if how == Examined::Built {
        offline(&["check", "--all-targets"]);
    }
    let metadata: serde_json::Value = serde_json::from_str(&offline(&["metadata", "--format-version", "1"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let core: Vec<_> = packages.iter().filter(|package| package["name"] == "fivefold-core").collect();
    assert_eq!(core.len(), 1, "two copies of one crate have types that differ");
    ["source", "manifest_path"].map(|key| core[0][key].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_crate_builds_on_a_checkout() {
    if !has_time() {
        return;
    }
    let folder = new_crate(&place("path"), root().to_str().unwrap());
    let [source, manifest] = examined(&folder, Examined::as_there_is_time(), |_| ());
    assert_eq!(source, "");
    assert_eq!(Path::new(&manifest), root().join("crates/fivefold-core/Cargo.toml"));
}

fn git(repository: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(repository).arg("--work-tree").arg(root()).args(arguments).current_dir(root());
    // The same files are the same commit.
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "test").env(format!("GIT_{role}_EMAIL"), "test@localhost");
        git.env(format!("GIT_{role}_DATE"), "2026-01-01T00:00:00Z");
    }
    succeeded(git.output().unwrap())
}

/// A repository of this workspace as it stands, tagged `v0`, and of a package `probe` that depends
/// on nothing.
fn repository(place: &Path) -> PathBuf {
    let repository = place.join("fivefold.git");
    succeeded(Command::new("git").args(["init", "-q", "--bare"]).arg(&repository).output().unwrap());
    git(&repository, &["config", "core.bare", "false"]);
    git(&repository, &["add", "--all", "."]);
    let manifest = "[package]\nname = \"probe\"\nedition = \"2024\"\n[workspace]\n";
    for (path, text) in [("probe/Cargo.toml", manifest), ("probe/src/lib.rs", "")] {
        let file = place.join("file");
        fs::write(&file, text).unwrap();
        let hash = git(&repository, &["hash-object", "-w", file.to_str().unwrap()]);
        git(&repository, &["update-index", "--add", "--cacheinfo", &format!("100644,{},{path}", hash.trim())]);
    }
    git(&repository, &["commit", "-q", "--no-verify", "-m", "Everything"]);
    git(&repository, &["tag", "v0"]);
    repository
}

/// The folder in which cargo keeps all packages, with a place of its own for git repositories.
#[cfg(unix)]
fn cargo_home(place: &Path) -> PathBuf {
    let usual = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    let usual = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(usual).unwrap();
    let home = place.join("home");
    fs::create_dir(&home).unwrap();
    for entry in fs::read_dir(usual).unwrap().map(|entry| entry.unwrap()).filter(|entry| entry.file_name() != "git") {
        std::os::unix::fs::symlink(entry.path(), home.join(entry.file_name())).unwrap();
    }
    home
}

#[cfg(unix)]
#[test]
fn a_crate_builds_on_a_git_repository() {
    if !has_time() {
        return;
    }
    let place = place("git");
    let address = format!("file://{}", repository(&place).display());
    let home = cargo_home(&place);
    // Offline, cargo fetches no repository, not even one of this machine. So it fetches it for a
    // package that needs no registry.
    let probe = place.join("fetch");
    fs::create_dir_all(probe.join("src")).unwrap();
    fs::write(probe.join("src/lib.rs"), "").unwrap();
    let manifest = "[package]\nname = \"fetch\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n";
    let dependency = format!("probe = {{ git = \"{address}\", tag = \"v0\" }}\n");
    fs::write(probe.join("Cargo.toml"), [manifest, &dependency].concat()).unwrap();
    succeeded(cargo(&probe, &["fetch"]).env("CARGO_HOME", &home).output().unwrap());

    let folder = new_crate(&place, &format!("{address}?tag=v0"));
    assert_files_of_checkout(&place, &folder);
    let [source, manifest] =
        examined(&folder, Examined::as_there_is_time(), |cargo| _ = cargo.env("CARGO_HOME", &home));
    assert!(source.starts_with(&format!("git+{address}?tag=v0#")), "{source}");
    assert!(Path::new(&manifest).starts_with(home.join("git/checkouts")), "{manifest}");
}

/// Packs and unpacks every crate that a user can depend on; gives the folders by name.
fn packages(place: &Path) -> Vec<(String, PathBuf)> {
    let adapters = root().join("crates/fivefold-adapters");
    let patch = format!("patch.crates-io.fivefold-adapters.path={:?}", adapters.display().to_string());
    let mut package = cargo(&root(), &["package", "--workspace", "--no-verify", "--allow-dirty", "--offline"]);
    package.args(NO_DEPENDENCIES.iter().flat_map(|name| ["--exclude", name])).args(["--config", &patch]);
    succeeded(package.env("CARGO_TARGET_DIR", place).output().unwrap());
    let mut found = vec![("fivefold-adapters".to_owned(), adapters)];
    for entry in fs::read_dir(place.join("package")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "crate") {
            succeeded(Command::new("tar").arg("-xzf").arg(&file).arg("-C").arg(place).output().unwrap());
            let stem = file.file_stem().unwrap().to_str().unwrap();
            found.push((stem.rsplit_once('-').unwrap().0.to_owned(), place.join(stem)));
        }
    }
    assert!(found.len() > 10, "{found:?}");
    found
}

#[test]
fn a_crate_builds_on_a_version() {
    if !has_time() {
        return;
    }
    let place = place("version");
    let packages = packages(&place);
    let patched = |cargo: &mut Command| {
        for (name, folder) in &packages {
            let path = folder.display().to_string();
            cargo.arg("--config").arg(format!("patch.crates-io.{name}.path={path:?}"));
        }
    };
    let version = env!("CARGO_PKG_VERSION");
    let folder = new_crate(&place, &format!("={version}"));
    assert_files_of_checkout(&place, &folder);
    let [_, manifest] = examined(&folder, Examined::as_there_is_time(), patched);
    assert_eq!(Path::new(&manifest), place.join(format!("fivefold-core-{version}/Cargo.toml")));

    // It is the requirement that finds them: with another one cargo takes none of them.
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest.replace(&format!("={version}"), "=0.0.9")).unwrap();
    let mut other = cargo(&folder, &["metadata", "--offline", "--format-version", "1"]);
    patched(&mut other);
    assert!(!other.output().unwrap().status.success(), "a version that is not there was found");
}
