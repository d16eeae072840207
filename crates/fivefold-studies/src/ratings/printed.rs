//! The printed tables of Feng's dissertation (2023) beside ours, in their layout: a row for each
//! version of a metric, a column for each dimension of the ratings, and percentage improvements.

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::nearest;
use fivefold_core::ParamError;
use fivefold_stats::{Coefficient, CorrelationLevel};
use serde::{Deserialize, Serialize};

use super::Ratings;
use super::computed::Computed;
use super::input::Input;
use crate::compare::scores::version_name;
use crate::replay::{PrintedCorrelations, VERSIONS, pai, printed_correlations};
use crate::study::StudyError;

/// A printed table, and the measure of ours to put beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedConfig {
    /// The number of the table: `8.1`, `8.2`, `8.3` or `9.1`.
    pub table: String,
    /// The original measure. Its versions are looked up by name.
    pub measure: String,
}

/// Checks that the tables exist. The error is about the key `printed`.
pub(super) fn check(study: &Ratings) -> Result<(), ParamError> {
    let known: Vec<String> = printed_correlations().into_iter().map(|table| table.number).collect();
    for own in &study.printed {
        if !known.contains(&own.table) {
            let what = format!("names the table {}; there are {}", own.table, known.join(", "));
            return Err(ParamError::new("printed", what));
        }
    }
    Ok(())
}

/// A table for each printed table and coefficient, at the level of systems.
pub(super) fn tables(study: &Ratings, input: &Input, computed: &Computed) -> Result<Vec<Table>, StudyError> {
    let known = printed_correlations();
    // `check` found each table.
    let of = |own: &PrintedConfig| known.iter().find(|table| table.number == own.table);
    let asked = study.printed.iter().filter_map(|own| Some((own, of(own)?)));
    asked.map(|(own, printed)| one(study, input, computed, &own.measure, printed)).collect()
}

fn one(
    study: &Ratings,
    input: &Input,
    computed: &Computed,
    measure: &str,
    printed: &PrintedCorrelations,
) -> Result<Table, StudyError> {
    let (level, coefficient) = (CorrelationLevel::System, Coefficient::Kendall);
    if !study.levels()?.contains(&level) || !study.coefficients()?.contains(&coefficient) {
        let what = "`printed` needs the level \"system\" and the coefficient \"kendall\", as those tables have";
        return Err(StudyError::Input(what.to_owned()));
    }
    let place = |name: &str| input.measures.iter().position(|own| own.name == name);
    if place(measure).is_none() {
        let known = || input.measures.iter().map(|own| own.name.as_str());
        let help = nearest(measure, known()).map(|near| format!("; did you mean `{near}`?"));
        let what = format!("`printed` names `{measure}`, but no measure has this name");
        return Err(StudyError::Input(what + &help.unwrap_or_default()));
    }
    let named = |version: &str| {
        if version == VERSIONS[0] { measure.to_owned() } else { version_name(measure, version) }
    };
    let ours = |version: &str| -> Vec<Option<f64>> {
        let found = place(&named(version));
        let of = |dimension: &String| {
            let dimension = input.dimensions.iter().position(|own| own.name == *dimension)?;
            computed.one(dimension, level, coefficient, found?)?.correlated.value
        };
        printed.dimensions.iter().map(of).collect()
    };
    let mut rows = Vec::new();
    let theirs = printed.rows.each_ref().map(|row| row.iter().copied().map(Some).collect());
    for (source, [original, v1, v2]) in [("printed", theirs), ("ours", VERSIONS.map(ours))] {
        for (version, row) in VERSIONS.into_iter().zip([&original, &v1, &v2]) {
            let mut cells = vec![Cell::text(source), Cell::text(version)];
            cells.extend(row.iter().map(|value| Cell::number_or_na(*value, 3)));
            let improvements: Vec<Option<f64>> =
                original.iter().zip(row).map(|(a, v)| Some(pai((*a)?, (*v)?))).collect();
            let mean = improvements.iter().copied().sum::<Option<f64>>().map(|sum| sum / improvements.len() as f64);
            cells.push(Cell::number_or_na(mean.filter(|_| version != VERSIONS[0]), 1));
            rows.push(cells);
        }
    }
    let heads = ["source", "version"].map(str::to_owned).into_iter().chain(printed.dimensions.iter().cloned());
    let title = format!(
        "Table {} of Feng (2023), {} on {} documents, and {measure}",
        printed.number, printed.metric, printed.documents
    );
    let notes = vec![
        format!("printed: Feng's dissertation (2023), Table {}; ours: Kendall's tau-b of system means", printed.number),
        "mean PAI: the mean percentage improvement of a row over the original (Eq. 8.1). It says nothing near 0".to_owned(),
        "the dissertation does not state the model, the references, the raters or the coefficient, so equal numbers are \
         not expected"
            .to_owned(),
    ];
    let id = format!("printed-{}", printed.number.replace('.', "-"));
    Ok(Table::new(&id, &title, heads.chain(["mean PAI".to_owned()]), 2).with_rows(rows).with_notes(notes))
}
