//! From a study's file to its findings and its results folder.
//!
//! The folder holds `manifest.json` (what the findings were made from) and the study's own files; tables and figures are
//! written by the report. Nothing in it depends on time, machine or number of threads.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fivefold_analysis::page::PAGE_DATA;
use fivefold_core::{Progress, Seed};
use fivefold_results::checksum::{Checksum, read_checked, read_verified, with_checksum};
use fivefold_results::store::Store;
use fivefold_results::{FolderLock, LockMode};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use crate::STUDIES;
use crate::file::StudyFile;
use crate::study::{Findings, Input, StudyContext, StudyError};

/// File name of the manifest.
const MANIFEST: &str = "manifest.json";

/// Format of a study's results folder.
pub const FORMAT: &str = "fivefold-study/1";

/// How a study is run.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// Where relative paths are looked for, the first first.
    pub folders: Vec<PathBuf>,
    /// Threads; 0: one a processor.
    pub threads: usize,
    /// Receives progress.
    pub progress: Option<&'a dyn Progress>,
    /// Asks the study to stop.
    pub cancel: Option<&'a AtomicBool>,
}

/// What the results folder of a study was made from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// Version of the program.
    pub version: String,
    /// Name of the experiment.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Which study.
    pub kind: String,
    /// Its settings with every default filled in.
    pub settings: serde_json::Value,
    /// What was read, with hashes.
    pub inputs: Vec<Input>,
    /// Files of the folder that are neither tables nor figures.
    pub files: Vec<String>,
}

impl Manifest {
    /// The manifest of what a study found.
    pub fn of(file: &StudyFile, findings: &Findings) -> Self {
        Manifest {
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

    /// Reads that of a results folder; `None` where it holds none, or none of a study.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn read(folder: &Path) -> Result<Option<Self>, StudyError> {
        Ok(Store::new(folder).read(MANIFEST)?.and_then(|content| Self::parse(&content)))
    }

    /// The manifest of a results folder, altered or not, and whether it was; `None` where it holds none, or none of a study.
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

/// Does a study.
///
/// # Errors
/// As [`Study::run`](crate::Study::run).
pub fn run(file: &StudyFile, options: &RunOptions<'_>) -> Result<Findings, StudyError> {
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

/// What every study says of its methods. One that says nothing of its own quotes the lines under its tables, which name every convention
/// and policy.
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
    /// Until the report, which is written after the study, is there too.
    _lock: FolderLock,
}

impl Folder {
    /// A folder that need not exist yet, held as long as this lives: call it before the study, so that a folder of something
    /// else is known at once.
    ///
    /// # Errors
    /// If it holds the results of something else and `replace` does not say that they may be replaced, if it cannot be made, or if it
    /// is in use.
    pub fn open(folder: &Path, replace: bool) -> Result<Self, StudyError> {
        let store = Store::new(folder);
        let lock = FolderLock::take(folder, LockMode::Alone)?;
        store.sweep();
        let Some(content) = store.read(MANIFEST)? else {
            return Ok(Folder { store, earlier: Vec::new(), _lock: lock });
        };
        match Manifest::parse(&content) {
            Some(manifest) => Ok(Folder { store, earlier: manifest.files, _lock: lock }),
            None if replace => Ok(Folder { store, earlier: Vec::new(), _lock: lock }),
            None => {
                let what = "holds results that are not those of a study; give another folder, or move manifest.json away if \
                            it is damaged";
                Err(StudyError::Input(format!("{} {what}", folder.display())))
            }
        }
    }

    /// Writes the study's own files and then the manifest, and removes those of an earlier run that are not made any more.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write(&self, file: &StudyFile, findings: &Findings) -> Result<(), StudyError> {
        let manifest = Manifest::of(file, findings);
        for old in self.earlier.iter().filter(|old| is_ours(old) && !manifest.files.contains(old)) {
            self.store.remove(old)?;
        }
        for (name, content) in &findings.files {
            self.store.write(name, content.as_bytes())?;
        }
        // Last: where it is, all that it names is.
        self.store.write_with_checksum(MANIFEST, &manifest)?;
        self.store.sweep();
        Ok(())
    }
}

/// Whether a name in a manifest is one that we would have written: a manifest must not make us remove files elsewhere.
fn is_ours(name: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', ':']);
    name.split('/').all(plain)
}
