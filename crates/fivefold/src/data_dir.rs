//! The folder of real collections on this machine.

use std::path::{Path, PathBuf};

use fivefold_results::config::DATA_VARIABLE;

/// The folders in which relative paths are looked for if no experiment file is named.
pub(crate) fn folders(asked: Option<&Path>) -> Vec<PathBuf> {
    std::iter::once(PathBuf::new()).chain(data_dir(asked)).collect()
}

/// The folder of `--data-dir`, else the folder that the environment variable names.
pub(crate) fn data_dir(asked: Option<&Path>) -> Option<PathBuf> {
    asked.map(Path::to_owned).or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from))
}
