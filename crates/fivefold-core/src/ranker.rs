//! The two traits of a ranker, and what `fit` is given.
//!
//! A ranker *is* its parameters: a plain type that serde can read and write. `fit` makes a model, another plain type.
//! Everything else (parsing, checking and documenting parameters, saving models, caching, running in parallel) is done
//! once for all rankers from these two.

use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_base::renamed::Renamed;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::dataset::{Dataset, QueryView};
use crate::params::{ParamError, Preset};
use crate::seed::Seed;

/// A fitted model: scores the documents of one query.
pub trait Model: Send + Sync {
    /// Writes one finite score a document into `out`, which has `query.len()` places. Higher is better.
    fn score(&self, query: QueryView<'_>, out: &mut [f64]);

    /// The scores of the documents of one query.
    fn scores(&self, query: QueryView<'_>) -> Vec<f64> {
        let mut scores = vec![0.0; query.len()];
        self.score(query, &mut scores);
        scores
    }

    /// Features of the documents that it can score; `None`: of any number. A model file that says otherwise is refused.
    fn features(&self) -> Option<usize> {
        None
    }

    /// One importance a feature, if the model has a notion of it; larger means used more, in units of the model.
    fn importance(&self) -> Option<Vec<f64>> {
        None
    }

    /// Of a model of another program that compares values in `f64`: what stands for values of which `f32` holds too few digits.
    /// Such a model scores `f32` values too, as if each were the value itself.
    fn codes(&self) -> Option<&dyn ValueCodes> {
        None
    }
}

/// Codes: `f32` numbers that tell a model of a value in `f64` all that it asks for.
pub trait ValueCodes: Send + Sync {
    /// The code of a value of feature `feature`, from 0. Codes rise with the values, that of 0 is 0, that of NaN is NaN.
    fn code(&self, feature: usize, value: f64) -> f32;

    /// As [`Model::score`], for a query of codes.
    fn score_codes(&self, codes: QueryView<'_>, out: &mut [f64]);
}

/// One line of help about a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamHelp {
    /// The parameter's name in an experiment file.
    pub name: &'static str,
    /// What it does, with unit and range.
    pub help: &'static str,
}

/// A learning algorithm: the type's fields are its parameters.
///
/// `Deserialize` takes missing parameters from `Default` (`#[serde(default)]` on the type); `Serialize` must write every
/// field under the same name, since the resolved parameters are printed, stored and part of the cache key. A parameter
/// that has no sensible default is an `Option` that `check` refuses when it is unset.
pub trait Ranker: Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name used as `kind` in experiment files: lowercase words joined by hyphens.
    const NAME: &'static str;
    /// One line for lists of rankers.
    const SUMMARY: &'static str = "";
    /// Raised whenever the same parameters, data and seed give another model: cached results are then redone. A ranker that stored
    /// results know by its sources or by its executable ([`Code`](crate::Code)) needs no raise for that; there it tells model files apart.
    const VERSION: u32 = 1;
    /// Hash of the sources of the crate, by which stored results know the ranker's code: `Some(env!("FIVEFOLD_SOURCES"))` in a crate
    /// whose `build.rs` calls `fivefold_sources::emit()`. `None`: results know the ranker by the whole executable.
    const SOURCES: Option<&'static str> = None;
    /// Help for each parameter, in the order of the fields.
    const PARAMS: &'static [ParamHelp] = &[];

    /// Parameters that were renamed. The old names keep working, and the keys of stored jobs keep the old names.
    const RENAMED: &'static [Renamed] = &[];
    /// Whether `fit` learns from grades. A ranker that does is not asked to fit data in which all documents have one grade: that
    /// is [`FitError::Data`], in the same words for all rankers. `false` for controls, such as one feature or a random order.
    const LEARNS: bool = true;

    /// What `fit` makes.
    type Model: Model + Serialize + DeserializeOwned + 'static;

    /// Named sets of parameters; `preset = "name"` in an experiment file starts from one instead of the defaults.
    fn presets() -> Vec<Preset<Self>> {
        Vec::new()
    }

    /// Whether the seed alters the model, at these parameters.
    fn seeded(&self) -> bool {
        true
    }

