//! The options of the program.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use fivefold_data::texts::TextFiles;

use crate::error::BertScoreError;
use crate::expected::Expected;
use crate::score::{Baseline, Special};
use crate::settings::{References, Settings};

/// More threads than any machine can use.
const MOST_THREADS: u64 = 4096;

/// Score texts of systems against references by BERTScore, with the expected values that the
/// normalised versions V1 and V2 need
#[derive(Debug, Parser)]
#[command(name = "fivefold-bertscore", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:
  fivefold-bertscore --model minilm --texts 'outputs/*.jsonl' --out bertscore.csv
  fivefold-bertscore --model minilm --texts lead=lead.txt ours=ours.txt --references refs.txt --sources src.txt -o b.csv
  fivefold-bertscore --model minilm --texts 'M*.jsonl' --combine-references max --expected b2w --out b2w.csv
  fivefold-bertscore --model roberta-large --layer 17 --rescale roberta-large-17 --texts ours.jsonl --expected none
  fivefold-bertscore --model minilm --texts 'M*.jsonl' --heterogeneity groups.csv --documents hete --out hete.csv
  fivefold-bertscore --model minilm --texts ours.jsonl --heat-map doc-7 --system ours --out doc-7.svg

A file of texts has a JSON object a line (id, candidate, references, source; SummEval's names work too), or a text a \
line with --references and --sources in the same order.

The table of --out has the columns metric, item, system, score, expected, upper. `fivefold compare` and `fivefold \
correlate` read it, and make V1 and V2 of it.

Exit codes: 0 success, 2 the request cannot be done.")]
pub struct Options {
    /// Folder of the model: config.json, tokenizer.json (or vocab.txt) and model.safetensors
    #[arg(long, value_name = "DIR")]
    pub(crate) model: Option<PathBuf>,
    /// Texts of systems. A `*` stands for the name of a system: 'out/*.jsonl'
    #[arg(long, value_name = "[NAME=]PATH", num_args = 1.., required = true)]
    texts: Vec<String>,
    /// Files of references; each adds one reference to each document
    #[arg(long, value_name = "FILE", num_args = 1..)]
    references: Vec<PathBuf>,
    /// File of the sources that were summarised
    #[arg(long, value_name = "FILE")]
    sources: Option<PathBuf>,
    /// Where to write the values per item (CSV), or the figure of --heat-map (SVG)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print the means and the conventions as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The values to write
    #[arg(long, value_name = "VALUE", num_args = 1.., value_enum,
        default_values_t = [Measure::F1, Measure::P, Measure::R])]
    pub(crate) values: Vec<Measure>,
    /// Hidden states after this layer; 0 is the embeddings [default: the last layer]
    #[arg(long, value_name = "N")]
    layer: Option<usize>,
    /// How several references make one score: the first one, the mean, or the best F1
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Combine::First)]
    pub(crate) combine_references: Combine,
    /// Weight tokens by their rarity in the references that are used
    #[arg(long)]
    pub(crate) idf: bool,
    /// The special tokens at both ends of a text: they can be matched and have no weight, or are
    /// dropped
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Ends::Weightless)]
    pub(crate) special: Ends,
    /// Count values from a baseline: roberta-large-17, or your own as NAME=P,R,F1
    #[arg(long, value_name = "BASELINE")]
    pub(crate) rescale: Option<String>,
    /// The random summary whose score is the expected value: tokens drawn from the source, its most
    /// (b2w) or least (w2b) similar tokens, or the system's texts about other documents
    #[arg(long, value_name = "HOW", default_value = Expected::default().name(), value_parser = expected())]
    pub(crate) expected: Expected,
    /// How many summaries `--expected random` draws for each reference
    #[arg(long, value_name = "N", default_value_t = Settings::default().draws)]
    pub(crate) draws: usize,
    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = Settings::default().seed)]
    pub(crate) seed: u64,
    /// Write the distance of the expected values b2w and w2b of each document (CSV), and its group:
    /// HeteDoc has the smallest distances, HomoDoc the largest
    #[arg(long, value_name = "FILE")]
    pub(crate) heterogeneity: Option<PathBuf>,
    /// Documents of each group
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) group_size: usize,
    /// The documents to score; the groups need the sources
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Documents::All)]
    pub(crate) documents: Documents,
    /// Draw the cosines of this document's text, by the system --system, and its reference
    #[arg(long, value_name = "ITEM", requires = "system", requires = "out",
        conflicts_with_all = ["heterogeneity", "documents", "rescale", "idf", "combine_references", "json"])]
    pub(crate) heat_map: Option<String>,
    /// The system of --heat-map
    #[arg(long, value_name = "NAME", requires = "heat_map")]
    pub(crate) system: Option<String>,
    /// The reference of --heat-map, from 1
    #[arg(long, value_name = "N", requires = "heat_map", default_value_t = 1)]
    pub(crate) reference: usize,
    /// Number of threads; 0: a thread for each processor. No result depends on the number
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = RangedU64ValueParser::<usize>::new().range(..=MOST_THREADS))]
    pub(crate) threads: usize,
}

