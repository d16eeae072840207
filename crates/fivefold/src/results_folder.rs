//! Results folders that users name.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::problem::Problem;

/// Says what is wrong with a path at which there are no results, before anything in it is read.
pub(crate) fn check(folder: &Path) -> miette::Result<()> {
    let shown = folder.display();
    let what = match fs::metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => format!("there is no folder {shown}"),
        Err(error) => return Err(Problem::file("read", folder, error).into()),
        Ok(found) if !found.is_dir() => format!("{shown} is a file, not a results folder"),
        Ok(_) if !folder.join("manifest.json").exists() => {
            format!("{shown} is not a results folder, or its run has not ended: it holds no manifest.json")
        }
        Ok(_) => return Ok(()),
    };
    Err(Problem::new(what)
        .help("give a folder that `fivefold run` wrote to its end: runs/NAME, or that of --out")
        .into())
}
