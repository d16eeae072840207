//! Where the values of each measure differ: between systems, or between items.

use fivefold_analysis::{Cell, Table};
use fivefold_stats::variance_shares;

use super::input::Input;
use crate::study::StudyError;

/// The shares of systems, items and the rest in the variance of each measure.
pub(super) fn table(input: &Input) -> Result<Table, StudyError> {
    let items = input.scores.queries;
    let mut rows = Vec::with_capacity(input.measures.len());
    for measure in &input.measures {
        let values: Vec<Vec<f64>> = measure.values.chunks(items.max(1)).map(<[f64]>::to_vec).collect();
        let shares = variance_shares(&values)?.map(|own| [own.systems, own.queries, own.rest]);
        let share = |place: usize| Cell::number_or_na(shares.map(|shares| shares[place]), 3);
        rows.push(vec![Cell::text(&measure.name), share(0), share(1), share(2)]);
    }
    let columns = ["measure", "between systems", "between items", "rest"];
    let note = "shares of the sum of squares around the mean. A large share between items means that items differ in \
                difficulty, so that few of them decide a mean";
    let table = Table::new("variance", "Where the values differ", columns, 1);
    Ok(table.with_rows(rows).with_notes(vec![note.to_owned()]))
}
