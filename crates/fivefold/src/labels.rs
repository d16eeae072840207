//! Files with labels: `[LABEL=]FILE`.

use crate::problem::Problem;

/// Splits each `[LABEL=]FILE` into label and path. Without a label, the path is the label. Two
/// equal labels are an error.
pub(crate) fn labelled(systems: &[String]) -> miette::Result<Vec<(String, String)>> {
    let label = |system: &String| match system.split_once('=') {
        // A path may contain `=` too. So a text with a separator of folders is not a label.
        Some((label, path)) if !label.is_empty() && !label.contains(std::path::is_separator) => {
            (label.to_owned(), path.to_owned())
        }
        _ => (system.clone(), system.clone()),
    };
    let systems: Vec<(String, String)> = systems.iter().map(label).collect();
    match (1..systems.len()).find(|&i| systems[..i].iter().any(|(label, _)| *label == systems[i].0)) {
        Some(twice) => {
            let what = format!("two files are labelled `{}`", systems[twice].0);
            Err(Problem::new(what).help("give them labels: A=a/scores.txt B=b/scores.txt").into())
        }
        None => Ok(systems),
    }
}
