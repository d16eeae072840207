//! The experiments of the lab, run in process on the made collections in a temporary folder, with
//! the same files and settings as the student's.

use std::path::Path;

use fivefold_base::Seed;
use fivefold_core::Registry;
use fivefold_experiment::{RunOptions, run};
use fivefold_results::Experiment;

use super::data::{Leak, Made, MadeQuery, letor};
use crate::error::LabError;

/// Experiment files of the student's folder: the name and the text.
pub(crate) const FILES: [(&str, &str); 5] = [
    ("leak.toml", include_str!("leak.toml")),
    ("overfit.toml", include_str!("overfit.toml")),
    ("curve.toml", include_str!("curve.toml")),
    ("ablation.toml", include_str!("ablation.toml")),
    ("report.toml", include_str!("report.toml")),
];
/// Leaves of the rankers of `overfit.toml` and `report.toml`.
pub(crate) const LEAVES: [usize; 4] = [2, 4, 8, 16];
/// Groups of `ablation.toml`.
pub(crate) const GROUPS: [&str; 3] = ["text", "page", "other"];
/// The measure of all answers, and a measure in the column beside it, which students read instead.
const MEASURES: [&str; 2] = ["ndcg@5", "ndcg.v1@5"];

/// The means of all experiments under one measure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    /// Linear and Trees on the test part of the shop, as it is.
    pub(crate) leaking: [f64; 2],
    /// The same without the leaking feature or the copies.
    pub(crate) clean: [f64; 2],
    /// `[setting]` on the training, the validation and the test part of the library.
    pub(crate) training: [f64; 4],
    pub(crate) validation: [f64; 4],
    pub(crate) test: [f64; 4],
    /// Trees on the validation part, by the share of training queries: .2, .4 and 1.
    pub(crate) curve: [f64; 3],
    /// Linear on the validation part with all features, and without each of [`GROUPS`].
    pub(crate) all_features: f64,
    pub(crate) without: [f64; 3],
}

impl Values {
    /// The setting with the highest value, in the four decimals that the program prints; of equal
    /// ones the first, which has the fewest leaves.
    pub(crate) fn best(values: &[f64; 4]) -> usize {
        let printed = values.map(|value| (value * 1e4).round());
        (0..printed.len()).fold(0, |best, setting| if printed[setting] > printed[best] { setting } else { best })
    }
}

/// The files of a collection, in `data/NAME` of a folder.
pub(crate) fn collection_files(name: &str, made: &Made) -> Vec<(String, String)> {
    let parts = ["train", "vali", "test"].iter().zip(&made.parts);
    let mut files: Vec<(String, String)> =
        parts.map(|(part, queries)| (format!("data/{name}/{part}.txt"), letor(queries))).collect();
    files.push((format!("data/{name}/features.txt"), made.features_file()));
    files
}

/// Runs all experiments of a student. Gives the values under each of [`MEASURES`].
///
/// # Errors
/// If the temporary folder cannot be written, or an experiment fails.
pub(crate) fn values(seed: Seed) -> Result<[Values; 2], LabError> {
    let folder = temporary_folder()?;
    let (shop, leak) = Made::shop(seed);
    let library = Made::library(seed);
    for (file, text) in collection_files("shop", &shop).into_iter().chain(collection_files("library", &library)) {
        write(folder.path(), &file, &text)?;
    }
    let bench = Bench { folder: folder.path(), registry: Registry::new(&[fivefold_rankers::RANKERS]) };
    let [leak_file, overfit, curve, ablation, report] = FILES;
    let label = "[[dataset]]\nlabel = \"shop\"";
    let allowed = leak_file.1.replace(label, &format!("{label}\nallow = [\"identical-vectors\"]"));
    let leaking = bench.run((leak_file.0, &allowed))?;
    let clean = match &leak {
        Leak::Feature(id) => {
            let chosen = format!("[[ranker]]\nfeatures = {{ without = [{id}] }}");
            bench.run((leak_file.0, &leak_file.1.replace("[[ranker]]", &chosen)))?
        }
        Leak::Queries(_, copies) => {
            let train: Vec<MadeQuery> = shop.without(0, copies);
            write(folder.path(), "data/shop/train.txt", &letor(&train))?;
            bench.run(leak_file)?
        }
    };
    let runs = Runs {
        leaking,
        clean,
        overfit: bench.run(overfit)?,
        report: bench.run(report)?,
        curve: bench.run(curve)?,
        ablation: bench.run(ablation)?,
    };
    Ok([runs.under(0)?, runs.under(1)?])
}

/// The means of the experiments.
struct Runs {
    leaking: Means,
    clean: Means,
    overfit: Means,
    report: Means,
    curve: Means,
    ablation: Means,
}

