//! Kendall's tau between the order of the methods under a UE version and under the original measure
//! (Tables 7 and 19).

use fivefold_stats::kendall_tau_b;

use super::analysis::Analysis;
use super::by_query_set::fill;
use crate::table::{Cell, Table};

/// Kendall's tau-b between the order of the methods under each UE version and under the original
/// measure. `None` unless the family has the original and a UE version.
pub(super) fn table(analysis: &Analysis<'_>) -> Option<Table> {
    let (original, versions) = analysis.family.against_original()?;
    let name = &analysis.family.versions[original].name;
    let title =
        format!("Kendall's tau of the methods' order under {} against {name}", analysis.family.normalised_names());
    let table = analysis.family.table(4, "kendall-tau", &title);
    let settings = "tau-b between the methods' means over queries and cutoffs; equal means are ties".to_owned();
    Some(fill(analysis, table, &versions, settings, |place, _| {
        let first = place.scores(analysis, original)?;
        let second = place.scores(analysis, place.version)?;
        match kendall_tau_b(&first, &second).map_err(|error| error.to_string())? {
            Some(value) => Ok(Cell::number(value, 3)),
            None => Err("all methods tie".to_owned()),
        }
    }))
}
