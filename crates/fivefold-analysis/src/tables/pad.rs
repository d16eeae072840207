//! Percentage absolute differences between the methods (Tables 10 and 22).

use fivefold_base::rounding::difference;
use fivefold_stats::{Pad, PadDenominator, pad};

use super::analysis::Analysis;
use super::by_query_set::fill;
use crate::table::{Cell, Table};

/// Percentage absolute difference between the methods, for every version.
pub(super) fn table(analysis: &Analysis<'_>) -> Table {
    let family = analysis.family;
    let title = format!("Percentage absolute difference between the methods under {}", family.version_names());
    let table = family.table(7, "pad", &title);
    let denominator = analysis.options.pad;
    let divisor = divisor(denominator);
    let settings =
        format!("mean over the pairs of methods of 100 |a - b| / {divisor}, of means over queries and cutoffs");
    let versions: Vec<usize> = (0..family.versions.len()).collect();
    let mut own = PadNotes::new(denominator);
    let mut table = fill(analysis, table, &versions, settings, |place, _| {
        let scores = place.scores(analysis, place.version)?;
        let pad = pad(&scores, analysis.options.pad).map_err(|error| error.to_string())?;
        own.add(place.text, &scores, &pad);
        match pad.percent {
            Some(value) => Ok(Cell::number(value, 2)),
            None => Err(format!("{divisor} of every pair is 0")),
        }
    });
    table.notes.extend(own.into_lines("`pad = \"abs\"` under `[tables]`"));
    table
}

/// The divisor of the percentages, in words.
fn divisor(denominator: PadDenominator) -> &'static str {
    match denominator {
        PadDenominator::Signed => "max(a, b)",
        PadDenominator::Abs => "max(|a|, |b|)",
    }
}

/// Remarks that a reader of percentage absolute differences needs: pairs that are left out, and
/// negative scores.
#[derive(Debug)]
pub struct PadNotes {
    denominator: PadDenominator,
    left_out: Vec<String>,
    /// Cells with a negative score.
    negative: Vec<String>,
}

impl PadNotes {
    /// Remarks on percentages with this denominator.
    pub fn new(denominator: PadDenominator) -> Self {
        PadNotes { denominator, left_out: Vec::new(), negative: Vec::new() }
    }

    /// Adds the remarks on a cell. `place` names the cell.
    pub fn add(&mut self, place: &str, scores: &[f64], found: &Pad) {
        if found.undefined > 0 {
            let (pairs, divisor) = (found.pairs + found.undefined, divisor(self.denominator));
            self.left_out.push(format!("{place}: {} of {pairs} pairs left out, their {divisor} is 0", found.undefined));
        }
        if self.denominator == PadDenominator::Signed && scores.iter().any(|&score| difference(score, 0.0) < 0.0) {
            self.negative.push(place.to_owned());
        }
    }

    /// The lines. `instead` names the setting that changes the denominator.
    pub fn into_lines(self, instead: &str) -> Vec<String> {
        let negative = (!self.negative.is_empty()).then(|| {
            format!(
                "negative scores make max(a, b) negative or nearly 0, so that these figures measure no difference ({instead} divides by \
                 max(|a|, |b|)): {}",
                self.negative.join("; ")
            )
        });
        self.left_out.into_iter().chain(negative).collect()
    }
}
