//! Decides whether a run or a study may write its results into a folder. One rule holds for all
//! runs and studies.
//!
//! Results are written into a folder that does not exist, is empty, or holds the same experiment.
//! The same experiment has the same name, and also the same experiment file (in `FOLDER.log.json`)
//! or at least one result that can be reused. Any other folder is left as it is, unless the user
//! asks to replace it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::list_first;
use serde_json::Value;

use crate::checksum::read_checked;
use crate::log::RunLog;
use crate::manifest::MANIFEST;
use crate::store::{HIDDEN, Store, StoreError};
use crate::values::PER_SEED;

/// The number of foreign files that an error names.
const MOST_NAMES: usize = 3;

/// Whether this program is writing into a folder, or was killed while it wrote.
pub fn in_work(folder: &Path) -> bool {
    HIDDEN.iter().any(|name| folder.join(name).exists())
}

/// The right of an experiment to write into a folder.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    /// The experiment file as an absolute path. `None` if the settings came from no file.
    pub source: Option<String>,
    /// Whether the content of the folder may be replaced, whatever it is.
    pub replace: bool,
}

/// Whether a folder is known to belong to the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The folder belongs to the experiment, or is free.
    Own,
    /// The folder holds an experiment of the same name. A reused result would prove that it is the
    /// same experiment.
    Unproved,
}

impl Claim {
    /// The claim of an experiment file. `shipped` says that the file comes with the program.
    pub fn of(path: &Path, shipped: bool) -> Self {
        let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let source = if shipped { format!("fivefold:{}", path.display()) } else { place(path).display().to_string() };
        Claim { source: Some(source), replace: false }
    }

    /// Decides from the content of a folder whether results of this format and name may be written
    /// there. Nothing is written yet.
    ///
    /// # Errors
    /// [`StoreError::Occupied`] if the folder holds anything else, [`StoreError::Io`] if the folder
    /// cannot be read.
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
            // The run has not ended, or its manifest is damaged.
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

    /// Writes the experiment file into the folder's log, for the next judgement.
    pub fn note(&self, store: &Store) {
        if let Some(source) = &self.source {
            // An error is harmless: without the note, a reused result proves that the folder
            // belongs to the experiment.
            let _ = RunLog::note_source(store, source);
        }
    }

    /// The error for a folder that has this experiment's name but holds another experiment.
    pub fn refusal(&self, folder: &Path, name: &str, lacking: &str) -> StoreError {
        let file = RunLog::source(&Store::new(folder)).map_or(String::new(), |file| format!(" ({file})"));
        let what = format!("the results of another experiment{file} that is named `{name}` too, {lacking}");
        StoreError::Occupied { folder: folder.to_owned(), what }
    }
}

/// The format of a manifest and the name of its experiment.
fn head(manifest: &Value) -> Option<(&str, &str)> {
    let format = manifest.get("format")?.as_str()?;
    let name = manifest.get("name").or_else(|| manifest.get("experiment")?.get("name"))?;
    format.starts_with("fivefold-").then_some((format, name.as_str()?))
}

/// The names in a folder, without the hidden names of a run. Empty if the folder does not exist.
fn visible(folder: &Path) -> Result<Vec<String>, StoreError> {
    let refused = |source| StoreError::Io { action: "read", path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        // If the path is not a folder, the error comes later, when the folder is made.
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

/// Names in a results folder to which results and reports are written.
const WRITTEN: [&str; 11] = [
    "jobs",
    "scores",
    "models",
    "tables",
    "figures",
    "tables.json",
    "tables.md",
    "report.html",
    MANIFEST,
    "page.json",
    PER_SEED,
];

/// Returns the first of `inputs` that a run would write over. The input is in the results folder,
/// under a name to which results are written or at a path in `more`.
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

    /// The judgement of a folder, with errors in words.
    fn judged(claim: &Claim, folder: &Path) -> String {
        match claim.judge(folder, FORMAT, "mine") {
            Ok(standing) => format!("{standing:?}"),
            Err(error) => error.to_string(),
        }
    }

    /// aws/aws-encryption-sdk-cli #18 and MRtrix3/mrtrix3 #169: a program replaced existing results
    /// without a word.
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

        // The run was killed, or its manifest is damaged.
        fs::write(folder.join(MANIFEST), "{").unwrap();
        store.sweep();
        assert_eq!(judged(&a, &folder), "Own");
        assert!(judged(&claim("/b.toml"), &folder).contains("no results of fivefold"));
        fs::create_dir(folder.join("jobs")).unwrap();
        assert_eq!(judged(&claim("/b.toml"), &folder), "Unproved");
    }

    /// mapequation/infomap #907: a run wrote an output over its own input.
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
