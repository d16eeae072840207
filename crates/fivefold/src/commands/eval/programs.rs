//! The output of gdeval and of ir_measures for runs.

use std::fmt::Write as _;
use std::path::Path;

use fivefold_core::Seed;
use fivefold_data::trec::{Joined, Qrels, read_run};
use fivefold_metrics::conventions::{HighestGrade, MissingTopics, Scores};
use fivefold_metrics::{Conventions, Dialect, Evaluator, MeasureSpec, Ties, Undefined, dialect, spelling};

use super::runs::{self, Ids};
use super::systems::Evaluated;
use crate::labels::labelled;
use crate::problem::Problem;
use crate::screen::Screen;

/// The measures that gdeval prints.
pub(super) const OF_GDEVAL: &str = "ndcg@20,err@20";

/// What the output is made of.
pub(super) struct Settings<'a> {
    /// The measures as the user named them.
    pub(super) measures: Vec<&'a str>,
    pub(super) conventions: Conventions,
    pub(super) max_grade: Option<u8>,
    pub(super) per_query: bool,
}

impl Settings<'_> {
    fn evaluator(&self, specs: &[MeasureSpec], conventions: &Conventions, qrels: &Qrels) -> miette::Result<Evaluator> {
        let max_grade = self.max_grade.unwrap_or_else(|| qrels.max_grade());
        Ok(Evaluator::new(specs, conventions, max_grade, Seed::new(0)).map_err(Problem::from)?)
    }
}

/// Topics in the order of a program: by their places.
fn ordered<K: Ord>(evaluated: &Evaluated, key: impl Fn(&str) -> K) -> Vec<usize> {
    let mut places: Vec<usize> = (0..evaluated.queries.len()).collect();
    places.sort_by_key(|&place| (key(&evaluated.queries[place].id), evaluated.queries[place].id.clone()));
    places
}

/// Prints `runid,topic,ndcg@20,err@20`: a line for each topic with a relevant document that the run
/// has, and the means over them.
pub(super) fn gdeval(
    settings: &Settings<'_>,
    qrels: &Qrels,
    runs: &[String],
    screen: &mut Screen,
) -> miette::Result<()> {
    let names = &settings.measures;
    let spec = |name: &&str| spelling::read(name, &settings.conventions).map(|reading| reading.spec);
    let specs = names.iter().map(spec).collect::<Result<Vec<_>, _>>().map_err(Problem::from)?;
    let evaluator = settings.evaluator(&specs, &settings.conventions, qrels)?;
    for (label, path) in labelled(runs)? {
        let tag = read_run(Path::new(&path), qrels.duplicates).map_err(Problem::from)?.tag;
        let evaluated = runs::evaluate(&evaluator, qrels, &[format!("{label}={path}")], Ids::Own)?;
        let mut text = format!("runid,topic,{}\n", names.join(","));
        let places = ordered(&evaluated, |id| id.parse::<u64>().unwrap_or(u64::MAX));
        let (mut sums, mut topics) = (vec![0.0; names.len()], 0);
        for place in places.into_iter().filter(|&place| !evaluated.leaves_out(0, place)) {
            let values: Vec<f64> = (0..names.len()).map(|measure| evaluated.value(0, place, measure)).collect();
            if values.iter().all(|value| !value.is_nan()) {
                put_row(&mut text, &tag, &evaluated.queries[place].id, &values);
                sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
                topics += 1;
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= f64::from(topics.max(1)));
        put_row(&mut text, &tag, "amean", &sums);
        screen.text(text);
    }
    Ok(())
}

fn put_row(text: &mut String, tag: &str, topic: &str, values: &[f64]) {
    // Writing to a string does not fail.
    let _ = write!(text, "{tag},{topic}");
    for value in values {
        let _ = write!(text, ",{value:.5}");
    }
    text.push('\n');
}

/// The conventions of `name`, with what the user gave.
pub(super) fn conventions_of(name: &'static str) -> miette::Result<Conventions> {
    let found: &Dialect = dialect(name).map_err(Problem::from)?;
    Ok(found.conventions())
}

/// The conventions of ir_measures: those of trec_eval, but every topic of the qrels counts, and the
/// highest grade of ERR is that of gdeval.
pub(super) fn conventions_of_ir_measures() -> miette::Result<Conventions> {
    let (missing_topics, max_grade) = (MissingTopics::Zero, HighestGrade::Always(4));
    Ok(Conventions { missing_topics, max_grade, undefined: Undefined::Zero, ..conventions_of("trec_eval")? })
}

/// A column of ir_measures' output.
enum Column {
    Measure(MeasureSpec),
    Count(Count),
}

/// A number that ir_measures adds up over topics.
#[derive(Clone, Copy)]
enum Count {
    Retrieved,
    Relevant(u8),
    RelevantRetrieved(u8),
    Topics,
}

/// The order of documents with one score: ir_measures takes that of the program behind a measure.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// trec_eval: by falling id, scores as 32-bit floats.
    TrecEval,
    /// Its own code: by rising id.
    Rising,
    /// cwl_eval, and its own pairs: as in the file.
    File,
}

impl Order {
    fn of(spec: &MeasureSpec) -> Self {
        match spec.entry().name {
            "judged" | "compat" => Order::Rising,
            "auc" | "insq" | "inst" | "sdcg" | "bpm" | "nerr8" | "nerr9" | "nerr10" | "nerr11" => Order::File,
            _ => Order::TrecEval,
        }
    }

