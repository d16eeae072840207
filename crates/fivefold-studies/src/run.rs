//! From a study's file to its findings and its results folder.
//!
//! The folder holds `manifest.json` (the settings and inputs of the findings) and the study's own
//! files. The report writes tables and figures. The content does not depend on time, machine or
//! number of threads.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fivefold_analysis::page::PAGE_DATA;
use fivefold_core::{Progress, Seed};
use fivefold_results::checksum::{Checksum, read_checked, read_verified, with_checksum};
use fivefold_results::lock::{FolderLock, LockMode};
use fivefold_results::store::Store;
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use crate::STUDIES;
use crate::file::StudyFile;
use crate::study::{Findings, Input, StudyContext, StudyError};

/// File name of the manifest.
const MANIFEST: &str = "manifest.json";

/// Format of a study's results folder.
pub const FORMAT: &str = "fivefold-study/1";

/// Options of a run.
///
/// ```
/// use fivefold_studies::{StudyFile, StudyOptions, run};
///
/// let file = StudyFile::parse("name = \"mine\"\nkind = \"converge\"\ndocuments = 200\nfrom = 100\ntrials = 2\n")?;
/// // The tables are the same for any number of threads.
/// let [one, two] = [1, 2].map(|threads| run(&file, &StudyOptions { threads, ..StudyOptions::default() }));
/// assert_eq!(one?.tables, two?.tables);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct StudyOptions<'a> {
    /// Folders in which relative paths are looked for, in this order.
    pub folders: Vec<PathBuf>,
    /// Number of threads; 0 for the number of processors.
    pub threads: usize,
    /// Receives the progress.
    pub progress: Option<&'a dyn Progress>,
    /// A flag that asks the study to stop.
    pub cancel: Option<&'a AtomicBool>,
}

/// The manifest of a study's results folder: the settings and inputs of the findings.
///
/// ```
/// use fivefold_studies::{StudyFile, StudyManifest, StudyOptions, run};
///
/// let file = StudyFile::parse("name = \"mine\"\nkind = \"converge\"\ndocuments = 200\nfrom = 100\ntrials = 2\n")?;
/// let manifest = StudyManifest::of(&file, &run(&file, &StudyOptions::default())?);
/// // Every setting is in it, also those that were left out.
/// assert_eq!(manifest.settings["documents"], 200);
/// assert_eq!(StudyFile::restore(&manifest)?.kind, "converge");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StudyManifest {
    /// The format, [`FORMAT`].
    pub format: String,
    /// Version of the program.
    pub version: String,
    /// Name of the experiment.
    pub name: String,
    /// The seed of the experiment.
    pub seed: u64,
    /// The kind of the study.
    pub kind: String,
    /// The settings with every default filled in.
    pub settings: serde_json::Value,
    /// The files that the study read, with hashes.
    pub inputs: Vec<Input>,
    /// Files of the folder that are neither tables nor figures.
    pub files: Vec<String>,
}

impl StudyManifest {
    /// The manifest of a study's findings.
    pub fn of(file: &StudyFile, findings: &Findings) -> Self {
        StudyManifest {
            format: FORMAT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: file.name.clone(),
            seed: file.seed,
            kind: file.kind.to_owned(),
            settings: file.study.settings(),
            inputs: findings.inputs.clone(),
            files: findings.files.iter().map(|(name, _)| name.clone()).collect(),
        }
    }

    /// Reads the manifest of a results folder. `None` if the folder has no manifest, an altered
    /// manifest, or the manifest of another experiment.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn read(folder: &Path) -> Result<Option<Self>, StudyError> {
        Ok(Store::new(folder).read(MANIFEST)?.and_then(|content| Self::parse(&content)))
    }

    /// Reads the manifest of a results folder, altered or not, with the state of its checksum.
    /// `None` if the folder has no manifest, or the manifest of another experiment.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn examine(folder: &Path) -> Result<Option<(Self, Checksum)>, StudyError> {
        let content = Store::new(folder).read(MANIFEST)?;
        let opened = content.and_then(|content| read_checked(&content).ok());
        Ok(opened.and_then(|(value, checksum)| Some((Self::of_value(value)?, checksum))))
    }

    fn parse(content: &[u8]) -> Option<Self> {
        Self::of_value(read_verified(content).ok()?)
    }

    fn of_value(value: serde_json::Value) -> Option<Self> {
        let manifest = serde_json::from_value::<Self>(value).ok()?;
        (manifest.format == FORMAT).then_some(manifest)
    }
}

