//! `fivefold datasets`: known collections, where to get them, which are on this machine.

use std::path::{Path, PathBuf};

use fivefold_data::{Checked, Descriptor, descriptor, descriptors};
use serde::Serialize;

use crate::data_dir::data_dir;
use crate::exit::Exit;
use crate::problem::{self, Problem};
use crate::screen::Screen;

/// List the known collections and where to get them
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold datasets
  fivefold datasets mq2008                               what it is, where to get it
  fivefold datasets mq2008 --verify --data-dir ~/letor   compare its files with known checksums

A collection's files belong in a folder of its name within the folder that --data-dir or the environment variable \
FIVEFOLD_DATA names. An experiment reads any other collection by `path` and `layout`.")]
pub(crate) struct Args {
    /// A collection's name
    name: Option<String>,
    /// The folder with the collections [default: the environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Compare the files with the known checksums; exit code 1 if one differs or is missing
    #[arg(long, requires = "name")]
    verify: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "verify")]
    json: bool,
}

/// A collection as `--json` prints it.
#[derive(Serialize)]
struct Known<'a> {
    /// Its complete folder, if it is there.
    folder: Option<PathBuf>,
    #[serde(flatten)]
    descriptor: &'a Descriptor,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let folders: Vec<PathBuf> = data_dir(self.data_dir.as_deref()).into_iter().collect();
        let known = |descriptor: &'static Descriptor| Known { folder: descriptor.find(&folders), descriptor };
        match &self.name {
            None if self.json => screen.json(&descriptors().iter().map(known).collect::<Vec<_>>())?,
            None => list(descriptors().iter().map(known), &folders, screen),
            Some(name) => {
                let known = known(descriptor(name).map_err(problem::report)?);
                match self.json {
                    true => screen.json(&known)?,
                    false => show(&known, screen),
                }
                if self.verify {
                    return verify(&known, screen);
                }
            }
        }
        Ok(Exit::Done)
    }
}

fn list(all: impl Iterator<Item = Known<'static>>, folders: &[PathBuf], screen: &mut Screen) {
    let rows = all.map(|Known { folder, descriptor }| {
        let count = |count: Option<usize>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
        vec![
            descriptor.name.clone(),
            if folder.is_some() { "present" } else { "-" }.to_owned(),
            count(descriptor.queries),
            count(descriptor.documents),
            count(descriptor.features),
            descriptor.title.clone(),
        ]
    });
    screen.columns(&["Name", "Here", "Queries", "Documents", "Features", "Title"], rows);
    match folders.first() {
        Some(folder) => screen.line(format_args!("\nLooked in {}.", folder.display())),
        None => screen.line("\nFIVEFOLD_DATA is not set: nothing was looked for."),
    }
    screen.line("`fivefold datasets NAME` says where to get one.");
}

fn show(known: &Known<'_>, screen: &mut Screen) {
    let Known { folder, descriptor } = known;
    let grades = descriptor.max_grade.map_or_else(|| "?".to_owned(), |grade| format!("0 to {grade}"));
    let here = folder.as_deref().map_or_else(|| "no".into(), Path::to_string_lossy);
    let count = |count: Option<usize>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
    let facts = [
        ("Name", descriptor.name.clone()),
        ("Title", descriptor.title.clone()),
        ("Queries", count(descriptor.queries)),
        ("Documents", count(descriptor.documents)),
        ("Features", count(descriptor.features)),
        ("Grades", grades),
        ("Missing values", descriptor.missing.to_string()),
        ("Files", descriptor.needed()),
        ("Licence", descriptor.licence.clone()),
        ("Page", descriptor.url.clone()),
        ("To get it", descriptor.get.clone()),
        ("Here", here.into_owned()),
    ];
    screen.columns(
        &[],
        facts.into_iter().filter(|(_, fact)| !fact.is_empty()).map(|(name, fact)| vec![name.to_owned(), fact]),
    );
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
