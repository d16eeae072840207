//! The arithmetic of a query's value, as tables.

use fivefold_analysis::{Cell, Table};
use fivefold_base::Assessment;
use fivefold_base::words::{counted, which};
use fivefold_core::Seed;
use fivefold_metrics::conventions::Scores;
use fivefold_metrics::{Conventions, Evaluator, Explanation, Ties};

use super::{Args, blank, number, perhaps};
use crate::commands::cases::{Judgements, document_name};
use crate::problem::Problem;

/// The tables of the ranking, of the bounds, and of the steps from the sums to the value.
pub(super) fn tables(args: &Args, measure: &str) -> miette::Result<Vec<Table>> {
    let conventions = args.conventions.resolve().map_err(Problem::from)?;
    let dialect = args.conventions.dialect().map_err(Problem::from)?;
    let spec = crate::measure_list::measure(measure, &conventions)?;
    let Some(scores) = args.scores.as_ref().or(args.run.as_ref()) else {
        let what = "scores are missing: give a score file with the LETOR file, or a run with the qrels";
        return Err(Problem::new(what).help("give DATA SCORES, or --qrels FILE --run FILE").into());
    };
    let data: Vec<String> = args.file.iter().cloned().collect();
    let judgements = Judgements::read(&data, 1, &args.reading, &args.qrels)?;
    let scored = judgements.scores(scores)?;
    let query = judgements.find(judgements.cases(&scored), &args.query)?;
    let evaluator = Evaluator::new(&[spec], &conventions, judgements.max_grade(), Seed::new(args.seed));
    let evaluator = evaluator.map_err(Problem::from)?;
    let judged = query.judge(&evaluator).map_err(Problem::from)?;
    let told = evaluator.explain(&judged, &query.scores, 0).map_err(Problem::from)?;

    let named = told.factors;
    let names = named.map_or_else(Vec::new, |names| names.to_vec());
    let factors = |values: Option<[f64; 2]>| -> Vec<Cell> {
        match (named, values) {
            (None, _) => Vec::new(),
            (Some(_), Some(values)) => values.map(number).to_vec(),
            (Some(_), None) => vec![blank(), blank()],
        }
    };
    let sums: &[&str] = if told.whole { &[] } else { &["contribution", "sum"] };
    let columns = [&["rank", "document", "score", "grade"][..], &names, sums].concat();
    let title = format!("{} of query {}: {}", told.measure, args.query, value(&told));
    let mut ranking = Table::new("ranking", title, columns, 2);
    let shown = told.positions.min(args.rows);
    let tied = tied(&told, &conventions);
    for (place, &tied) in told.ranking[..shown].iter().zip(&tied) {
        let id = query.doc_ids.as_ref().map(|ids| ids[place.row]);
        let score = format!("{}{}", place.score, if tied { " =" } else { "" });
        let mut cells = [place.rank.to_string(), document_name(id, place.row), score].map(Cell::Text).to_vec();
        cells.push(match query.assessments[place.row].is_judged() {
            true => Cell::Count(place.grade.into()),
            false => Cell::missing("unjudged"),
        });
        cells.extend(factors(place.factors));
        cells.extend([place.contribution, place.sum].map(perhaps).into_iter().take(sums.len()));
        ranking.rows.push(cells);
    }
    if told.positions > shown {
        ranking
            .notes
            .push(format!("further positions with a contribution: {}; --rows shows more", told.positions - shown));
    }
    if told.ranking.len() > told.positions {
        ranking.notes.push(format!("documents beyond the cutoff: {}", told.ranking.len() - told.positions));
    }
    if tied[..shown].contains(&true) {
        let how = match conventions.scores {
            Scores::F64 => "",
            Scores::F32 => " as 32-bit floats",
        };
        let order = match conventions.ties {
            Ties::Average => String::new(),
            ties => format!("; their order: {ties}"),
        };
        ranking.notes.push(format!("= marks scores that tie{how}{order}"));
    }
    if let Some(pool) = &query.pool {
        ranking.notes.push(retrieved(&query.assessments, pool));
        ranking.notes.extend(judgements.remarks());
        ranking.notes.extend(judgements.remarks_of(&scored).into_iter().map(|remark| format!("run: {remark}")));
    }

    let names: Vec<String> = names.iter().map(|name| format!("ideal {name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ends = ["ideal contribution", "ideal sum", "mean of all orders", "sum of means"];
    let columns = [&["rank", "ideal grade"][..], &names, &ends].concat();
    let mut bounds = Table::new("bounds", "The ideal order, and the mean over all orders", columns, 1);
    for bound in told.bounds.iter().take(args.rows) {
        let grade = bound.grade.map_or_else(blank, |grade| Cell::Count(grade.into()));
        let mut cells = vec![Cell::Text(bound.rank.to_string()), grade];
        cells.extend(factors(bound.factors));
        cells.extend([bound.ideal, bound.ideal_sum, bound.expected, bound.expected_sum].map(number));
        bounds.rows.push(cells);
    }

    let mut steps = Table::new("steps", "Step by step", ["", "is", "in numbers", "value"], 3);
    for step in &told.steps {
        let value = step.value.map_or_else(|| Cell::missing("undefined"), number);
        let words = [&step.what, &step.formula, &step.numbers].map(|text| Cell::Text(text.clone()));
        steps.rows.push(words.into_iter().chain([value]).collect());
    }
    if query.missing {
        let how = match query.left_out(&conventions) {
            true => "means leave the topic out",
            false => "the topic counts as if the run had retrieved nothing",
        };
        steps
            .notes
            .push(format!("the topic is not in the run; {how} (missing_topics: {})", conventions.missing_topics));
    }
    steps.notes.extend(told.remarks.iter().cloned());
    steps.notes.push(dialect.describe(&conventions));
    steps.notes.extend(evaluator.describe());
    if told.whole {
        ranking.notes.push("the measure is about the whole ranking: no position has a value of its own".to_owned());
        return Ok(vec![ranking, steps]);
    }
    Ok(vec![ranking, bounds, steps])
}

fn value(told: &Explanation) -> String {
    told.value.map_or_else(|| "undefined".to_owned(), |value| format!("{value:.4}"))
}

/// Whether a position has the same score as a neighbour, as the conventions compare scores.
fn tied(told: &Explanation, conventions: &Conventions) -> Vec<bool> {
    let compared = |place: usize| {
        let score = told.ranking[place].score;
        match conventions.scores {
            Scores::F64 => score,
            Scores::F32 => f64::from(score as f32),
        }
    };
    let like_next = |place: usize| place + 1 < told.ranking.len() && compared(place) == compared(place + 1);
    (0..told.ranking.len()).map(|place| like_next(place) || place.checked_sub(1).is_some_and(like_next)).collect()
}

/// Says how many documents the run retrieved, and how many of them are judged.
fn retrieved(documents: &[Assessment], pool: &[u8]) -> String {
    let judged = documents.iter().filter(|document| document.is_judged()).count();
    format!(
        "the run retrieved {}, of which {judged} {} judged; judged in all: {}",
        counted(documents.len(), "document"),
        which(judged, "is", "are"),
        pool.len()
    )
}
