//! Whose results a folder holds: one rule for every run and study that writes into one.
//!
//! Results are written into a folder that is not there or is empty, and into one that holds the same experiment: one of the same
//! name that has the same experiment file (`FOLDER.log.json` says which) or at least one result that is reused. Anything else
//! is left as it is, unless the user says that it may be replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::list_first;
use serde_json::Value;

use crate::checksum::read_checked;
use crate::log::RunLog;
use crate::manifest::MANIFEST;
use crate::store::{HIDDEN, Store, StoreError};

/// Names of others' files that are shown.
const MOST_NAMES: usize = 3;

/// Whether this program writes into a folder, or was killed while it did.
pub fn in_work(folder: &Path) -> bool {
    HIDDEN.iter().any(|name| folder.join(name).exists())
}

/// By what right results are written into a folder.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    /// The experiment's file, as one text wherever it is looked at from; `None`: the settings came from no file.
    pub source: Option<String>,
    /// Whatever the folder holds may be replaced.
    pub replace: bool,
}

/// Whether a folder is known to be the experiment's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is, or it is free.
    Own,
    /// It has the name of this experiment: a result that is reused would prove it.
    Unproved,
}

impl Claim {
    /// The claim of an experiment file, or of one that comes with the program.
    pub fn of(path: &Path, shipped: bool) -> Self {
        let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let source = if shipped { format!("fivefold:{}", path.display()) } else { place(path).display().to_string() };
        Claim { source: Some(source), replace: false }
    }

    /// Judges what a folder holds, before anything is made there, for results of this format and name.
    ///
    /// # Errors
    /// [`StoreError::Occupied`] if it holds anything else, [`StoreError::Io`] if it cannot be read.
    pub fn judge(&self, folder: &Path, format: &str, name: &str) -> Result<Standing, StoreError> {
        let store = Store::new(folder);
        let visible = visible(folder)?;
        if self.replace || visible.is_empty() {
            return Ok(Standing::Own);
        }
        let own_file = self.source.is_some() && RunLog::source(&store) == self.source;
        let occupied = |what: String| StoreError::Occupied { folder: folder.to_owned(), what };
        let manifest = store.read(MANIFEST)?.and_then(|content| Some(read_checked(&content).ok()?.0));
        let Some((found, named)) = manifest.as_ref().and_then(head) else {
            // A run that has not ended, or whose manifest was damaged.
            return match () {
                () if own_file => Ok(Standing::Own),
                () if folder.join("jobs").is_dir() || in_work(folder) => Ok(Standing::Unproved),
                () => Err(occupied(format!(
                    "files that are no results of fivefold ({})",
                    list_first(&visible, MOST_NAMES)
                ))),
            };
        };
        let kind = |format: &str| format.split('/').next().unwrap_or_default().to_owned();
        if kind(found) != kind(format) {
            let what = if found.starts_with("fivefold-study") { "a study" } else { "a run of rankers" };
            return Err(occupied(format!("the results of {what}, `{named}`")));
        }
        if named != name {
            return Err(occupied(format!("the results of another experiment, `{named}`")));
        }
        Ok(if own_file { Standing::Own } else { Standing::Unproved })
    }

    /// Notes in the folder's log whose it is, for the next judgement.
    pub fn note(&self, store: &Store) {
        if let Some(source) = &self.source {
            // Without the note, a result that is reused is the proof.
            let _ = RunLog::note_source(store, source);
        }
    }

    /// The refusal of a folder that bears this experiment's name and proved to be another's.
    pub fn refusal(&self, folder: &Path, name: &str, lacking: &str) -> StoreError {
        let file = RunLog::source(&Store::new(folder)).map_or(String::new(), |file| format!(" ({file})"));
        let what = format!("the results of another experiment{file} that is named `{name}` too, {lacking}");
        StoreError::Occupied { folder: folder.to_owned(), what }
    }
}

/// The format of a manifest, and the name of its experiment.
fn head(manifest: &Value) -> Option<(&str, &str)> {
    let format = manifest.get("format")?.as_str()?;
    let name = manifest.get("name").or_else(|| manifest.get("experiment")?.get("name"))?;
    format.starts_with("fivefold-").then_some((format, name.as_str()?))
}

