//! What UE-normalised versions of a measure are made of: the means of A, E and U.

use fivefold_analysis::{Cell, Table};

use super::scores::{Scores, version_name};
use super::tables::id_of;
use crate::systems::Bounds;

/// The means of A, E and U of each measure that was given with E, and of its V1 and V2 where these
/// are among the measures. `None` if no measure has E.
pub(crate) fn table(scores: &Scores, several: bool) -> Option<Table> {
    if scores.bounds.is_empty() {
        return None;
    }
    let columns = || scores.measures.iter().flat_map(|measure| &measure.columns);
    let version = |name: &str, version: &str| {
        let name = version_name(name, version);
        let means = columns().find(|column| column.name == name)?.means();
        Some(means.iter().sum::<f64>() / means.len() as f64)
    };
    let digits = 4;
    let number = |value: f64| Cell::number_or_na(Some(value).filter(|value| value.is_finite()), digits);
    let row = |own: &Bounds| {
        vec![
            Cell::text(&own.measure),
            number(own.score),
            number(own.expected),
            number(own.upper),
            Cell::number_or_na(version(&own.measure, "v1"), digits),
            Cell::number_or_na(version(&own.measure, "v2"), digits),
            number(own.expected_error),
        ]
    };
    let heads = ["measure", "A", "E", "U", "V1", "V2", "error of E"];
    let note = "means over all systems and items: A is the value, E its expected value for a random text, U its upper \
                bound; error of E: the highest standard error of an E that was drawn, 0 if all are exact";
    let rows = scores.bounds.iter().map(row).collect();
    let title = "Value, expected value and upper bound";
    let title = if several { format!("{title}: {}", scores.label) } else { title.to_owned() };
    let table = Table::new(id_of(scores, several, "bounds"), title, heads, 1).with_rows(rows);
    Some(table.with_notes(vec![note.to_owned()]))
}
