//! `fivefold topics`: how many queries a paired t-test needs to find a difference of two systems.

use clap::builder::PossibleValuesParser;
use fivefold_metrics::DIALECTS;
use fivefold_studies::topics::Topics;

use crate::exit::Exit;
use crate::measure_list::names;
use crate::screen::Screen;
use crate::study::StudyArgs;
use crate::systems::SystemsArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold topics --values adhoc8_ap.csv                       how many topics for a difference of .01, .02, .05?
  fivefold topics --qrels qrels.txt --runs 'runs/*.txt' --measure ap ndcg@10 --difference 0.03
  fivefold topics --results runs/mq2008 --power 0.9 --out runs/topics
  fivefold topics mine.toml                                    an experiment file with kind = \"topics\"

`fivefold book reference/statistics` says where the numbers come from.")]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    systems: SystemsArgs,
    /// Measures of rankings [default: ndcg@10, ap and rr], or columns of values [default: all
    /// columns]
    #[arg(long, visible_alias = "measures", value_name = "MEASURE", num_args = 1.., conflicts_with = "experiment")]
    measure: Vec<String>,
    /// The differences of two means that the test should find
    #[arg(long, value_name = "D", num_args = 1.., default_values_t = Topics::default().differences, conflicts_with = "experiment")]
    difference: Vec<f64>,
    /// The level of the test
    #[arg(long, value_name = "LEVEL", default_value_t = Topics::default().alpha, conflicts_with = "experiment")]
    alpha: f64,
    /// The probability with which the test should find a difference
    #[arg(long, value_name = "P", default_value_t = Topics::default().power, conflicts_with = "experiment")]
    power: f64,
    /// The dialect whose conventions hold; `fivefold dialects` lists the dialects
    #[arg(long, value_name = "NAME", conflicts_with = "experiment", default_value = DIALECTS[0].name, value_parser = PossibleValuesParser::new(DIALECTS.iter().map(|d| d.name)))]
    dialect: String,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        self.study.refuse_folder()?;
        let study = Topics {
            systems: self.systems.config(),
            measures: names(&self.measure),
            differences: self.difference,
            alpha: self.alpha,
            power: self.power,
            dialect: self.dialect,
            ..Topics::default()
        };
        self.study.run(study, 0, screen)
    }
}