/// The names in a folder, but for what a run at work has there; none if there is no folder.
fn visible(folder: &Path) -> Result<Vec<String>, StoreError> {
    let refused = |source| StoreError::Io { action: "read", path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        // What is no folder cannot be made one, and that is told then.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries.map_err(refused)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(refused)?.file_name().to_string_lossy().into_owned();
        if !HIDDEN.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Where results, and reports of them, are written in their folder.
const WRITTEN: [&str; 10] =
    ["jobs", "scores", "models", "tables", "figures", "tables.json", "tables.md", "report.html", MANIFEST, "page.json"];

/// The first of some inputs that lies where results are written: in a results folder, under one of its names or of `more`.
pub fn overwritten<'i>(
    folder: &Path,
    inputs: impl IntoIterator<Item = &'i PathBuf>,
    more: &[&str],
) -> Option<&'i PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    inputs.into_iter().find(|input| {
        let Ok(place) = fs::canonicalize(input) else { return false };
        let Ok(inner) = place.strip_prefix(&folder) else { return false };
        let first = inner.iter().next().map(|first| first.to_string_lossy().into_owned()).unwrap_or_default();
        let whole = inner.to_string_lossy().replace('\\', "/");
        WRITTEN.contains(&first.as_str()) || more.contains(&whole.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::with_checksum;
    use crate::manifest::FORMAT;
    use serde_json::json;

    fn claim(source: &str) -> Claim {
        Claim { source: Some(source.to_owned()), replace: false }
    }

    /// What is said of a folder; the errors in words.
    fn judged(claim: &Claim, folder: &Path) -> String {
        match claim.judge(folder, FORMAT, "mine") {
            Ok(standing) => format!("{standing:?}"),
            Err(error) => error.to_string(),
        }
    }

    /// aws/aws-encryption-sdk-cli #18 and MRtrix3/mrtrix3 #169: results were written over without a word.
    #[test]
    fn only_a_folder_of_the_same_experiment_is_written_into() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("run");
        let store = Store::new(&folder);
        let a = claim("/a.toml");
        assert_eq!(judged(&a, &folder), "Own", "there is none");
        store.prepare().unwrap();
        assert_eq!(judged(&a, &folder), "Own", "it is empty, but for what is hidden");
        store.sweep();
        fs::write(folder.join("thesis.tex"), "x").unwrap();
        assert!(judged(&a, &folder).contains("no results of fivefold (thesis.tex)"), "{}", judged(&a, &folder));
        assert_eq!(judged(&Claim { replace: true, ..a.clone() }, &folder), "Own");

        let manifest =
            |name: &str| with_checksum(&json!({ "format": FORMAT, "experiment": { "name": name } })).unwrap();
        fs::write(folder.join(MANIFEST), manifest("mine")).unwrap();
        assert_eq!(judged(&a, &folder), "Unproved", "nothing says from which file");
        a.note(&store);
        assert_eq!(judged(&a, &folder), "Own");
        assert_eq!(judged(&claim("/b.toml"), &folder), "Unproved");
        let refusal = claim("/b.toml").refusal(&folder, "mine", "and no job is reused").to_string();
        assert!(refusal.contains("another experiment (/a.toml) that is named `mine` too"), "{refusal}");
        fs::write(folder.join(MANIFEST), manifest("other")).unwrap();
        assert!(
            judged(&a, &folder).contains("another experiment, `other`; give another folder"),
            "{}",
            judged(&a, &folder)
        );
        let study = with_checksum(&json!({ "format": "fivefold-study/1", "name": "mine" })).unwrap();
        fs::write(folder.join(MANIFEST), study).unwrap();
        assert!(judged(&a, &folder).contains("the results of a study, `mine`"));

        // A run that was killed, or whose manifest was damaged.
        fs::write(folder.join(MANIFEST), "{").unwrap();
        store.sweep();
        assert_eq!(judged(&a, &folder), "Own");
        assert!(judged(&claim("/b.toml"), &folder).contains("no results of fivefold"));
        fs::create_dir(folder.join("jobs")).unwrap();
        assert_eq!(judged(&claim("/b.toml"), &folder), "Unproved");
    }

    /// mapequation/infomap #907: an output was written over an input of the same run.
    #[test]
    fn inputs_among_results_are_found_wherever_the_path_leads() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("run");
        for name in ["scores/a", "other"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let inputs = ["scores/a/s.txt", "other/s.txt", "values.csv"].map(|name| folder.join(name));
        inputs.iter().for_each(|input| fs::write(input, "1").unwrap());
        assert_eq!(overwritten(&folder, &inputs, &[]), Some(&inputs[0]));
        assert_eq!(overwritten(&folder, &inputs[1..], &[]), None);
        assert_eq!(overwritten(&folder, &inputs[1..], &["values.csv"]), Some(&inputs[2]));
        let round = [root.path().join("run/../run/./other/../scores/a/s.txt")];
        assert_eq!(overwritten(&folder, &round, &[]), Some(&round[0]));
    }
}
