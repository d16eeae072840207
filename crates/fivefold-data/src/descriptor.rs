//! Descriptors of collections, one TOML file each. The files of the `datasets` folder are built in.
//!
//! A collection of a user's own needs no change of the program: write a descriptor, and name it as
//! `path` in an experiment.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fivefold_base::words::nearest;
use fivefold_core::GradeScale;
use fivefold_core::dataset::MOST_FEATURES;
use fivefold_core::grades::HIGHEST_GRADE;
use fivefold_core::params::toml_message;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::features::{FEATURES_FILE, FeatureNames, LISTS};
use crate::input::{self, MOST_SETTINGS, read_text};
use crate::layout::{Folds, LAYOUTS, LAYOUTS_PAGE, Layout, layout};
use crate::letor::Missing;

const BUILT_IN: &[&str] = &[
    include_str!("../datasets/mq2007.toml"),
    include_str!("../datasets/mq2008.toml"),
    include_str!("../datasets/mq2007-agg.toml"),
    include_str!("../datasets/mq2008-agg.toml"),
    include_str!("../datasets/mslr-web10k.toml"),
    include_str!("../datasets/mslr-web30k.toml"),
    include_str!("../datasets/mslr-sample.toml"),
    include_str!("../datasets/ohsumed.toml"),
    include_str!("../datasets/clueweb09.toml"),
    include_str!("../datasets/lightgbm-rank.toml"),
];

/// The known facts about one collection.
///
/// ```
/// use fivefold_data::descriptor;
///
/// let mq2008 = descriptor("mq2008")?;
/// assert_eq!((mq2008.features, mq2008.max_grade), (Some(46), Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Descriptor {
    /// The collection's name in experiment files, and the name of its folder.
    pub name: String,
    /// The collection's name in full.
    pub title: String,
    /// Possible layouts of the files (names of [`LAYOUTS`]). The first layout with all its files is
    /// used.
    pub layouts: Vec<String>,
    /// The files, if a layout needs a list.
    #[serde(default)]
    pub files: Vec<String>,
    /// Number of documents, if it is known. A collection with another number gets a remark.
    pub documents: Option<usize>,
    /// Number of queries, if it is known. A collection with another number gets a remark.
    pub queries: Option<usize>,
    /// Features a document; a higher feature id is an error. `None` takes the highest id that
    /// occurs.
    pub features: Option<usize>,
    /// The names of the features: a built-in list ([`LISTS`]), or a file in the collection's folder.
    /// `None` takes the file `features.txt` there, or the comments at the head of the first file.
    pub feature_names: Option<String>,
    /// The highest possible grade; a document with a higher grade is an error. `None` takes the
    /// highest grade that occurs.
    pub max_grade: Option<u8>,
    /// The id of the first feature.
    #[serde(default = "one")]
    pub first_feature_id: u32,
    /// The treatment of missing values, unless the experiment says otherwise.
    #[serde(default)]
    pub missing: Missing,
    /// The collection's own page.
    #[serde(default)]
    pub url: String,
    /// The terms under which the collection may be used.
    #[serde(default)]
    pub licence: String,
    /// Where to get the files, and where to put them.
    #[serde(default)]
    pub get: String,
    /// blake3 hashes of the files, in hexadecimal, by file name.
    #[serde(default)]
    pub checksums: BTreeMap<String, String>,
}

fn one() -> u32 {
    1
}

/// The built-in descriptors.
///
/// ```
/// use fivefold_data::descriptors;
///
/// assert!(descriptors().iter().any(|descriptor| descriptor.name == "mslr-web10k"));
/// ```
pub fn descriptors() -> &'static [Descriptor] {
    static ALL: LazyLock<Vec<Descriptor>> = LazyLock::new(|| {
        let parse =
            |text: &&str| Descriptor::parse(text).unwrap_or_else(|error| panic!("built-in descriptor: {error}"));
        BUILT_IN.iter().map(parse).collect()
    });
    &ALL
}