impl Runs {
    /// The values under the measure at a place of [`MEASURES`].
    fn under(&self, measure: usize) -> Result<Values, LabError> {
        let Runs { leaking, clean, overfit, report, curve, ablation } = self;
        let of_rankers = |means: &Means| Ok::<_, LabError>([means.of(measure, 0, 0)?, means.of(measure, 0, 1)?]);
        let four = |means: &Means, dataset: usize| {
            let of = |ranker: usize| means.of(measure, dataset, ranker);
            Ok::<_, LabError>([of(0)?, of(1)?, of(2)?, of(3)?])
        };
        let named = |means: &Means, label: &str| means.named(measure, label);
        Ok(Values {
            leaking: of_rankers(leaking)?,
            clean: of_rankers(clean)?,
            training: four(overfit, 0)?,
            validation: four(overfit, 1)?,
            test: four(report, 0)?,
            curve: [named(curve, "Trees_0.2")?, named(curve, "Trees_0.4")?, named(curve, "Trees")?],
            all_features: named(ablation, "Linear")?,
            without: [
                named(ablation, "Linear without text")?,
                named(ablation, "Linear without page")?,
                named(ablation, "Linear without other")?,
            ],
        })
    }
}

fn write(folder: &Path, file: &str, text: &str) -> Result<(), LabError> {
    let path = folder.join(file);
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
    written.map_err(|error| LabError::io("write", &path, error))
}

fn temporary_folder() -> Result<tempfile::TempDir, LabError> {
    tempfile::tempdir().map_err(|error| LabError::io("make a folder in", &std::env::temp_dir(), error))
}

/// An experiment of the lab that did not give its numbers.
fn failed(file: &str, reason: &str) -> LabError {
    LabError::Other(format!("the experiment {file} of the lab: {reason}"))
}

/// The folder of the experiments, and the rankers.
struct Bench<'a> {
    folder: &'a Path,
    registry: Registry,
}

impl Bench<'_> {
    fn run(&self, (file, text): (&'static str, &str)) -> Result<Means, LabError> {
        let experiment = Experiment::parse(file, text, vec![self.folder.to_owned()], &self.registry)
            .map_err(|error| failed(file, &error.to_string()))?;
        let out = temporary_folder()?;
        let outcome = run(&experiment, &self.registry, &RunOptions::new(out.path().join("results")))
            .map_err(|error| failed(file, &error.to_string()))?;
        if let Some((job, reason)) = outcome.failed.first() {
            return Err(failed(file, &format!("{job} failed: {reason}")));
        }
        let evaluation = outcome.results.ok_or_else(|| failed(file, "no results"))?.evaluation;
        let column = |name: &str| {
            let found = evaluation.measures.iter().position(|measure| measure.to_string() == name);
            found.ok_or_else(|| failed(file, &format!("{name} is not among its measures")))
        };
        let columns = [column(MEASURES[0])?, column(MEASURES[1])?];
        let width = evaluation.measures.len();
        let means = evaluation.datasets.iter().flat_map(|dataset| {
            let queries = dataset.queries.len();
            dataset.rankers.iter().enumerate().map(move |(ranker, label)| {
                let mean = |column: usize| {
                    let own = dataset.all.iter().skip(ranker * queries * width + column);
                    own.step_by(width).take(queries).sum::<f64>() / queries as f64
                };
                (label.clone(), columns.map(mean))
            })
        });
        Ok(Means { file, means: means.collect(), rankers: experiment.rankers.len() })
    }
}

/// The means of each ranker under [`MEASURES`], data set by data set.
struct Means {
    file: &'static str,
    means: Vec<(String, [f64; 2])>,
    rankers: usize,
}

impl Means {
    fn of(&self, measure: usize, dataset: usize, ranker: usize) -> Result<f64, LabError> {
        let found = self.means.get(dataset * self.rankers + ranker).map(|(_, means)| means[measure]);
        found.ok_or_else(|| self.absent(&format!("ranker {ranker} of data set {dataset}")))
    }

    fn named(&self, measure: usize, label: &str) -> Result<f64, LabError> {
        let found = self.means.iter().find(|(own, _)| own == label).map(|(_, means)| means[measure]);
        found.ok_or_else(|| self.absent(label))
    }

