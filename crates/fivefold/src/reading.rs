//! The options for reading LETOR files, which the commands that take data files share.

use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_core::Dataset;
use fivefold_data::digits::collapsed_remark;
use fivefold_data::{Missing, Part, ReadOptions, read_letor};

use crate::problem::Problem;
use crate::screen::tell;

/// How LETOR files are read.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// How to treat missing feature values (NULL, nan)
    #[arg(long, value_name = "POLICY", value_parser = missing_policy(), default_value = Missing::Error.name())]
    missing: Missing,
    #[command(flatten)]
    layout: LayoutArgs,
}

/// What a file looks like, apart from missing values.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct LayoutArgs {
    /// The id of the first feature: 0 for files that count from 0
    #[arg(long, value_name = "ID", default_value_t = 1)]
    first_feature_id: u32,
    /// Bring together the scattered lines of a query, instead of refusing the file
    #[arg(long)]
    regroup: bool,
}

impl ReadArgs {
    pub(crate) fn options(&self) -> ReadOptions {
        self.layout.options(self.missing)
    }
}

impl LayoutArgs {
    /// The options for commands that use only the grades. For these commands, a missing feature
    /// value is harmless.
    pub(crate) fn grades(&self) -> ReadOptions {
        self.options(Missing::Zero)
    }

    pub(crate) fn options(&self, missing: Missing) -> ReadOptions {
        ReadOptions {
            missing,
            first_feature_id: self.first_feature_id,
            regroup: self.regroup,
            ..ReadOptions::default()
        }
    }
}

/// Parses the name of a policy. Help and errors list all names.
fn missing_policy() -> impl TypedValueParser<Value = Missing> {
    let named = |name: String| Missing::ALL.into_iter().find(|policy| policy.name() == name).ok_or("not a policy");
    PossibleValuesParser::new(Missing::ALL.map(Missing::name)).try_map(named)
}

/// Reads one LETOR file for its grades and features, and prints remarks on the file.
fn read(path: &Path, options: &ReadOptions) -> miette::Result<Part> {
    let part = read_letor(path, options).map_err(Problem::from)?;
    tell_remarks(&part);
    Ok(part)
}

/// Reads one LETOR file of which only the grades are used.
pub(crate) fn read_for_grades(path: &Path, options: &ReadOptions) -> miette::Result<Part> {
    let part = read_letor(path, options).map_err(Problem::from)?;
    part.remarks.iter().for_each(|remark| tell(format_args!("note: {remark}")));
    Ok(part)
}

/// Prints remarks on a file whose features are used.
pub(crate) fn tell_remarks(part: &Part) {
    part.remarks.iter().for_each(|remark| tell(format_args!("note: {remark}")));
    if let Some(remark) = collapsed_remark(&part.collapsed) {
        tell(format_args!("note: {}: {remark}", part.file.display()));
    }
}

/// Reads files that belong together. All files get the width of the widest file, because a file may
/// leave out its last features if they are 0 in every document.
pub(crate) fn read_parts(paths: &[&Path], options: &ReadOptions) -> miette::Result<Vec<Dataset>> {
    let mut parts = paths.iter().map(|path| Ok(read(path, options)?.data)).collect::<miette::Result<Vec<_>>>()?;
    let width = parts.iter().map(Dataset::width).max().unwrap_or_default();
    for (part, path) in parts.iter_mut().zip(paths) {
        if part.width() != width {
            // The remarks were already printed at the first reading.
            let options = ReadOptions { features: Some(width), ..options.clone() };
            *part = read_letor(path, &options).map_err(Problem::from)?.data;
        }
    }
    Ok(parts)
}
