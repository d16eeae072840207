//! The inputs of jobs: all that alters their results.

use std::collections::BTreeMap;
use std::path::Path;

use fivefold_core::Seed;
use fivefold_data::input;
use fivefold_metrics::{MeasureSpec, Ties};
use fivefold_results::config::{CommandLine, Placeholder, RankerConfig, ScoreFiles, ScoreSource, key_params};
use serde_json::{Value, json};

use super::{FILES_HELP, Place, Plan, ids};
use crate::error::RunError;

impl Plan<'_> {
    /// A measure on a validation part, with all on which its values depend.
    pub(super) fn measure_input(&self, place: &Place<'_>, measure: &MeasureSpec) -> Value {
        let conventions = &self.experiment.evaluation.conventions;
        let shuffled = conventions.ties == Ties::Shuffle;
        json!({
            "name": measure.stored_name(),
            "conventions": conventions,
            "max_grade": place.collection.max_grade,
            "seed": shuffled.then(|| self.experiment.tie_seed(place.dataset).value()),
        })
    }

    /// The inputs of a job that fits a ranker.
    pub(super) fn fit_inputs(
        &self,
        place: &Place<'_>,
        config: &RankerConfig,
    ) -> Result<BTreeMap<&'static str, Value>, RunError> {
        let parts = &place.collection.folds[place.fold];
        let (collection, hashes, seed) = (place.collection, &parts.hashes, self.seed(place));
        let data = [
            ("kind", json!(config.kind)),
            ("normalise", json!(config.normalise)),
            ("missing", json!(collection.missing)),
            ("train", json!(hashes.train)),
            ("validation", json!(hashes.validation)),
            ("test", json!(hashes.test)),
        ];
        let own: Vec<(&'static str, Value)> = match &config.source {
            ScoreSource::Train { version, code, seeded, params, renamed } => {
                let own = [
                    ("version", json!(version)),
                    ("params", key_params(params, renamed)),
                    ("seed", json!(seeded.then_some(seed.value()))),
                ];
                own.into_iter().chain(code.iter().map(|code| ("code", json!(code)))).collect()
            }
            ScoreSource::Command(command) => self.inputs_of_command(place, command, seed)?,
            ScoreSource::Scores(_) | ScoreSource::Fusion(_) => Vec::new(),
        };
        let mut inputs: BTreeMap<&'static str, Value> = data.into_iter().chain(own).collect();
        if let Some(columns) = self.columns_of(place.dataset, place.ranker, config.features.as_ref())? {
            inputs.insert("features", json!(ids(&columns, collection)));
        }
        if let Some(sample) = self.sample_of(place.dataset, place.fold, place.ranker, place.repeat) {
            inputs.insert("sample", json!({ "queries": sample.queries, "seed": sample.seed.value() }));
        }
        Ok(inputs)
    }

    /// The inputs that a command has beside its data.
    fn inputs_of_command(
        &self,
        place: &Place<'_>,
        command: &CommandLine,
        seed: Seed,
    ) -> Result<Vec<(&'static str, Value)>, RunError> {
        let (experiment, ranker) = (self.experiment, place.ranker);
        if command.uses(Placeholder::Validation) && place.collection.folds[place.fold].validation.is_none() {
            let message = format!(
                "fold {} of data set `{}` has no validation part, which `argv` asks for; leave {} out",
                place.number(),
                experiment.datasets[place.dataset].label,
                Placeholder::Validation.name()
            );
            return Err(experiment.ranker_error(ranker, &message).into());
        }
        let mut files = BTreeMap::new();
        for file in &command.files {
            files.insert(file, self.hash_file(&self.find(file), &format!("`{file}`"), ranker)?);
        }
        // The arguments contain the seed if the command asks for it.
        let mut inputs = vec![("argv", json!(command.filled(seed))), ("files", json!(files))];
        // The files and the network that a program can reach may alter its results, so they are in
        // the key. How far the system confines the program is in the record, not in the key.
        for (name, own, usual) in [
            ("read", json!(command.read), json!([])),
            ("write", json!(command.write), json!([])),
            ("network", json!(command.network), json!(false)),
            ("confine", json!(command.confine), json!(true)),
        ] {
            if own != usual {
                inputs.push((name, own));
            }
        }
        Ok(inputs)
    }

    /// The inputs of a job whose scores come from a file.
    pub(super) fn inputs_of_scores(
        &self,
        place: &Place<'_>,
        files: &ScoreFiles,
    ) -> Result<BTreeMap<&'static str, Value>, RunError> {
        let &Place { dataset, collection, fold, ranker, .. } = place;
        if collection.moved {
            let message = format!(
                "score files follow the order of the data files, but `regroup` changed this order in data set `{}`; \
                 leave out `regroup`, and bring the lines of each query together yourself",
                self.experiment.datasets[dataset].label
            );
            return Err(self.experiment.ranker_error(ranker, &message).into());
        }
        let number = place.number();
        let what = format!("the scores of fold {number}");
        let hash = self.hash_file(&self.score_path(files, dataset, number), &what, ranker)?;
        let kind = &self.experiment.rankers[ranker].kind;
        let test = &collection.folds[fold].hashes.test;
        Ok(BTreeMap::from([("kind", json!(kind)), ("file", json!(hash)), ("test", json!(test))]))
    }

    /// The hash of a file that a ranker needs. The error names the file and the ranker's entry.
    fn hash_file(&self, path: &Path, what: &str, ranker: usize) -> Result<String, RunError> {
        let hash = input::hash(path).map_err(|error| {
            let message = format!("cannot read {what} from {}: {error}; {FILES_HELP}", path.display());
            RunError::from(self.experiment.ranker_error(ranker, &message))
        });
        Ok(hash?.to_hex().to_string())
    }
}
