//! `scores.csv` and `pairs.csv`: every system and every comparison, with the rows and numbers that
//! tables leave out.

use std::cmp::Ordering;

use fivefold_stats::Moments;
use fivefold_stats::effect::{Sorted, hedges_g, superiority};
use fivefold_stats::outcome::t_interval;

use super::Compare;
use super::scores::Scores;
use super::tested::{Found, family};
use crate::study::{Findings, StudyError};

/// Adds `scores.csv` and `pairs.csv`: every system and every comparison of every data set.
pub(super) fn add(study: &Compare, all: &[(&Scores, Vec<Found>)], findings: &mut Findings) -> Result<(), StudyError> {
    let owned = |head: &[&str]| head.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let shown = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let (mut of_systems, mut of_pairs) = (Vec::new(), Vec::new());
    for (scores, compared) in all {
        for (measure, compared) in scores.measures.iter().zip(compared) {
            for column in &measure.columns {
                for (system, values) in scores.systems.iter().zip(&column.values) {
                    let moments = Moments::of(values);
                    let ends = t_interval(&moments, 1.0 - study.alpha).ok();
                    let mut row = vec![scores.label.clone(), column.name.clone(), system.clone()];
                    row.extend([moments.mean.to_string(), shown(ends.map(|e| e.low)), shown(ends.map(|e| e.high))]);
                    of_systems.push(row);
                }
            }
            let family = family(scores, measure)?;
            let sorted_group = |group: &Vec<&[f64]>| group.iter().map(|values| Sorted::of(values)).collect();
            let sorted = family.groups().iter().map(sorted_group).collect::<Result<Vec<Vec<Sorted>>, _>>()?;
            for (outcome, p) in compared.tested.run.outcomes.iter().zip(&compared.tested.p_values) {
                let comparison = outcome.comparison;
                let (a, b) = family.values(comparison);
                let name = |system: usize| scores.systems[system].clone();
                let column = measure.columns[comparison.group].name.clone();
                let mut row = vec![scores.label.clone(), column, name(comparison.first), name(comparison.second)];
                row.push(outcome.difference.to_string());
                row.extend(outcome.interval.ok().map_or([None; 2], |i| [Some(i.low), Some(i.high)]).map(shown));
                row.push(outcome.interval.ok().map_or_else(String::new, |interval| interval.method.to_owned()));
                row.extend([
                    shown(outcome.test.ok().map(|test| test.statistic)),
                    shown(outcome.test.ok().map(|test| test.p)),
                    shown(*p),
                ]);
                row.push(match outcome.test.as_ref().map_or(Ordering::Equal, |test| test.favours) {
                    Ordering::Greater => name(comparison.first),
                    Ordering::Less => name(comparison.second),
                    Ordering::Equal => String::new(),
                });
                row.extend([shown(outcome.effect.ok()), shown(hedges_g(&outcome.moments).ok())]);
                let [first, second] =
                    [comparison.first, comparison.second].map(|system| &sorted[comparison.group][system]);
                row.extend([superiority(a, b)?.to_string(), first.cliffs_delta(second)?.to_string()]);
                of_pairs.push(row);
            }
        }
    }
    findings.add_csv(
        "scores.csv",
        &owned(&["data set", "measure", "system", "mean", "low", "high"]),
        of_systems.into_iter(),
    );
    let head = owned(&[
        "data set",
        "measure",
        "first",
        "second",
        "difference",
        "low",
        "high",
        "interval",
        "statistic",
        "p",
        "corrected p",
        "favours",
        "d_z",
        "hedges g",
        "superiority",
        "cliffs delta",
    ]);
    findings.add_csv("pairs.csv", &head, of_pairs.into_iter());
    Ok(())
}
