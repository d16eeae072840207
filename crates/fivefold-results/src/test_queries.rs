//! The test queries of a finished run: grades from the data, scores from the results folder. A
//! command that explains a value reads both here.

use std::collections::HashSet;
use std::path::Path;

use fivefold_core::Seed;
use fivefold_data::{Collection, read_scores};
use fivefold_metrics::attribution::ScoredQuery;

use crate::manifest::Manifest;
use crate::paths::{job_id, scores_file};

/// The test queries of one data set.
pub struct TestQueries {
    label: String,
    collection: Collection,
}

impl TestQueries {
    /// Reads the data of a run's data set. Relative paths are looked for in the folders that the
    /// experiment has.
    ///
    /// # Errors
    /// A sentence that says why the data cannot be read, or that the data changed since the run.
    pub fn read(manifest: &Manifest, index: usize) -> Result<Self, String> {
        let (experiment, facts) = (&manifest.experiment, &manifest.datasets[index]);
        let collection = experiment.datasets[index].open(experiment, index).map_err(|error| error.to_string())?;
        match collection.hash == facts.hash {
            true => Ok(TestQueries { label: facts.label.clone(), collection }),
            false => Err("the data differ from the data of the run".to_owned()),
        }
    }

    /// The seed by which the run shuffled ties on a data set.
    pub fn tie_seed(manifest: &Manifest, index: usize) -> Seed {
        manifest.experiment.tie_seed(index)
    }

    /// The highest possible grade.
    pub fn max_grade(&self) -> u8 {
        self.collection.max_grade
    }

    /// The scores of a ranker in a results folder, one list for each fold.
    ///
    /// # Errors
    /// A sentence that says why the scores cannot be read.
    pub fn scores(&self, folder: &Path, ranker: &str) -> Result<Vec<Vec<f64>>, String> {
        let read = |fold: &fivefold_data::Fold| {
            let file = folder.join(scores_file(&job_id(&self.label, fold.number, ranker)));
            read_scores(&file, fold.test.documents()).map_err(|error| error.to_string())
        };
        self.collection.folds.iter().map(read).collect()
    }

    /// Returns the cases of `queries` (fold and id), in the order of the run, with `scores` as
    /// [`scores`](Self::scores) returns them.
    pub fn cases<'a>(&'a self, queries: &HashSet<(usize, &str)>, scores: &'a [Vec<f64>]) -> Vec<ScoredQuery<'a>> {
        let mut cases = Vec::with_capacity(queries.len());
        for (fold, scores) in self.collection.folds.iter().zip(scores) {
            let mut rest = &scores[..];
            for query in fold.test.queries() {
                let (own, after) = rest.split_at(query.len());
                rest = after;
                if queries.contains(&(fold.number, query.id())) {
                    cases.push(ScoredQuery::judged(fold.number, query, own));
                }
            }
        }
        cases
    }
}
