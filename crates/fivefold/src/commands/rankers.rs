//! `fivefold rankers`: the registered rankers, their parameters and presets.

use fivefold_core::{ParamInfo, RankerEntry, Registry};
use fivefold_results::config::{OUTSIDE, OutsideKind};
use serde::Serialize;

use crate::exit::Exit;
use crate::problem::Problem;
use crate::screen::Screen;

/// List the rankers, or show one ranker's parameters and presets
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold rankers                       one line a ranker
  fivefold rankers coordinate-ascent     parameters with their defaults, presets
  fivefold rankers --json                everything, for a program")]
pub(crate) struct Args {
    /// A ranker's name (its `kind` in experiment files)
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A ranker as `--json` prints it.
#[derive(Serialize)]
struct Described {
    name: &'static str,
    summary: &'static str,
    version: u32,
    /// At the defaults.
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

    /// A kind that experiments know beside the registered rankers.
    fn outside(kind: &OutsideKind) -> Self {
        let OutsideKind { name, summary, params, .. } = kind;
        Described { name, summary, version: 1, seeded: false, parameters: params(), presets: Vec::new() }
    }
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let all = || registry.entries().iter().map(Described::of).chain(OUTSIDE.iter().map(Described::outside));
        match self.name {
            None if self.json => screen.json(&all().collect::<Vec<_>>())?,
            None => {
                screen.columns(&[], all().map(|ranker| vec![ranker.name.to_owned(), ranker.summary.to_owned()]));
                screen.line("\n`fivefold rankers NAME` shows parameters and presets.");
                for absent in registry.absent() {
                    screen.line(format_args!("Not in this build: {absent}"));
                }
            }
            Some(name) => {
                let found = all().find(|ranker| ranker.name == name);
                let names: Vec<&str> = all().map(|ranker| ranker.name).collect();
                let ranker = found.ok_or_else(|| Problem::no_ranker(&name, names.iter().copied(), registry))?;
                if self.json { screen.json(&ranker)? } else { show(&ranker, screen) }
            }
        }
        Ok(Exit::Done)
    }
}

fn show(ranker: &Described, screen: &mut Screen) {
    screen.line(format_args!("{}: {}", ranker.name, ranker.summary));
    let seed = if ranker.seeded { "the seed alters the model" } else { "the seed has no effect" };
    screen.line(format_args!("version {}; at the defaults {seed}", ranker.version));
    if !ranker.parameters.is_empty() {
        screen.line("");
        let rows = ranker.parameters.iter().map(|param| {
            let default = param.default.as_ref().map_or("unset".to_owned(), ToString::to_string);
            vec![param.name.clone(), default, param.help.clone()]
        });
        screen.columns(&["Parameter", "Default", "Meaning"], rows);
    }
    if !ranker.presets.is_empty() {
        screen.line("");
        let rows = ranker.presets.iter().map(|preset| vec![preset.name.to_owned(), preset.summary.to_owned()]);
        screen.columns(&["Preset", "Meaning"], rows);
    }
}
