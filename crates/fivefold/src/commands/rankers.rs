//! `fivefold rankers`: the registered rankers, their parameters and presets.

use fivefold_core::params::ParamInfo;
use fivefold_core::{RankerEntry, Registry};
use fivefold_results::config::{OUTSIDE, OutsideKind};
use serde::Serialize;

use super::listing::{self, Listed};
use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::problem::Problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold rankers                       one line a ranker
  fivefold rankers coordinate-ascent     parameters with their defaults, presets
  fivefold rankers --json                everything, for a program")]
pub(crate) struct Args {
    /// A ranker's name (its `kind` in experiment files)
    name: Option<String>,
    #[command(flatten)]
    json: JsonArgs,
}

/// A ranker as `--json` prints it.
#[derive(Serialize)]
struct Described {
    name: &'static str,
    summary: &'static str,
    version: u32,
    /// Whether the ranker draws random numbers with its default parameters.
    seeded: bool,
    parameters: Vec<ParamInfo>,
    presets: Vec<Preset>,
}

#[derive(Serialize)]
struct Preset {
    name: &'static str,
    summary: &'static str,
}

impl Described {
    fn of(entry: &RankerEntry) -> Self {
        Described {
            name: entry.name,
            summary: entry.summary,
            version: entry.version,
            seeded: entry.seeded(),
            parameters: entry.params(),
            presets: entry.presets().into_iter().map(|(name, summary)| Preset { name, summary }).collect(),
        }
    }

    /// Describes a kind that experiment files know besides the registered rankers.
    fn outside(kind: &OutsideKind) -> Self {
        let OutsideKind { name, summary, params, .. } = kind;
        Described { name, summary, version: 1, seeded: false, parameters: params(), presets: Vec::new() }
    }
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let all = || registry.entries().iter().map(Described::of).chain(OUTSIDE.iter().map(Described::outside));
        let found = self.name.map(|name| -> miette::Result<Described> {
            let found = all().find(|ranker| ranker.name == name);
            let names: Vec<&str> = all().map(|ranker| ranker.name).collect();
            Ok(found.ok_or_else(|| Problem::no_ranker(&name, names.iter().copied(), registry))?)
        });
        let foot = |screen: &mut Screen| {
            screen.line("`fivefold rankers NAME` shows parameters and presets.");
            for absent in registry.absent() {
                screen.line(format_args!("Not in this build: {absent}"));
            }
        };
        listing::show(found, all(), self.json.asked(), foot, screen)
    }
}

impl Listed for Described {
    fn row(&self) -> Vec<String> {
        vec![self.name.to_owned(), self.summary.to_owned()]
    }

    fn show(&self, screen: &mut Screen) -> miette::Result<()> {
        screen.line(format_args!("{}: {}", self.name, self.summary));
        let seed = if self.seeded { "the seed alters the model" } else { "the seed has no effect" };
        screen.line(format_args!("version {}; at the defaults {seed}", self.version));
        if !self.parameters.is_empty() {
            screen.line("");
            let rows = self.parameters.iter().map(|param| {
                let default = param.default.as_ref().map_or("unset".to_owned(), ToString::to_string);
                vec![param.name.clone(), default, param.help.clone()]
            });
            screen.columns(&["Parameter", "Default", "Meaning"], rows);
        }
        if !self.presets.is_empty() {
            screen.line("");
            let rows = self.presets.iter().map(|preset| vec![preset.name.to_owned(), preset.summary.to_owned()]);
            screen.columns(&["Preset", "Meaning"], rows);
        }
        Ok(())
    }
}
