//! `fivefold measures`: the measures, each with its formula, source and parameters.

use fivefold_metrics::entry::{Asks, Param};
use fivefold_metrics::{DIALECTS, MeasureEntry, MeasureSpec, Version, all_measures};
use serde::Serialize;

use super::listing::{self, Listed};
use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::problem::Problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold measures                one line a measure
  fivefold measures ndcg           formula, source, parameters
  fivefold measures ndcg.v2@10     the same, with what the version does
  fivefold measures --json         everything, for a program

A measure is written NAME[.v1|.v2][(PARAMETER=VALUE,...)][@CUTOFF], for instance
  ndcg@10    ndcg.v2(gain=linear)@5    ap(denominator=relevant)@30    err    rbp(p=0.95)
.v1 and .v2 are the two upper-expected normalisations of Feng & Karmaker (IPM 2023), for any \
measure.")]
pub(crate) struct Args {
    /// A measure's name; version, parameters and cutoff may follow
    name: Option<String>,
    #[command(flatten)]
    json: JsonArgs,
}

/// A measure as `--json` prints it.
#[derive(Serialize)]
struct Described {
    name: &'static str,
    summary: &'static str,
    formula: &'static str,
    source: &'static str,
    cutoff: &'static str,
    /// What the measure asks of the data.
    asks: &'static str,
    /// Whether there are V1 and V2, or why not.
    versions: String,
    /// The effect of the version, if the user named a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'static str>,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    help: &'static str,
    values: &'static str,
    default: String,
}

impl From<&MeasureEntry> for Described {
    fn from(entry: &MeasureEntry) -> Self {
        Described {
            name: entry.name,
            summary: entry.summary,
            formula: entry.formula,
            source: entry.source,
            cutoff: entry.cutoffs.words(),
            asks: entry.asks.words(),
            versions: match entry.no_ue {
                None => ".v1 and .v2".to_owned(),
                Some(reason) => format!("none: {reason}"),
            },
            version: None,
            parameters: entry.params.iter().map(Parameter::from).collect(),
        }
    }
}

impl From<&Param> for Parameter {
    fn from(param: &Param) -> Self {
        Parameter { name: param.name, help: param.help, values: param.values, default: param.defaults() }
    }
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let found = self.name.map(|name| described(&name));
        if found.is_none() && !self.json.asked() {
            list(screen);
            return Ok(Exit::Done);
        }
        listing::show(found, all_measures().map(Described::from), self.json.asked(), |_| {}, screen)
    }
}

/// Lists the measures by what they ask of the data.
fn list(screen: &mut Screen) {
    for asks in Asks::ALL {
        screen.line(format_args!("{}:", asks.words()));
        let own = all_measures().filter(|entry| entry.asks == asks);
        screen.columns(&[], own.map(|entry| vec![format!("  {}", entry.name), entry.summary.to_owned()]));
        screen.line("");
    }
    screen.line("two runs, without judgements:\n  rank-biased overlap: `fivefold rbo`\n");
    screen.line(
        "`fivefold measures NAME` shows formula, source and parameters, and whether a measure takes .v1 and .v2.",
    );
}

/// Finds a measure by a name that may contain a version, parameters and a cutoff.
fn described(name: &str) -> miette::Result<Described> {
    let plain = name.split(['.', '(', '@']).next().unwrap_or(name).trim();
    let entry = all_measures().find(|entry| entry.name == plain);
    let spec = match entry {
        Some(_) if name == plain => None,
        _ => Some(crate::measure_list::measure(name, &DIALECTS[0].conventions())?),
    };
    let entry = entry.or(spec.as_ref().map(MeasureSpec::entry)).ok_or_else(|| Problem::new("no measure is named"))?;
    let mut measure = Described::from(entry);
    if let Some(spec) = spec {
        measure.version = match spec.version() {
            Version::Original => None,
            Version::V1 => Some(concat!(
                "v1: (A/U) (A/(A+E)); 0 finds nothing. A is the value of the ranking, U that of the ideal order, ",
                "E the mean over all orders of the query's documents."
            )),
            Version::V2 => Some(concat!(
                "v2: (A-E)/(U-E), or (A-E)/E if A is below E; 1 is perfect, 0 is random, -1 finds nothing. A is the ",
                "value of the ranking, U that of the ideal order, E the mean over all orders of the query's documents."
            )),
        };
    }
    Ok(measure)
}

impl Listed for Described {
    fn row(&self) -> Vec<String> {
        vec![self.name.to_owned(), self.summary.to_owned()]
    }

    fn show(&self, screen: &mut Screen) -> miette::Result<()> {
        screen.line(format_args!("{}: {}\n", self.name, self.summary));
        let mut facts = vec![("Formula", self.formula)];
        facts.extend(self.version.map(|version| ("Version", version)));
        facts.extend([("Source", self.source), ("Cutoff", self.cutoff), ("Asks for", self.asks)]);
        facts.push(("Versions", &self.versions));
        screen.columns(&[], facts.into_iter().map(|(name, text)| vec![name.to_owned(), text.to_owned()]));
        if !self.parameters.is_empty() {
            screen.line("");
            let rows =
                self.parameters.iter().map(|p| [p.name, &p.default, p.values, p.help].map(str::to_owned).to_vec());
            screen.columns(&["Parameter", "Default", "Values", "Meaning"], rows);
        }
        Ok(())
    }
}
