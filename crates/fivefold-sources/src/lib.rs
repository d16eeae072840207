#![doc = include_str!("../README.md")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

/// The environment variable that the crate's code reads with `env!`.
///
/// ```
/// // In `impl Ranker` of the crate it is named as a literal, as `env!` asks for one.
/// assert_eq!(fivefold_sources::VARIABLE, "FIVEFOLD_SOURCES");
/// ```
pub const VARIABLE: &str = "FIVEFOLD_SOURCES";

/// The program's own package. Its code runs rankers, and is part of no ranker.
const PROGRAM: &str = "fivefold";

/// Gives the hash of a crate's sources to the crate, as the variable [`VARIABLE`]. Call it in the
/// crate's build script. Cargo runs the script again if a covered file changes.
///
/// ```
/// // Cargo tells a build script where its package is, and the script tells cargo the hash of that.
/// let package = std::env::var("CARGO_MANIFEST_DIR")?;
/// assert!(std::path::Path::new(&package).join("Cargo.toml").is_file());
/// fivefold_sources::emit();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If a file cannot be read. The build then fails with the reason.
pub fn emit() {
    emit_with(&[]);
}

/// Like [`emit`], for a crate whose code takes in files from outside `src/` with `include_bytes!`.
/// `more` names these files and folders of the package, and the hash covers them too.
///
/// ```
/// // A file that the code is said to include and that is not there stops the build.
/// let build = || fivefold_sources::emit_with(&["no-such-table.bin"]);
/// assert!(std::panic::catch_unwind(build).is_err());
/// ```
///
/// # Panics
/// As [`emit`].
pub fn emit_with(more: &[&str]) {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| panic!("call this in a build script: CARGO_MANIFEST_DIR is not set"));
    let features = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let features = features.filter(|name| name.starts_with("CARGO_FEATURE_")).collect();
    match Covered::find(&folder, more) {
        Ok(covered) => {
            for path in &covered.watched {
                println!("cargo::rerun-if-changed={}", path.display());
            }
            println!("cargo::rustc-env={VARIABLE}={}", covered.hash(&features));
        }
        Err(error) => panic!("cannot hash the sources of this crate: {error}"),
    }
}

/// The files that the hash covers.
#[derive(Default)]
struct Covered {
    /// Content of each file, by a name that does not depend on the place of the crate.
    files: BTreeMap<String, Vec<u8>>,
    /// The files and folders that cargo must watch.
    watched: BTreeSet<PathBuf>,
}

impl Covered {
    fn find(folder: &Path, more: &[&str]) -> Result<Self, String> {
        let mut covered = Covered::default();
        let workspace = workspace(folder)?;
        covered.add("workspace", &workspace, Path::new("Cargo.toml"))?;
        covered.add("workspace", &workspace, Path::new("Cargo.lock"))?;
        let mut open = vec![folder.to_owned()];
        let mut seen = BTreeSet::new();
        let patched = manifest(&workspace, |table| patches(table, &workspace))?;
        open.extend(patched);
        while let Some(package) = open.pop() {
            let package = fs::canonicalize(&package).map_err(|error| format!("{}: {error}", package.display()))?;
            if !seen.insert(package.clone()) {
                continue;
            }
            let name = manifest(&package, |table| Ok(text(table, &["package", "name"])))?.unwrap_or_default();
            if name == PROGRAM {
                continue;
            }
            for part in ["Cargo.toml", "build.rs", "src"] {
                covered.add(&name, &package, Path::new(part))?;
            }
            open.extend(path_dependencies(&package)?);
        }
        for part in more {
            if !folder.join(part).exists() {
                return Err(format!("there is no {}", folder.join(part).display()));
            }
            covered.add("more", folder, Path::new(part))?;
        }
        Ok(covered)
    }

    /// Adds a file, or all files of a folder. Hidden files and missing paths are left out.
    fn add(&mut self, package: &str, folder: &Path, part: &Path) -> Result<(), String> {
        let path = folder.join(part);
        let said = |error: std::io::Error| format!("{}: {error}", path.display());
        if !path.exists() {
            return Ok(());
        }
        // Cargo watches all files of a folder.
        if !self.watched.iter().any(|watched| path.starts_with(watched)) {
            self.watched.insert(path.clone());
        }
        if path.is_dir() {
            for entry in fs::read_dir(&path).map_err(said)? {
                let name = entry.map_err(said)?.file_name();
                if !name.to_string_lossy().starts_with('.') {
                    self.add(package, folder, &part.join(name))?;
                }
            }
            return Ok(());
        }
        let parts: Vec<_> = part.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        self.files.insert(format!("{package}/{}", parts.join("/")), fs::read(&path).map_err(said)?);
        Ok(())
    }