/// A value of a pair of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// The harmonic mean of P and R
    F1,
    /// Precision
    P,
    /// Recall
    R,
}

impl Measure {
    /// The name in the column `metric`.
    pub(crate) fn metric(self) -> &'static str {
        match self {
            Measure::F1 => "bertscore",
            Measure::P => "bertscore-p",
            Measure::R => "bertscore-r",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Combine {
    First,
    Mean,
    Max,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ends {
    Weightless,
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Documents {
    /// All documents
    All,
    /// HeteDoc
    Hete,
    /// HomoDoc
    Homo,
}

/// The name of a choice, as on the command line.
pub(crate) fn name(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn expected() -> impl TypedValueParser<Value = Expected> {
    let named = |name: String| Expected::ALL.into_iter().find(|kind| kind.name() == name).ok_or("not a random summary");
    PossibleValuesParser::new(Expected::ALL.map(Expected::name)).try_map(named)
}

impl Options {
    /// The conventions of the evaluation.
    pub(crate) fn settings(&self) -> Result<Settings, BertScoreError> {
        Ok(Settings {
            layer: self.layer,
            special: self.special(),
            idf: self.idf,
            references: match self.combine_references {
                Combine::First => References::First,
                Combine::Mean => References::Mean,
                Combine::Max => References::Max,
            },
            expected: self.expected,
            draws: self.draws,
            baseline: self.rescale.as_deref().map(str::parse::<Baseline>).transpose()?,
            seed: self.seed,
        })
    }

    pub(crate) fn special(&self) -> Special {
        match self.special {
            Ends::Weightless => Special::Weightless,
            Ends::Drop => Special::Drop,
        }
    }

    pub(crate) fn layer(&self) -> Option<usize> {
        self.layer
    }

    /// The files of texts, with each `*` replaced by what stands in its place.
    pub(crate) fn files(&self) -> Result<TextFiles, BertScoreError> {
        let mut files = TextFiles::default();
        for pattern in &self.texts {
            files.candidates.extend(named_files(pattern)?);
        }
        files.references.clone_from(&self.references);
        files.sources.clone_from(&self.sources);
        Ok(files)
    }
}

/// The names and the paths that `[NAME=]PATH` stands for: the path itself, or a path for each text
/// that can replace its `*`, in the order of the texts.
fn named_files(pattern: &str) -> Result<Vec<(Option<String>, PathBuf)>, BertScoreError> {
    let error = |what: String| BertScoreError::new(format!("--texts `{pattern}` {what}"));
    let Some((before, after)) = pattern.split_once('*') else {
        return Ok(vec![match pattern.split_once('=') {
            // A path may contain `=` too. So a text with a separator of folders is not a name.
            Some((name, path)) if !name.is_empty() && !name.contains(std::path::is_separator) => {
                (Some(name.to_owned()), PathBuf::from(path))
            }
            _ => (None, PathBuf::from(pattern)),
        }]);
    };
    if after.contains(['*', '/']) {
        return Err(error("may have one `*`, in the name of the file".to_owned()));
    }
    let (folder, start) = before.rfind('/').map_or((".", before), |slash| (&before[..=slash], &before[slash + 1..]));
    let unreadable = |problem: std::io::Error| error(format!("cannot be looked up in {folder}: {problem}"));
    let mut names = Vec::new();
    for entry in Path::new(folder).read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let file = entry.file_name().to_string_lossy().into_owned();
        let middle = file.strip_prefix(start).and_then(|rest| rest.strip_suffix(after));
        if let Some(middle) = middle.filter(|middle| !middle.is_empty() && entry.path().is_file()) {
            names.push(middle.to_owned());
        }
    }
    names.sort();
    if names.is_empty() {
        return Err(
            error(format!("matches no file in {folder}")).help("put the pattern into quotes, and check its folder")
        );
    }
    Ok(names.into_iter().map(|name| (Some(name.clone()), PathBuf::from(format!("{before}{name}{after}")))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_well_formed() {
        use clap::CommandFactory as _;
        Options::command().debug_assert();
    }

    #[test]
    fn a_star_stands_for_the_names_of_systems() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["M9.jsonl", "M10.jsonl", "M.jsonl", "N1.jsonl", "M9.txt"] {
            std::fs::write(path(name), "x").unwrap();
        }
        let shown = folder.path().display();
        let files = named_files(&format!("{shown}/M*.jsonl")).unwrap();
        let expected = [(Some("10".to_owned()), path("M10.jsonl")), (Some("9".to_owned()), path("M9.jsonl"))];
        assert_eq!(files, expected);
        assert_eq!(named_files("a=b.txt").unwrap(), [(Some("a".to_owned()), PathBuf::from("b.txt"))]);
        assert_eq!(named_files("x/a=b.txt").unwrap(), [(None, PathBuf::from("x/a=b.txt"))]);
        for (bad, problem) in [("*/a*", "may have one `*`"), ("*/a", "may have one `*`"), ("X*", "matches no file")] {
            let error = named_files(&format!("{shown}/{bad}")).unwrap_err();
            assert!(error.to_string().contains(problem), "{error}");
        }
    }
}