    fn apply(self, conventions: &Conventions) -> (Conventions, Ids) {
        let (ties, scores, ids) = match self {
            Order::TrecEval => (Ties::DocId, conventions.scores, Ids::Own),
            Order::Rising => (Ties::DocId, Scores::F64, Ids::Reversed),
            Order::File => (Ties::Input, Scores::F64, Ids::Own),
        };
        (Conventions { ties, scores, ..conventions.clone() }, ids)
    }
}

/// Prints `measure value`, with `per_query` also `topic measure value`; tabs separate fields.
pub(super) fn ir_measures(
    settings: &Settings<'_>,
    qrels: &Qrels,
    runs: &[String],
    screen: &mut Screen,
) -> miette::Result<()> {
    let column = |name: &&str| column(name, &settings.conventions);
    let columns = settings.measures.iter().map(column).collect::<miette::Result<Vec<Column>>>()?;
    for (label, path) in labelled(runs)? {
        let run = format!("{label}={path}");
        let values =
            columns.iter().map(|column| values(settings, column, qrels, &run)).collect::<miette::Result<Vec<_>>>()?;
        let mut topics: Vec<usize> = (0..qrels.topics.len()).collect();
        topics.sort_by_key(|&place| &qrels.topics[place].id);
        // `NumRelRet` is its short name of `NumRet(rel=1)`.
        let shown: Vec<String> =
            settings.measures.iter().map(|name| name.replace("NumRelRet", "NumRet(rel=1)")).collect();
        let mut text = String::new();
        for &topic in topics.iter().filter(|_| settings.per_query) {
            for (name, values) in shown.iter().zip(&values) {
                let _ = writeln!(text, "{}\t{name}\t{:.4}", qrels.topics[topic].id, values[topic]);
            }
        }
        for ((name, column), values) in shown.iter().zip(&columns).zip(&values) {
            let sum: f64 = values.iter().sum();
            let of_all = if matches!(column, Column::Count(_)) { sum } else { sum / values.len() as f64 };
            let all = if settings.per_query { "all\t" } else { "" };
            let _ = writeln!(text, "{all}{name}\t{of_all:.4}");
        }
        screen.text(text);
    }
    Ok(())
}

fn column(name: &str, conventions: &Conventions) -> miette::Result<Column> {
    let threshold = |rest: &str| rest.strip_prefix("(rel=")?.strip_suffix(')')?.parse::<u8>().ok();
    if let Some(rest) =
        name.strip_prefix("NumRelRet").or_else(|| name.strip_prefix("NumRet").filter(|rest| !rest.is_empty()))
    {
        let least = if rest.is_empty() { Some(1) } else { threshold(rest) };
        return least.map(|least| Column::Count(Count::RelevantRetrieved(least))).ok_or_else(|| wrong(name));
    }
    match name {
        "NumRet" => return Ok(Column::Count(Count::Retrieved)),
        "NumQ" => return Ok(Column::Count(Count::Topics)),
        _ => {}
    }
    if let Some(rest) = name.strip_prefix("NumRel") {
        let least = if rest.is_empty() { Some(1) } else { threshold(rest) };
        return least.map(|least| Column::Count(Count::Relevant(least))).ok_or_else(|| wrong(name));
    }
    Ok(Column::Measure(spelling::read(name, conventions).map_err(Problem::from)?.spec))
}

fn wrong(name: &str) -> miette::Report {
    Problem::new(format!("`{name}` is not a count: write it as in NumRet(rel=2)")).into()
}

/// The value of each topic, in the order of the qrels; an undefined value is 0.
fn values(settings: &Settings<'_>, column: &Column, qrels: &Qrels, run: &str) -> miette::Result<Vec<f64>> {
    let spec = match column {
        Column::Count(count) => return counts(*count, qrels, run),
        Column::Measure(spec) => spec,
    };
    let (conventions, ids) = Order::of(spec).apply(&settings.conventions);
    let evaluator = settings.evaluator(std::slice::from_ref(spec), &conventions, qrels)?;
    let evaluated = runs::evaluate(&evaluator, qrels, &[run.to_owned()], ids)?;
    let by_gdeval = spec.entry().name == "err" || spec.to_string().contains("gain=exp2");
    let value = |topic: usize| match evaluated.value(0, topic, 0) {
        value if value.is_nan() => 0.0,
        // ir_measures reads what gdeval prints: five decimals.
        value if by_gdeval => format!("{value:.5}").parse().unwrap_or(value),
        value => value,
    };
    Ok((0..qrels.topics.len()).map(value).collect())
}

fn counts(count: Count, qrels: &Qrels, run: &str) -> miette::Result<Vec<f64>> {
    let (_, path) = run.split_once('=').unwrap_or((run, run));
    let run = read_run(Path::new(path), qrels.duplicates).map_err(Problem::from)?;
    let of_topic = |(topic, judged): (&fivefold_data::trec::JoinedTopic<'_>, &fivefold_data::trec::QrelsTopic)| {
        let retrieved = |least: u8| topic.assessments.iter().filter(|document| document.grade() >= least).count();
        match count {
            // As in trec_eval without -c, a topic that the run lacks counts in no number.
            _ if !topic.in_run => 0,
            Count::Topics => 1,
            Count::Retrieved => topic.documents.len(),
            Count::Relevant(least) => judged.grades().into_iter().filter(|&grade| grade >= least).count(),
            Count::RelevantRetrieved(least) => retrieved(least),
        }
    };
    let joined = Joined::new(qrels, &run);
    Ok(joined.topics.iter().zip(&qrels.topics).map(of_topic).map(|count| count as f64).collect())
}
