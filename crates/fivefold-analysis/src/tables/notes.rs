//! The lines under a table: conventions, numbers of queries and of undefined values, failed
//! methods, and the reason for each cell with n/a.

use fivefold_base::words::counted;
use fivefold_metrics::Undefined;

use super::Distance;
use super::analysis::{Analysis, lacking_lines};
use super::query_set::{QuerySet, by_breadth};
use crate::evaluation::{DatasetValues, DocumentSet};
use crate::table::Cell;

/// The notes of one table while it is made.
#[derive(Debug)]
pub(super) struct Notes {
    lines: Vec<String>,
    /// Reasons for missing values, each with its cells.
    missing: Vec<(String, Vec<String>)>,
}

impl Notes {
    /// The lines of every table, about the data sets and the query sets in it. Conventions of other
    /// measures are left out.
    pub fn new(analysis: &Analysis<'_>, datasets: &[usize], sets: &[QuerySet]) -> Self {
        let lines = analysis.evaluation.lines_of(&analysis.family.name, &analysis.options.notes);
        let mut notes = Notes { lines, missing: Vec::new() };
        for &dataset in datasets {
            let data = &analysis.evaluation.datasets[dataset];
            for &set in sets {
                if let Some(line) = queries_line(analysis, dataset, set) {
                    notes.add(line);
                }
            }
            let lacks = analysis.lacks(dataset, sets);
            let lacks = lacks.iter().map(|(set, why)| (set.name(), why.as_str()));
            lacking_lines(lacks).iter().for_each(|line| notes.add(format!("{}: {line}", data.name)));
            let failed: Vec<&str> =
                data.rankers.iter().zip(&data.failed).filter(|(_, failed)| **failed).map(|(r, _)| r.as_str()).collect();
            if !failed.is_empty() {
                notes.add(format!("{}: FAILED and used in no statistic: {}", data.name, failed.join(", ")));
            }
        }
        if !analysis.family.left_out.is_empty() {
            notes.add(format!(
                "left out, because another version was not evaluated at this cutoff: {}",
                analysis.family.left_out.join(", ")
            ));
        }
        notes
    }

    /// Adds a line, unless the table already has it.
    pub fn add(&mut self, line: String) {
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }

    /// The cell for a value, or `n/a` for a value that could not be computed. A line will give the
    /// reason, with all cells that share it.
    pub fn cell(&mut self, place: &str, value: Result<Cell, String>) -> Cell {
        value.unwrap_or_else(|why| {
            match self.missing.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, places)) if places.iter().any(|other| other == place) => {}
                Some((_, places)) => places.push(place.to_owned()),
                None => self.missing.push((why, vec![place.to_owned()])),
            }
            Cell::na()
        })
    }

    /// All lines; the lines about missing values are last.
    pub fn into_lines(self) -> Vec<String> {
        let Notes { mut lines, missing } = self;
        lines.extend(missing.into_iter().map(|(why, places)| format!("n/a ({}): {why}", places.join("; "))));
        lines
    }
}

/// How many queries a set has, how they were chosen, and how many values are undefined.
fn queries_line(analysis: &Analysis<'_>, dataset: usize, set: QuerySet) -> Option<String> {
    let data = &analysis.evaluation.datasets[dataset];
    let values = analysis.set(dataset, set).ok()?;
    let queries = values.selection.queries.len();
    // The number of relevant documents is known only for whole queries, not for halves.
    let without_relevant = match values.selection.documents {
        DocumentSet::All => {
            let count = values.selection.queries.iter().filter(|&&q| data.queries[q].relevant == 0).count();
            format!(", {count} without a relevant document")
        }
        DocumentSet::Left | DocumentSet::Right => String::new(),
    };
    let versions = analysis.family.versions.iter().enumerate().map(|(version, columns)| {
        let (fewest, most) = values.undefined(version);
        let count = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
        format!("{} {count}", columns.name)
    });
    Some(format!(
        "{}, {}: {}{}{without_relevant}; undefined values, {}: {}",
        data.name,
        set.name(),
        counted(queries, "query"),
        how(analysis, data, set, queries),
        counted_as(analysis.options.conventions.undefined),
        versions.collect::<Vec<_>>().join(", ")
    ))
}

fn how(analysis: &Analysis<'_>, data: &DatasetValues, set: QuerySet, queries: usize) -> String {
    let family = &analysis.family.name;
    match set {
        QuerySet::All => String::new(),
        QuerySet::Uninformative => match analysis.options.distance {
            Distance::Absolute => format!(" of least |real - expected| {family}"),
            Distance::Signed => format!(" of least real - expected {family}"),
        },
        QuerySet::Ideal => format!(" of greatest real - expected {family}"),
        QuerySet::Broad | QuerySet::Focused => {
            let (broad, focused) = by_breadth(data);
            let (pool, share) =
                if set == QuerySet::Broad { (broad.len(), "at least") } else { (focused.len(), "fewer than") };
            let from = if pool > queries { "drawn from" } else { "out of" };
            format!(" {from} {pool} with grade 2 or higher in {share} half of their documents")
        }
        QuerySet::Left | QuerySet::Right => " ranked over one half of their documents".to_owned(),
    }
}

fn counted_as(policy: Undefined) -> &'static str {
    match policy {
        Undefined::Zero => "counted as 0",
        Undefined::One => "counted as 1",
        Undefined::Skip => "left out",
    }
}
