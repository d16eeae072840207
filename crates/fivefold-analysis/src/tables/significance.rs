//! Tables that count significant differences: conflicts (Tables 8 and 20) and discriminative power
//! (Tables 9 and 21).
//!
//! Every pair of methods is compared at every cutoff by a paired two-sided Student t-test over the
//! queries of the set, without correction for their number. Both tables rest on the same tests,
//! which are made once (`analysis`).

use fivefold_base::words::counted;
use fivefold_stats::{conflicts, discriminative_power};

use super::analysis::Analysis;
use super::by_query_set::fill;
use crate::table::{Cell, Table};

/// The table of conflicts of each UE version with the original (if both were evaluated), then the
/// table of the discriminative power of every version.
pub(super) fn tables(analysis: &Analysis<'_>) -> Vec<Table> {
    let family = analysis.family;
    let versions: Vec<usize> = (0..family.versions.len()).collect();
    let alpha = analysis.options.alpha;
    let settings =
        format!("paired two-sided Student t-test of every pair of methods at every cutoff, p < {alpha}, no correction");
    let mut tables = Vec::new();
    if let Some((original, others)) = family.against_original() {
        let name = &family.versions[original].name;
        let title = format!(
            "Conflicts of {} with {name}: differences significant under only one version",
            family.normalised_names()
        );
        let table = family.table(5, "conflicts", &title);
        tables.push(fill(analysis, table, &others, settings.clone(), |place, _| {
            let first = analysis.tests(place.dataset, place.set, original)?;
            let second = analysis.tests(place.dataset, place.set, place.version)?;
            let count = conflicts(first, second, alpha).map_err(|error| error.to_string())?;
            Ok(Cell::count(count))
        }));
    }
    let title = format!("Discriminative power of {}: significant differences", family.version_names());
    let table = family.table(6, "discriminative-power", &title);
    tables.push(fill(analysis, table, &versions, settings, |place, notes| {
        let tests = analysis.tests(place.dataset, place.set, place.version)?;
        let untested = tests.iter().filter(|p| p.is_none()).count();
        let dataset = &analysis.evaluation.datasets[place.dataset].name;
        let among = format!("{dataset}: {}", counted(tests.len(), "comparison"));
        notes.add(among);
        if untested > 0 {
            notes.add(format!("{}: {untested} not tested, fewer than two queries have a value", place.text));
        }
        Ok(Cell::count(discriminative_power(tests, alpha)))
    }));
    tables
}
