//! The two traits of a ranker, and the context of a fit.
//!
//! A ranker is a plain type with one field for each parameter, which serde can read and write.
//! `fit` makes a model, another plain type. All other work is done by code that all rankers share:
//! parsing, checking and documenting parameters, saving models, caching, running in parallel.

use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_base::renamed::Renamed;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::checkpoint::Checkpoints;
use crate::dataset::{Dataset, QueryView};
use crate::params::{ParamError, Preset};
use crate::seed::Seed;

/// A fitted model: scores the documents of one query.
///
/// ```
/// use fivefold_core::{Model, QueryView};
///
/// /// Ranks by the first feature.
/// struct First;
///
/// impl Model for First {
///     fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
///         query.rows().zip(out).for_each(|(row, score)| *score = f64::from(row[0]));
///     }
/// }
///
/// // Two documents of two features each.
/// assert_eq!(First.scores(QueryView::new("q1", &[0.5, 9.0, 2.0, 9.0], 2, 2)), [0.5, 2.0]);
/// ```
pub trait Model: Send + Sync {
    /// Writes one finite score for each document into `out`, which has `query.len()` places. Higher
    /// is better.
    fn score(&self, query: QueryView<'_>, out: &mut [f64]);

    /// The scores of the documents of one query.
    fn scores(&self, query: QueryView<'_>) -> Vec<f64> {
        let mut scores = vec![0.0; query.len()];
        self.score(query, &mut scores);
        scores
    }

    /// Number of features of the documents that the model can score; `None` if any number will do.
    /// A model file whose header says another number is refused.
    fn features(&self) -> Option<usize> {
        None
    }

    /// One importance for each feature, if the model has importances. Larger means used more, in
    /// units of the model.
    fn importance(&self) -> Option<Vec<f64>> {
        None
    }

    /// Codes for values that need `f64`, if a model of another program compares values in `f64`;
    /// else `None`. The model must also score plain `f32` values, and take each value for the exact
    /// value.
    fn codes(&self) -> Option<&dyn ValueCodes> {
        None
    }
}

/// Codes for feature values: a code is an `f32` that tells the model all that it asks about an
/// `f64` value.
pub trait ValueCodes: Send + Sync {
    /// The code of a value of feature `feature`, counted from 0. Codes rise with the values. The
    /// code of 0 is 0, and the code of NaN is NaN.
    fn code(&self, feature: usize, value: f64) -> f32;

