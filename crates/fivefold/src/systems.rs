//! Options that say which systems a study compares.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_data::Source;
use fivefold_data::per_query::MissingQuery;
use fivefold_data::trec::Duplicates;
use fivefold_studies::SystemsConfig;
use fivefold_studies::systems::{TextMeasure, TextsConfig};

/// Where the systems come from.
#[derive(clap::Args)]
#[command(next_help_heading = "Systems")]
pub(crate) struct SystemsArgs {
    /// TREC judgements; needs --runs
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,
    /// TREC runs; a `*` in a path stands for the names of systems
    #[arg(long, value_name = "[NAME=]FILE", num_args = 1..)]
    runs: Vec<String>,
    /// How to treat a document that stands twice under a topic of the qrels or of a run
    #[arg(long, value_name = "POLICY", default_value = Duplicates::Error.name(), value_parser = duplicates())]
    duplicates: Duplicates,
    /// A known LETOR collection, whose test folds were scored; needs --scores with `{fold}`
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// One LETOR file that was scored; needs --scores
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Score files, one number a line; `{fold}` stands for the fold's number, and a `*` for the
    /// names of systems
    #[arg(long, value_name = "[NAME=]FILE", num_args = 1..)]
    scores: Vec<String>,
    /// Values per query: a table of queries x systems, trec_eval -q, ir_measures, ranx, pytrec_eval,
    /// rows of `item,system,score,expected,upper`, or our own
    #[arg(long, value_name = "[NAME=]FILE", num_args = 1..)]
    values: Vec<String>,
    /// The upper bound U of all values, if the files have a column `expected` but no `upper`
    #[arg(long, value_name = "U")]
    upper: Option<f64>,
    /// How to treat a query that has no value for some system
    #[arg(long, value_name = "POLICY", default_value = MissingQuery::Error.name(), value_parser = missing_queries())]
    missing_queries: MissingQuery,
    /// Texts of systems, such as summaries: JSON lines with `id`, `candidate`, `references` and
    /// `source`, or a text a line
    #[arg(long, value_name = "[NAME=]FILE", num_args = 1..)]
    texts: Vec<String>,
    /// Files of reference texts, for --texts without them; each adds one reference
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "texts")]
    references: Vec<String>,
    /// A file of the texts that systems were given, for --texts without them
    #[arg(long, value_name = "FILE", requires = "texts")]
    sources: Option<PathBuf>,
    /// Measures of --texts, such as `rouge2.v2(references=mean)` [default: rouge1, rouge2 and
    /// rougeL, each with V1 and V2]
    #[arg(long, value_name = "MEASURE", num_args = 1.., requires = "texts")]
    text_measures: Vec<TextMeasure>,
    /// A results folder of `fivefold run`
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// The data set to take, if the results folder has several
    #[arg(long, value_name = "LABEL")]
    results_dataset: Option<String>,
}

impl SystemsArgs {
    /// Returns these options in the form of an experiment file.
    pub(crate) fn config(self) -> SystemsConfig {
        let texts = TextsConfig {
            candidates: self.texts,
            references: self.references,
            sources: self.sources,
            ..TextsConfig::default()
        };
        let measures = if self.text_measures.is_empty() { texts.measures.clone() } else { self.text_measures };
        SystemsConfig {
            qrels: self.qrels,
            runs: self.runs,
            duplicates: self.duplicates,
            dataset: self.dataset.map(|name| Source { name: Some(name), ..Source::default() }),
            data: self.data,
            scores: self.scores,
            values: self.values,
            upper: self.upper,
            missing_queries: self.missing_queries,
            results: self.results,
            results_dataset: self.results_dataset,
            texts: (!texts.candidates.is_empty()).then_some(TextsConfig { measures, ..texts }),
        }
    }
}

/// Parses the name of a policy. Help and errors list all names.
pub(crate) fn duplicates() -> impl TypedValueParser<Value = Duplicates> {
    let named = |name: String| Duplicates::ALL.into_iter().find(|policy| policy.name() == name).ok_or("not a policy");
    PossibleValuesParser::new(Duplicates::ALL.map(Duplicates::name)).try_map(named)
}

fn missing_queries() -> impl TypedValueParser<Value = MissingQuery> {
    let named = |name: String| MissingQuery::ALL.into_iter().find(|policy| policy.name() == name).ok_or("not a policy");
    PossibleValuesParser::new(MissingQuery::ALL.map(MissingQuery::name)).try_map(named)
}
