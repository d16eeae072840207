//! Two score files under one dialect: which queries they rank differently, from which rank on.

use fivefold_core::Seed;
use fivefold_experiment::Cell;
use fivefold_metrics::{Evaluator, Scratch, mean_over_folds};

use super::dialects::{cases, folds, read_scores};
use super::{Args, Difference, number, table, text};
use crate::commands::eval::measures;
use crate::problem::Problem;

/// Means, and the first queries of each measure.
pub(super) fn compare(args: &Args) -> miette::Result<Difference> {
    if args.scores.is_some() {
        return Err(Problem::new("--scores goes with two dialects, but these are score files themselves").into());
    }
    let conventions = args.conventions.resolve().map_err(Problem::from)?;
    let dialect = args.conventions.dialect().map_err(Problem::from)?;
    let folds = folds(args)?;
    let scores = [read_scores(&folds, &args.one)?, read_scores(&folds, &args.other)?];
    let sides = [cases(&folds, &scores[0]), cases(&folds, &scores[1])];
    let max_grade = folds.iter().map(|fold| fold.test.max_grade()).max().unwrap_or(0);
    let specs = measures(&args.measures)?;
    let evaluator = Evaluator::new(&specs, &conventions, max_grade, Seed::new(args.seed)).map_err(Problem::from)?;
    let mut scratch = Scratch::default();
    // [side][query][measure]
    let mut values: [Vec<Vec<f64>>; 2] = [Vec::new(), Vec::new()];
    let mut first_ranks = Vec::new();
    for (one, other) in sides[0].iter().zip(&sides[1]) {
        let judged = evaluator.judge(one.id, one.grades, one.doc_ids.as_deref()).map_err(Problem::from)?;
        let mut orders = Vec::new();
        for (case, values) in [one, other].into_iter().zip(&mut values) {
            let mut out = vec![0.0; specs.len()];
            evaluator.evaluate(&judged, case.scores, &mut scratch, &mut out).map_err(Problem::from)?;
            values.push(out);
            let told = evaluator.explain(&judged, case.scores, 0).map_err(Problem::from)?;
            orders.push(told.ranking.iter().map(|place| (place.row, place.tied)).collect::<Vec<_>>());
        }
        first_ranks.push(orders[0].iter().zip(&orders[1]).position(|(one, other)| one != other).map(|at| at + 1));
    }
    let unlike = |query: usize, measure: usize| {
        let [one, other] = [0, 1].map(|side: usize| values[side][query][measure]);
        one.is_nan() != other.is_nan() || (one - other).abs() > 1e-12
    };
    let count = |of: usize| Cell::Count(of as u64);
    let mut means = table("means", "Means", &["measure", "A", "B", "difference", "queries that differ"], 1);
    let columns = ["measure", "query", "A", "B", "rankings part at rank", "documents"];
    let mut queries = table("queries", "The first queries that differ", &columns, 2);
    for (measure, name) in evaluator.names().iter().enumerate() {
        let mean = |side: usize| {
            let of_fold = |fold: usize| -> Vec<f64> {
                let own = (0..sides[side].len()).filter(|&query| sides[side][query].fold == fold);
                own.map(|query| values[side][query][measure]).collect()
            };
            let of_folds: Vec<Vec<f64>> = (0..folds.len()).map(of_fold).collect();
            let of_folds: Vec<&[f64]> = of_folds.iter().map(Vec::as_slice).collect();
            mean_over_folds(&of_folds, conventions.fold_mean, conventions.undefined).value
        };
        let differing: Vec<usize> = (0..first_ranks.len()).filter(|&query| unlike(query, measure)).collect();
        let [one, other] = [mean(0), mean(1)];
        means.rows.push(vec![text(name), number(one), number(other), number(other - one), count(differing.len())]);
        for &query in differing.iter().take(args.queries) {
            let part = first_ranks[query].map_or_else(|| text(""), count);
            let case = &sides[0][query];
            let values = [0, 1].map(|side: usize| number(values[side][query][measure]));
            let mut cells = vec![text(name), text(case.id)];
            cells.extend(values);
            cells.extend([part, count(case.scores.len())]);
            queries.rows.push(cells);
        }
    }
    let otherwise = first_ranks.iter().flatten().count();
    let pairs = || sides[0].iter().zip(&sides[1]).flat_map(|(one, other)| one.scores.iter().zip(other.scores));
    let [scores, singles] = [
        pairs().filter(|(one, other)| one != other).count(),
        pairs().filter(|&(&one, &other)| one as f32 != other as f32).count(),
    ];
    means.notes.push(format!("A: {}; B: {}", args.one, args.other));
    means.notes.push(format!("{otherwise} of {} queries are ranked otherwise", first_ranks.len()));
    means.notes.push(format!("{scores} scores differ, {singles} of them also as 32-bit floats"));
    means.notes.push(dialect.describe(&conventions));
    Ok(Difference { tables: vec![means, queries], differs: otherwise > 0 || scores > 0 })
}
