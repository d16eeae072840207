//! The names of features, for commands about models.

use std::path::{Path, PathBuf};

use fivefold_data::features::LISTS;
use fivefold_data::{FeatureNames, descriptor};
use fivefold_results::manifest::{MANIFEST, Manifest};
use fivefold_results::paths::model_file;
use fivefold_results::store::Store;

use crate::problem::Problem;

/// The option that names the features of a model.
#[derive(clap::Args)]
pub(crate) struct NamesArgs {
    /// The names of the features: a file of names, the name of a known collection, or a list
    /// (letor4, mslr, ohsumed-letor2, ohsumed-letor3) [default: the names of the run that made the
    /// model, or the names beside the data]
    #[arg(long, value_name = "NAMES")]
    feature_names: Option<String>,
}

/// Names, and the number of the first feature in the files.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) names: FeatureNames,
    pub(crate) first: u32,
}

impl Named {
    /// The number of a feature in the files. `column` counts from 0.
    pub(crate) fn id(&self, column: usize) -> u32 {
        u32::try_from(column).map_or(u32::MAX, |column| column.saturating_add(self.first))
    }

    pub(crate) fn name(&self, column: usize) -> Option<&str> {
        self.names.name(self.id(column))
    }

    /// The number of a feature, and its name if it has one.
    pub(crate) fn label(&self, column: usize) -> String {
        self.names.label(self.id(column))
    }
}

impl NamesArgs {
    /// The names that the user gave, else those of the run that made the model, else those beside
    /// the data. The model takes `features` features. `first` is the number of the first, where no
    /// run knows it.
    pub(crate) fn of_model(
        &self,
        model: &Path,
        data: Option<&Path>,
        features: usize,
        first: u32,
    ) -> miette::Result<Named> {
        if let Some(asked) = &self.feature_names {
            return Ok(Named { names: asked_for(asked, features, first)?, first });
        }
        if let Some(named) = of_run(model) {
            return Ok(named);
        }
        let beside = data.map(|data| FeatureNames::beside(data, first)?.covering(features)).transpose();
        let beside = beside.map_err(|error| {
            Problem::new(error).help("mend the file of names, or give other names with --feature-names")
        })?;
        Ok(Named { names: beside.unwrap_or_default(), first })
    }
}

fn asked_for(asked: &str, features: usize, first: u32) -> miette::Result<FeatureNames> {
    let of_collection =
        || descriptor(asked).ok().and_then(|known| FeatureNames::built_in(known.feature_names.as_ref()?));
    if let Some(names) = FeatureNames::built_in(asked).or_else(of_collection) {
        return Ok(names);
    }
    FeatureNames::read(Path::new(asked), first).and_then(|names| names.covering(features)).map_err(|error| {
        let lists: Vec<&str> = LISTS.iter().map(|(list, _)| *list).collect();
        Problem::new(format!("`{asked}` names no features: {error}"))
            .help(format!(
                "give a file of names, a known collection whose features have names, or a list: {}",
                lists.join(", ")
            ))
            .into()
    })
}

/// The names in the manifest of the run whose results folder holds the model.
fn of_run(model: &Path) -> Option<Named> {
    let model = std::path::absolute(model).ok()?;
    let folder = model.ancestors().skip(1).find(|folder| folder.join(MANIFEST).is_file())?;
    let manifest = Manifest::read(&Store::new(folder)).ok()?;
    let own = |id: &str| PathBuf::from(model_file(id));
    let within = model.strip_prefix(folder).ok()?;
    let job = manifest.jobs.iter().find(|job| own(&job.id) == within)?;
    let facts = manifest.datasets.get(job.dataset)?;
    Some(Named { names: facts.names.clone(), first: facts.first_feature_id })
}
