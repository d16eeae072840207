//! Results folders that users name.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use fivefold_results::owner;
use fivefold_results::store::Store;

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

/// Refuses to write the report of one folder over that of another, since what is in `to` would no longer belong together, and into a folder
/// of something else.
pub(crate) fn check_target(from: &Path, to: &Path) -> miette::Result<()> {
    let manifest = |folder: &Path| Store::new(folder).read("manifest.json");
    // A folder with a report of ours has its index, which is read where it is written; a report that was killed has not got so far.
    let ours = ["manifest.json", "tables.json"].iter().any(|name| to.join(name).exists()) || owner::in_work(to);
    if !ours && fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        let what = format!("{} is not empty, and holds no report", to.display());
        return Err(Problem::new(what)
            .help("give --write a new folder, or --replace to write among what is there")
            .into());
    }
    match (manifest(from), manifest(to)) {
        (Ok(Some(ours)), Ok(Some(theirs))) if ours != theirs => {
            Err(Problem::new(format!("{} holds results other than those of {}", to.display(), from.display()))
                .help("give --write a new folder or the results folder itself, or --replace to write over that report")
                .into())
        }
        _ => Ok(()),
    }
}
