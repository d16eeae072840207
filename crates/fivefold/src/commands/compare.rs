//! `fivefold compare`: compares systems by the scores or values of any program, and measures with
//! each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_results::config::PadConfig;
use fivefold_stats::{CORRECTIONS, TESTS};
use fivefold_studies::SystemsConfig;
use fivefold_studies::compare::{Classes, Compare, CompareDataset};

use crate::conventions::ConventionArgs;
use crate::exit::Exit;
use crate::measure_list::names;
use crate::problem::Problem;
use crate::screen::Screen;
use crate::study::{StudyRunArgs, only_experiment};
use crate::systems::SystemsArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold compare adhoc8_ap.csv                               a table of queries x systems
  fivefold compare bm25=bm25.txt ours.txt --test permutation --correction holm  trec_eval -q, ir_measures, ranx, ...
  fivefold compare runs/mq2008 --measure ndcg@10 ndcg.v2@10    a results folder, with all its data sets
  fivefold compare --qrels qrels.txt --runs 'runs/*.txt' --measure ap ndcg@10 --against bm25
  fivefold compare TREC-7:ap=trec7.csv TREC-8:ap=trec8.csv     several data sets: winning numbers and swap rates too
  fivefold compare ap.csv p10.csv --quantiles 3                two measures, on hard and easy queries
  fivefold compare compare-trec8                               an experiment file, or one that comes with the program

With several data sets, label each input: LABEL:[NAME=]FILE. The options --classes, --quantiles and --sets divide the \
queries into classes; power, PAD, tau, conflicts and swap rates then have a value for each class.

Tables show the ten best systems; scores.csv and pairs.csv in the results folder (--out) have all systems. \
`fivefold book choose-a-test` says which test to take, and `fivefold book reference/compare` how to read the
tables.")]
pub(crate) struct Args {
    /// Values per query (`[LABEL:][NAME=]FILE`), results folders, or an experiment: a TOML file or
    /// a name that comes with the program. LABEL is the data set, if there are several; NAME is the
    /// system, or the measure of a table of systems
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    #[command(flatten)]
    run: StudyRunArgs,
    #[command(flatten)]
    systems: SystemsArgs,
    /// Measures of rankings [default: ndcg@10, ap and rr], or columns of values [default: all
    /// columns]
    #[arg(long, visible_alias = "measures", value_name = "MEASURE", num_args = 1..)]
    measure: Vec<String>,
    /// The test of significance
    #[arg(long, value_name = "NAME", default_value = TESTS[0].name, value_parser = PossibleValuesParser::new(TESTS.iter().map(|test| test.name)))]
    test: String,
    /// The correction for several comparisons, over all comparisons of a measure
    #[arg(long, value_name = "NAME", default_value = CORRECTIONS[0].name, value_parser = PossibleValuesParser::new(CORRECTIONS.iter().map(|c| c.name)))]
    correction: String,
    /// Compare only this system with each other system, instead of all pairs
    #[arg(long, value_name = "SYSTEM")]
    against: Option<String>,
    /// How many systems the tables show, the best first [default: 10]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// How often the tests permutation, bootstrap and tukey-hsd draw
    #[arg(long, value_name = "N", default_value_t = Compare::default().draws)]
    draws: usize,
    /// The level below which a p-value is significant; intervals have the confidence 1 - alpha
    #[arg(long, value_name = "LEVEL", default_value_t = Compare::default().alpha)]
    alpha: f64,
    /// Say how many queries a difference of this size needs [default: 0.01 0.02 0.05]
    #[arg(long, value_name = "D", num_args = 1..)]
    difference: Vec<f64>,
    /// The power: the probability of finding a difference of the size --difference
    #[arg(long, value_name = "P", default_value_t = Compare::default().power)]
    power: f64,
    /// Number of random halves of the swap method
    #[arg(long, value_name = "N", default_value_t = Compare::default().trials)]
    trials: usize,
    /// Divisor of a percentage absolute difference: max(a, b), as the paper, or max(|a|, |b|),
    /// which negative scores need
    #[arg(long, value_name = "HOW", default_value = Compare::default().pad.name(), value_parser = pad())]
    pad: PadConfig,
    /// Class queries by a file: `query,class` a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quantiles", "sets"])]
    classes: Option<PathBuf>,
    /// Class queries by difficulty: into this many parts of equal size, by the mean of all systems
    #[arg(long, value_name = "N", conflicts_with = "sets")]
    quantiles: Option<usize>,
    /// Compare this many uninformative queries with as many ideal queries, as Feng & Karmaker
    /// (2023); needs rankings
    #[arg(long, value_name = "N")]
    sets: Option<usize>,
    /// The measure, without cutoff, of --quantiles and --sets [default: the first measure]
    #[arg(long, value_name = "MEASURE")]
    classes_by: Option<String>,
    /// The seed of draws and halves
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    conventions: ConventionArgs,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let defaults = Compare::default();
        let mut study = Compare {
            systems: self.systems.config(),
            measures: names(&self.measure),
            test: self.test,
            correction: self.correction,
            against: self.against,
            top: self.top,
            draws: self.draws,
            alpha: self.alpha,
            differences: if self.difference.is_empty() { defaults.differences.clone() } else { self.difference },
            power: self.power,
            trials: self.trials,
            pad: self.pad,
            classes: Classes { file: self.classes, quantiles: self.quantiles, sets: self.sets, by: self.classes_by },
            dialect: self.conventions.dialect().map_err(Problem::from)?.name.to_owned(),
            conventions: self.conventions.overrides(),
            ..Compare::default()
        };
        if let Some(only) = only_experiment(&self.inputs, &study, self.seed)? {
            return self.run.experiment::<Compare>(only, screen);
        }
        add_inputs(&mut study, self.inputs)?;
        self.run.settings(study, self.seed, screen)
    }
}

