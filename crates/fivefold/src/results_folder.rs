//! Checks of results folders that the user names.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use fivefold_results::owner;
use fivefold_results::store::Store;

use crate::problem::Problem;

/// Checks that a path is a results folder, before anything in the folder is read. The error says
/// what is wrong.
pub(crate) fn check(folder: &Path) -> miette::Result<()> {
    let shown = folder.display();
    let what = match fs::metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => format!("there is no folder {shown}"),
        Err(error) => return Err(Problem::file("read", folder, error).into()),
        Ok(found) if !found.is_dir() => format!("{shown} is a file, not a results folder"),
        Ok(_) if !folder.join("manifest.json").exists() => {
            format!("{shown} is not a results folder, or its run has not ended: the folder has no manifest.json")
        }
        Ok(_) => return Ok(()),
    };
    Err(Problem::new(what).help("give the folder of a run that ended: runs/NAME, or the folder of --out").into())
}

/// Refuses to write a report into a folder that holds the report of other results, because its
/// files would no longer belong together. Also refuses a folder that holds something else than a
/// report.
pub(crate) fn check_target(from: &Path, to: &Path) -> miette::Result<()> {
    let manifest = |folder: &Path| Store::new(folder).read("manifest.json");
    // A folder with a complete report of this program has the index `tables.json`. If a report was
    // killed, its folder has no index yet, but hidden files that show the work.
    let ours = ["manifest.json", "tables.json"].iter().any(|name| to.join(name).exists()) || owner::in_work(to);
    if !ours && fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        let what = format!("{} is not empty and has no report", to.display());
        return Err(Problem::new(what)
            .help("give --write a new folder, or --replace to write into this folder")
            .into());
    }
    match (manifest(from), manifest(to)) {
        (Ok(Some(ours)), Ok(Some(theirs))) if ours != theirs => {
            Err(Problem::new(format!("{} has other results than {}", to.display(), from.display()))
                .help(
                    "give --write a new folder or the results folder itself, or --replace to write over the report \
                    there",
                )
                .into())
        }
        _ => Ok(()),
    }
}
