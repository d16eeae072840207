//! `fivefold lint`: finds all problems of data files, and describes their content.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_base::words::{counted, which};
use fivefold_data::ReadOptions;
use fivefold_data::digits::Collapsed;
use fivefold_data::leaks::SortedRows;
use fivefold_data::lint::{
    Across, Guarded, Kind, LintError, LintOptions, LintReport, PartReport, Problems, QrelsReport, RunReport,
    ScoresReport, ValuesReport, lint,
};

use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::problem::Problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold lint test.txt                      a LETOR file: all mistakes with their lines, then what it holds
  fivefold lint train.txt vali.txt test.txt   also queries and feature vectors that stand in several files
  fivefold lint ~/letor/mq2008                the folds or parts of a collection's folder
  fivefold lint qrels.txt bm25.run scores.txt --json

Files are LETOR text, TREC qrels, TREC runs, scores or values per query, plain or compressed (.gz, .zst, \
archive.zip:member). The kind of a file is recognised by its content. A problem is a line that a reader would refuse, \
or a query that stands in two parts. The exit code is 1 if there is a problem, or if a leak guard would stop a run on \
the collection. All other findings may be intended. Paths that cannot be read or recognised are named at the end, and \
the exit code is then 2.")]
pub(crate) struct Args {
    /// Files, or the folder of a collection
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The kind of the files, if it is not recognised by itself
    #[arg(long = "as", value_name = "KIND", value_parser = kinds())]
    kind: Option<Kind>,
    /// Number of problems to list; all problems are counted [default: three of each kind, among the first 50]
    #[arg(long, value_name = "N")]
    max_problems: Option<usize>,
    /// The id of the first feature: 0 for files that count from 0
    #[arg(long, value_name = "ID", default_value_t = 1)]
    first_feature_id: u32,
    /// The highest grade allowed [default: a known collection's, else 30]
    #[arg(long, value_name = "GRADE")]
    max_grade: Option<u8>,
    #[command(flatten)]
    json: JsonArgs,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let reading = ReadOptions {
            first_feature_id: self.first_feature_id,
            max_grade: self.max_grade,
            ..ReadOptions::default()
        };
        let options = LintOptions { kind: self.kind, most_problems: self.max_problems.unwrap_or(MOST_KEPT), reading };
        let report = lint(&self.paths, &options);
        match self.json.asked() {
            true => screen.json(&report)?,
            false if report.not_linted.len() < self.paths.len() => {
                show(&report, if self.max_problems.is_some() { usize::MAX } else { MOST_ALIKE }, screen);
            }
            false => {}
        }
        if !report.not_linted.is_empty() {
            return Err(not_linted(&report.not_linted, self.paths.len()).into());
        }
        let stopped = report.guards.iter().any(Guarded::stops);
        Ok(if report.problems.count == 0 && !stopped { Exit::Done } else { Exit::Failed })
    }
}

/// The error for paths that could not be linted.
fn not_linted(errors: &[LintError], paths: usize) -> Problem {
    match errors {
        [error] if paths == 1 => Problem::new(error.to_string()),
        [error] => Problem::new(format!("1 of {paths} paths is not linted: {error}")),
        errors => {
            let each = errors.iter().map(|error| format!("\n{error}"));
            Problem::new(format!("{} of {paths} paths are not linted:{}", errors.len(), each.collect::<String>()))
        }
    }
}

/// Parses the name of a kind. Help and errors list all kinds.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    let named = |name: String| Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or("not a kind");
    PossibleValuesParser::new(Kind::ALL.map(Kind::name)).try_map(named)
}

/// The number of problems that are kept, unless the user gives another.
const MOST_KEPT: usize = 50;
/// The number of problems of one kind that are listed, unless the user asks for all.
const MOST_ALIKE: usize = 3;

/// The words of a problem without its numbers and quotations, which differ between problems of one
/// kind.
fn kind_of(what: &str) -> String {
    let words = what.split('`').step_by(2).collect::<Vec<_>>().join("`");
    words.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// Lists the problems, at most `alike` of each kind, and the remedies.
fn list(problems: &Problems, alike: usize, screen: &mut Screen) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for problem in &problems.listed {
        let alike_before = seen.entry(kind_of(&problem.what)).or_default();
        *alike_before += 1;
        if *alike_before > alike {
            continue;
        }
        let line = if problem.line > 0 { format!(":{}", problem.line) } else { String::new() };
        let column = if problem.column > 0 { format!(":{}", problem.column) } else { String::new() };
        screen.line(format_args!("{}{line}{column}: {}", problem.file.display(), problem.what));
    }
    let shown: usize = seen.values().map(|&count| count.min(alike)).sum();
    for (help, count) in &problems.remedies {
        screen.line(format_args!("help for {}: {help}", counted(*count, "problem")));
    }
    match problems.count - shown {
        0 => screen.line(format_args!("{}.", counted(problems.count, "problem"))),
        more => screen.line(format_args!(
            "{}; {more} more than are listed (--max-problems).",
            counted(problems.count, "problem")
        )),
    }
}