    fn absent(&self, what: &str) -> LabError {
        failed(self.file, &format!("no values of {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_core::{Dataset, FitContext};

    /// Fits and scores a ranker without the engine, and takes nDCG@5 from its definition.
    fn by_hand(ranker: &str, params: &str, train: &[MadeQuery], test: &[MadeQuery], without: Option<usize>) -> f64 {
        let dataset = |queries: &[MadeQuery]| {
            let features = |own: &[u8; 9]| {
                let kept = own.iter().enumerate().filter(move |(column, _)| without != Some(column + 1));
                kept.map(|(_, value)| format!("{:.2}", f64::from(*value) / 100.0).parse().unwrap())
                    .collect::<Vec<f32>>()
            };
            let rows: Vec<(Vec<f32>, Vec<u8>)> = queries
                .iter()
                .map(|query| {
                    let all = query.documents.iter().flat_map(|own| features(&own.1)).collect();
                    (all, query.documents.iter().map(|own| own.0).collect())
                })
                .collect();
            let width = if without.is_some() { 8 } else { 9 };
            Dataset::of_queries(width, rows.iter().map(|(features, grades)| (&features[..], &grades[..]))).unwrap()
        };
        let (train, test) = (dataset(train), dataset(test));
        let registry = Registry::new(&[fivefold_rankers::RANKERS]);
        let params = serde_json::from_str(params).unwrap();
        let ranker = registry.find(ranker).unwrap().restore(&params).unwrap();
        let model = ranker.fit(&train, &FitContext::new(Seed::new(0))).unwrap();
        let ndcg = |query: fivefold_core::JudgedQuery<'_>| {
            let mut scores = vec![0.0; query.len()];
            model.score(query.view(), &mut scores);
            // Documents that tie share their ranks, so each has the mean gain of the tie.
            let dcg = |mut order: Vec<(f64, u8)>| -> f64 {
                order.sort_by(|a, b| b.0.total_cmp(&a.0));
                let gain = |score: f64| {
                    let tied: Vec<f64> =
                        order.iter().filter(|own| own.0 == score).map(|own| f64::from((1 << own.1) - 1)).collect();
                    tied.iter().sum::<f64>() / tied.len() as f64
                };
                let terms = order.iter().enumerate().take(5);
                terms.map(|(rank, own)| gain(own.0) / libm::log2(rank as f64 + 2.0)).sum()
            };
            let grades = query.grades();
            let found = dcg(scores.into_iter().zip(grades.iter().copied()).collect());
            found / dcg(grades.iter().map(|&grade| (f64::from(grade), grade)).collect())
        };
        test.queries().map(ndcg).sum::<f64>() / test.len() as f64
    }

    fn trees(leaves: usize) -> String {
        format!(r#"{{"trees": 60, "learning_rate": 0.1, "leaves": {leaves}, "min_documents": 2, "early_stopping": 0}}"#)
    }

    #[test]
    fn the_values_are_those_of_the_rankers_alone() {
        let mut kinds = std::collections::BTreeSet::new();
        for student in [1, 2, 3, 4] {
            let seed = Seed::new(student);
            let [values, _] = values(seed).unwrap();
            let (shop, leak) = Made::shop(seed);
            let library = Made::library(seed);
            let [train, validation, test] = &library.parts;
            let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            for (setting, leaves) in LEAVES.into_iter().enumerate() {
                near(values.training[setting], by_hand("mart", &trees(leaves), train, train, None));
                near(values.validation[setting], by_hand("mart", &trees(leaves), train, validation, None));
                near(values.test[setting], by_hand("mart", &trees(leaves), train, test, None));
            }
            near(values.curve[2], values.validation[1]);
            near(values.all_features, by_hand("linear", "{}", train, validation, None));
            near(values.leaking[1], by_hand("mart", &trees(8), &shop.parts[0], &shop.parts[2], None));
            let (kept, without) = match &leak {
                Leak::Feature(id) => (shop.parts[0].clone(), Some(*id)),
                Leak::Queries(_, copies) => (shop.without(0, copies), None),
            };
            kinds.insert(without.is_some());
            near(values.clean[0], by_hand("linear", "{}", &kept, &shop.parts[2], without));
            near(values.clean[1], by_hand("mart", &trees(8), &kept, &shop.parts[2], without));
        }
        assert_eq!(kinds.len(), 2, "both kinds of leak were tried");
    }

    /// The experiments show what the worksheet says of them.
    #[test]
    fn a_leak_helps_and_leaves_overfit() {
        for student in [5, 6, 7, 8] {
            let seed = Seed::new(student);
            let [found, _] = values(seed).unwrap();
            assert!(found.training[3] > 0.99 && found.training[3] > found.training[0], "{found:?}");
            assert!(found.training[3] - found.validation[3] > 0.05, "{found:?}");
            let gain = found.leaking[1] - found.clean[1];
            let least = if matches!(Made::shop(seed).1, Leak::Feature(_)) { 0.02 } else { 0.0 };
            assert!(gain > least, "student {student}: {found:?}");
            // Leaving out a group of features that means something costs most.
            let worst = (0..3).min_by(|&a, &b| found.without[a].total_cmp(&found.without[b])).unwrap();
            assert!(worst < 2 && found.without[worst] < found.all_features - 0.02, "{found:?}");
        }
    }
}