    fn hash(&self, features: &BTreeSet<String>) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            // The length first, so that no two lists of files look alike.
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for (name, content) in &self.files {
            add(name.as_bytes());
            add(content);
        }
        features.iter().for_each(|feature| add(feature.as_bytes()));
        hasher.finalize().to_hex().to_string()
    }
}

/// The root of the workspace that a package belongs to; the package's own folder if it stands
/// alone.
fn workspace(folder: &Path) -> Result<PathBuf, String> {
    for above in folder.ancestors().filter(|above| above.join("Cargo.toml").is_file()) {
        if manifest(above, |table| Ok(table.contains_key("workspace")))? {
            return Ok(above.to_owned());
        }
    }
    Ok(folder.to_owned())
}

/// Reads the manifest of a folder.
fn manifest<T>(folder: &Path, read: impl FnOnce(&DeTable<'_>) -> Result<T, String>) -> Result<T, String> {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let table = DeTable::parse(&text).map_err(|error| format!("{}: {}", path.display(), error.message()))?;
    read(table.get_ref())
}

/// Returns a table within tables, by its keys.
fn table<'t, 'i>(of: &'t DeTable<'i>, keys: &[&str]) -> Option<&'t DeTable<'i>> {
    keys.iter().try_fold(of, |table, key| as_table(table.get(*key)?.get_ref()))
}

fn as_table<'t, 'i>(value: &'t DeValue<'i>) -> Option<&'t DeTable<'i>> {
    if let DeValue::Table(table) = value { Some(table) } else { None }
}

/// Returns a text within tables, by its keys.
fn text(of: &DeTable<'_>, keys: &[&str]) -> Option<String> {
    let (last, above) = keys.split_last()?;
    match table(of, above)?.get(*last)?.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The tables of a table.
fn tables<'t, 'i>(of: Option<&'t DeTable<'i>>) -> impl Iterator<Item = &'t DeTable<'i>> {
    of.into_iter().flat_map(|table| table.iter()).filter_map(|(_, value)| as_table(value.get_ref()))
}

/// Folders of the packages that a workspace puts in place of other packages (`[patch]`).
fn patches(root: &DeTable<'_>, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let sources = tables(table(root, &["patch"]));
    let paths = sources.flat_map(|source| tables(Some(source))).filter_map(|patch| text(patch, &["path"]));
    Ok(paths.map(|path| folder.join(path)).collect())
}

/// Folders of the packages on which a package depends by path. The path stands in the package's
/// manifest or in the workspace's manifest.
fn path_dependencies(package: &Path) -> Result<Vec<PathBuf>, String> {
    let root = workspace(package)?;
    let of_workspace =
        |name: &str| manifest(&root, |found| Ok(text(found, &["workspace", "dependencies", name, "path"])));
    manifest(package, |found| {
        let own = std::iter::once(found).chain(tables(table(found, &["target"])));
        let lists = own.flat_map(|of| {
            ["dependencies", "build-dependencies"].into_iter().filter_map(move |list| table(of, &[list]))
        });
        let mut folders = Vec::new();
        for (name, value) in lists.flat_map(|list| list.iter()) {
            let Some(dependency) = as_table(value.get_ref()) else { continue };
            if let Some(path) = text(dependency, &["path"]) {
                folders.push(package.join(path));
            } else if dependency.contains_key("workspace")
                && let Some(path) = of_workspace(name.get_ref())?
            {
                folders.push(root.join(path));
            }
        }
        Ok(folders)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str, content: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A workspace: `mine` depends on `helper` by path, on `shared` through the workspace, and on
    /// the program.
    fn workspace_of_rankers() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let root = "[workspace]\nmembers = [\"*\"]\n[workspace.dependencies]\nshared = { path = \"shared\" }\n";
        write(at, "Cargo.toml", root);
        write(at, "Cargo.lock", "version = 4\n");
        let mine = "[package]\nname = \"mine\"\n[dependencies]\nserde = \"1\"\nhelper = { path = \"../helper\" }\n\
                    shared = { workspace = true }\nfivefold = { path = \"../fivefold\" }\n";
        write(at, "mine/Cargo.toml", mine);
        write(at, "mine/src/lib.rs", "fn fit() {}");
        write(at, "mine/weights/w.bin", "1");
        write(
            at,
            "helper/Cargo.toml",
            "[package]\nname = \"helper\"\n[target.'cfg(unix)'.dependencies]\ndeep = { path = \"../deep\" }\n",
        );
        for (package, manifest) in
            [("shared", true), ("deep", true), ("fivefold", true), ("other", true), ("helper", false)]
        {
            if manifest {
                write(at, &format!("{package}/Cargo.toml"), &format!("[package]\nname = \"{package}\"\n"));
            }
            write(at, &format!("{package}/src/lib.rs"), "// 1");
        }
        folder
    }

    fn hash(folder: &Path, more: &[&str]) -> String {
        Covered::find(&folder.join("mine"), more).unwrap().hash(&BTreeSet::new())
    }

    /// python-cachier/cachier #88: the code changed, and old results were used.
    /// streamlit/streamlit #2728: a called function changed, and old results were used.
    #[test]
    fn every_source_that_can_alter_the_ranker_alters_the_hash_and_nothing_else_does() {
        let folder = workspace_of_rankers();
        let at = folder.path();
        let first = hash(at, &[]);
        for file in [
            "mine/src/lib.rs",
            "mine/src/deep/part.txt",
            "mine/build.rs",
            "mine/Cargo.toml",
            "Cargo.lock",
            "Cargo.toml",
            "helper/src/lib.rs",
            "shared/src/lib.rs",
            "deep/src/lib.rs",
        ] {
            let before = fs::read(at.join(file)).ok();
            let old = String::from_utf8(before.clone().unwrap_or_default()).unwrap();
            write(at, file, &format!("{old}\n# 2\n"));
            assert_ne!(hash(at, &[]), first, "{file}");
            match before {
                Some(before) => fs::write(at.join(file), before).unwrap(),
                None => fs::remove_file(at.join(file)).unwrap(),
            }
            assert_eq!(hash(at, &[]), first, "{file}");
        }
        for file in [
            "mine/runs/x/manifest.json",
            "mine/target/debug/mine",
            "mine/tests/t.rs",
            "mine/src/.lib.rs.swp",
            "other/src/lib.rs",
            "fivefold/src/lib.rs",
            "mine/weights/w.bin",
        ] {
            write(at, file, "other");
            assert_eq!(hash(at, &[]), first, "{file}");
        }
        let weights = hash(at, &["weights"]);
        write(at, "mine/weights/w.bin", "2");
        assert_ne!(hash(at, &["weights"]), weights);
        let features = BTreeSet::from(["CARGO_FEATURE_FAST".to_owned()]);
        assert_ne!(Covered::find(&at.join("mine"), &[]).unwrap().hash(&features), first);
        // In another folder the hash is the same.
        let moved = tempfile::tempdir().unwrap();
        fs::rename(at, moved.path().join("there")).unwrap();
        assert_eq!(hash(&moved.path().join("there"), &[]), first);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let folder = workspace_of_rankers();
        let at = folder.path();
        let error = |more: &[&str]| Covered::find(&at.join("mine"), more).err().unwrap();
        assert!(error(&["no-such"]).contains("mine/no-such"));
        fs::remove_dir_all(at.join("shared")).unwrap();
        assert!(error(&[]).contains("shared"), "{}", error(&[]));
        write(at, "mine/Cargo.toml", "[package\n");
        assert!(error(&[]).contains("Cargo.toml: "), "{}", error(&[]));
    }

    #[test]
    fn cargo_watches_every_covered_file() {
        let folder = workspace_of_rankers();
        let covered = Covered::find(&folder.path().join("mine"), &["weights"]).unwrap();
        let names: Vec<String> = covered.watched.iter().map(|path| path.display().to_string()).collect();
        for part in ["Cargo.lock", "mine/src", "mine/weights", "helper/src", "deep/Cargo.toml"] {
            assert!(names.iter().any(|name| name.ends_with(part)), "{part}: {names:?}");
        }
    }
}