fn show(report: &LintReport, alike: usize, screen: &mut Screen) {
    for part in &report.parts {
        block(screen, &part.file, letor(part));
    }
    for qrels in &report.qrels {
        block(screen, &qrels.file, judgements(qrels));
    }
    for run in &report.runs {
        block(screen, &run.file, retrieved(run));
    }
    for scores in &report.scores {
        block(screen, &scores.file, numbers(scores));
    }
    for values in &report.values {
        block(screen, &values.file, per_query(values));
    }
    for across in &report.across {
        for line in shared(across) {
            screen.line(line);
        }
        screen.line("");
    }
    for line in report.guards.iter().flat_map(guarded) {
        screen.line(line);
    }
    let problems = &report.problems;
    match problems.count {
        0 if report.not_linted.is_empty() => screen.line("No problems."),
        0 => screen.line("No problems in the linted files."),
        _ => list(problems, alike, screen),
    }
}

/// Prints the name of a file, then facts in two columns.
fn block(screen: &mut Screen, file: &std::path::Path, facts: Vec<(&str, String)>) {
    screen.line(file.display());
    let facts = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    screen.columns(&[], facts.map(|(name, fact)| vec![format!("  {name}"), fact]));
    screen.line("");
}

fn letor(part: &PartReport) -> Vec<(&'static str, String)> {
    let label =
        |feature: &usize| u32::try_from(*feature).map_or_else(|_| feature.to_string(), |id| part.names.label(id));
    let labels = |features: &[usize], between| features.iter().map(label).collect::<Vec<_>>().join(between);
    let list = |features: &[usize]| match features.len() {
        0 => String::new(),
        count if !part.names.is_empty() && count <= MOST_NAMED => format!("{count}: {}", labels(features, ", ")),
        count => format!("{count}: {}", ranges(features)),
    };
    let equal = |group: &Vec<usize>| labels(group, " = ");
    let duplicates: Vec<String> = part.duplicate_features.iter().map(equal).collect();
    let missing = match part.missing_values {
        0 => String::new(),
        count => {
            let features = part.features_with_missing.len();
            let empty = match part.documents_without_values {
                0 => String::new(),
                documents => format!("; {} no value at all", have(documents, "document")),
            };
            format!("{} in {}{empty}", count, counted(features, "feature"))
        }
    };
    let losing = match part.first_losing {
        None => String::new(),
        Some((line, feature)) => format!("{}, first line {line}, feature {}", part.losing_values, label(&feature)),
    };
    let collapsed = match &part.collapsed_features[..] {
        [] => String::new(),
        features => {
            let mut lines: Vec<String> = features.iter().take(MOST_COLLAPSED).map(collapsed).collect();
            if features.len() > MOST_COLLAPSED {
                lines.push(format!("and {} more", counted(features.len() - MOST_COLLAPSED, "feature")));
            }
            format!("{}: {}", features.len(), lines.join("; "))
        }
    };
    let unsorted = match part.unsorted_lines {
        0 => String::new(),
        lines => format!("{lines}, first line {}; these lines are read all the same", part.first_unsorted),
    };
    let sorted = match part.sorted {
        SortedRows { comparable: 0, .. } => String::new(),
        SortedRows { comparable, best_first, worst_first, by_chance } => format!(
            "{} of {} with several grades ({by_chance:.1} expected of rows in random order)",
            best_first + worst_first,
            counted(comparable, "query"),
        ),
    };
    vec![
        ("kind", "LETOR".to_owned()),
        ("documents", part.documents.to_string()),
        ("queries", part.queries.to_string()),
        ("features", part.features.to_string()),
        ("groups of features", few(&part.names.groups().into_iter().map(str::to_owned).collect::<Vec<_>>())),
        ("document ids", if part.document_ids { "yes" } else { "no" }.to_owned()),
        ("grades", grades(&part.grades)),
        ("queries of a single grade", part.single_grade_queries.to_string()),
        ("queries sorted by grade", sorted),
        ("constant features", list(&part.constant_features)),
        ("equal features", duplicates.join("; ")),
        ("missing values", missing),
        ("values of more digits than 32 bits hold", losing),
        ("features whose values 32 bits make equal", collapsed),
        ("lines whose feature ids do not rise", unsorted),
        ("not used", part.unused_files.join("; ")),
    ]
}

/// The most features that are listed by name. A longer list has ranges of numbers.
const MOST_NAMED: usize = 12;

/// The number of features that are listed with an example, if their different values are stored as
/// one value.
const MOST_COLLAPSED: usize = 5;

fn collapsed(feature: &Collapsed) -> String {
    let Collapsed { several, looked_at, .. } = feature;
    format!("{feature} ({several} of {} stand for several)", counted(*looked_at, "stored value"))
}

fn judgements(qrels: &QrelsReport) -> Vec<(&'static str, String)> {
    vec![
        ("kind", "TREC qrels".to_owned()),
        ("topics", qrels.topics.to_string()),
        ("judged documents", qrels.documents.to_string()),
        ("grades", grades(&qrels.grades)),
        ("topics of a single grade", qrels.single_grade_topics.to_string()),
        ("topics without a relevant document", qrels.topics_without_relevant.to_string()),
        ("comment lines", none_if_zero(qrels.comments)),
    ]
}