    /// Scores like [`Model::score`], for a query of codes.
    fn score_codes(&self, codes: QueryView<'_>, out: &mut [f64]);
}

/// One line of help about a parameter.
///
/// ```
/// use fivefold_core::ParamHelp;
///
/// // What a ranker of yours has as `Ranker::PARAMS`, and help prints.
/// const PARAMS: &[ParamHelp] = &[ParamHelp { name: "trees", help: "how many trees; at least 1" }];
/// assert_eq!(PARAMS[0].name, "trees");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamHelp {
    /// The parameter's name in an experiment file.
    pub name: &'static str,
    /// The parameter's meaning, with unit and range.
    pub help: &'static str,
}

/// A learning algorithm: the type's fields are its parameters.
///
/// `Deserialize` takes missing parameters from `Default` (`#[serde(default)]` on the type).
/// `Serialize` must write every field under the same name, because the resolved parameters are
/// printed, stored and part of the cache key. A parameter that has no sensible default is an
/// `Option`, and `check` refuses it if it is unset.
///
/// ```
/// use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Seed};
/// use serde::{Deserialize, Serialize};
///
/// /// Ranks by the first feature. The fields of the type are its parameters.
/// #[derive(Default, Serialize, Deserialize)]
/// #[serde(default)]
/// struct First {
///     negate: bool,
/// }
///
/// #[derive(Serialize, Deserialize)]
/// struct FirstModel(f64);
///
/// impl Model for FirstModel {
///     fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
///         query.rows().zip(out).for_each(|(row, score)| *score = self.0 * f64::from(row[0]));
///     }
/// }
///
/// impl Ranker for First {
///     const NAME: &'static str = "first";
///     type Model = FirstModel;
///
///     fn fit(&self, _train: &Dataset, _cx: &FitContext<'_>) -> Result<FirstModel, FitError> {
///         Ok(FirstModel(if self.negate { -1.0 } else { 1.0 }))
///     }
/// }
///
/// let data = Dataset::of_queries(1, [(&[0.5, 2.0][..], &[0, 1][..])])?;
/// let model = First { negate: true }.fit(&data, &FitContext::new(Seed::new(1)))?;
/// assert_eq!(model.scores(data.query(0).view()), [-0.5, -2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Ranker: Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name used as `kind` in experiment files: lowercase words joined by hyphens.
    const NAME: &'static str;
    /// One line for lists of rankers.
    const SUMMARY: &'static str = "";
    /// The version of the algorithm. Raise it whenever the same parameters, data and seed give
    /// another model: cached results are then computed again.
    ///
    /// If stored results know the ranker by its sources or its executable
    /// ([`Code`](crate::registry::Code)), they do not need the raise. The version then only tells
    /// model files apart.
    const VERSION: u32 = 1;
    /// Hash of the sources of the crate, by which stored results know the ranker's code. In a crate
    /// whose `build.rs` calls `fivefold_sources::emit()`, write `Some(env!("FIVEFOLD_SOURCES"))`.
    /// With `None`, results know the ranker by the whole executable.
    const SOURCES: Option<&'static str> = None;
    /// Help for each parameter, in the order of the fields.
    const PARAMS: &'static [ParamHelp] = &[];

    /// Parameters that were renamed. The old names keep working, and the keys of stored jobs keep
    /// the old names.
    const RENAMED: &'static [Renamed] = &[];
    /// Parameters that were added without a new [`VERSION`](Ranker::VERSION), since their defaults
    /// give the models that the ranker gave without them. At its default, such a parameter is left
    /// out of stored parameters. So stored jobs keep their keys, and their results are reused.
    const ADDED: &'static [&'static str] = &[];
    /// Whether `fit` learns from grades; `false` for controls, such as one feature or a random
    /// order. If all training documents have one grade, `fit` of a learning ranker is not called.
    /// The job fails with [`FitError::Data`], in the same words for all rankers.
    const LEARNS: bool = true;

    /// The type of the model that `fit` makes.
    type Model: Model + Serialize + DeserializeOwned + 'static;

    /// Named sets of parameters. `preset = "name"` in an experiment file starts from the named set
    /// instead of the defaults.
    fn presets() -> Vec<Preset<Self>> {
        Vec::new()
    }

    /// Whether the seed alters the model under these parameters.
    fn seeded(&self) -> bool {
        true
    }

    /// Checks the ranges of all parameters before anything runs. The error names the parameter, so
    /// that a message can underline it.
    ///
    /// # Errors
    /// The first parameter that is out of range.
    fn check(&self) -> Result<(), ParamError> {
        Ok(())
    }

    /// Bytes that `fit` needs at its peak. The model counts; the data that `fit` is given do not.
    ///
    /// A run starts only as many jobs at a time as its memory holds, and refuses a job that never
    /// fits. So the estimate should lie within a factor of 1.5 of the peak, for wide data and for
    /// long data; `conformance::check_memory` tests the estimate. The default is another copy of
    /// the features plus 300 bytes a document. The method is called inside a pool of all threads:
    /// memory that each thread holds counts `rayon::current_num_threads()` times.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let documents = train.documents() + validation.map_or(0, Dataset::documents);
        documents as u64 * (train.width() as u64 * size_of::<f32>() as u64 + 300)
    }

    /// Learns from `train`. `fit` runs inside a thread pool of its own: use rayon directly, and give
    /// the same model for any number of threads. Do not use `rayon::broadcast`: a run lends threads
    /// to a fit as they become free, and a broadcast waits for all of them.
    ///
    /// # Errors
    /// [`FitError`] says why no model could be made; the job is then shown as FAILED and never
    /// scored.
    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<Self::Model, FitError>;
}

