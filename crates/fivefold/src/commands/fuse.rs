//! `fivefold fuse`: combines TREC runs into one run.

mod runs;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fivefold_base::words::{counted, which};
use fivefold_data::trec::{Duplicates, Run, read_run};
use fivefold_fusion::{Fusion, METHODS, Method, NORMALISERS, Normaliser, method, normaliser};
use fivefold_results::config::FusionConfig;
use rayon::prelude::*;
use serde::Serialize;

use crate::exit::Exit;
use crate::files;
use crate::format::JsonArgs;
use crate::outputs::{Output, ReplaceArgs, is_run};
use crate::problem::{self, Problem};
use crate::screen::{Screen, tell};
use crate::systems::duplicates;
use runs::{Fused, TiedRanks};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold fuse runs/*.txt --method rrf -o fused.run
  fivefold fuse bm25.run dense.run --method comb-sum --normalise z-score -o fused.run
  fivefold fuse bm25.run dense.run --method rrf --k 20 --weights .3,.7 --depth 100 > fused.run
  fivefold compare --qrels qrels.txt --runs bm25.run dense.run fused.run

The fused run has the topics of all runs. A run that lacks a topic, or a document of a topic, gives \
nothing there; a note counts the topics. Documents of equal fused score stand in the order in which trec_eval reads \
them: by document id, descending.")]
pub(crate) struct Args {
    /// Two or more TREC runs, plain or compressed
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// How the runs are combined
    #[arg(long, value_name = "NAME", value_parser = methods(), default_value = METHODS[0].name)]
    method: &'static Method,
    /// How the scores of a run and topic are normalised first, for methods that use scores
    /// [default: min-max]
    #[arg(long, value_name = "NAME", value_parser = normalisers())]
    normalise: Option<&'static Normaliser>,
    /// The constant of rrf [default: 60]
    #[arg(long, value_name = "NUMBER")]
    k: Option<f64>,
    /// The persistence of rbc [default: 0.8]
    #[arg(long, value_name = "NUMBER")]
    phi: Option<f64>,
    /// A weight for each run, in the order of the runs; 0 leaves a run out [default: 1 for each]
    #[arg(long, value_name = "NUMBER,..", value_delimiter = ',')]
    weights: Option<Vec<f64>>,
    /// The ranks of documents with equal scores, for methods that use ranks
    #[arg(long, value_name = "RULE", value_enum, default_value_t = TiedRanks::Average)]
    ties: TiedRanks,
    /// The most documents of a topic in the fused run
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = positive)]
    depth: usize,
    /// The tag of the fused run [default: the method's name]
    #[arg(long, value_name = "WORD", value_parser = word)]
    tag: Option<String>,
    /// What becomes of a document that stands twice under a topic of a run
    #[arg(long, value_name = "POLICY", default_value = Duplicates::Error.name(), value_parser = duplicates())]
    duplicates: Duplicates,
    /// Where the fused run goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceArgs,
    #[command(flatten)]
    json: JsonArgs,
}

fn methods() -> impl TypedValueParser<Value = &'static Method> {
    let names = METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.summary));
    PossibleValuesParser::new(names).try_map(|name| method(&name))
}

fn normalisers() -> impl TypedValueParser<Value = &'static Normaliser> {
    let names = NORMALISERS.iter().map(|normaliser| PossibleValue::new(normaliser.name).help(normaliser.summary));
    PossibleValuesParser::new(names).try_map(|name| normaliser(&name))
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "give a whole number of at least 1".to_owned())
}

/// Parses the tag, which is one field of a line.
fn word(text: &str) -> Result<String, String> {
    let is_word = !text.is_empty() && text.chars().all(|c| !c.is_whitespace() && !c.is_control());
    is_word.then(|| text.to_owned()).ok_or_else(|| "give one word without blanks".to_owned())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    method: &'static str,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    normalise: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<f64>,
    weights: Vec<f64>,
    ties: &'static str,
    runs: Vec<&'a PathBuf>,
    topics: usize,
    documents: usize,
    remarks: &'a [String],
    out: &'a PathBuf,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        self.check()?;
        let fusion = self.fusion()?;
        let read = |path: &PathBuf| read_run(path, self.duplicates).map_err(problem::report);
        let runs = self.runs.par_iter().map(read).collect::<miette::Result<Vec<Run>>>()?;
        let fused = Fused::of(&runs, &fusion, self.ties).map_err(|wrong| {
            let run = wrong.run.map(|run| format!("{}: ", self.runs[run].display())).unwrap_or_default();
            Problem::new(format!("{run}topic {}: {}", wrong.topic, wrong.reason))
        })?;
        let remarks = self.remarks(&runs, &fused);
        remarks.iter().for_each(|remark| tell(format_args!("note: {remark}")));
        let text = fused.text(self.tag.as_deref().unwrap_or(self.method.name), self.depth);
        let Some(path) = &self.out else {
            screen.text(text);
            return Ok(Exit::Done);
        };
        files::write(path, text.as_bytes())?;
        if self.json.asked() {
            screen.json(&self.told(&fusion, &fused, &remarks, path))?;
        } else {
            let runs = counted(self.runs.len(), "run");
            let (topics, lines) = (counted(fused.topics.len(), "topic"), counted(text.lines().count(), "line"));
            screen.line(format_args!("{}: {runs} fused by {}, {topics}, {lines}", path.display(), describe(&fusion)));
        }
        Ok(Exit::Done)
    }

    /// Checks, before a run is read, what the arguments alone can tell.
    fn check(&self) -> miette::Result<()> {
        if self.runs.len() < 2 {
            return Err(Problem::new("one run alone cannot be fused").help("give two or more runs").into());
        }
        let weights = self.weights.as_ref().map_or(self.runs.len(), Vec::len);
        if weights != self.runs.len() {
            let what = format!("{} for {}", counted(weights, "weight"), counted(self.runs.len(), "run"));
            return Err(Problem::new(what).help("give --weights one number for each run, in their order").into());
        }
        match &self.out {
            Some(path) => {
                let output = Output { path, what: "a TREC run", is_one: &is_run };
                output.check(&self.runs, self.replace)
            }
            None if self.json.asked() => {
                Err(Problem::new("--json tells what was done, and the fused run needs a file")
                    .help("say where the run goes: -o FILE")
                    .into())
            }
            None => Ok(()),
        }
    }

    /// The method with its settings, which are those of a fusion in an experiment.
    fn fusion(&self) -> miette::Result<Fusion> {
        let config = FusionConfig {
            weights_by: None,
            of: Vec::new(),
            method: self.method.name.to_owned(),
            normalise: self.normalise.map(|normaliser| normaliser.name.to_owned()),
            k: self.k,
            phi: self.phi,
            weights: self.weights.clone(),
        };
        config.fusion().map_err(problem::report)
    }

    /// What was passed over, one line each.
    fn remarks(&self, runs: &[Run], fused: &Fused<'_>) -> Vec<String> {
        let own = self.runs.iter().zip(runs).flat_map(|(path, run)| {
            run.remarks().into_iter().map(move |remark| format!("{}: {remark}", path.display()))
        });
        let lacking = self.runs.iter().zip(runs).filter_map(|(path, run)| {
            let lacks = fused.topics.len() - run.topics.len();
            let lines = || {
                format!(
                    "{}: {} of the other runs {} missing",
                    path.display(),
                    counted(lacks, "topic"),
                    which(lacks, "is", "are")
                )
            };
            (lacks > 0).then(lines)
        });
        own.chain(lacking).collect()
    }

    fn told<'a>(&'a self, fusion: &Fusion, fused: &Fused<'_>, remarks: &'a [String], out: &'a PathBuf) -> Told<'a> {
        Told {
            method: self.method.name,
            source: self.method.source,
            normalise: fusion.normaliser().map(|normaliser| normaliser.name),
            parameter: fusion.parameter(),
            weights: self.weights.clone().unwrap_or_else(|| vec![1.0; self.runs.len()]),
            ties: self.ties.name(),
            runs: self.runs.iter().collect(),
            topics: fused.topics.len(),
            documents: fused.topics.iter().map(|topic| topic.documents.len().min(self.depth)).sum(),
            remarks,
            out,
        }
    }
}

/// The settings that decide the fused scores, in a sentence.
fn describe(fusion: &Fusion) -> String {
    let method = fusion.method();
    let parameter = method.parameter.as_ref().zip(fusion.parameter());
    let parameter = parameter.map(|(parameter, value)| format!(" ({}={value})", parameter.name)).unwrap_or_default();
    let normaliser = fusion.normaliser().map(|normaliser| format!(" of {} scores", normaliser.name));
    format!("{}{parameter}{}", method.name, normaliser.unwrap_or_default())
}