fn retrieved(run: &RunReport) -> Vec<(&'static str, String)> {
    let of_topic = match run.documents_of_topic {
        [least, most] if least == most => least.to_string(),
        [least, most] => format!("{least} to {most}"),
    };
    vec![
        ("kind", "TREC run".to_owned()),
        ("tags", few(&run.tags)),
        ("topics", run.topics.to_string()),
        ("documents", format!("{} ({of_topic} a topic)", run.documents)),
        ("documents with the score of another", none_if_zero(run.tied_documents)),
        ("topics whose ranks contradict the scores", none_if_zero(run.ranks_differ)),
        ("comment lines", none_if_zero(run.comments)),
    ]
}

fn numbers(scores: &ScoresReport) -> Vec<(&'static str, String)> {
    vec![
        ("kind", "scores".to_owned()),
        ("scores", scores.scores.to_string()),
        ("different scores", scores.different.to_string()),
        ("range", scores.range.map_or_else(String::new, |[least, most]| format!("{least} to {most}"))),
        ("comment lines", none_if_zero(scores.comments)),
    ]
}

fn per_query(values: &ValuesReport) -> Vec<(&'static str, String)> {
    vec![
        ("kind", format!("values per query ({})", if values.format.is_empty() { "unreadable" } else { values.format })),
        ("measures", few(&values.measures)),
        ("systems", few(&values.systems)),
        ("queries", values.queries.to_string()),
        ("values", values.values.to_string()),
        ("undefined values", none_if_zero(values.undefined)),
        ("missing values", none_if_zero(values.gaps)),
        ("range", values.range.map_or_else(String::new, |[least, most]| format!("{least} to {most}"))),
        ("remarks", values.remarks.join("; ")),
    ]
}

/// Lists names; if there are many, only the first names.
fn few(names: &[String]) -> String {
    const MOST: usize = 12;
    match names.len() {
        count if count > MOST => format!("{}, ... ({count} in all)", names[..MOST].join(", ")),
        _ => names.join(", "),
    }
}

/// Says in sentences which documents and queries several parts share.
fn shared(across: &Across) -> Vec<String> {
    let empty = match across.all_missing {
        0 => String::new(),
        documents => format!(" ({documents} of them without any value)"),
    };
    let first = match across.fold {
        Some(fold) => format!(
            "Fold {fold}: {} in the test part a feature vector that stands in the training or validation part too{empty}.",
            have(across.documents, "document")
        ),
        None => format!(
            "Between parts: {} a feature vector that stands in another part too{empty}; {} in several parts.",
            have(across.documents, "document"),
            format_args!("{} {}", counted(across.vectors, "vector"), which(across.vectors, "is", "are")),
        ),
    };
    let queries = (across.queries > 0).then(|| format!("{} in more than one part.", counted(across.queries, "query")));
    std::iter::once(first).chain(queries).collect()
}

/// The findings of the leak guards for a collection, one line for each, and a blank line.
fn guarded(guards: &Guarded) -> Vec<String> {
    let folder = guards.folder.display();
    let mut lines = vec![match (&guards.not_asked, guards.findings.is_empty()) {
        (Some(error), _) => format!("Leak guards of {folder} could not be asked: {error}"),
        (None, true) => format!("Leak guards of {folder}: nothing found."),
        (None, false) => format!("Leak guards of {folder}:"),
    }];
    let effect = |stops: bool| if stops { "would stop a run" } else { "warning" };
    lines.extend(guards.findings.iter().map(|finding| format!("  {finding} ({})", effect(finding.stops))));
    lines.push(String::new());
    lines
}

fn grades(grades: &fivefold_data::lint::GradeCounts) -> String {
    let all: u64 = grades.values().sum();
    let share = |count: u64| 100.0 * count as f64 / all.max(1) as f64;
    let each: Vec<String> =
        grades.iter().map(|(grade, &count)| format!("{grade}: {count} ({:.1} %)", share(count))).collect();
    each.join(", ")
}

/// Writes rising numbers as ranges: `1-3, 7`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] if last - first > 1 => format!("{first}-{last}"),
        pair => pair.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    });
    runs.collect::<Vec<_>>().join(", ")
}

fn have(count: usize, word: &str) -> String {
    format!("{} {}", counted(count, word), which(count, "has", "have"))
}

fn none_if_zero(count: usize) -> String {
    if count == 0 { String::new() } else { count.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_of_a_kind_differ_in_numbers_and_quotations() {
        assert_eq!(kind_of("value `x` of feature 2 is odd"), kind_of("value `y1` of feature 31 is odd"));
        assert_ne!(kind_of("value `x` of feature 2 is odd"), kind_of("grade `x` of feature 2 is odd"));
    }

    #[test]
    fn neighbours_are_drawn_together() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3, 7, 9, 10");
    }
}
