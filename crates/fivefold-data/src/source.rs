//! The entry of a data set in an experiment, and how a data set is opened.
//!
//! ```toml
//! name = "mq2008"                              # a built-in descriptor; its files are in FIVEFOLD_DATA/mq2008
//! name = "mq2007"                              # the same with files elsewhere
//! path = "/data/letor/MQ2007"
//! path = "my.toml"                             # a descriptor of one's own; files beside it
//! path = "my-data"                             # a folder, or with `one-file` a file
//! layout = "letor4"
//! synthetic = { shape = "mq2007", queries = 300 }   # drawn; needs no files
//! ```

use std::path::{Path, PathBuf};

use fivefold_core::Seed;
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::collection::Collection;
use crate::descriptor::{Descriptor, descriptor};
use crate::error::DataError;
use crate::layout::{LAYOUTS, LAYOUTS_PAGE};
use crate::letor::{Missing, ReadOptions};
use crate::synthetic;

/// The origin of a collection, and the options for reading its files.
///
/// ```
/// use fivefold_data::{Source, open};
///
/// let folder = tempfile::tempdir()?;
/// for (file, queries) in [("train.txt", 1..4), ("test.txt", 4..6)] {
///     let lines: Vec<String> = queries.map(|query| format!("1 qid:{query} 1:0.5\n0 qid:{query} 1:0.25\n")).collect();
///     std::fs::write(folder.path().join(file), lines.concat())?;
/// }
/// let collection = open(&Source {
///     path: Some(folder.path().to_owned()),
///     layout: Some("train-test".to_owned()),
///     files: vec!["train.txt".to_owned(), "test.txt".to_owned()],
///     ..Source::default()
/// }, &[])?;
/// assert_eq!((collection.folds[0].train.len(), collection.folds[0].test.len()), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Source {
    /// The name of a built-in descriptor. With `path` and `layout`, any name.
    pub name: Option<String>,
    /// The folder of the files, a descriptor file (`.toml`), or the one file of the layout
    /// `one-file`.
    pub path: Option<PathBuf>,
    /// The layout of the files (a name of [`LAYOUTS`]). Overrides the descriptor.
    pub layout: Option<String>,
    /// The files, if the layout needs a list.
    pub files: Vec<String>,
    /// A synthetic collection.
    #[serde(alias = "made")]
    pub synthetic: Option<SyntheticSource>,
    /// Seed of the draw that cuts one file, or a synthetic collection, into folds.
    pub fold_seed: u64,
    /// The treatment of missing values. Overrides the descriptor.
    pub missing: Option<Missing>,
    /// The id of the first feature. Overrides the descriptor.
    pub first_feature_id: Option<u32>,
    /// Whether lines of a query that do not stand together are brought together.
    pub regroup: bool,
    /// Features a document. Overrides the descriptor.
    pub features: Option<usize>,
    /// The names of the features: a built-in list, or a file in the collection's folder. Overrides
    /// the descriptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_names: Option<String>,
    /// The highest possible grade. Overrides the descriptor.
    pub max_grade: Option<u8>,
}

/// A synthetic collection.
///
/// ```
/// use fivefold_data::{SyntheticSource, Source, open};
///
/// let synthetic = SyntheticSource { shape: "mq2007".to_owned(), queries: 10, seed: 1 };
/// let collection = open(&Source { synthetic: Some(synthetic), ..Source::default() }, &[])?;
/// assert_eq!((collection.folds.len(), collection.all.len(), collection.all.width()), (5, 10, 46));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyntheticSource {
    /// The collection's shape (a name of [`synthetic::SHAPES`]).
    pub shape: String,
    /// Number of queries.
    pub queries: usize,
    /// Seed of all draws.
    #[serde(default)]
    pub seed: u64,
}

impl Source {
    /// The name of the data set. If the experiment gives no name, the shape or the file name
    /// without its ending.
    pub fn name(&self) -> String {
        let stem =
            || self.path.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
        let shape = || self.synthetic.as_ref().map(|synthetic| synthetic.shape.clone());
        self.name.clone().or_else(shape).or_else(stem).unwrap_or_default()
    }

    /// Checks all that can be checked without opening a file.
    ///
    /// # Errors
    /// [`DataError::Source`] names the fault.
    pub fn check(&self) -> Result<(), DataError> {
        let wrong = |message: &str| Err(DataError::Source(message.to_owned()));
        if let Some(synthetic) = &self.synthetic {
            synthetic::shape(&synthetic.shape)?;
            let plain = Source {
                name: self.name.clone(),
                synthetic: self.synthetic.clone(),
                fold_seed: self.fold_seed,
                ..Source::default()
            };
            if *self != plain {
                return wrong(
                    "a synthetic collection has no files: leave out `path`, `layout` and all options of reading",
                );
            }
            return Ok(());
        }
        match (&self.name, &self.path, &self.layout) {
            (None, None, _) => wrong("say which data: `name` of a known collection, `path`, or `synthetic`"),
            (_, Some(path), _) if is_descriptor(path) => Ok(()),
            (_, Some(_), Some(_)) | (Some(_), None, _) | (Some(_), Some(_), None) => self.describe().map(|_| ()),
            (None, Some(_), None) => {
                let layouts: Vec<String> =
                    LAYOUTS.iter().map(|layout| format!("`{}` ({})", layout.name, layout.summary)).collect();
                wrong(&format!(
                    "`path` alone does not say how the files lie; add `layout`, one of {}; or `name` of a known collection; or give the path of a descriptor (.toml). {LAYOUTS_PAGE}",
                    layouts.join(", ")
                ))
            }
        }
    }

