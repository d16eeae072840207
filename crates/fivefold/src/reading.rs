//! Options about reading LETOR files, shared by the commands that take data files.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use fivefold_core::Dataset;
use fivefold_data::{Missing, ReadOptions, read_letor};

use crate::problem::Problem;

/// How LETOR files are read.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// What becomes of missing feature values (NULL, nan)
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = MissingArg(Missing::Error))]
    pub(crate) missing: MissingArg,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

/// What a file looks like, apart from missing values.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct LayoutArgs {
    /// The id of the first feature: 0 for files that count from 0
    #[arg(long, value_name = "ID", default_value_t = 1)]
    first_feature_id: u32,
    /// Bring together the lines of a query that are scattered, instead of refusing the file
    #[arg(long)]
    regroup: bool,
}

impl ReadArgs {
    pub(crate) fn options(&self) -> ReadOptions {
        self.layout.options(self.missing.0)
    }
}

impl LayoutArgs {
    pub(crate) fn options(&self, missing: Missing) -> ReadOptions {
        ReadOptions {
            missing,
            first_feature_id: self.first_feature_id,
            regroup: self.regroup,
            ..ReadOptions::default()
        }
    }
}

/// [`Missing`] as clap wants it.
#[derive(Clone, Copy)]
pub(crate) struct MissingArg(pub(crate) Missing);

impl ValueEnum for MissingArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [MissingArg; 3] =
            [MissingArg(Missing::ALL[0]), MissingArg(Missing::ALL[1]), MissingArg(Missing::ALL[2])];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// Reads one LETOR file.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> miette::Result<Dataset> {
    Ok(read_letor(path, options).map_err(Problem::from)?.data)
}

/// Reads files that belong together: all get the width of the widest, since a file whose last features are all 0 may leave
/// them out.
pub(crate) fn read_parts(paths: &[&Path], options: &ReadOptions) -> miette::Result<Vec<Dataset>> {
    let mut parts = paths.iter().map(|path| read(path, options)).collect::<miette::Result<Vec<_>>>()?;
    let width = parts.iter().map(Dataset::width).max();
    for (part, path) in parts.iter_mut().zip(paths) {
        if Some(part.width()) != width {
            *part = read(path, &ReadOptions { features: width, ..options.clone() })?;
        }
    }
    Ok(parts)
}
