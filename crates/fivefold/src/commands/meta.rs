//! `fivefold meta`: what scores of any program say of the systems, and what measures say of each other.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use fivefold_metrics::DIALECTS;
use fivefold_stats::{CORRECTIONS, TESTS};
use fivefold_studies::SystemsConfig;
use fivefold_studies::meta::{Meta, MetaDataset};

use crate::cli::Outcome;
use crate::experiment::SHIPPED;
use crate::problem::Problem;
use crate::screen::Screen;
use crate::study::StudyRunArgs;
use crate::systems::SystemsArgs;

/// Compare systems by anyone's per-query scores: tests, effect sizes, power, and measures against each other
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold meta adhoc8_ap.csv                                  a table of queries x systems
  fivefold meta bm25=bm25.txt ours.txt --test permutation --correction holm    trec_eval -q, ir_measures, ranx, ...
  fivefold meta runs/mq2008 --measure ndcg@10 ndcg.v2@10       a results folder; of several data sets: all of them
  fivefold meta --qrels qrels.txt --runs 'runs/*.txt' --measure ap ndcg@10 --against bm25
  fivefold meta meta-trec8                                     an experiment file, or one that comes with the program

Tables show the ten best systems; scores.csv and pairs.csv in the results folder have all. docs/statistics.md says which \
test to take, docs/meta.md how to read the tables.")]
pub(crate) struct Args {
    /// Values per query (`[NAME=]FILE`), results folders, or an experiment: a TOML file or a name that comes with the program
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    #[command(flatten)]
    run: StudyRunArgs,
    #[command(flatten)]
    systems: SystemsArgs,
    /// Measures of rankings, or columns of values [default: ndcg@10, ap and rr, or all columns]
    #[arg(long, value_name = "MEASURE", num_args = 1..)]
    measure: Vec<String>,
    /// The test of significance
    #[arg(long, value_name = "NAME", default_value = TESTS[0].name, value_parser = PossibleValuesParser::new(TESTS.iter().map(|test| test.name)))]
    test: String,
    /// The correction for several comparisons, over those of one measure
    #[arg(long, value_name = "NAME", default_value = CORRECTIONS[0].name, value_parser = PossibleValuesParser::new(CORRECTIONS.iter().map(|c| c.name)))]
    correction: String,
    /// Compare this system with each other one, instead of all pairs
    #[arg(long, value_name = "SYSTEM")]
    against: Option<String>,
    /// How many systems the tables show, the best first [default: 10]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Draws of tests that draw
    #[arg(long, value_name = "N", default_value_t = Meta::default().draws)]
    draws: usize,
    /// The level below which a p-value is significant; intervals have the confidence 1 - alpha
    #[arg(long, value_name = "LEVEL", default_value_t = Meta::default().alpha)]
    alpha: f64,
    /// Differences to be found: how many queries does that need? [default: 0.01 0.02 0.05]
    #[arg(long, value_name = "D", num_args = 1..)]
    difference: Vec<f64>,
    /// The probability with which they are to be found
    #[arg(long, value_name = "P", default_value_t = Meta::default().power)]
    power: f64,
    /// Random halves of the swap method
    #[arg(long, value_name = "N", default_value_t = Meta::default().trials)]
    trials: usize,
    /// The seed of draws and halves
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The dialect whose conventions hold; `fivefold dialects` lists them
    #[arg(long, value_name = "NAME", default_value = DIALECTS[0].name, value_parser = PossibleValuesParser::new(DIALECTS.iter().map(|d| d.name)))]
    dialect: String,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Outcome> {
        let defaults = Meta::default();
        let mut study = Meta {
            systems: self.systems.config(),
            measures: self.measure,
            test: self.test,
            correction: self.correction,
            against: self.against,
            top: self.top,
            draws: self.draws,
            alpha: self.alpha,
            differences: if self.difference.is_empty() { defaults.differences.clone() } else { self.difference },
            power: self.power,
            trials: self.trials,
            profile: self.dialect,
            ..Meta::default()
        };
        if let [only] = self.inputs.as_slice()
            && is_experiment(only)
        {
            if study != (Meta { profile: study.profile.clone(), ..defaults }) || self.seed != 0 {
                let what = format!("`{only}` is an experiment, which has its settings in its file");
                return Err(Problem::new(what).help("leave the options out, or change them in the file").into());
            }
            return self.run.experiment::<Meta>(only, screen);
        }
        add_inputs(&mut study, self.inputs)?;
        self.run.settings(study, self.seed, screen)
    }
}

/// Whether an input is an experiment: a TOML file, or the name of one that comes with the program.
fn is_experiment(input: &str) -> bool {
    let path = Path::new(input);
    path.extension().is_some_and(|ending| ending == "toml")
        || (!path.exists() && SHIPPED.iter().any(|(name, _)| *name == input))
}

/// Folders are results, a data set or more each; files are values of systems, joined.
fn add_inputs(study: &mut Meta, inputs: Vec<String>) -> miette::Result<()> {
    let (folders, files): (Vec<String>, Vec<String>) = inputs.into_iter().partition(|input| Path::new(input).is_dir());
    match folders.as_slice() {
        [] => study.systems.values.extend(files),
        [folder, ..] if !files.is_empty() => {
            let what = format!("`{folder}` is a folder and `{}` is none", files[0]);
            return Err(Problem::new(what).help("give results folders, or files of values per query").into());
        }
        [folder] => study.systems.results = Some(folder.into()),
        _ => {
            let own = std::mem::take(&mut study.systems);
            let dataset = |folder: &String| MetaDataset {
                label: folder.clone(),
                systems: SystemsConfig { results: Some(folder.into()), ..own.clone() },
            };
            study.dataset = folders.iter().map(dataset).collect();
        }
    }
    Ok(())
}
