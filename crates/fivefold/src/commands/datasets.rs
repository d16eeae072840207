//! `fivefold datasets`: the known collections, where to get them, and which of them are on this
//! machine.

use std::path::{Path, PathBuf};

use fivefold_data::descriptor::Checked;
use fivefold_data::{Descriptor, FeatureNames, descriptor, descriptors};
use serde::Serialize;

use super::listing::{self, Listed};
use crate::data_dir::data_dir;
use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::problem::{self, Problem};
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold datasets
  fivefold datasets mq2008                               what it is, where to get it
  fivefold datasets mq2008 --verify --data-dir ~/letor   compare its files with known checksums

Put the files of a collection into a folder with the collection's name. The folder stands within the folder that \
--data-dir or the environment variable FIVEFOLD_DATA names. An experiment reads any other collection by `path` and `layout`.")]
pub(crate) struct Args {
    /// A collection's name
    name: Option<String>,
    /// The folder with the collections [default: the environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Compare the files with the known checksums; exit code 1 if a file differs or is missing
    #[arg(long, requires = "name", conflicts_with_all = ["json", "format"])]
    verify: bool,
    #[command(flatten)]
    json: JsonArgs,
}

/// A collection as `--json` prints it.
#[derive(Serialize)]
struct Known<'a> {
    /// The folder of the collection, if it is on this machine and complete.
    folder: Option<PathBuf>,
    #[serde(flatten)]
    descriptor: &'a Descriptor,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let folders: Vec<PathBuf> = data_dir(self.data_dir.as_deref()).into_iter().collect();
        let known = |descriptor: &'static Descriptor| Known { folder: descriptor.find(&folders), descriptor };
        let found = match &self.name {
            Some(name) => Some(descriptor(name).map_err(problem::report)?),
            None => None,
        };
        let foot = |screen: &mut Screen| {
            match folders.first() {
                Some(folder) => screen.line(format_args!("Looked in {}.", folder.display())),
                None => screen.line("FIVEFOLD_DATA is not set, so no folder was searched."),
            }
            screen.line("`fivefold datasets NAME` says where to get a collection.");
        };
        let shown =
            listing::show(found.map(known).map(Ok), descriptors().iter().map(known), self.json.asked(), foot, screen)?;
        match found {
            Some(descriptor) if self.verify => verify(&known(descriptor), screen),
            _ => Ok(shown),
        }
    }
}

fn count(count: Option<usize>) -> String {
    count.map_or_else(|| "?".to_owned(), |count| count.to_string())
}

impl Listed for Known<'_> {
    const HEAD: &'static [&'static str] = &["Name", "Here", "Queries", "Documents", "Features", "Title"];

    fn row(&self) -> Vec<String> {
        let Known { folder, descriptor } = self;
        vec![
            descriptor.name.clone(),
            if folder.is_some() { "present" } else { "-" }.to_owned(),
            count(descriptor.queries),
            count(descriptor.documents),
            count(descriptor.features),
            descriptor.title.clone(),
        ]
    }

    fn show(&self, screen: &mut Screen) -> miette::Result<()> {
        let Known { folder, descriptor } = self;
        let grades = descriptor.max_grade.map_or_else(|| "?".to_owned(), |grade| format!("0 to {grade}"));
        let here = folder.as_deref().map_or_else(|| "no".into(), Path::to_string_lossy);
        let facts = [
            ("Name", descriptor.name.clone()),
            ("Title", descriptor.title.clone()),
            ("Queries", count(descriptor.queries)),
            ("Documents", count(descriptor.documents)),
            ("Features", count(descriptor.features)),
            ("Feature groups", groups(descriptor)),
            ("Grades", grades),
            ("Missing values", descriptor.missing.to_string()),
            ("Files", descriptor.needed()),
            ("Licence", descriptor.licence.clone()),
            ("Page", descriptor.url.clone()),
            ("To get it", descriptor.get.clone()),
            ("Here", here.into_owned()),
        ];
        let facts = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
        screen.columns(&[], facts.map(|(name, fact)| vec![name.to_owned(), fact]));
        Ok(())
    }
}

/// The groups of the features, if the collection has a built-in list of names.
fn groups(descriptor: &Descriptor) -> String {
    let names = descriptor.feature_names.as_deref().and_then(FeatureNames::built_in).unwrap_or_default();
    names.groups().join(", ")
}

fn verify(known: &Known<'_>, screen: &mut Screen) -> miette::Result<Exit> {
    let Known { folder: Some(folder), descriptor } = known else {
        let what = format!("collection `{}` is not here, so its files cannot be verified", known.descriptor.name);
        return Err(Problem::new(what).help(known.descriptor.get.clone()).into());
    };
    if descriptor.checksums.is_empty() {
        return Err(Problem::new(format!("no checksums of `{}` are known", descriptor.name)).into());
    }
    let checked = descriptor.verify(folder).map_err(|error| Problem::file("read the files in", folder, error))?;
    screen.line("");
    let word = |checked: Checked| match checked {
        Checked::Same => "ok",
        Checked::Differs => "DIFFERS",
        Checked::Absent => "ABSENT",
    };
    screen.columns(&[], checked.iter().map(|&(file, checked)| vec![word(checked).to_owned(), file.to_owned()]));
    let same = checked.iter().all(|(_, checked)| *checked == Checked::Same);
    Ok(if same { Exit::Done } else { Exit::Failed })
}
