//! Finds the rules that make the values of two results folders differ. The module needs the data
//! and the scores, because it computes each value again.

use std::path::Path;

use fivefold_base::rounding;
use fivefold_metrics::attribution::{Attribution, attribute, attribute_values};
use fivefold_metrics::{Ties, settle};
use fivefold_results::Results;
use fivefold_results::config::DATA_VARIABLE;
use fivefold_results::test_queries::TestQueries;
use rayon::prelude::*;

use super::columns::{Column, Common};

/// The causes for each column of one data set; `None` for a column that does not differ.
pub(super) type Causes = Vec<Option<Attribution>>;

/// Finds the causes. The error is a sentence that says why the causes cannot be told. The data are
/// looked for in the folders of the experiments.
pub(super) fn of(
    folders: [&Path; 2],
    sides: &[Results; 2],
    common: &Common<'_>,
    columns: &[Column],
) -> Result<Causes, String> {
    if !columns.iter().any(Column::differs) {
        return Ok(columns.iter().map(|_| None).collect());
    }
    let [one, other] = [0, 1].map(|side: usize| &sides[side].manifest.datasets[common.places[side]]);
    if one.hash != other.hash || one.max_grade != other.max_grade {
        return Err("the data differ".to_owned());
    }
    let [a, b] = sides.each_ref().map(|side| &side.manifest.experiment.evaluation.conventions);
    let data = TestQueries::read(&sides[0].manifest, common.places[0]).map_err(|error| {
        format!("{error}; --data-dir DIR, or else the variable {DATA_VARIABLE}, says where the data are")
    })?;
    let seeds = [0, 1].map(|side: usize| TestQueries::tie_seed(&sides[side].manifest, common.places[side]));
    let seed = if a.ties == Ties::Shuffle { seeds[0] } else { seeds[1] };
    if a.ties == Ties::Shuffle && b.ties == Ties::Shuffle && seeds[0] != seeds[1] {
        return Err("both shuffle ties, from different seeds".to_owned());
    }
    let queries = common.ids();
    let mut causes: Causes = Vec::with_capacity(columns.len());
    for of_ranker in columns.chunk_by(|one, other| one.key[1] == other.key[1]) {
        let scores = [data.scores(folders[0], &of_ranker[0].key[1])?, data.scores(folders[1], &of_ranker[0].key[1])?];
        let cases = scores.each_ref().map(|scores| data.cases(&queries, scores));
        let cause = |column: &Column| -> Result<Option<Attribution>, String> {
            if !column.differs() {
                return Ok(None);
            }
            let found = attribute(&column.measure, [a, b], data.max_grade(), seed, cases.each_ref().map(Vec::as_slice))
                .map_err(|error| error.to_string())?;
            for (side, conventions) in [a, b].into_iter().enumerate() {
                let stored = column.values[side].iter().map(|&value| settle(value, conventions.undefined));
                if !stored.zip(&found.values[side]).all(|(stored, again)| same(stored, *again)) {
                    let side = ["A", "B"][side];
                    return Err(format!(
                        "{side} holds other values than its scores and the data give; see `fivefold verify`"
                    ));
                }
            }
            Ok(Some(found))
        };
        causes.extend(of_ranker.par_iter().map(cause).collect::<Result<Vec<_>, String>>()?);
    }
    Ok(causes)
}

/// Finds the causes that values alone can tell: `undefined` and `fold_mean`. All causes are `None`
/// if both sides have the same two conventions.
pub(super) fn of_values(sides: &[Results; 2], common: &Common<'_>, columns: &[Column]) -> Causes {
    let [a, b] = sides.each_ref().map(|side| &side.manifest.experiment.evaluation.conventions);
    let told = a.undefined != b.undefined || a.fold_mean != b.fold_mean;
    let folds = common.folds();
    let cause = |column: &Column| attribute_values([a, b], &folds, column.values.each_ref().map(Vec::as_slice));
    columns.iter().map(|column| (told && column.differs()).then(|| cause(column))).collect()
}

fn same(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => !rounding::differ(one, other),
        (one, other) => one.is_some() == other.is_some(),
    }
}
