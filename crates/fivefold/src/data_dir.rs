//! Where real collections are on this machine.

use std::path::{Path, PathBuf};

use fivefold_results::config::DATA_VARIABLE;

/// The folder that `--data-dir` asks for, else the one that the environment names.
pub(crate) fn data_dir(asked: Option<&Path>) -> Option<PathBuf> {
    asked.map(Path::to_owned).or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from))
}
