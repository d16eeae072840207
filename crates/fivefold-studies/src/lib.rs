//! Studies of evaluation itself: experiments whose subject is a measure, not a ranker.
//!
//! A study is a file like any experiment, with a `kind`; `fivefold run` tells the two apart by that key. It reads its
//! systems, computes, and gives back [`Findings`]: tables, charts and further files. Reading order: [`study`] (what a study
//! writes), [`registry`] (all studies), [`mod@file`] (the experiment file), [`mod@run`] (from the file to the results folder).

pub mod converge;
pub mod file;
pub mod meta;
pub mod registry;
pub mod replay;
pub mod residual;
pub mod run;
pub mod standardise;
pub mod study;
pub mod systems;

pub use file::StudyFile;
pub use registry::{AnyStudy, STUDIES, StudyEntry};
pub use run::{FORMAT, Folder, Manifest, RunOptions, run};
pub use study::{Findings, Input, Study, StudyContext, StudyError};
pub use systems::SystemsConfig;
