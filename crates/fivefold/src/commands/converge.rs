//! `fivefold converge`: how measures change as the number of documents grows.

use clap::builder::PossibleValuesParser;
use fivefold_metrics::conventions::Discount;
use fivefold_metrics::{DIALECTS, dialect};
use fivefold_studies::SystemsConfig;
use fivefold_studies::converge::{Converge, MEASURES};

use crate::exit::Exit;
use crate::measure_list::measures;
use crate::problem::Problem;
use crate::screen::Screen;
use crate::study::StudyArgs;
use crate::systems::SystemsArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold converge                             the simulation of He, Wang, Chen & Liu: twelve linear rankers
  fivefold converge --measure ap err@100 ndcg.v2@10 --documents 5000
  fivefold converge --angle 0 30 60 --trials 50 --seed 3
  fivefold converge --dataset clueweb09 --scores A=a/fold{fold}.txt B=b/fold{fold}.txt \\
      --documents 400 --step 10 --from 50       real rankers on real queries, subsampled
  fivefold converge convergence-clueweb09       an experiment file, or one that comes with the program

The table of types gives the type of each measure's discount. Type 1: the top of the ranking decides. Type 2: all \
parts of the ranking count alike. Type 3: all parts count, and upper parts count more. The option --discount adds \
further discounts to the table.")]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    systems: SystemsArgs,
    /// Measures; `fivefold measures` lists them
    #[arg(long, visible_alias = "measures", value_name = "MEASURE", num_args = 1.., default_values = MEASURES, conflicts_with = "experiment")]
    measure: Vec<String>,
    /// The largest number of documents; queries of real data with fewer documents are left out
    #[arg(long, value_name = "N", default_value_t = 20_000, conflicts_with = "experiment")]
    documents: usize,
    /// Measure at every multiple of this number of documents
    #[arg(long, value_name = "N", default_value_t = 100, conflicts_with = "experiment")]
    step: usize,
    /// Count crossings from this number of documents on [default: 1000, or --documents if smaller]
    #[arg(long, value_name = "N", conflicts_with = "experiment")]
    from: Option<usize>,
    /// How many times documents are drawn, or put in a random order
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "experiment")]
    trials: usize,
    /// Angles of the simulation's rankers, in degrees [default: 0 30 .. 330]
    #[arg(long, value_name = "DEGREES", num_args = 1.., allow_negative_numbers = true, conflicts_with = "experiment")]
    angle: Vec<f64>,
    /// Further discounts in the table of types
    #[arg(long, value_name = "DISCOUNT", num_args = 1.., conflicts_with = "experiment")]
    discount: Vec<Discount>,
    /// Seed of everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 7, conflicts_with = "experiment")]
    seed: u64,
    /// The dialect whose conventions hold; `fivefold dialects` lists the dialects
    #[arg(long, value_name = "NAME", conflicts_with = "experiment", default_value = DIALECTS[0].name, value_parser = PossibleValuesParser::new(DIALECTS.iter().map(|d| d.name)))]
    dialect: String,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let plain = Converge::default();
        let systems = self.systems.config();
        let study = Converge {
            systems: (systems != SystemsConfig::default()).then_some(systems),
            measures: measures(&self.measure, &dialect(&self.dialect).map_err(Problem::from)?.conventions())?,
            documents: self.documents,
            step: self.step,
            from: self.from.unwrap_or(plain.from.min(self.documents)),
            trials: self.trials,
            angles: if self.angle.is_empty() { plain.angles } else { self.angle },
            discounts: plain.discounts.into_iter().chain(self.discount).collect(),
            dialect: self.dialect,
            ..Converge::default()
        };
        self.study.run(study, self.seed, screen)
    }
}
