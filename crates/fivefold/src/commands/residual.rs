//! `fivefold residual`: measures how much each system adds to the systems that the user has already
//! seen.

use clap::builder::PossibleValuesParser;
use fivefold_metrics::{DIALECTS, dialect};
use fivefold_studies::residual::Order;
use fivefold_studies::residual::Residual;

use crate::exit::Exit;
use crate::measure_list::measures;
use crate::problem::Problem;
use crate::screen::Screen;
use crate::study::StudyArgs;
use crate::systems::SystemsArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold residual --qrels qrels.txt --runs 'runs/*.txt' --measure ndcg@10
  fivefold residual --qrels qrels.txt --runs 'runs/*.txt' --group BM25 dense --by-timestamp
  fivefold residual --dataset mq2008 --scores 'mq2008-systems/*/Fold{fold}.score' --measure ndcg@10 p@10
  fivefold residual residual-dl19               an experiment file, or one that comes with the program

Three experiments compare a system with others. Chronological: with the systems before it. Leave-one-out: with all \
other systems. Grouped: with the best system of every other group. A measure must be a sum of gain x discount: dcg, ndcg, rbp, neru, nneru, p, wta, rr.")]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    systems: SystemsArgs,
    /// Measures; `fivefold measures` lists them
    #[arg(long, visible_alias = "measures", value_name = "MEASURE", num_args = 1.., default_value = "ndcg@10", conflicts_with = "experiment")]
    measure: Vec<String>,
    /// Beginnings of names: systems whose names begin alike are variants of the same system
    #[arg(long, value_name = "START", num_args = 1.., conflicts_with = "experiment")]
    group: Vec<String>,
    /// Take the time stamps in the systems' names for their chronology, instead of the order of the
    /// input
    #[arg(long, conflicts_with = "experiment")]
    by_timestamp: bool,
    /// The weight of rareness in rareness-based precision
    #[arg(long, value_name = "A", default_value_t = 1.0, conflicts_with = "experiment")]
    alpha: f64,
    /// The dialect whose conventions hold; `fivefold dialects` lists the dialects
    #[arg(long, value_name = "NAME", conflicts_with = "experiment", default_value = DIALECTS[0].name, value_parser = PossibleValuesParser::new(DIALECTS.iter().map(|d| d.name)))]
    dialect: String,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let study = Residual {
            systems: self.systems.config(),
            measures: measures(&self.measure, &dialect(&self.dialect).map_err(Problem::from)?.conventions())?,
            order: if self.by_timestamp { Order::Timestamp } else { Order::Input },
            groups: self.group,
            alpha: self.alpha,
            dialect: self.dialect,
            ..Residual::default()
        };
        self.study.run(study, 0, screen)
    }
}