    /// The descriptor in force, unless the descriptor is a file.
    fn describe(&self) -> Result<Descriptor, DataError> {
        let base = match (&self.name, &self.path, &self.layout) {
            (_, Some(_), Some(layout)) => {
                let known = self.name.as_deref().and_then(|name| descriptor(name).ok());
                known.cloned().unwrap_or_else(|| Descriptor::unnamed(&self.name(), layout))
            }
            (name, ..) => descriptor(name.as_deref().unwrap_or_default())?.clone(),
        };
        self.override_descriptor(base)
    }

    /// A descriptor with the values of the experiment in place of its own.
    fn override_descriptor(&self, mut base: Descriptor) -> Result<Descriptor, DataError> {
        if let Some(layout) = &self.layout {
            base.layouts = vec![layout.clone()];
            base.files = self.files.clone();
            if let (Some(path), "one-file", true) = (&self.path, layout.as_str(), self.files.is_empty()) {
                base.files.extend(path.file_name().map(|file| file.to_string_lossy().into_owned()));
            }
        } else if !self.files.is_empty() {
            return Err(DataError::Source("`files` needs a `layout` beside it".to_owned()));
        }
        base.missing = self.missing.unwrap_or(base.missing);
        base.first_feature_id = self.first_feature_id.unwrap_or(base.first_feature_id);
        base.features = self.features.or(base.features);
        base.feature_names = self.feature_names.clone().or(base.feature_names);
        base.max_grade = self.max_grade.or(base.max_grade);
        base.check().map_err(DataError::Source)?;
        Ok(base)
    }
}

fn is_descriptor(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

/// [`open_cached`] without a cache.
///
/// ```
/// use fivefold_data::{Source, open};
///
/// let folder = tempfile::tempdir()?;
/// let lines: Vec<String> = (1..=10).map(|query| format!("1 qid:{query} 1:0.5\n0 qid:{query} 1:0.25\n")).collect();
/// std::fs::write(folder.path().join("all.txt"), lines.concat())?;
/// // A relative path is looked for in the folders, and one file is cut into five folds.
/// let source = Source { path: Some("all.txt".into()), layout: Some("one-file".to_owned()), ..Source::default() };
/// let collection = open(&source, &[folder.path().to_owned()])?;
/// assert_eq!((collection.folds.len(), collection.folds[0].test.len()), (5, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`open_cached`].
pub fn open(source: &Source, folders: &[PathBuf]) -> Result<Collection, DataError> {
    open_cached(source, folders, None)
}

/// Reads or makes a collection. A collection that was read is kept in `cache`, and is not read
/// again.
///
/// Relative paths and folders of known collections are searched for in `folders`, in order. An
/// experiment gives two folders: its own folder, and the folder that the variable `FIVEFOLD_DATA`
/// names.
///
/// # Errors
/// [`DataError`] names the fault and its place. For a missing collection, it says how to get the
/// files and where to put them.
pub fn open_cached(source: &Source, folders: &[PathBuf], cache: Option<&Cache>) -> Result<Collection, DataError> {
    source.check()?;
    let fold_seed = Seed::new(source.fold_seed);
    if let Some(synthetic) = &source.synthetic {
        let shape = synthetic::shape(&synthetic.shape)?;
        let data = synthetic::make(shape, synthetic.queries, Seed::new(synthetic.seed))?;
        return Collection::cut(&source.name(), shape.summary, data, fold_seed);
    }
    let (descriptor, folder) = locate(source, folders)?;
    let options = ReadOptions {
        missing: descriptor.missing,
        first_feature_id: descriptor.first_feature_id,
        regroup: source.regroup,
        features: descriptor.features,
        max_grade: descriptor.max_grade,
    };
    Collection::read(&descriptor, &folder, &options, fold_seed, cache)
}

/// The descriptor in force, and the folder of the files.
fn locate(source: &Source, folders: &[PathBuf]) -> Result<(Descriptor, PathBuf), DataError> {
    let Some(path) = &source.path else {
        let descriptor = source.describe()?;
        let tried: Vec<PathBuf> = folders.iter().map(|folder| folder.join(&descriptor.name)).collect();
        // An incomplete folder makes a clearer error than a missing folder.
        let folder = descriptor.find(folders).or_else(|| tried.iter().find(|folder| folder.is_dir()).cloned());
        return match folder {
            Some(folder) => Ok((descriptor, folder)),
            None => Err(DataError::Absent {
                files: descriptor.needed(),
                folder: descriptor.name.clone(),
                name: descriptor.name,
                get: descriptor.get,
                tried,
            }),
        };
    };
    let tried: Vec<PathBuf> = folders.iter().map(|folder| folder.join(path)).collect();
    let found = tried.iter().find(|candidate| candidate.exists()).cloned().unwrap_or_else(|| path.clone());
    let parent = || found.parent().unwrap_or(Path::new("")).to_owned();
    if is_descriptor(path) {
        let descriptor = source.override_descriptor(Descriptor::load(&found)?)?;
        return Ok((descriptor, parent()));
    }
    let descriptor = source.describe()?;
    // `one-file` may name the file itself, compressed or not.
    let names_file = source.layout.as_deref() == Some("one-file") && source.files.is_empty();
    if !names_file && found.is_file() {
        let needed = descriptor.needed();
        return Err(DataError::Source(format!("`{}` is a file; give the folder that holds {needed}", found.display())));
    }
    if !names_file && !found.is_dir() {
        let files = descriptor.needed();
        let get = if descriptor.get.is_empty() { "check `path`".to_owned() } else { descriptor.get };
        return Err(DataError::Absent { folder: descriptor.name.clone(), name: descriptor.name, get, files, tried });
    }
    Ok((descriptor, if names_file { parent() } else { found }))
}
