//! Compares two score files, or two runs, under one dialect. Shows which queries they rank
//! differently, and from which rank on.

use std::collections::HashMap;

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::{counted, which};
use fivefold_base::{Seed, rounding};
use fivefold_metrics::attribution::{ScoredQuery, mean_of_cases};
use fivefold_metrics::{Evaluator, Explanation, Scratch};

use super::{Args, Difference, none_differs, number, of_each, perhaps};
use crate::commands::cases::Judgements;
use crate::problem::Problem;

/// Makes the tables of means and of the first queries that differ, for each measure.
pub(super) fn compare(args: &Args) -> miette::Result<Difference> {
    args.refuse("the two inputs are already score files", &[&args.measured(), &args.places()])?;
    let conventions = args.conventions.resolve().map_err(Problem::from)?;
    let dialect = args.conventions.dialect().map_err(Problem::from)?;
    let judgements = args.judgements()?;
    let scored = [judgements.scores(&args.one)?, judgements.scores(&args.other)?];
    let sides = [judgements.cases(&scored[0]), judgements.cases(&scored[1])];
    let specs = args.measures()?;
    let evaluator = Evaluator::new(&specs, &conventions, judgements.max_grade(), Seed::new(args.seed));
    let evaluator = evaluator.map_err(Problem::from)?;
    let mut scratch = Scratch::default();
    // [side][query][measure]
    let mut values: [Vec<Vec<f64>>; 2] = [Vec::new(), Vec::new()];
    let mut first_ranks = Vec::new();
    for (one, other) in sides[0].iter().zip(&sides[1]) {
        let mut orders = Vec::new();
        for (case, values) in [one, other].into_iter().zip(&mut values) {
            let judged = case.judge(&evaluator).map_err(Problem::from)?;
            let mut out = vec![0.0; specs.len()];
            evaluator.evaluate(&judged, &case.scores, &mut scratch, &mut out).map_err(Problem::from)?;
            values.push(out);
            orders.push(order(case, &evaluator.explain(&judged, &case.scores, 0).map_err(Problem::from)?));
        }
        let shorter = orders[0].len().min(orders[1].len());
        let parted = orders[0].iter().zip(&orders[1]).position(|(one, other)| one != other);
        first_ranks.push(parted.or_else(|| (orders[0].len() != orders[1].len()).then_some(shorter)).map(|at| at + 1));
    }
    // `None` if the mean leaves the query out.
    let value = |side: usize, query: usize, measure: usize| {
        (!sides[side][query].left_out(&conventions)).then_some(values[side][query][measure])
    };
    let unlike = |query: usize, measure: usize| match [0, 1].map(|side| value(side, query, measure)) {
        [Some(one), Some(other)] => one.is_nan() != other.is_nan() || rounding::differ(one, other),
        [one, other] => one.is_some() != other.is_some(),
    };
    let count = Cell::count;
    let mut means = Table::new("means", "Means", ["measure", "A", "B", "difference", "queries that differ"], 1);
    let lengths: &[&str] = match &judgements {
        Judgements::Letor(_) => &["documents"],
        Judgements::Trec(_) => &["documents of A", "documents of B"],
    };
    let columns = [&["measure", "query", "A", "B", "rankings part at rank"], lengths].concat();
    let mut queries = Table::new("queries", "The first queries that differ", columns, 2);
    for (measure, name) in evaluator.names().iter().enumerate() {
        let mean = |side: usize| {
            let own: Vec<f64> = values[side].iter().map(|of_query| of_query[measure]).collect();
            mean_of_cases(&sides[side], &own, &conventions).value
        };
        let differing: Vec<usize> = (0..first_ranks.len()).filter(|&query| unlike(query, measure)).collect();
        let [one, other] = [mean(0), mean(1)];
        means.rows.push(vec![
            Cell::text(name),
            number(one),
            number(other),
            number(other - one),
            count(differing.len()),
        ]);
        for &query in differing.iter().take(args.queries) {
            let part = first_ranks[query].map_or_else(|| Cell::text(""), count);
            let mut cells = vec![Cell::text(name), Cell::text(sides[0][query].id)];
            cells.extend([0, 1].map(|side| perhaps(value(side, query, measure))));
            cells.push(part);
            cells.extend(sides.iter().take(lengths.len()).map(|side| count(side[query].scores.len())));
            queries.rows.push(cells);
        }
    }
    if queries.rows.is_empty() && args.queries > 0 {
        queries.notes.push(none_differs(&of_each(first_ranks.len(), means.rows.len())));
    }
    let otherwise = first_ranks.iter().flatten().count();
    let changed = Changed::between(&sides);
    means.notes.push(format!("A: {}; B: {}", args.one, args.other));
    let are = which(otherwise, "is", "are");
    means.notes.push(format!("{otherwise} of {} {are} ranked differently", counted(first_ranks.len(), "query")));
    means.notes.push(changed.note());
    means.notes.extend(judgements.remarks());
    for (side, scored) in ["A", "B"].iter().zip(&scored) {
        means.notes.extend(judgements.remarks_of(scored).into_iter().map(|remark| format!("{side}: {remark}")));
    }
    means.notes.push(dialect.describe(&conventions));
    Ok(Difference { tables: vec![means, queries], differs: otherwise > 0 || changed.any() })
}

