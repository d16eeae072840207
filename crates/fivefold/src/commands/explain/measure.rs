//! The arithmetic of one value as tables.

use fivefold_core::Seed;
use fivefold_experiment::{Cell, Table};
use fivefold_metrics::{Evaluator, Explanation, MeasureSpec};

use super::{Args, blank, document, find, number, perhaps, table};
use crate::commands::eval::systems::folds_of_files;
use crate::problem::Problem;

/// The ranking, the bounds, and the steps from the sums to the value.
pub(super) fn tables(args: &Args, scores: &str, measure: &str) -> miette::Result<Vec<Table>> {
    let conventions = args.conventions.resolve().map_err(Problem::from)?;
    let dialect = args.conventions.dialect().map_err(Problem::from)?;
    let spec: MeasureSpec = measure.parse().map_err(Problem::from)?;
    let file = args.file.to_string_lossy().into_owned();
    let folds = folds_of_files(&[file], 1, &args.reading.options())?;
    let Some(fold) = folds.first() else { return Err(Problem::new("there is no data file").into()) };
    let scores = fold.scores(scores.as_ref())?;
    let (row, query) = find(fold.test.queries(), &args.query)?;
    let evaluator = Evaluator::new(&[spec], &conventions, fold.test.max_grade(), Seed::new(args.seed));
    let evaluator = evaluator.map_err(Problem::from)?;
    let ids: Option<Vec<&str>> = (0..query.len()).map(|row| query.doc_id(row)).collect();
    let judged = evaluator.judge(query.id(), query.grades(), ids.as_deref()).map_err(Problem::from)?;
    let told = evaluator.explain(&judged, &scores[row..row + query.len()], 0).map_err(Problem::from)?;

    let named = told.factors;
    let names = named.map_or_else(Vec::new, |names| names.to_vec());
    let factors = |values: Option<[f64; 2]>| -> Vec<Cell> {
        match (named, values) {
            (None, _) => Vec::new(),
            (Some(_), Some(values)) => values.map(number).to_vec(),
            (Some(_), None) => vec![blank(), blank()],
        }
    };
    let columns = [&["rank", "document", "score", "grade"][..], &names, &["contribution", "sum"]].concat();
    let title = format!("{} of query {}: {}", told.measure, args.query, value(&told));
    let mut ranking = table("ranking", title, &columns, 2);
    let shown = told.positions.min(args.rows);
    for place in &told.ranking[..shown] {
        let score = Cell::Text(format!("{}{}", place.score, if place.tied > 1 { " =" } else { "" }));
        let mut cells = vec![Cell::Text(place.rank.to_string()), document(&query, place.row), score];
        cells.push(Cell::Count(place.grade.into()));
        cells.extend(factors(place.factors));
        cells.extend([perhaps(place.contribution), perhaps(place.sum)]);
        ranking.rows.push(cells);
    }
    if told.positions > shown {
        ranking.notes.push(format!("further positions that count: {}; --rows shows more", told.positions - shown));
    }
    if told.ranking.len() > told.positions {
        ranking.notes.push(format!("documents beyond the cutoff: {}", told.ranking.len() - told.positions));
    }
    if told.ranking[..shown].iter().any(|place| place.tied > 1) {
        ranking.notes.push("= marks scores that tie".to_owned());
    }

    let names: Vec<String> = names.iter().map(|name| format!("ideal {name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ends = ["ideal contribution", "ideal sum", "mean of all orders", "sum of means"];
    let columns = [&["rank", "ideal grade"][..], &names, &ends].concat();
    let mut bounds = table("bounds", "The ideal order, and the mean over all orders".to_owned(), &columns, 1);
    for bound in told.bounds.iter().take(args.rows) {
        let grade = bound.grade.map_or_else(blank, |grade| Cell::Count(grade.into()));
        let mut cells = vec![Cell::Text(bound.rank.to_string()), grade];
        cells.extend(factors(bound.factors));
        cells.extend([bound.ideal, bound.ideal_sum, bound.expected, bound.expected_sum].map(number));
        bounds.rows.push(cells);
    }

    let mut steps = table("steps", "Step by step".to_owned(), &["", "is", "in numbers", "value"], 3);
    for step in &told.steps {
        let value = step.value.map_or_else(|| Cell::Missing("undefined".to_owned()), number);
        let words = [&step.what, &step.formula, &step.numbers].map(|text| Cell::Text(text.clone()));
        steps.rows.push(words.into_iter().chain([value]).collect());
    }
    steps.notes.extend(told.remarks.iter().cloned());
    steps.notes.push(dialect.describe(&conventions));
    steps.notes.extend(evaluator.describe());
    Ok(vec![ranking, bounds, steps])
}

fn value(told: &Explanation) -> String {
    told.value.map_or_else(|| "undefined".to_owned(), |value| format!("{value:.4}"))
}
