//! The findings of the study, in sentences.

use fivefold_analysis::page::PagePart;
use fivefold_base::rounding::highest;
use fivefold_base::words::{counted, list_some, which};
use fivefold_stats::kendall_tau_b;
use fivefold_stats::matrix::{mean, mean_and_deviation};

use super::Standardise;
use super::comparability::Comparability;
use super::forms::{Form, MeasureForms, RAW, STANDARDISED};
use super::needed::{SHARES, SystemsNeeded};
use crate::study::StudyError;

/// The findings of one measure. `compared` has an entry for each form, `subsets` for each size.
pub(super) fn of_family(
    study: &Standardise,
    family: &MeasureForms,
    compared: &[Comparability],
    subsets: &[SystemsNeeded],
) -> Result<PagePart, StudyError> {
    let find = |name: &str| family.forms.iter().zip(compared).find(|(form, _)| form.name == name);
    let mut sentences: Vec<String> = left_out(family).into_iter().collect();
    if let (Some(raw), Some(standardised)) = (find(RAW), find(STANDARDISED)) {
        sentences.push(format!(
            "The queries' means have a standard deviation of {:.3} under raw scores and of {:.3} under standardised \
                scores.",
            between_queries(family, raw.0),
            between_queries(family, standardised.0)
        ));
        sentences.extend(nearest_to_itself(family, compared));
        sentences.push(format!(
            "Between random halves of the queries, a t-test finds {:.1} % of the systems significantly different from \
                themselves under raw scores and {:.1} % under standardised scores. At level {}, chance alone would \
                find {} %.",
            100.0 * raw.1.different,
            100.0 * standardised.1.different,
            study.alpha,
            percent(study.alpha)
        ));
        sentences.push(orders(family, raw.0, standardised.0)?);
    }
    sentences.extend(needed(family, subsets));
    Ok(PagePart { heading: Some(family.measure.clone()), sentences })
}

/// A share in percent, rounded because 100 x .07 is not quite 7.
fn percent(share: f64) -> f64 {
    (100.0 * share * 1e6).round() / 1e6
}

fn left_out(family: &MeasureForms) -> Option<String> {
    let all = family.queries.len();
    let without = all - family.common.len();
    (without > 0).then(|| {
        format!(
            "{without} of {} {} no value in some form, as where all systems are equal, and {} left out.",
            counted(all, "query"),
            which(without, "has", "have"),
            which(without, "is", "are")
        )
    })
}

fn between_queries(family: &MeasureForms, form: &Form) -> f64 {
    let matrix = form.matrix.select(&family.common);
    let means: Vec<f64> = (0..matrix.queries).map(|query| mean(&matrix.query(query))).collect();
    mean_and_deviation(&means).1
}

/// The forms under which systems differ least and most from themselves.
fn nearest_to_itself(family: &MeasureForms, compared: &[Comparability]) -> Option<String> {
    let with = family.forms.iter().zip(compared).filter(|(_, found)| found.drmse.is_finite());
    let (forms, far): (Vec<&str>, Vec<f64>) = with.map(|(form, found)| (form.name, found.drmse)).unzip();
    let most = highest(&far);
    let least = highest(&far.iter().map(|far| -far).collect::<Vec<_>>());
    let list = |places: &[usize]| list_some(&places.iter().map(|&place| forms[place]).collect::<Vec<_>>());
    let (first, last) = (*least.first()?, *most.first()?);
    (least.len() < forms.len()).then(|| {
        format!(
            "Between random halves of the queries systems are nearest to themselves under the {} scores (dRMSE {:.3}) and farthest under \
             the {} ones ({:.3}).",
            list(&least),
            far[first],
            list(&most),
            far[last]
        )
    })
}

/// The best systems under two forms, and the agreement of the orders.
fn orders(family: &MeasureForms, raw: &Form, standardised: &Form) -> Result<String, StudyError> {
    let means = [raw, standardised].map(|form| form.matrix.select(&family.common).means());
    let best = means.each_ref().map(|means| {
        list_some(&highest(means).iter().map(|&system| family.systems[system].as_str()).collect::<Vec<_>>())
    });
    let same = if best[0] == best[1] {
        format!("Raw and standardised scores both put {} first", best[0])
    } else {
        format!("Raw scores put {} first, standardised ones {}", best[0], best[1])
    };
    let tau = kendall_tau_b(&means[0], &means[1])?;
    Ok(match tau {
        Some(tau) => format!("{same}; Kendall's tau-b of the two orders is {tau:.3}."),
        None => format!("{same}."),
    })
}

/// The tau-b from which the agreement is called high.
const HIGH: f64 = 0.9;

/// The fewest standardising systems with which nearly all draws agree with the order by all
/// systems. If no size is enough, the tau that the largest size reaches.
fn needed(family: &MeasureForms, subsets: &[SystemsNeeded]) -> Option<String> {
    let reached = |found: &&SystemsNeeded| found.reached[1] >= HIGH;
    let found = subsets.iter().find(reached).or(subsets.last()).filter(|found| found.reached[1].is_finite())?;
    let all = family.factors.as_ref().map_or(0, |factors| factors.systems.len());
    let fewest = if reached(&found) { "already" } else { "only" };
    Some(format!(
        "With the factors of {} drawn from {all}, {} % of the draws {fewest} reach a tau-b of {:.3} with the order under the factors of all.",
        counted(found.systems, "system"),
        percent(SHARES[1]),
        found.reached[1]
    ))
}