fn pad() -> impl TypedValueParser<Value = PadConfig> {
    let named = |name: String| PadConfig::ALL.into_iter().find(|pad| pad.name() == name).ok_or("not a divisor");
    PossibleValuesParser::new(PadConfig::ALL.map(PadConfig::name)).try_map(named)
}

/// Adds the inputs to the study. A folder holds results of one or more data sets. Files hold values
/// of systems, and are joined into one data set. If the inputs have labels, the inputs of each
/// label are one data set.
fn add_inputs(study: &mut Compare, inputs: Vec<String>) -> miette::Result<()> {
    let own = study.systems.clone();
    let labels: Vec<Option<&str>> = inputs.iter().map(|input| labelled(input).0).collect();
    if labels.iter().all(Option::is_none) {
        let folders = inputs.iter().filter(|input| Path::new(input).is_dir()).count();
        if folders < 2 || folders < inputs.len() {
            return add_source(&mut study.systems, inputs);
        }
        for folder in inputs {
            let mut systems = own.clone();
            add_source(&mut systems, vec![folder.clone()])?;
            study.dataset.push(CompareDataset { label: folder, systems });
        }
    } else {
        if let Some(lacking) = inputs.iter().find(|input| labelled(input).0.is_none()) {
            let what = format!("`{lacking}` has no label, but other inputs have a label");
            return Err(Problem::new(what).help("label all inputs: LABEL:[NAME=]FILE").into());
        }
        let mut seen: Vec<&str> = labels.into_iter().flatten().collect();
        let mut known = BTreeSet::new();
        seen.retain(|label| known.insert(*label));
        for label in seen {
            let mut systems = own.clone();
            let of_label = inputs.iter().map(|input| labelled(input)).filter(|(own, _)| *own == Some(label));
            add_source(&mut systems, of_label.map(|(_, rest)| rest.to_owned()).collect())?;
            study.dataset.push(CompareDataset { label: label.to_owned(), systems });
        }
    }
    study.systems = SystemsConfig::default();
    Ok(())
}

/// Splits `LABEL:INPUT` into label and input. A path may contain a colon too. So a file that exists
/// is taken as it is, and a label contains no separator of folders and no `=`.
fn labelled(input: &str) -> (Option<&str>, &str) {
    match input.split_once(':') {
        Some((label, rest))
            if !label.is_empty()
                && !rest.is_empty()
                && !label.contains(|c| c == '=' || std::path::is_separator(c))
                && !fivefold_data::packed::exists(Path::new(input)) =>
        {
            (Some(label), rest)
        }
        _ => (None, input),
    }
}

/// Adds one results folder, or files of values, to the systems.
fn add_source(systems: &mut SystemsConfig, inputs: Vec<String>) -> miette::Result<()> {
    let (folders, files): (Vec<String>, Vec<String>) = inputs.into_iter().partition(|input| Path::new(input).is_dir());
    match (folders.as_slice(), files.as_slice()) {
        ([], _) => systems.values.extend(files),
        ([folder], []) => systems.results = Some(folder.into()),
        ([folder, ..], [file, ..]) => {
            let what = format!("`{folder}` is a folder and `{file}` is not a folder");
            return Err(Problem::new(what).help("give results folders, or files of values per query").into());
        }
        ([one, other, ..], []) => {
            let what = format!("`{one}` and `{other}` are two results folders of one data set");
            return Err(Problem::new(what).help("give each folder a label of its own: LABEL:FOLDER").into());
        }
    }
    Ok(())
}
