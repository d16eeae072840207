//! Recognises the kind of a file by its first lines, and finds the files of a collection in a
//! folder.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::LintOptions;
use super::across::PartsToCompare;
use crate::descriptor::{Descriptor, descriptors, layouts_in, present};
use crate::features::FeatureNames;
use crate::groups;
use crate::layout::Folds;
use crate::letor::ReadOptions;
use crate::per_query::{self, PerQueryError, PerQueryErrorKind};
use crate::text::TextLines;

/// The number of lines that are examined.
const LOOKED_AT: usize = 20;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// LETOR text.
    Letor,
    /// TREC qrels.
    Qrels,
    /// A TREC run.
    Run,
    /// One score a line.
    Scores,
    /// Values per query, in a format of some program.
    Values,
}

impl Kind {
    /// All kinds, in the order in which help lists them.
    pub const ALL: [Kind; 5] = [Kind::Letor, Kind::Qrels, Kind::Run, Kind::Scores, Kind::Values];

    /// The kind's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Letor => "letor",
            Kind::Qrels => "qrels",
            Kind::Run => "run",
            Kind::Scores => "scores",
            Kind::Values => "values",
        }
    }
}

/// The reason why a path was not linted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LintError {
    /// A path that cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A file of no known kind.
    #[error("{}: the kind of the file is not clear: {why}; give the kind with --as: letor, qrels, run, scores or \
        values", path.display())]
    Unclear {
        /// The file.
        path: PathBuf,
        /// The reason in words.
        why: String,
    },
    /// A table of features, which no reader takes.
    #[error("{}: looks like a table of features: {why}; `fivefold book make-letor-from-a-table` turns it into LETOR \
        text; if it holds values per query, give --as values", path.display())]
    Features {
        /// The file.
        path: PathBuf,
        /// The columns that look so.
        why: String,
    },
    /// A folder without a collection.
    #[error("{}: no layout of a collection fits this folder; give its files, or the folder above Fold1", path.display())]
    NoCollection {
        /// The folder.
        path: PathBuf,
    },
}

impl Serialize for LintError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A file to lint.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    /// The content, if it was read to recognise the file.
    pub(super) values: Option<per_query::Content>,
}

/// The files to lint, and the folds that they make.
pub(super) struct Found {
    pub(super) files: Vec<File>,
    /// The comparisons of each fold's test part with its other parts. Empty if the files are
    /// compared with each other.
    pub(super) folds: Vec<PartsToCompare>,
    pub(super) reading: ReadOptions,
    /// The collection of these files, as a run would open it, and its folder.
    pub(super) collection: Option<(Descriptor, PathBuf)>,
}

impl Found {
    /// The names of the features of one of the files, or the fault of the file of names.
    pub(super) fn names_for(&self, file: &Path) -> Result<FeatureNames, String> {
        let of_folder = |(descriptor, folder): &(Descriptor, PathBuf)| descriptor.names_in(folder, Some(file)).ok();
        match self.collection.as_ref().and_then(of_folder) {
            Some((names, None)) => Ok(names),
            Some((_, Some(fault))) => Err(fault),
            None => FeatureNames::beside(file, self.reading.first_feature_id),
        }
    }
}

/// The files that a path names.
pub(super) fn files(path: &Path, options: &LintOptions) -> Result<Found, LintError> {
    if path.is_dir() {
        return collection(path, options);
    }
    let file = match options.kind {
        Some(kind) => {
            TextLines::open(path).map_err(|error| LintError::Io { path: path.to_owned(), error })?;
            File { path: path.to_owned(), kind, values: None }
        }
        None => recognise(path)?,
    };
    Ok(Found { files: vec![file], folds: Vec::new(), reading: options.reading.clone(), collection: None })
}