/// The key of a document, which is the same on both sides: its id in runs, its row in score files.
fn key<'a>(case: &ScoredQuery<'a>, row: usize) -> (usize, &'a str) {
    match (&case.pool, &case.doc_ids) {
        (Some(_), Some(ids)) => (0, ids[row]),
        _ => (row, ""),
    }
}

/// The documents from the first rank to the last, each with the size of its group of ties. Tied
/// documents are sorted by key, so that their order is the same on both sides.
fn order<'a>(case: &ScoredQuery<'a>, told: &Explanation) -> Vec<((usize, &'a str), usize)> {
    let mut order: Vec<_> = told.ranking.iter().map(|place| (key(case, place.row), place.tied)).collect();
    let mut start = 0;
    while start < order.len() {
        let end = start + order[start].1;
        order[start..end].sort_unstable();
        start = end;
    }
    order
}

/// The numbers of scores and documents that differ between two sides.
#[derive(Default)]
struct Changed {
    scores: usize,
    /// The number of scores that differ also as 32-bit floats.
    singles: usize,
    /// The number of documents that only this side has.
    only: [usize; 2],
}

impl Changed {
    fn between([one, other]: &[Vec<ScoredQuery<'_>>; 2]) -> Self {
        let mut changed = Changed::default();
        for (one, other) in one.iter().zip(other) {
            let scores = |case: &ScoredQuery<'_>| -> HashMap<(usize, String), f64> {
                let of = |(row, &score): (usize, &f64)| {
                    let (row, id) = key(case, row);
                    ((row, id.to_owned()), score)
                };
                case.scores.iter().enumerate().map(of).collect()
            };
            let [one, other] = [scores(one), scores(other)];
            for (document, &score) in &one {
                match other.get(document) {
                    None => changed.only[0] += 1,
                    Some(&theirs) => {
                        changed.scores += usize::from(score != theirs);
                        changed.singles += usize::from(score as f32 != theirs as f32);
                    }
                }
            }
            changed.only[1] += other.keys().filter(|document| !one.contains_key(*document)).count();
        }
        changed
    }

    fn any(&self) -> bool {
        self.scores > 0 || self.only != [0, 0]
    }

    fn note(&self) -> String {
        let Changed { scores, singles, only: [a, b] } = *self;
        let differ = which(scores, "differs", "differ");
        let scores = format!("{} {differ}, {singles} also as 32-bit floats", counted(scores, "score"));
        match [a, b] {
            [0, 0] => scores,
            _ => format!("{scores}; retrieved by A only: {}, by B only: {b}", counted(a, "document")),
        }
    }
}
