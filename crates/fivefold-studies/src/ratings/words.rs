//! The findings in words.

use fivefold_analysis::page::PagePart;
use fivefold_base::words::{counted, list, which};
use fivefold_stats::CorrelationLevel;

use super::Ratings;
use super::computed::Computed;
use super::input::Input;
use super::preferences::orders;
use super::tables::main_coefficient;
use crate::study::{Findings, StudyError};

/// Adds the sentences of the page.
pub(super) fn add(
    study: &Ratings,
    input: &Input,
    computed: &Computed,
    findings: &mut Findings,
) -> Result<(), StudyError> {
    let coefficient = main_coefficient(study)?;
    for level in study.levels()? {
        let mut sentences = Vec::new();
        for (number, dimension) in input.dimensions.iter().enumerate() {
            let value = |measure: usize| computed.one(number, level, coefficient, measure)?.correlated.value;
            let values: Vec<(usize, f64)> =
                (0..input.measures.len()).filter_map(|measure| Some((measure, value(measure)?))).collect();
            let Some(most) = values.iter().map(|(_, value)| *value).max_by(f64::total_cmp) else { continue };
            let best: Vec<&str> = values
                .iter()
                .filter(|(_, value)| fivefold_base::rounding::equal(*value, most) || *value == most)
                .map(|(measure, _)| input.measures[*measure].name.as_str())
                .collect();
            sentences.push(format!(
                "{} {} best with {} ({} {most:.3}).",
                list(&best),
                which(best.len(), "agrees", "agree"),
                dimension.name,
                coefficient.title()
            ));
        }
        let own = || computed.found.iter().filter(|found| found.level == level && found.coefficient == coefficient);
        let intervals: Vec<(f64, f64)> = own().filter_map(|found| found.difference.as_ref()?.2.interval).collect();
        if !intervals.is_empty() {
            let (above, below) = (
                intervals.iter().filter(|(low, _)| *low > 0.0).count(),
                intervals.iter().filter(|(_, high)| *high < 0.0).count(),
            );
            sentences.push(format!(
                "Of {} to the original measure, {above} {} above 0 with the whole interval, and {below} below 0.",
                counted(intervals.len(), "difference"),
                which(above, "lies", "lie")
            ));
        }
        if !sentences.is_empty() {
            let heading = match level {
                CorrelationLevel::System => "Agreement with people at the system level",
                CorrelationLevel::Item => "Agreement with people at the item level",
                CorrelationLevel::Pooled => "Agreement with people, all scores pooled",
            };
            findings.page.findings.push(PagePart { heading: Some(heading.to_owned()), sentences });
        }
    }
    if !input.preferences.is_empty() {
        let sentence = |measure: &super::input::Measure| {
            let [items, systems] = orders(input, measure);
            let share = |own: Option<f64>| own.map_or_else(|| "none".to_owned(), |own| format!("{:.1} %", 100.0 * own));
            format!(
                "{} orders {} of the preferred pairs on items as people do, and {} of the pairs of systems.",
                measure.name,
                share(items.share()),
                share(systems.share())
            )
        };
        let sentences = input.measures.iter().map(sentence).collect();
        let heading = Some("Agreement with preferences".to_owned());
        findings.page.findings.push(PagePart { heading, sentences });
    }
    Ok(())
}
