//! Reads a results folder back. The result holds all that a report needs, so a report does not need
//! the data.

use std::path::Path;

use fivefold_analysis::chart::Chart;
use fivefold_analysis::design::{Design, SeedValues};
use fivefold_analysis::evaluation::Evaluation;
use fivefold_analysis::table::Table;
use fivefold_analysis::tables::{Analysed, SetSizes, TableOptions, TablesError};

use crate::config::Experiment;
use crate::manifest::{DatasetFacts, MANIFEST, Manifest, RESULT_FILES, stored_result, warning_lines};
use crate::store::{Store, StoreError};
use crate::values::{self, PER_QUERY};
use crate::{learnt, selection, tuning};

/// The content of a results folder.
///
/// ```
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
/// // `small` gives the results of two systems on two queries, as they are read from a folder. Reciprocal ranks of B are 1 and 1/2.
/// let tables = small()?.tables()?;
/// assert_eq!(tables[0].title, "rr of every method on mine");
/// assert_eq!(tables[0].rows[1][2], fivefold_analysis::Cell::number(0.75, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Results {
    /// The inputs of the run.
    pub manifest: Manifest,
    /// The values of all queries: with repeats, their means over the repeats.
    pub evaluation: Evaluation,
    /// The values of the single repeats, for each data set; empty if there is one repeat.
    pub seeds: Vec<SeedValues>,
}

impl Results {
    /// Reads a results folder.
    ///
    /// # Errors
    /// If the folder holds no finished run, or if the evaluation was altered after the run.
    pub fn load(folder: &Path) -> Result<Self, StoreError> {
        let store = Store::new(folder);
        let manifest = Manifest::read(&store)?;
        if stored_result(&store)? != manifest.result {
            return Err(StoreError::Content {
                path: store.root().to_owned(),
                reason: format!("{} differ from the manifest; run the experiment again", RESULT_FILES.join(" and ")),
            });
        }
        let evaluation = values::read(&store, &manifest.shapes())?;
        let seeds = values::read_seeds(&store, &manifest.experiment, &evaluation)?;
        Ok(Results { manifest, evaluation, seeds })
    }

    /// The tables of the experiment, computed from the values.
    ///
    /// # Errors
    /// [`TablesError`], for example if `[tables]` names an unknown table.
    pub fn tables(&self) -> Result<Vec<Table>, TablesError> {
        Ok(self.analyse()?.tables)
    }

    /// The tables, and the other facts about the methods that a page shows.
    ///
    /// # Errors
    /// The errors of [`Results::tables`].
    pub fn analyse(&self) -> Result<Analysed, TablesError> {
        let design =
            Design { seeds: self.seeds.clone(), ..self.manifest.experiment.design.design(&self.manifest.datasets) };
        let mut analysed = design.analyse(&self.evaluation, &self.table_options())?;
        analysed.tables.extend(self.tables_of_searches());
        Ok(analysed)
    }

    /// The tables of all searches for parameters. Empty if the experiment asks for other tables only.
    fn tables_of_searches(&self) -> Vec<Table> {
        if !self.manifest.experiment.tables.only.is_empty() {
            return Vec::new();
        }
        [tuning::tables(self), selection::tables(self), learnt::tables(&self.manifest)].concat()
    }

    /// The validation value against each parameter that was searched, a chart each.
    pub fn charts_of_searches(&self) -> Vec<Chart> {
        [tuning::charts(&self.manifest), selection::charts(&self.manifest)].concat()
    }

    /// The overridden leak guards and the programs that ran unconfined, a line each.
    pub fn stamps(&self) -> Vec<String> {
        self.manifest.stamps(None)
    }

    /// The stamps of the run whose results folder holds `file`. Empty if `file` is in no results
    /// folder.
    pub fn stamps_beside(file: &Path) -> Vec<String> {
        let Some(folder) = file.parent() else { return Vec::new() };
        let store = Store::new(folder);
        match Manifest::read(&store) {
            Ok(manifest) => manifest.stamps(None),
            Err(error) if file.ends_with(PER_QUERY) && store.path(MANIFEST).exists() => {
                vec![format!(
                    "unknown: whether leak guards were overridden, and whether programs ran unconfined ({error})"
                )]
            }
            Err(_) => Vec::new(),
        }
    }

    /// The manifest of the run that wrote a file of per-query values. `None` if no run wrote the
    /// file.
    pub fn manifest_beside(file: &Path) -> Option<Manifest> {
        let folder = file.parent().filter(|_| file.ends_with(PER_QUERY))?;
        // An error is dropped here, because the stamps tell what is wrong with the manifest.
        Manifest::read(&Store::new(folder)).ok()
    }

    /// The lines that stand under every table and figure: the stamps, then the conventions and the
    /// standard errors of drawn values.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.stamps();
        notes.extend(self.manifest.conventions_and_errors());
        notes
    }

    /// The settings of the tables, as the experiment gives them.
    pub fn table_options(&self) -> TableOptions {
        let remarks = self.manifest.datasets.iter().flat_map(DatasetFacts::remark_lines);
        let told = warning_lines(self.manifest.jobs.iter().map(|job| (job.id.as_str(), job.warnings.as_slice())));
        let notes = self.notes().into_iter().chain(remarks).chain(told).collect();
        table_options(&self.manifest.experiment, notes)
    }
}

/// The settings of an experiment's tables, with the lines that stand under each table.
pub fn table_options(experiment: &Experiment, notes: Vec<String>) -> TableOptions {
    let sets = &experiment.query_sets;
    let sizes = SetSizes { uninformative: sets.uninformative, ideal: sets.ideal };
    let own = experiment.datasets.iter().map(|dataset| {
        let uninformative = dataset.uninformative.unwrap_or(sizes.uninformative);
        (dataset.label.clone(), SetSizes { uninformative, ideal: dataset.ideal.unwrap_or(sizes.ideal) })
    });
    TableOptions {
        notes,
        sizes,
        dataset_sizes: own.collect(),
        distance: sets.distance,
        broad_focused: sets.broad_focused,
        halves: sets.halves,
        alpha: experiment.tables.alpha,
        test: experiment.tables.test.clone(),
        correction: experiment.tables.correction.clone(),
        draws: experiment.tables.draws,
        pad: experiment.tables.pad.denominator(),
        only: experiment.tables.only.clone(),
        ..TableOptions::new(experiment.evaluation.conventions.clone(), experiment.root_seed())
    }
}
