#![doc = include_str!("../README.md")]

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
pub mod one_query;
mod order;
pub mod spec;

pub use attribution::{Attribution, Case, NOT_TOLD, RuleEffect, SCORES, attribute, attribute_values, mean_of_cases};
pub use conventions::{
    ApDenominator, ApTies, Conventions, Discount, FoldMean, Gain, HighestGrade, MissingTopics, NoRelevant, Overrides,
    PDenominator, RULES, Rule, Scores, ShortList, SpExpected, SpUpper, Ties, Undefined,
};
pub use dialect::{DIALECTS, Dialect, dialect};
pub use entry::{Cutoffs, InPaper, MeasureEntry, Param};
pub use error::MeasureError;
pub use evaluator::{Evaluator, Exchanges, Judged, Scratch};
pub use explain::Explanation;
pub use mean::{Mean, by_fold, mean, mean_over_folds, settle};
pub use measures::MEASURES;
pub use objective::Objective;
pub use one_query::{average_precision, ndcg, precision, reciprocal_rank, value};
pub use spec::{MeasureSpec, Version, old_names};