    /// Checks ranges before anything is run. The error names the parameter, so that it can be underlined.
    ///
    /// # Errors
    /// The first parameter that is out of range.
    fn check(&self) -> Result<(), ParamError> {
        Ok(())
    }

    /// How many bytes `fit` needs at its peak, beside the data that it is given and with the model that it makes. A run starts no more
    /// jobs at a time than its memory holds, and refuses one that does not fit, so the truth should lie within a factor of 1.5, for
    /// wide data and for long data; `conformance::check_memory` holds a ranker to it. By default another copy of the
    /// features and 300 bytes a document. Called inside the run's thread pool: what each thread holds counts
    /// `rayon::current_num_threads()` times.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let documents = train.documents() + validation.map_or(0, Dataset::documents);
        documents as u64 * (train.width() as u64 * size_of::<f32>() as u64 + 300)
    }

    /// Learns from `train`. Runs inside the run's thread pool: use rayon directly, and give the same model for any
    /// number of threads.
    ///
    /// # Errors
    /// [`FitError`] says why no model could be made; the job is then shown as FAILED and never scored.
    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<Self::Model, FitError>;
}

/// Receives what one fit tells while it goes on.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps are behind (trees, epochs, rounds, restarts).
    fn step(&self, done: u64, total: u64);

    /// Something that the user should know of the fit, and that does not end it.
    fn warning(&self, text: &str) {
        let _ = text;
    }
}

/// What a fit is given besides its training data. It never holds the test set.
pub struct FitContext<'a> {
    seed: Seed,
    validation: Option<&'a Dataset>,
    progress: Option<&'a dyn Progress>,
    cancelled: Option<&'a AtomicBool>,
}

impl<'a> FitContext<'a> {
    /// A context with a seed and nothing else.
    pub fn new(seed: Seed) -> Self {
        FitContext { seed, validation: None, progress: None, cancelled: None }
    }

    /// Adds a validation set, for early stopping and model selection.
    #[must_use]
    pub fn with_validation(mut self, validation: &'a Dataset) -> Self {
        self.validation = Some(validation);
        self
    }

    /// Adds a receiver of progress.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Adds a flag that asks the fit to stop.
    #[must_use]
    pub fn with_cancellation(mut self, flag: &'a AtomicBool) -> Self {
        self.cancelled = Some(flag);
        self
    }

    /// The seed of this unit of work.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The validation set, if there is one.
    pub fn validation(&self) -> Option<&'a Dataset> {
        self.validation
    }

    /// Stops the fit if the run was cancelled. Call it within a step that may take long, about every tenth of a second; it
    /// costs one load.
    ///
    /// # Errors
    /// [`FitError::Cancelled`], to be passed on with `?`.
    pub fn check(&self) -> Result<(), FitError> {
        match self.cancelled {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(FitError::Cancelled),
            _ => Ok(()),
        }
    }

    /// Tells the user something that does not end the fit, such as a validation part that is of no use. A sentence without its full
    /// stop; the same for any number of threads, since it is kept with the results.
    pub fn warn(&self, text: impl AsRef<str>) {
        if let Some(progress) = self.progress {
            progress.warning(text.as_ref());
        }
    }

    /// Reports that `done` of `total` steps are behind, and stops the fit if the run was cancelled: call it once a step.
    ///
    /// # Errors
    /// [`FitError::Cancelled`], to be passed on with `?`.
    pub fn step(&self, done: u64, total: u64) -> Result<(), FitError> {
        self.check()?;
        if let Some(progress) = self.progress {
            progress.step(done, total);
        }
        Ok(())
    }
}

/// Why a fit made no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A parameter does not suit the data (a feature number beyond the width, ...).
    #[error("parameter `{name}`: {reason}")]
    Param {
        /// The parameter.
        name: &'static str,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The training data cannot be learned from.
    #[error("unusable training data: {0}")]
    Data(String),
    /// The algorithm broke down (did not converge, met a value that is not finite).
    #[error("the fit broke down: {0}")]
    Numeric(String),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// An error of a library below.
    #[error("{0}")]
    Other(String),
}
