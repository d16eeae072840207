//! Two dialects on the same scores: the rules that make them differ.

use std::path::Path;

use fivefold_core::{JudgedQuery, Seed};
use fivefold_experiment::Cell;
use fivefold_metrics::{Attribution, Case, Dialect, attribute};

use super::{Args, Difference, number, perhaps, table, text};
use crate::commands::eval::measures;
use crate::commands::eval::systems::{Fold, check_folds, folds_of_files, path};
use crate::problem::Problem;

/// Means, rules and the first queries of each measure.
pub(super) fn compare(args: &Args, [one, other]: [&'static Dialect; 2]) -> miette::Result<Difference> {
    let Some(scores) = &args.scores else {
        return Err(Problem::new("two dialects are compared on scores").help("give --data FILE --scores FILE").into());
    };
    let folds = folds(args)?;
    let scores = read_scores(&folds, scores)?;
    let max_grade = folds.iter().map(|fold| fold.test.max_grade()).max().unwrap_or(0);
    let cases = cases(&folds, &scores);
    let overrides = args.conventions.overrides();
    let [a, b] = [one, other].map(|dialect| overrides.apply((dialect.conventions)()));
    let mut means = table("means", "Means", &["measure", one.name, other.name, "difference", "queries that differ"], 1);
    let columns = ["measure", "rule", one.name, other.name, "queries affected", "of the difference"];
    let mut rules = table("rules", "The rules that cause it", &columns, 4);
    let columns = ["measure", "query", one.name, other.name, "rules at work"];
    let mut queries = table("queries", "The first queries that differ", &columns, 2);
    let mut differs = false;
    for spec in measures(&args.measures)? {
        let found: Attribution =
            attribute(&spec, [&a, &b], max_grade, Seed::new(args.seed), &cases).map_err(Problem::from)?;
        let name = spec.to_string();
        let differing: Vec<usize> = (0..cases.len()).filter(|&query| found.differs(query)).collect();
        let [before, after] = found.means;
        differs |= !differing.is_empty() || (after - before).abs() > 1e-12;
        let counted = Cell::Count(differing.len() as u64);
        means.rows.push(vec![text(&name), number(before), number(after), number(after - before), counted]);
        for effect in &found.rules {
            let affected = effect.affects.iter().filter(|&&affected| affected).count() as u64;
            let mut cells = vec![text(&name), text(effect.rule.name)];
            cells.extend(effect.choices.iter().map(text));
            cells.extend([Cell::Count(affected), number(effect.mean_difference)]);
            rules.rows.push(cells);
        }
        for &query in differing.iter().take(args.queries) {
            let at_work = found.rules.iter().filter(|effect| effect.affects[query]).map(|effect| effect.rule.name);
            let values = [0, 1].map(|side: usize| perhaps(found.values[side][query]));
            let mut cells = vec![text(&name), text(cases[query].id)];
            cells.extend(values);
            cells.push(text(at_work.collect::<Vec<_>>().join(", ")));
            queries.rows.push(cells);
        }
    }
    means.notes.push(format!("{} queries; the difference is {} less {}", cases.len(), other.name, one.name));
    rules.notes.push(
        "shares are means over all orders in which the rules can be changed, and add up to the difference".to_owned(),
    );
    Ok(Difference { tables: vec![means, rules, queries], differs })
}

/// The data of all folds.
pub(super) fn folds(args: &Args) -> miette::Result<Vec<Fold>> {
    if args.data.is_empty() {
        return Err(Problem::new("scores are measured against grades").help("give --data FILE").into());
    }
    folds_of_files(&args.data, args.folds, &args.reading.options())
}

/// The scores of each fold's documents.
pub(super) fn read_scores(folds: &[Fold], pattern: &str) -> miette::Result<Vec<Vec<f64>>> {
    check_folds(pattern, folds.iter().any(|fold| fold.number.is_some()))?;
    folds.iter().map(|fold| fold.scores(Path::new(&path(pattern, fold.number)))).collect()
}

/// All queries with their scores.
pub(super) fn cases<'a>(folds: &'a [Fold], scores: &'a [Vec<f64>]) -> Vec<Case<'a>> {
    let of_fold = |(number, (fold, scores)): (usize, (&'a Fold, &'a Vec<f64>))| {
        let mut row = 0;
        let case = move |query: JudgedQuery<'a>| {
            let start = row;
            row += query.len();
            let view = query.view();
            let doc_ids = (0..query.len()).map(|row| view.doc_id(row)).collect();
            Case { fold: number, id: view.id(), grades: query.grades(), doc_ids, scores: &scores[start..row] }
        };
        fold.test.queries().map(case).collect::<Vec<_>>()
    };
    folds.iter().zip(scores).enumerate().flat_map(of_fold).collect()
}
