//! `fivefold correlate`: how far measures agree with ratings or preferences by people.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use fivefold_data::ratings::RaterGroup;
use fivefold_stats::{Coefficient, CorrelationLevel, Exchange};
use fivefold_studies::ratings::{Ratings, RatingsConfig};

use crate::conventions::ConventionArgs;
use crate::exit::Exit;
use crate::measure_list::names;
use crate::problem::Problem;
use crate::screen::Screen;
use crate::study::{StudyRunArgs, only_experiment};
use crate::systems::SystemsArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold correlate rouge1.csv --ratings ratings.csv           rows of `item,system,score,expected,upper` and of \
`item,system,rater,fluency,...`
  fivefold correlate bleu.csv judge.csv --ratings ratings.csv --level system --against bleu
  fivefold correlate rouge1.csv --ratings 'annotations/*_outputs_annotations.jsonl' --group crowd    SummEval's own files
  fivefold correlate --qrels qrels.txt --runs 'runs/*.txt' --measure ndcg@10 ndcg.v2@10 --ratings topics.csv
  fivefold correlate --qrels qrels.txt --runs 'runs/*.txt' --measure ndcg@10 --preferences sides.csv
  fivefold correlate ratings.toml                               an experiment file of kind \"ratings\"

An item of the ratings is a query of the values; both must have the same names. Differences are taken to the original of a \
measure (`rouge1` for `rouge1.v2`), or to --against. All numbers are in the files of the results folder (--out). \
`fivefold book reference/ratings` says what each number means.")]
pub(crate) struct Args {
    /// Values per query (`[NAME=]FILE`), a results folder, or an experiment: a TOML file or a name
    /// that comes with the program. NAME is the system, or the measure of a file with several
    /// systems
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// Ratings by people: tables or lines of JSON; a `*` in a path stands for the names of systems
    #[arg(long, value_name = "[NAME=]FILE", num_args = 1.., help_heading = "Ratings")]
    ratings: Vec<String>,
    /// Side-by-side preferences: rows of `item,a,b,preferred`
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Ratings")]
    preferences: Vec<String>,
    /// The group of raters, if a file has two, as SummEval's
    #[arg(long, value_name = "GROUP", default_value = RaterGroup::default().name(), value_parser = PossibleValuesParser::new(RaterGroup::ALL.map(RaterGroup::name)), help_heading = "Ratings")]
    group: String,
    /// The dimensions of the ratings [default: all]
    #[arg(long, visible_alias = "dimensions", value_name = "NAME", num_args = 1.., help_heading = "Ratings")]
    dimension: Vec<String>,
    #[command(flatten)]
    run: StudyRunArgs,
    #[command(flatten)]
    systems: SystemsArgs,
    /// Measures of rankings [default: ndcg@10, ap and rr], or columns of values [default: all
    /// columns]
    #[arg(long, visible_alias = "measures", value_name = "MEASURE", num_args = 1..)]
    measure: Vec<String>,
    /// The points of a correlation: the means of systems, the systems within each item, or all
    /// scores pooled [default: all]
    #[arg(long, value_name = "LEVEL", num_args = 1.., value_parser = PossibleValuesParser::new(CorrelationLevel::ALL.map(CorrelationLevel::name)))]
    level: Vec<String>,
    /// The coefficients [default: all]; charts and words take the first
    #[arg(long, visible_alias = "coefficients", value_name = "NAME", num_args = 1.., value_parser = PossibleValuesParser::new(Coefficient::ALL.map(Coefficient::name)))]
    coefficient: Vec<String>,
    /// The measure to which all differences are taken [default: the original of each version]
    #[arg(long, value_name = "MEASURE")]
    against: Option<String>,
    /// What the permutation test exchanges between two measures: scores of systems and items, of
    /// items, or of systems
    #[arg(long, value_name = "WHAT", default_value = Exchange::Both.name(), value_parser = PossibleValuesParser::new(Exchange::ALL.map(Exchange::name)))]
    exchange: String,
    /// Number of draws of the bootstrap, and of the permutation test
    #[arg(long, value_name = "N", default_value_t = Ratings::default().draws)]
    draws: usize,
    /// Intervals have the confidence 1 - alpha
    #[arg(long, value_name = "LEVEL", default_value_t = Ratings::default().alpha)]
    alpha: f64,
    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    conventions: ConventionArgs,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let defaults = Ratings::default();
        let or = |given: Vec<String>, default: &[String]| if given.is_empty() { default.to_vec() } else { given };
        let mut study = Ratings {
            systems: self.systems.config(),
            ratings: RatingsConfig {
                files: self.ratings,
                preferences: self.preferences,
                group: self.group,
                dimensions: self.dimension,
            },
            measures: names(&self.measure),
            level: or(self.level, &defaults.level),
            coefficients: or(self.coefficient, &defaults.coefficients),
            against: self.against,
            exchange: self.exchange,
            draws: self.draws,
            alpha: self.alpha,
            dialect: self.conventions.dialect().map_err(Problem::from)?.name.to_owned(),
            conventions: self.conventions.overrides(),
            printed: Vec::new(),
        };
        if let Some(only) = only_experiment(&self.inputs, &study, self.seed)? {
            return self.run.experiment::<Ratings>(only, screen);
        }
        if study.ratings.files.is_empty() && study.ratings.preferences.is_empty() {
            let what = "there are no ratings to correlate with";
            let help = "give files of ratings with --ratings, or of preferences with --preferences; `fivefold compare` \
                compares systems without people";
            return Err(Problem::new(what).help(help).into());
        }
        match self.inputs.as_slice() {
            [folder] if Path::new(folder).is_dir() => study.systems.results = Some(folder.into()),
            inputs => {
                if let Some(folder) = inputs.iter().find(|input| Path::new(input).is_dir()) {
                    let what = format!("`{folder}` is a folder beside other inputs");
                    return Err(Problem::new(what).help("give one results folder, or files of values").into());
                }
                study.systems.values.extend(self.inputs);
            }
        }
        self.run.settings(study, self.seed, screen)
    }
}
