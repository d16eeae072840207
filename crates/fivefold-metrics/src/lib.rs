//! Ranking measures with upper-and-expected-value normalisation, ties, undefined policies and dialects.
//!
//! Reading order: [`measure`] (what a measure writes: one method), [`measures`] (all of them, one file each),
//! [`entry`] (how one is registered), [`spec`] (names such as `ap.v2(denominator=cutoff)@5`), [`conventions`] and
//! [`mod@dialect`] (in what programs differ), [`normalise`] (V1 and V2), [`evaluator`] (many measures from one sort),
//! [`mod@mean`] (means and undefined values), [`objective`] (a measure to train on), [`explain`] (the arithmetic of one value),
//! [`attribution`] (why two dialects differ).
//!
//! ```
//! use fivefold_base::Seed;
//! use fivefold_metrics::{Evaluator, MeasureSpec, Scratch, dialect};
//!
//! let specs: Vec<MeasureSpec> = ["ndcg@2", "ndcg.v2@2"].iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
//! let conventions = (dialect("paper")?.conventions)();
//! let evaluator = Evaluator::new(&specs, &conventions, 2, Seed::new(1))?;
//! let query = evaluator.judge("q1", &[0, 2, 1], None)?;
//! let mut values = [0.0; 2];
//! evaluator.evaluate(&query, &[0.1, 0.9, 0.5], &mut Scratch::default(), &mut values)?;
//! assert_eq!(values, [1.0, 1.0]);
//! # Ok::<(), fivefold_metrics::MeasureError>(())
//! ```

pub mod attribution;
pub mod conventions;
pub mod dialect;
pub mod entry;
mod error;
pub mod evaluator;
pub mod explain;
pub mod mean;
pub mod measure;
pub mod measures;
pub mod normalise;
pub mod objective;
mod order;
pub mod spec;

pub use attribution::{Attribution, Case, NOT_TOLD, RuleEffect, SCORES, attribute, attribute_values, mean_of_cases};
pub use conventions::{
    ApDenominator, ApTies, Conventions, Discount, FoldMean, Gain, HighestGrade, MissingTopics, NoRelevant, Overrides,
    PDenominator, RULES, Rule, Scores, ShortList, SpExpected, SpUpper, Ties, Undefined,
};
pub use dialect::{DIALECTS, Dialect, dialect};
pub use entry::{Cutoffs, MeasureEntry, Param};
pub use error::MeasureError;
pub use evaluator::{Evaluator, Exchanges, Judged, Scratch};
pub use explain::Explanation;
pub use mean::{Mean, by_fold, mean, mean_over_folds, settle};
pub use measures::MEASURES;
pub use objective::Objective;
pub use spec::{MeasureSpec, Version};
