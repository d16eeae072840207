#![doc = include_str!("../README.md")]

pub mod compare;
pub mod converge;
pub mod file;
pub mod ratings;
pub mod registry;
pub mod replay;
pub mod residual;
pub mod run;
pub mod run_values;
pub mod standardise;
pub mod study;
pub mod systems;
pub mod topics;

pub use file::StudyFile;
pub use run::{StudyManifest, StudyOptions, run};
pub use study::{Findings, Study, StudyError};
pub use systems::SystemsConfig;

use registry::StudyEntry;

/// Every kind of study. A new study is a module and a line here.
///
/// ```
/// use fivefold_studies::STUDIES;
///
/// let kinds: Vec<&str> = STUDIES.iter().map(|study| study.kind).collect();
/// assert_eq!(kinds, ["residual", "standardise", "converge", "compare", "topics", "ratings"]);
/// ```
pub const STUDIES: &[StudyEntry] = &[
    StudyEntry::of::<residual::Residual>(),
    StudyEntry::of::<standardise::Standardise>(),
    StudyEntry::of::<converge::Converge>(),
    StudyEntry::of::<compare::Compare>(),
    StudyEntry::of::<topics::Topics>(),
    StudyEntry::of::<ratings::Ratings>(),
];