/// The built-in descriptor with this name.
///
/// ```
/// use fivefold_data::descriptor;
///
/// assert_eq!(descriptor("mq2008")?.queries, Some(784));
/// assert!(descriptor("mslr-web10").unwrap_err().to_string().contains("mslr-web10k"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DataError::Source`] for an unknown name. The message names the nearest known name.
pub fn descriptor(name: &str) -> Result<&'static Descriptor, DataError> {
    let names = || descriptors().iter().map(|descriptor| descriptor.name.as_str());
    descriptors().iter().find(|descriptor| descriptor.name == name).ok_or_else(|| {
        let help = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}; or give `path` and `layout`", names().collect::<Vec<_>>().join(", ")),
        };
        DataError::Source(format!("unknown collection `{name}`; {help}"))
    })
}

/// The result of comparing a file with its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// The same bytes.
    Same,
    /// Other bytes.
    Differs,
    /// The file is not there. A compressed copy cannot be compared.
    Absent,
}

impl Descriptor {
    /// A descriptor of files of which only the layout is known.
    pub(crate) fn unnamed(name: &str, layout: &str) -> Self {
        Descriptor {
            name: name.to_owned(),
            title: name.to_owned(),
            layouts: vec![layout.to_owned()],
            files: Vec::new(),
            documents: None,
            queries: None,
            features: None,
            feature_names: None,
            max_grade: None,
            first_feature_id: one(),
            missing: Missing::default(),
            url: String::new(),
            licence: String::new(),
            get: String::new(),
            checksums: BTreeMap::new(),
        }
    }

    /// Reads a descriptor file.
    ///
    /// # Errors
    /// [`DataError::Descriptor`] names the fault.
    pub fn load(file: &Path) -> Result<Self, DataError> {
        let error = |message: String| DataError::Descriptor { file: file.to_owned(), message };
        let text = read_text(file, MOST_SETTINGS).map_err(|e| error(format!("cannot be read: {e}")))?;
        Self::parse(&text).map_err(error)
    }

    fn parse(text: &str) -> Result<Self, String> {
        // Leave out the line itself, which may be of any length.
        let placed = |error: toml::de::Error| {
            let before = &text.as_bytes()[..error.span().map_or(0, |span| span.start.min(text.len()))];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            format!("line {line}: {}", toml_message(&error))
        };
        let descriptor: Descriptor = toml::from_str(text).map_err(placed)?;
        descriptor.check()?;
        Ok(descriptor)
    }