/// Runs a study.
///
/// ```
/// use fivefold_studies::{StudyFile, StudyOptions, run};
///
/// // A simulation, which reads nothing.
/// let file = StudyFile::parse("name = \"mine\"\nkind = \"converge\"\ndocuments = 200\nfrom = 100\ntrials = 2\n")?;
/// let findings = run(&file, &StudyOptions::default())?;
/// assert!(!findings.tables.is_empty() && findings.inputs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Study::run`](crate::Study::run).
pub fn run(file: &StudyFile, options: &StudyOptions<'_>) -> Result<Findings, StudyError> {
    let cx = StudyContext {
        name: &file.name,
        seed: Seed::new(file.seed),
        folders: &options.folders,
        progress: options.progress,
        cancelled: options.cancel,
    };
    let pool = ThreadPoolBuilder::new().num_threads(options.threads).build();
    let pool = pool.map_err(|error| StudyError::Input(format!("cannot start {} threads: {error}", options.threads)))?;
    let mut findings = pool.install(|| file.study.run(&cx))?;
    add_methods(file, &mut findings);
    let page = with_checksum(&findings.page).map_err(|error| StudyError::Input(format!("the page's data: {error}")))?;
    findings.files.push((PAGE_DATA.to_owned(), String::from_utf8_lossy(&page).into_owned()));
    Ok(findings)
}

/// Adds the paragraphs on methods. For a study without its own paragraphs, these quote the lines
/// under its tables, which name every convention and policy.
fn add_methods(file: &StudyFile, findings: &mut Findings) {
    let page = &mut findings.page;
    if page.methods.is_empty() {
        let summary = STUDIES.iter().find(|entry| entry.kind == file.kind).map_or("", |entry| entry.summary);
        let mut notes: Vec<&str> = Vec::new();
        for note in findings.tables.iter().flat_map(|table| &table.notes) {
            if !notes.contains(&note.as_str()) {
                notes.push(note);
            }
        }
        page.methods = vec![format!("We asked {summary}."), format!("Conventions and policies: {}.", notes.join("; "))];
        page.used.insert(format!("study:{}", file.kind));
        page.used.extend(file.study.measures().iter().map(|spec| format!("measure:{}", spec.entry().name)));
    }
    page.methods.push(format!(
        "All numbers were made with fivefold {} (seed {}); the same settings and inputs give the same bytes on any machine and number of \
         threads.",
        env!("CARGO_PKG_VERSION"),
        file.seed
    ));
}

/// The results folder of a study.
#[derive(Debug)]
pub struct Folder {
    store: Store,
    /// Files of an earlier run that are neither tables nor figures.
    earlier: Vec<String>,
    /// Held until the report is written, which happens after the study.
    _lock: FolderLock,
}

impl Folder {
    /// Takes the results folder of a study and holds it while the value lives. The folder need not
    /// exist yet. Call this before the study runs, so that a folder with other results is refused
    /// at once.
    ///
    /// # Errors
    /// If the folder holds results of another kind and `replace` is false, if it cannot be made, or
    /// if it is in use.
    pub fn open(folder: &Path, replace: bool) -> Result<Self, StudyError> {
        let store = Store::new(folder);
        let lock = FolderLock::take(folder, LockMode::Alone)?;
        store.sweep();
        let Some(content) = store.read(MANIFEST)? else {
            return Ok(Folder { store, earlier: Vec::new(), _lock: lock });
        };
        match StudyManifest::parse(&content) {
            Some(manifest) => Ok(Folder { store, earlier: manifest.files, _lock: lock }),
            None if replace => Ok(Folder { store, earlier: Vec::new(), _lock: lock }),
            None => {
                let what = "has results that do not come from a study; give another folder, or move manifest.json \
                    away if the file is damaged";
                Err(StudyError::Input(format!("{} {what}", folder.display())))
            }
        }
    }

    /// Writes the study's own files, then the manifest. Files of an earlier run that are not made
    /// any more are removed.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write(&self, file: &StudyFile, findings: &Findings) -> Result<(), StudyError> {
        let manifest = StudyManifest::of(file, findings);
        for old in self.earlier.iter().filter(|old| is_ours(old) && !manifest.files.contains(old)) {
            self.store.remove(old)?;
        }
        for (name, content) in &findings.files {
            self.store.write(name, content.as_bytes())?;
        }
        // The manifest is written last. So if there is a manifest, all files that it names exist.
        self.store.write_with_checksum(MANIFEST, &manifest)?;
        self.store.sweep();
        Ok(())
    }
}

/// Whether a name in a manifest is a name that we would write. Otherwise an altered manifest could
/// make us remove files elsewhere.
fn is_ours(name: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', ':']);
    name.split('/').all(plain)
}
