//! Everything that is wrong with data files, and what is worth knowing of them.
//!
//! Readers stop at the first mistake; [`lint`] goes on: problems are listed with their lines, up to a number, and all are counted. Then
//! comes what each file holds: queries, documents, grades, queries of a single grade, constant and duplicate features, missing
//! values, blocks that are sorted by label; and between files: queries and feature vectors that stand in more than one.
//!
//! A problem is what a reader would refuse, or a query that is in two parts of which one is tested. All else is a finding: it may be
//! as it should. Of a collection's folder, the [guards](crate::leaks) that a run asks are asked too. Cost: one pass over each file in
//! parallel blocks; memory: 16 bytes a document, and a few numbers a feature; for the guards, the collection is read as a run does.
//! Equality of features and vectors is equality of 128-bit hashes of their bits (-0 is 0, a missing value equals a missing value).

mod across;
mod columns;
mod letor;
mod lines;
mod part;
mod recognise;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fivefold_core::Seed;
use serde::Serialize;

pub use across::Across;
pub use lines::{QrelsReport, RunReport, ScoresReport};
pub use part::PartReport;
pub use recognise::{Kind, LintError, looks_like};
pub use values::ValuesReport;

use crate::collection::Collection;
use crate::descriptor::Descriptor;
use crate::leaks::{Finding, Guard};
use crate::letor::ReadOptions;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Line from 1; 0 where the whole file is meant.
    pub line: u64,
    /// Column from 1, in bytes; 0 where the whole line is meant.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

/// Mistakes in the order in which they were found, the first of them kept.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Problems {
    /// The first ones.
    pub listed: Vec<Problem>,
    /// How many there are.
    pub count: usize,
    /// How many are kept.
    #[serde(skip)]
    most: usize,
}

impl Problems {
    fn add(&mut self, file: &Path, line: u64, column: usize, what: impl FnOnce() -> String) {
        self.count += 1;
        if self.listed.len() < self.most {
            self.listed.push(Problem { file: file.to_owned(), line, column, what: what() });
        }
    }

    fn append(&mut self, other: Problems) {
        self.count += other.count;
        let room = self.most.saturating_sub(self.listed.len());
        self.listed.extend(other.listed.into_iter().take(room));
    }
}

/// What was found in some files.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// What is wrong.
    pub problems: Problems,
    /// Paths that could not be linted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_linted: Vec<LintError>,
    /// LETOR files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartReport>,
    /// What several LETOR files have in common.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub across: Vec<Across>,
    /// What the leak guards of a run say of collections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Guarded>,
    /// Qrels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub qrels: Vec<QrelsReport>,
    /// Runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunReport>,
    /// Score files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ScoresReport>,
    /// Values per query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValuesReport>,
}

/// What the leak guards say of a collection.
#[derive(Debug, Clone, Serialize)]
pub struct Guarded {
    /// Its folder.
    pub folder: PathBuf,
    /// What they found.
    pub findings: Vec<Finding>,
    /// Why they could not be asked, if so.
    pub not_asked: Option<String>,
}

impl Guarded {
    fn ask(descriptor: &Descriptor, folder: PathBuf, reading: &ReadOptions) -> Self {
        match Collection::read(descriptor, &folder, reading, Seed::new(0), None) {
            Err(error) => Guarded { folder, findings: Vec::new(), not_asked: Some(error.to_string()) },
            Ok(collection) => {
                let mut findings = collection.leaks();
                let sorted = collection.sorted_rows();
                findings
                    .extend(sorted.by_label().then(|| Finding::warning(Guard::LabelSortedTies, sorted.to_string())));
                Guarded { folder, findings, not_asked: None }
            }
        }
    }

    /// Whether a run would be stopped.
    pub fn stops(&self) -> bool {
        self.findings.iter().any(|finding| finding.stops)
    }
}

/// How files are linted.
#[derive(Debug, Clone)]
pub struct LintOptions {
    /// What the files are; `None`: recognised by content.
    pub kind: Option<Kind>,
    /// How many problems are listed.
    pub most_problems: usize,
    /// The id of the first feature, and the number of features and highest grade that are allowed.
    pub reading: ReadOptions,
}

/// Lints files, or the files of a collection's folder.
pub fn lint(paths: &[PathBuf], options: &LintOptions) -> Report {
    let mut report =
        Report { problems: Problems { most: options.most_problems, ..Problems::default() }, ..Report::default() };
    let mut parts: Vec<part::Part> = Vec::new();
    let mut comparisons = Vec::new();
    for path in paths {
        let found = match recognise::files(path, options) {
            Ok(found) => found,
            Err(error) => {
                report.not_linted.push(error);
                continue;
            }
        };
        comparisons.extend(found.folds.iter().map(|fold| fold.shifted(parts.len())));
        let single = found.folds.is_empty();
        for recognise::File { path: file, kind, values } in found.files {
            let mut problems = Problems { most: options.most_problems, ..Problems::default() };
            match kind {
                Kind::Letor => {
                    let mut part = letor::scan(&file, &found.reading, &mut problems);
                    part.compared = single;
                    parts.push(part);
                }
                Kind::Qrels => report.qrels.push(lines::qrels(&file, &mut problems)),
                Kind::Run => report.runs.push(lines::run(&file, &mut problems)),
                Kind::Scores => report.scores.push(lines::scores(&file, &mut problems)),
                Kind::Values => report.values.push(values::values(&file, values, &mut problems)),
            }
            report.problems.append(problems);
        }
        if let Some((descriptor, folder)) = found.collection {
            report.guards.push(Guarded::ask(&descriptor, folder, &found.reading));
        }
    }
    // Files that belong to no folds are compared with each other.
    let singles: Vec<usize> = (0..parts.len()).filter(|&place| parts[place].compared).collect();
    if singles.len() > 1 {
        comparisons.push(across::Comparison::parts(singles));
    }
    for comparison in comparisons {
        report.across.push(comparison.run(&parts, &mut report.problems));
    }
    report.parts = parts.into_iter().map(|part| part.report).collect();
    report
}

/// How often each grade occurs.
pub type Grades = BTreeMap<i32, u64>;
