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
    fill(analysis, table, &versions, settings, |place, notes| {
        let scores = place.scores(analysis, place.version)?;
        let pad = pad(&scores, analysis.options.pad).map_err(|error| error.to_string())?;
        if pad.undefined > 0 {
            notes.add(format!("{}: {} pairs left out, their {divisor} is 0", place.text, pad.undefined));
        }
        if analysis.options.pad == PadDenominator::Signed && scores.iter().any(|&score| score < 0.0) {
            notes.add(format!("{}: some scores are negative, and so is max(a, b) of two such scores", place.text));
        }
        match pad.percent {
            Some(value) => Ok(Cell::Number { value, digits: 2 }),
            None => Err(format!("{divisor} of every pair is 0")),
        }
    })
}
