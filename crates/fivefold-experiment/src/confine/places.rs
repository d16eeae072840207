//! The places that no command may reach, and how to allow the places beside them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fivefold_data::packed::file_on_disk;
use fivefold_results::store::Store;

use crate::plan::Plan;

/// Files and folders that no command may reach. All paths are without links.
pub(super) struct Kept {
    /// Each place with a description.
    places: Vec<(PathBuf, String)>,
}

impl Kept {
    pub(super) fn of(plan: &Plan<'_>, results: Option<&Store>) -> Self {
        let mut places: Vec<(PathBuf, String)> = Vec::new();
        for (dataset, collection) in plan.experiment.datasets.iter().zip(&plan.collections) {
            for file in collection.iter().flat_map(|collection| &collection.files) {
                places.push((real(&file_on_disk(file)), format!("data set {}", dataset.label)));
            }
        }
        // The first folder is the folder of the experiment file. It stays open, because programs
        // are there.
        for folder in plan.experiment.folders().iter().skip(1) {
            places.push((real(folder), "the folder of collections".to_owned()));
        }
        if let Some(store) = results {
            for place in [store.root().to_owned(), store.stderr_folder(), store.log_path()] {
                places.push((real(&place), "the results".to_owned()));
            }
        }
        if let Some(cache) = plan.experiment.cache() {
            places.push((real(cache.folder()), "the cache".to_owned()));
        }
        Kept { places }
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.places.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Returns the path without links if the experiment may allow it. Otherwise the error says why
    /// not.
    pub(super) fn allow(&self, path: &Path, given: &str) -> Result<PathBuf, String> {
        let real =
            fs::canonicalize(path).map_err(|error| format!("is given `{given}`, which cannot be found: {error}"))?;
        match self.places.iter().find(|(place, _)| place.starts_with(&real)) {
            Some((place, what)) => Err(format!("is given `{given}`, which holds {} ({what})", place.display())),
            None => self.apart(&real).map(|()| real).map_err(|reason| format!("is given `{given}`, which {reason}")),
        }
    }

    /// Checks that a path is outside all the places.
    pub(super) fn apart(&self, path: &Path) -> Result<(), String> {
        match self.places.iter().find(|(place, _)| path.starts_with(place)) {
            Some((place, what)) => Err(format!("lies in {} ({what}), which no command may reach", place.display())),
            None => Ok(()),
        }
    }
}

/// A path without links, even if the path does not exist yet.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|there| Some((there, fs::canonicalize(there).ok()?)));
    match there {
        Some((there, real)) => real.join(path.strip_prefix(there).unwrap_or(Path::new(""))),
        None => path,
    }
}

/// Returns `paths` without the places in `kept`. A folder that holds such a place is replaced by
/// its other entries.
pub(super) fn beside(paths: &BTreeSet<PathBuf>, kept: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let real: BTreeSet<PathBuf> = paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    for path in real {
        // The paths are sorted, so a folder comes before its content.
        if !found.iter().any(|above| path.starts_with(above)) {
            cut(path, kept, &mut found);
        }
    }
    found
}

fn cut(path: PathBuf, kept: &[PathBuf], found: &mut Vec<PathBuf>) {
    if kept.iter().any(|kept| path.starts_with(kept)) {
        return;
    }
    if !kept.iter().any(|kept| kept.starts_with(&path)) {
        found.push(path);
        return;
    }
    let Ok(entries) = fs::read_dir(&path) else { return };
    for entry in entries.flatten() {
        // A link is skipped: its target is allowed separately or not at all.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            cut(entry.path(), kept, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_kept_place_is_allowed_but_for_that() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for file in ["venv/lib/a.so", "venv/bin/python", "venv/data/train.txt", "venv/data/notes.txt", "other/x"] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        let paths: BTreeSet<PathBuf> =
            [root.join("venv"), root.join("venv/lib"), root.join("nowhere")].into_iter().collect();
        let allowed = |kept: &[PathBuf]| {
            let mut found = beside(&paths, kept);
            found.sort();
            found.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(allowed(&[root.join("other")]), ["venv"]);
        assert_eq!(allowed(&[root.join("venv/data/train.txt")]), ["venv/bin", "venv/data/notes.txt", "venv/lib"]);
        assert_eq!(allowed(&[root.join("venv/results-to-be")]), ["venv/bin", "venv/data", "venv/lib"]);
        assert!(allowed(std::slice::from_ref(&root)).is_empty());
    }

    #[test]
    fn a_given_path_holds_no_kept_place_and_lies_in_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("data/deep")).unwrap();
        fs::create_dir_all(root.join("more")).unwrap();
        let kept = Kept { places: vec![(root.join("data"), "the data".to_owned())] };
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../data/deep", root.join("more/link")).unwrap();
            let lies = kept.allow(&root.join("more/link"), "link").unwrap_err();
            assert!(lies.starts_with("is given `link`, which lies in"), "{lies}");
        }
        assert!(kept.allow(&root, ".").unwrap_err().contains("which holds"));
        assert!(kept.allow(&root.join("more/../data"), "x").is_err());
        assert!(kept.allow(&root.join("nowhere"), "x").unwrap_err().contains("cannot be found"));
        assert_eq!(kept.allow(&root.join("more"), "more"), Ok(root.join("more")));
        // The name `data2` only begins like `data`.
        fs::create_dir(root.join("data2")).unwrap();
        assert!(kept.allow(&root.join("data2"), "x").is_ok());
    }
}