/// Receives the reports of one fit while the fit runs.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use fivefold_core::{FitContext, Progress, Seed};
///
/// #[derive(Default)]
/// struct Last(AtomicU64);
///
/// impl Progress for Last {
///     fn step(&self, done: u64, _total: u64) {
///         self.0.store(done, Ordering::Relaxed);
///     }
/// }
///
/// // A ranker reports its steps to the context.
/// let last = Last::default();
/// FitContext::new(Seed::new(1)).with_progress(&last).step(3, 10)?;
/// assert_eq!(last.0.into_inner(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Progress: Send + Sync {
    /// Reports progress: `done` of `total` steps (trees, epochs, rounds, restarts).
    fn step(&self, done: u64, total: u64);

    /// Reports something about the fit that the user should know and that does not end the fit.
    fn warning(&self, text: &str) {
        let _ = text;
    }
}

/// The input of a fit besides its training data. The context never holds the test set.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use fivefold_core::{FitContext, FitError, Seed};
///
/// let stop = AtomicBool::new(false);
/// let context = FitContext::new(Seed::new(7)).with_cancellation(&stop);
/// assert_eq!(context.seed(), Seed::new(7));
/// assert!(context.step(1, 10).is_ok());
/// // The run was cancelled: the next step ends the fit.
/// stop.store(true, std::sync::atomic::Ordering::Relaxed);
/// assert!(matches!(context.step(2, 10), Err(FitError::Cancelled)));
/// ```
pub struct FitContext<'a> {
    seed: Seed,
    validation: Option<&'a Dataset>,
    progress: Option<&'a dyn Progress>,
    cancelled: Option<&'a AtomicBool>,
    checkpoints: Option<&'a dyn Checkpoints>,
}

impl<'a> FitContext<'a> {
    /// A context with a seed and nothing else.
    pub fn new(seed: Seed) -> Self {
        FitContext { seed, validation: None, progress: None, cancelled: None, checkpoints: None }
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

    /// Adds a keeper of checkpoints, from which the fit goes on if it was stopped.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: &'a dyn Checkpoints) -> Self {
        self.checkpoints = Some(checkpoints);
        self
    }

    /// The keeper of checkpoints. `None`: no state need be made ready.
    pub fn checkpoints(&self) -> Option<&'a dyn Checkpoints> {
        self.checkpoints
    }

    /// The seed of this unit of work.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The validation set; `None` if there is no validation set.
    pub fn validation(&self) -> Option<&'a Dataset> {
        self.validation
    }

    /// Stops the fit if the run was cancelled. In a step that may take long, call `check` about
    /// every tenth of a second. A call costs one load of a flag.
    ///
    /// # Errors
    /// [`FitError::Cancelled`], to be passed on with `?`.
    pub fn check(&self) -> Result<(), FitError> {
        match self.cancelled {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(FitError::Cancelled),
            _ => Ok(()),
        }
    }

    /// Warns the user of something that does not end the fit, such as a useless validation part.
    /// The text is a sentence without its full stop. The text is kept with the results, so it must
    /// be the same for any number of threads.
    pub fn warn(&self, text: impl AsRef<str>) {
        if let Some(progress) = self.progress {
            progress.warning(text.as_ref());
        }
    }

    /// Reports progress, and stops the fit if the run was cancelled. Call `step` once for each
    /// step.
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
///
/// ```
/// use fivefold_core::FitError;
///
/// let error = FitError::Param { name: "feature", reason: "is 47, but the data have 46 features".to_owned() };
/// assert_eq!(error.to_string(), "parameter `feature`: is 47, but the data have 46 features");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A parameter does not suit the data (a feature number beyond the width, ...).
    #[error("parameter `{name}`: {reason}")]
    Param {
        /// The parameter.
        name: &'static str,
        /// The fault and its remedy.
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
