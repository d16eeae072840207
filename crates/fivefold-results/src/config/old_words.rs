//! Keys of experiment files that were renamed. A file with old keys is still read, and a note names
//! the new keys.

use fivefold_base::renamed::Renamed;
use fivefold_core::Registry;
use fivefold_core::params::rename_keys;
use fivefold_metrics::spec::old_names;
use toml::de::{DeTable, DeValue};

use super::error::Fault;

/// Keys at the top of a file of an experiment or of a study.
pub const TOP: &[Renamed] = &[Renamed::new("profile", "dialect")];

/// Conventions, in `[evaluation]` of an experiment or `[conventions]` of a study.
pub const CONVENTIONS: &[Renamed] = &[Renamed::new("gmax", "max_grade")];

/// Keys of a `[[dataset]]`.
pub(super) const DATASET: &[Renamed] = &[Renamed::new("made", "synthetic")];

/// Renames the old keys of a file. Returns the old names, in the order of the file.
pub(super) fn replace(file: &mut DeTable<'_>, registry: &Registry) -> Result<Vec<&'static Renamed>, Fault> {
    let mut met = rename_keys(file, TOP)?;
    for dataset in tables(file, "dataset") {
        met.extend(rename_keys(dataset, DATASET)?);
    }
    if let Some(evaluation) = table(file, "evaluation") {
        met.extend(rename_keys(evaluation, CONVENTIONS)?);
        met.extend(measures(evaluation));
    }
    for ranker in tables(file, "ranker") {
        let kind = ranker.get("kind").and_then(|kind| kind.get_ref().as_str());
        let entry = kind.and_then(|kind| registry.find(kind));
        if let (Some(entry), Some(params)) = (entry, table(ranker, "params")) {
            met.extend(rename_keys(params, entry.renamed)?);
        }
    }
    Ok(met)
}

/// The old names in the names of measures.
pub fn measures(table: &DeTable<'_>) -> Vec<&'static Renamed> {
    let names = table.get("measures").and_then(|names| names.get_ref().as_array()).into_iter().flatten();
    names.filter_map(|name| name.get_ref().as_str()).flat_map(old_names).collect()
}

/// The table that is the value of `key`.
pub fn table<'t, 'i>(file: &'t mut DeTable<'i>, key: &str) -> Option<&'t mut DeTable<'i>> {
    match file.get_mut(key)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// The tables of the array that is the value of `key`.
fn tables<'t, 'i>(file: &'t mut DeTable<'i>, key: &str) -> impl Iterator<Item = &'t mut DeTable<'i>> {
    let array = file.get_mut(key).and_then(|value| match value.get_mut() {
        DeValue::Array(items) => Some(items),
        _ => None,
    });
    array.into_iter().flat_map(|items| items.iter_mut()).filter_map(|item| match item.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    })
}