/// The files of a collection's folder: by the descriptor with the folder's name, else by the first
/// layout or descriptor that finds all its files.
fn collection(folder: &Path, options: &LintOptions) -> Result<Found, LintError> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let named = descriptors().iter().filter(|descriptor| descriptor.name == name);
    let mut laid_out = layouts_in(folder);
    let by_name = named.filter_map(|descriptor| Some((descriptor.folds_in(folder).ok()?, descriptor.clone()))).next();
    let by_layout = || laid_out.next().map(|(layout, folds)| (folds, Descriptor::unnamed(name, layout.name)));
    // Under another name of the folder, only the files are known.
    let by_files = || {
        descriptors().iter().find_map(|known| {
            let Descriptor { layouts, files, .. } = known.clone();
            Some((known.folds_in(folder).ok()?, Descriptor { layouts, files, ..Descriptor::unnamed(name, "") }))
        })
    };
    let known = by_name.is_some();
    let Some((folds, descriptor)) = by_name.or_else(by_layout).or_else(by_files) else {
        return Err(LintError::NoCollection { path: folder.to_owned() });
    };
    let names = folds.files();
    let place = |file: &String| names.iter().position(|name| name == file);
    let places = |files: &[String]| files.iter().filter_map(place).collect::<Vec<usize>>();
    // A rotated part serves both as test part and as training part, so such parts are compared with
    // each other, once.
    let rotated = |folds: &[crate::layout::FoldFiles]| folds.iter().any(|fold| folds[0].train.contains(&fold.test[0]));
    let comparisons = match &folds {
        Folds::Files(folds) if !rotated(folds) => (1..)
            .zip(folds)
            .map(|(number, fold)| {
                PartsToCompare::fold(number, places(&fold.train), places(&fold.validation), places(&fold.test))
            })
            .collect(),
        _ => Vec::new(),
    };
    let mut reading = options.reading.clone();
    if known {
        reading.first_feature_id = descriptor.first_feature_id;
    }
    reading.features = reading.features.or(descriptor.features);
    reading.max_grade = reading.max_grade.or(descriptor.max_grade);
    reading.missing = descriptor.missing;
    let letor = |path| File { path, kind: Kind::Letor, values: None };
    let files = names.iter().filter_map(|file| present(folder, file).map(letor)).collect();
    Ok(Found { files, folds: comparisons, reading, collection: Some((descriptor, folder.to_owned())) })
}

/// The kind of most of a file's first lines.
struct FirstLines {
    kind: Option<Kind>,
    looked_at: usize,
    /// The first line, cut short.
    first: String,
}

impl FirstLines {
    fn of(path: &Path) -> io::Result<Self> {
        let mut lines = TextLines::open(path)?;
        let has_sizes = groups::beside(path).is_some();
        // A fault in the first line must not hide the kind of the others, so each line votes for
        // its kind.
        let mut votes = [0; Kind::ALL.len()];
        let mut looked_at = 0;
        let mut first = String::new();
        while let Some((_, line)) = lines.next()? {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if looked_at == 0 {
                first = line.escape_debug().take(60).collect();
            }
            looked_at += 1;
            if let Some(kind) = kind_of_line(line, has_sizes) {
                votes[kind as usize] += 1;
            }
            if looked_at == LOOKED_AT {
                break;
            }
        }
        let most = Kind::ALL.into_iter().max_by_key(|&kind| (votes[kind as usize], std::cmp::Reverse(kind as usize)));
        let kind = most.filter(|&kind| votes[kind as usize] * 2 > looked_at);
        Ok(FirstLines { kind, looked_at, first })
    }
}

/// The kind of a file, if most of its first lines are of one kind. `None` also if the file cannot
/// be read.
pub fn looks_like(path: &Path) -> Option<Kind> {
    FirstLines::of(path).ok()?.kind
}

/// Recognises a file by its first lines. A file that they do not identify is read as values per
/// query.
fn recognise(path: &Path) -> Result<File, LintError> {
    let failed = |error| LintError::Io { path: path.to_owned(), error };
    let unclear = |why: String| LintError::Unclear { path: path.to_owned(), why };
    let FirstLines { kind, looked_at, first } = FirstLines::of(path).map_err(failed)?;
    let file = |kind, values| Ok(File { path: path.to_owned(), kind, values });
    match kind {
        Some(kind) => return file(kind, None),
        None if looked_at == 0 => return Err(unclear("the file has no content".to_owned())),
        None => {}
    }
    match per_query::Content::read(path, None) {
        Ok(content) => file(Kind::Values, Some(content)),
        Err(PerQueryError { kind: PerQueryErrorKind::Io(error), .. }) => Err(failed(error)),
        Err(PerQueryError { kind: PerQueryErrorKind::Features { why }, .. }) => {
            Err(LintError::Features { path: path.to_owned(), why })
        }
        Err(_) => Err(unclear(format!("its first line is `{first}`"))),
    }
}

fn kind_of_line(line: &str, has_sizes: bool) -> Option<Kind> {
    let content = line.split('#').next().unwrap_or(line);
    let tokens: Vec<&str> = line.split_whitespace().collect();
    let feature = |token: &&str| token.split_once(':').is_some_and(|(id, _)| id.bytes().all(|b| b.is_ascii_digit()));
    let mut letor = content.split_whitespace().skip(1);
    match tokens.len() {
        _ if letor.clone().any(|token| token.starts_with("qid:")) => Some(Kind::Letor),
        2.. if has_sizes || letor.next().is_some_and(|token| feature(&token)) => Some(Kind::Letor),
        1 if number(tokens[0]) => Some(Kind::Scores),
        4 if tokens[3].parse::<i64>().is_ok() => Some(Kind::Qrels),
        6.. if number(tokens[4]) => Some(Kind::Run),
        _ => None,
    }
}

fn number(token: &str) -> bool {
    fast_float2::parse::<f64, _>(token).is_ok()
}
