//! Percentage absolute differences between the methods (Tables 10 and 22).

use fivefold_stats::{PadDenominator, pad};

use super::analysis::Analysis;
use super::by_query_set::fill;
use crate::table::{Cell, Table};

/// Percentage absolute difference between the methods, for every version.
pub(super) fn table(analysis: &Analysis<'_>) -> Table {
    let family = analysis.family;
    let title = format!("Percentage absolute difference between the methods under {}", family.version_names());
    let table = family.table(7, "pad", &title);
    let divisor = match analysis.options.pad {
        PadDenominator::Signed => "max(a, b)",
        PadDenominator::Abs => "max(|a|, |b|)",
    };
    let settings =
        format!("mean over the pairs of methods of 100 |a - b| / {divisor}, of means over queries and cutoffs");
    let versions: Vec<usize> = (0..family.versions.len()).collect();
    let mut negative = Vec::new();
    let mut table = fill(analysis, table, &versions, settings, |place, notes| {
        let scores = place.scores(analysis, place.version)?;
        let pad = pad(&scores, analysis.options.pad).map_err(|error| error.to_string())?;
        if pad.undefined > 0 {
            let pairs = pad.pairs + pad.undefined;
            notes.add(format!("{}: {} of {pairs} pairs left out, their {divisor} is 0", place.text, pad.undefined));
        }
        if analysis.options.pad == PadDenominator::Signed && scores.iter().any(|&score| score < 0.0) {
            negative.push(place.text.to_owned());
        }
        match pad.percent {
            Some(value) => Ok(Cell::Number { value, digits: 2 }),
            None => Err(format!("{divisor} of every pair is 0")),
        }
    });
    if !negative.is_empty() {
        let cells = negative.join("; ");
        table.notes.push(format!(
            "negative scores make max(a, b) negative or nearly 0, so that these figures measure no difference (`pad = \"abs\"` \
             under `[tables]` divides by max(|a|, |b|)): {cells}"
        ));
    }
    table
}
