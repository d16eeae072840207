//! The findings in words: who wins under which measure, whether that is significant, and what a reader must know first.

use fivefold_experiment::p_value::p_in_words;
use fivefold_experiment::tables::Comparison;
use fivefold_experiment::{Evaluation, Results};
use serde::Serialize;

use super::scores::beaten;
use super::wording::{list, means};
use crate::error::ReportError;

/// Sentences under a heading; the first part has none.
#[derive(Serialize)]
pub(super) struct Part {
    heading: Option<String>,
    sentences: Vec<String>,
}

pub(super) fn summary(results: &Results, comparisons: &[Comparison], alpha: f64) -> Result<Vec<Part>, ReportError> {
    let Results { manifest, evaluation } = results;
    let mut parts = Vec::new();
    let failed: Vec<String> = evaluation
        .datasets
        .iter()
        .flat_map(|data| {
            let names = data.rankers.iter().zip(&data.failed).filter(|(_, failed)| **failed);
            names.map(|(name, _)| format!("{name} FAILED on {} and is in none of its numbers.", data.name))
        })
        .collect();
    if !failed.is_empty() {
        parts.push(Part { heading: None, sentences: failed });
    }
    for (dataset, data) in evaluation.datasets.iter().enumerate() {
        let own: Vec<&Comparison> = comparisons.iter().filter(|comparison| comparison.dataset == dataset).collect();
        let mut sentences: Vec<String> = own.iter().filter_map(|c| winner(evaluation, c, alpha)).collect();
        sentences.extend(agreement(evaluation, &own));
        let empty = data.queries.iter().filter(|query| query.relevant == 0).count();
        if empty > 0 {
            let policy = &manifest.experiment.evaluation.conventions.undefined;
            sentences.push(format!(
                "{empty} of {} queries have no relevant document; their undefined values count as {policy}.",
                data.queries.len()
            ));
        }
        parts.push(Part { heading: Some(data.name.clone()), sentences });
    }
    Ok(parts)
}

/// Who has the highest mean at the main cutoff, and whom it beats.
fn winner(evaluation: &Evaluation, comparison: &Comparison, alpha: f64) -> Option<String> {
    let data = &evaluation.datasets[comparison.dataset];
    let cutoff = comparison.main_cutoff();
    let column = means(comparison, cutoff);
    let order = order(&column);
    let (&first, others) = order.split_first()?;
    let name = |method: usize| data.rankers[comparison.methods[method]].as_str();
    let mean = column[first]?;
    let head = format!("Under {}, {} is best ({mean:.4})", comparison.measure_at(cutoff), name(first));
    if others.is_empty() {
        return Some(format!("{head}; it is the only method."));
    }
    let tied: Vec<&str> = others.iter().filter(|&&o| column[o] == Some(mean)).map(|&o| name(o)).collect();
    if !tied.is_empty() {
        return Some(format!("{head}, level with {}.", list(&tied)));
    }
    let beaten = beaten(comparison, &column, first, cutoff, alpha);
    let equal: Vec<String> = others
        .iter()
        .filter(|other| !beaten.contains(other))
        .map(|&other| match comparison.p(first, other, cutoff) {
            Some(p) => format!("{} ({})", name(other), p_in_words(p)),
            None => format!("{} (not tested)", name(other)),
        })
        .collect();
    Some(match (beaten.len(), equal.len()) {
        (0, _) => format!("{head}, but not significantly better than any other: {}.", list(&equal)),
        (_, 0) => format!("{head}, significantly better than each of the {} others.", others.len()),
        (count, _) => format!(
            "{head}, significantly better than {count} of the {} others; not than {}.",
            others.len(),
            list(&equal)
        ),
    })
}

/// Methods from the highest mean to the lowest; without those that have none.
fn order(column: &[Option<f64>]) -> Vec<usize> {
    let mut order: Vec<(usize, f64)> = column.iter().enumerate().filter_map(|(i, mean)| Some((i, (*mean)?))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.into_iter().map(|(method, _)| method).collect()
}

/// Whether the versions of each measure name the same winner.
fn agreement(evaluation: &Evaluation, own: &[&Comparison]) -> Vec<String> {
    let mut sentences = Vec::new();
    for family in own.chunk_by(|a, b| a.family == b.family).filter(|family| family.len() > 1) {
        let winners: Vec<(String, &str)> = family
            .iter()
            .filter_map(|comparison| {
                let cutoff = comparison.main_cutoff();
                let first = *order(&means(comparison, cutoff)).first()?;
                let data = &evaluation.datasets[comparison.dataset];
                Some((comparison.measure_at(cutoff), data.rankers[comparison.methods[first]].as_str()))
            })
            .collect();
        let Some((_, winner)) = winners.first() else { continue };
        let measures: Vec<&str> = winners.iter().map(|(measure, _)| measure.as_str()).collect();
        if winners.iter().all(|(_, other)| other == winner) {
            sentences.push(format!("{} name the same best method.", list(&measures)));
        } else {
            let each: Vec<String> = winners.iter().map(|(measure, winner)| format!("{measure} {winner}")).collect();
            sentences.push(format!("Normalisation changes the best method: {}.", list(&each)));
        }
    }
    sentences
}
