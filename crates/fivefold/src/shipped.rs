//! The experiments of `experiments/`, so that the program has them wherever it is installed.

use crate::old_words;

/// Names and texts.
type Shipped = &'static [(&'static str, &'static str)];

macro_rules! texts {
    ($($name:literal,)*) => { &[$(($name, include_str!(concat!("../experiments/", $name, ".toml")))),*] };
}

/// Those of rankers.
const EXPERIMENTS: Shipped = texts![
    "quickstart",
    "mq2008-systems",
    "mq2008",
    "mq2008-ranklib",
    "ohsumed",
    "clueweb09",
    "paper",
    "paper-tuned",
    "quality",
];

/// Those whose subject is a measure.
const STUDIES: Shipped = texts![
    "residual-dl19",
    "residual-mq2008",
    "standardise-trec8",
    "standardise-mq2008-systems",
    "standardise-rankers",
    "compare-trec8",
    "compare-dl19",
    "compare-mq2008-systems",
    "convergence",
    "convergence-open",
    "convergence-clueweb09",
];

/// The text of the experiment or study with this name.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    let name = old_words::shipped(name);
    EXPERIMENTS.iter().chain(STUDIES).find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
}

/// All names.
pub(crate) fn names() -> Vec<&'static str> {
    EXPERIMENTS.iter().chain(STUDIES).map(|(name, _)| *name).collect()
}

/// The names in words, for help.
pub(crate) fn told() -> String {
    let names = names();
    let (experiments, studies) = names.split_at(EXPERIMENTS.len());
    format!("{}, and the studies {}", experiments.join(", "), studies.join(", "))
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
        for (name, text) in EXPERIMENTS {
            assert!(!StudyFile::is_study(text), "{name}");
            assert_eq!(Experiment::parse(name, text, Vec::new(), &crate::builtin()).unwrap().name, *name);
        }
        for (name, text) in STUDIES {
            assert!(StudyFile::is_study(text), "{name}");
            assert_eq!(StudyFile::parse(text).unwrap().name, *name);
        }
    }
}
