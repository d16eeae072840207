//! Lists the problems of data files, and useful facts about them.
//!
//! A reader stops at the first problem, but lint goes on. [`lint`] lists the first problems with
//! their lines, and counts all. Then it reports the content of each file: queries, documents,
//! grades, queries of a single grade, constant and duplicate features, missing values, rows sorted
//! by grade. Between files, it reports queries and feature vectors that stand in more than one
//! file.
//!
//! A problem is a fault that a reader would refuse, or a query that stands in a test part and in
//! another part. Anything else is a finding, and may be correct. For the folder of a collection,
//! lint also asks the [guards](crate::leaks) of a run.
//!
//! Cost: one pass over each file in parallel blocks; for the guards, the collection is read as a
//! run reads it. Memory: 16 bytes a document, and a few numbers a feature. Features or vectors
//! count as equal if the 128-bit hashes of their bits are equal; -0 equals 0, and two missing
//! values are equal.

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

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1; 0 if the problem is about the whole file.
    pub line: u64,
    /// Column, from 1, in bytes; 0 if the problem is about the whole line.
    pub column: usize,
    /// The problem in words.
    pub what: String,
}

/// Problems in the order in which they were found. Only the first problems are listed.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Problems {
    /// The first problems.
    pub listed: Vec<Problem>,
    /// Number of all problems.
    pub count: usize,
    /// The remedies that a reader would name, each with the number of problems that it is for, in
    /// the order in which they were found.
    #[serde(skip)]
    pub remedies: Vec<(&'static str, usize)>,
    /// The largest number of listed problems.
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

    /// Counts `problems` problems that this remedy is for.
    fn remedy(&mut self, help: &'static str, problems: usize) {
        match self.remedies.iter_mut().find(|(known, _)| *known == help) {
            Some((_, count)) => *count += problems,
            None => self.remedies.push((help, problems)),
        }
    }

    fn append(&mut self, other: Problems) {
        self.count += other.count;
        other.remedies.into_iter().for_each(|(help, problems)| self.remedy(help, problems));
        let room = self.most.saturating_sub(self.listed.len());
        self.listed.extend(other.listed.into_iter().take(room));
    }
}

/// The report on some files.
#[derive(Debug, Default, Serialize)]
pub struct LintReport {
    /// Problems of all files.
    pub problems: Problems,
    /// Paths that were not linted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_linted: Vec<LintError>,
    /// Reports on LETOR files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartReport>,
    /// Queries and vectors that several LETOR files share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub across: Vec<Across>,
    /// Findings of a run's leak guards, for each collection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Guarded>,
    /// Reports on qrels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub qrels: Vec<QrelsReport>,
    /// Reports on runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunReport>,
    /// Reports on score files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ScoresReport>,
    /// Reports on values per query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValuesReport>,
}

/// The findings of the leak guards for a collection.
#[derive(Debug, Clone, Serialize)]
pub struct Guarded {
    /// The collection's folder.
    pub folder: PathBuf,
    /// The findings of all guards.
    pub findings: Vec<Finding>,
    /// The reason why the guards could not be asked; `None` if they were asked.
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

    /// Whether a guard would stop a run.
    pub fn stops(&self) -> bool {
        self.findings.iter().any(|finding| finding.stops)
    }
}

/// Options of lint.
#[derive(Debug, Clone)]
pub struct LintOptions {
    /// The kind of the files; `None` recognises the kind by the content.
    pub kind: Option<Kind>,
    /// The largest number of listed problems.
    pub most_problems: usize,
    /// The id of the first feature, and the allowed number of features and highest grade.
    pub reading: ReadOptions,
}

/// Lints files, or the files of a collection's folder.
pub fn lint(paths: &[PathBuf], options: &LintOptions) -> LintReport {
    let mut report = LintReport {
        problems: Problems { most: options.most_problems, ..Problems::default() },
        ..LintReport::default()
    };
    let mut parts: Vec<part::Part> = Vec::new();
    let mut comparisons = Vec::new();
    for path in paths {
        let mut found = match recognise::files(path, options) {
            Ok(found) => found,
            Err(error) => {
                report.not_linted.push(error);
                continue;
            }
        };
        comparisons.extend(found.folds.iter().map(|fold| fold.shifted(parts.len())));
        let single = found.folds.is_empty();
        for recognise::File { path: file, kind, values } in std::mem::take(&mut found.files) {
            let mut problems = Problems { most: options.most_problems, ..Problems::default() };
            match kind {
                Kind::Letor => {
                    let mut part = letor::scan(&file, &found.reading, &mut problems);
                    let features = part.report.features;
                    match found.names_for(&file).and_then(|names| names.covering(features)) {
                        Ok(names) => part.report.names = names,
                        Err(fault) => problems.add(&file, 0, 0, || format!("the features have no names: {fault}")),
                    }
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
    // Compare files that belong to no fold with each other.
    let singles: Vec<usize> = (0..parts.len()).filter(|&place| parts[place].compared).collect();
    if singles.len() > 1 {
        comparisons.push(across::PartsToCompare::parts(singles));
    }
    for comparison in comparisons {
        report.across.push(comparison.run(&parts, &mut report.problems));
    }
    report.parts = parts.into_iter().map(|part| part.report).collect();
    report
}

/// Number of occurrences of each grade.
pub type GradeCounts = BTreeMap<i32, u64>;
