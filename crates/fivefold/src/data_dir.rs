//! The folder of real collections on this machine.

use std::path::{Path, PathBuf};

use fivefold_results::config::DATA_VARIABLE;

/// The folder of `--data-dir`, else the folder that the environment variable names.
pub(crate) fn data_dir(asked: Option<&Path>) -> Option<PathBuf> {
    asked.map(Path::to_owned).or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from))
}