    /// Checks the rules that the types cannot express.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.layouts.is_empty() {
            return Err("`layouts` must name at least one layout".to_owned());
        }
        for name in &self.layouts {
            self.folds(name)?;
        }
        if self.features.is_some_and(|features| features == 0 || features > MOST_FEATURES) {
            return Err(format!("`features` must be from 1 to {MOST_FEATURES}"));
        }
        if self.max_grade.is_some_and(|grade| !GradeScale::new(None).has(grade)) {
            return Err(format!("`max_grade` must be at most {HIGHEST_GRADE}"));
        }
        Ok(())
    }

    /// The folds of the named layout.
    pub(crate) fn folds(&self, name: &str) -> Result<Folds, String> {
        let known = layout(name).ok_or_else(|| {
            let names = || LAYOUTS.iter().map(|layout| layout.name);
            match nearest(name, names()) {
                Some(near) => format!("unknown layout \"{name}\"; did you mean \"{near}\"? {LAYOUTS_PAGE}"),
                None => {
                    let known = names().collect::<Vec<_>>().join(", ");
                    format!("unknown layout \"{name}\"; known: {known}. {LAYOUTS_PAGE}")
                }
            }
        })?;
        (known.folds)(&self.files).map_err(|error| format!("layout \"{name}\": {error}"))
    }

    /// The folds of the first layout whose files are all in `folder`. The error is the first file
    /// that the first layout lacks.
    pub(crate) fn folds_in(&self, folder: &Path) -> Result<Folds, PathBuf> {
        let mut lacking = None;
        for name in &self.layouts {
            let Ok(folds) = self.folds(name) else { continue };
            match folds.files().into_iter().find(|file| present(folder, file).is_none()) {
                None => return Ok(folds),
                Some(file) => lacking = lacking.or_else(|| Some(folder.join(file))),
            }
        }
        Err(lacking.unwrap_or_else(|| folder.to_owned()))
    }

    /// The first of `folders` that holds the collection's folder with all its files. Returns the
    /// collection's folder.
    pub fn find(&self, folders: &[PathBuf]) -> Option<PathBuf> {
        folders.iter().map(|folder| folder.join(&self.name)).find(|folder| self.folds_in(folder).is_ok())
    }

    /// The names of the features of the collection in `folder`, and a remark if the folder's file of
    /// names cannot be used. `first` is the collection's first file.
    ///
    /// # Errors
    /// [`DataError::Descriptor`] if `feature_names` names no list and no file that can be used.
    pub fn names_in(&self, folder: &Path, first: Option<&Path>) -> Result<(FeatureNames, Option<String>), DataError> {
        if let Some(names) = &self.feature_names {
            return self.names_of(names, folder).map(|names| (names, None));
        }
        let file = folder.join(FEATURES_FILE);
        let head = || first.map(FeatureNames::in_head_of).unwrap_or_default();
        if !file.is_file() {
            return Ok((head(), None));
        }
        Ok(match FeatureNames::read(&file, self.first_feature_id) {
            Ok(names) => (names, None),
            Err(error) => (head(), Some(not_named(&error))),
        })
    }

    /// The names of a built-in list, or of a file in `folder`.
    fn names_of(&self, names: &str, folder: &Path) -> Result<FeatureNames, DataError> {
        if let Some(list) = FeatureNames::built_in(names) {
            return Ok(list);
        }
        let file = folder.join(names);
        FeatureNames::read(&file, self.first_feature_id).map_err(|error| {
            let lists = LISTS.iter().map(|(name, _)| *name);
            let near = nearest(names, lists.clone()).map(|near| format!("did you mean \"{near}\"? "));
            let lists = lists.collect::<Vec<_>>().join(", ");
            let help = format!("{}the built-in lists are {lists}", near.unwrap_or_default());
            DataError::Descriptor { file, message: format!("the names of the features: {error}; {help}") }
        })
    }

    /// Lists in words the files that the collection needs, by its layouts.
    pub fn needed(&self) -> String {
        let summaries = self.layouts.iter().filter_map(|name| layout(name)).map(|layout| layout.summary);
        let listed = if self.files.is_empty() { String::new() } else { format!(" ({})", self.files.join(", ")) };
        summaries.collect::<Vec<_>>().join(", or ") + &listed
    }

    /// Compares the files in `folder` with their checksums.
    ///
    /// # Errors
    /// If an existing file cannot be read.
    pub fn verify(&self, folder: &Path) -> io::Result<Vec<(&str, Checked)>> {
        let check = |file: &str, sum: &str| -> io::Result<Checked> {
            let path = folder.join(file);
            if !path.is_file() {
                return Ok(Checked::Absent);
            }
            Ok(if input::hash(&path)?.to_hex().as_str() == sum { Checked::Same } else { Checked::Differs })
        };
        self.checksums.iter().map(|(file, sum)| Ok((file.as_str(), check(file, sum)?))).collect()
    }
}

/// The remark on a file `features.txt` that cannot be used.
pub(crate) fn not_named(fault: &str) -> String {
    format!("{FEATURES_FILE} does not name the features: {fault}")
}

/// The layouts with file names of their own, all of whose files are in a folder.
pub(crate) fn layouts_in(folder: &Path) -> impl Iterator<Item = (&'static Layout, Folds)> {
    let laid_out = LAYOUTS.iter().filter_map(|layout| Some((layout, (layout.folds)(&[]).ok()?)));
    laid_out.filter(move |(_, folds)| folds.files().iter().all(|file| present(folder, file).is_some()))
}

/// Path of a file in a folder, or of its compressed copy. `None` if the folder has neither file.
pub(crate) fn present(folder: &Path, file: &str) -> Option<PathBuf> {
    ["", ".gz", ".zst", ".zip"].iter().map(|ending| folder.join(format!("{file}{ending}"))).find(|path| path.is_file())
}
