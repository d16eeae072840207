//! The experiments of `experiments/`, so that the program has them wherever it is installed.

use crate::old_words;

/// An experiment or a study that comes with the program.
struct Shipped {
    name: &'static str,
    is_study: bool,
    text: &'static str,
}

/// All of them, as the build script lists them.
const SHIPPED: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The text of the experiment or study with this name.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    let name = old_words::shipped(name);
    SHIPPED.iter().find(|shipped| shipped.name == name).map(|shipped| shipped.text)
}

/// All names.
pub(crate) fn names() -> Vec<&'static str> {
    SHIPPED.iter().map(|shipped| shipped.name).collect()
}

/// The names in words, for help. Every command line is parsed with its help, so no text is read
/// here.
pub(crate) fn told() -> String {
    let (studies, experiments): (Vec<_>, Vec<_>) = SHIPPED.iter().partition(|shipped| shipped.is_study);
    let names = |shipped: &[&Shipped]| shipped.iter().map(|shipped| shipped.name).collect::<Vec<_>>().join(", ");
    format!("{}, and the studies {}", names(&experiments), names(&studies))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fivefold_results::Experiment;
    use fivefold_studies::StudyFile;

    use super::*;

    #[test]
    fn every_experiment_of_the_folder_is_shipped() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        let mut shipped = names();
        files.sort();
        shipped.sort();
        assert_eq!(files, shipped);
    }

    #[test]
    fn shipped_experiments_are_valid_and_bear_their_names() {
        for Shipped { name, is_study, text } in SHIPPED {
            assert_eq!(StudyFile::is_study(text), *is_study, "{name}");
            let own = match is_study {
                true => StudyFile::parse(text).unwrap().name,
                false => Experiment::parse(name, text, Vec::new(), &crate::builtin()).unwrap().name,
            };
            assert_eq!(own, *name);
        }
    }
}
