//! `fivefold standardise`: standardises scores by each query's mean and standard deviation over
//! some systems.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use fivefold_metrics::DIALECTS;
use fivefold_studies::standardise::Standardise;

use crate::exit::Exit;
use crate::measure_list::names;
use crate::screen::Screen;
use crate::study::StudyArgs;
use crate::systems::SystemsArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold standardise --values adhoc8_ap.csv
  fivefold standardise --dataset mq2008 --scores 'mq2008-systems/*/Fold{fold}.score' --measure dcg@10 sp@10
  fivefold standardise --qrels qrels.txt --runs new.txt --factors runs/standardise/factors/ap.json
  fivefold standardise --results runs/mq2008 --measure ndcg@10
  fivefold standardise standardise-trec8        an experiment file, or one that comes with the program

Factors (mean and standard deviation of each query) are written to factors/ in the results folder; --factors applies \
the factors to other systems.")]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    systems: SystemsArgs,
    /// Measures of rankings, or columns of values [default: dcg@10 and sp@10, or all columns]
    #[arg(long, visible_alias = "measures", value_name = "MEASURE", num_args = 1.., conflicts_with = "experiment")]
    measure: Vec<String>,
    /// The systems that give the factors [default: all]
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "experiment")]
    standardising: Vec<String>,
    /// Apply the factors of an earlier run, a file for each measure; the file names its measure
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["experiment", "measure", "standardising"])]
    factors: Vec<PathBuf>,
    /// Random halves of the queries
    #[arg(long, value_name = "N", default_value_t = Standardise::default().partitions, conflicts_with = "experiment")]
    partitions: usize,
    /// Random subsets of the standardising systems, of each size
    #[arg(long, value_name = "N", default_value_t = Standardise::default().draws, conflicts_with = "experiment")]
    draws: usize,
    /// The seed of halves and subsets
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "experiment")]
    seed: u64,
    /// The dialect whose conventions hold; `fivefold dialects` lists the dialects
    #[arg(long, value_name = "NAME", conflicts_with = "experiment", default_value = DIALECTS[0].name, value_parser = PossibleValuesParser::new(DIALECTS.iter().map(|d| d.name)))]
    dialect: String,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        self.study.refuse_folder()?;
        let study = Standardise {
            systems: self.systems.config(),
            measures: names(&self.measure),
            standardising: self.standardising,
            factors: self.factors,
            partitions: self.partitions,
            draws: self.draws,
            dialect: self.dialect,
            ..Standardise::default()
        };
        self.study.run(study, self.seed, screen)
    }
}
