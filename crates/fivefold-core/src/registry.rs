//! The registry leads from a name in an experiment file to a ranker: a slice of entries, one line
//! each.
//!
//! ```text
//! pub const RANKERS: &[RankerEntry] = &[RankerEntry::of::<Linear>(), RankerEntry::of::<Mart>()];
//! ```
//! Lists, help, parameter checking, model loading and "did you mean" all come from the entries.

use std::fmt;

use fivefold_base::renamed::Renamed;
use fivefold_base::words::{counted, nearest};
use toml::Spanned;
use toml::de::DeTable;

use crate::dataset::{Dataset, QueryView};
use crate::params::{self, ParamError, ParamInfo};
use crate::ranker::{FitContext, FitError, Model, ParamHelp, Ranker, ValueCodes};

/// A ranker whose type is known only by name.
pub trait DynRanker: Send + Sync {
    /// The ranker's registered name.
    fn name(&self) -> &'static str;
    /// All parameters with the values in force, defaults included.
    fn params(&self) -> serde_json::Value;
    /// [`Ranker::fit_bytes`].
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64;
    /// [`Ranker::seeded`].
    fn seeded(&self) -> bool;
    /// [`Ranker::fit`].
    ///
    /// # Errors
    /// The errors of the ranker. Also [`FitError::Data`] if the ranker [learns](Ranker::LEARNS) and
    /// all documents have one grade.
    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<Box<dyn DynModel>, FitError>;
}

/// A model whose type is known only by the name of its ranker.
pub trait DynModel: Send + Sync {
    /// [`Model::score`].
    fn score(&self, query: QueryView<'_>, out: &mut [f64]);
    /// [`Model::features`].
    fn features(&self) -> Option<usize>;
    /// [`Model::importance`].
    fn importance(&self) -> Option<Vec<f64>>;
    /// [`Model::codes`].
    fn codes(&self) -> Option<&dyn ValueCodes>;
    /// The model as JSON; [`RankerEntry::load`] reads it back.
    ///
    /// # Errors
    /// If the model's `Serialize` fails.
    fn to_json(&self) -> Result<serde_json::Value, serde_json::Error>;
}

/// A ranker with its parameters as JSON. The JSON is made once, so a ranker that cannot be written
/// is refused at once.
struct Erased<R> {
    ranker: R,
    params: serde_json::Value,
}
struct ErasedModel<M>(M);

/// The error for training data whose documents all have one grade, the same for every ranker that
/// learns.
fn one_grade(train: &Dataset, grade: u8) -> FitError {
    let documents = counted(train.documents(), "document");
    FitError::Data(format!(
        "the grade of each of the {documents} is {grade}, so that no order of them is better than another"
    ))
}

fn erase<R: Ranker>(ranker: R) -> Result<Box<dyn DynRanker>, ParamError> {
    let written = |ranker: &R| {
        serde_json::to_value(ranker).map_err(|e| ParamError {
            message: format!("the parameters of `{}` cannot be written as JSON: {e}", R::NAME),
            param: None,
            span: None,
            help: None,
        })
    };
    let mut params = written(&ranker)?;
    if let (false, Some(params)) = (R::ADDED.is_empty(), params.as_object_mut()) {
        let defaults = written(&R::default())?;
        params.retain(|name, value| !R::ADDED.contains(&name.as_str()) || defaults.get(name) != Some(&*value));
    }
    Ok(Box::new(Erased { ranker, params }))
}

impl<R: Ranker> DynRanker for Erased<R> {
    fn name(&self) -> &'static str {
        R::NAME
    }
    fn params(&self) -> serde_json::Value {
        self.params.clone()
    }
    fn seeded(&self) -> bool {
        self.ranker.seeded()
    }
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        self.ranker.fit_bytes(train, validation)
    }
    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<Box<dyn DynModel>, FitError> {
        match train.only_grade() {
            Some(grade) if R::LEARNS => return Err(one_grade(train, grade)),
            _ => {}
        }
        Ok(Box::new(ErasedModel(self.ranker.fit(train, cx)?)))
    }
}

impl<M: Model + serde::Serialize> DynModel for ErasedModel<M> {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        self.0.score(query, out);
    }
    fn features(&self) -> Option<usize> {
        self.0.features()
    }
    fn importance(&self) -> Option<Vec<f64>> {
        self.0.importance()
    }
    fn codes(&self) -> Option<&dyn ValueCodes> {
        self.0.codes()
    }
    fn to_json(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::to_value(&self.0)
    }
}

type Parse = fn(Spanned<DeTable<'_>>) -> Result<Box<dyn DynRanker>, ParamError>;
type Restore = fn(&serde_json::Value) -> Result<Box<dyn DynRanker>, ParamError>;
type Load = fn(serde_json::Value) -> Result<Box<dyn DynModel>, serde_json::Error>;

/// How stored results know the code of a ranker. Results of other code are then not taken for
/// results of this code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Stored results know the ranker by [`Ranker::VERSION`] alone. A test with golden models
    /// checks the version ([`RankerEntry::by_version`]).
    Version,
    /// Stored results know the ranker by [`Ranker::SOURCES`]: every build of the same sources has
    /// the same results.
    Sources(&'static str),
    /// Stored results know the ranker by the executable that holds it: after any rebuild, the
    /// ranker is trained anew.
    Executable,
}

/// One registered ranker.
///
/// ```
/// use fivefold_core::RankerEntry;
/// use toml::de::DeTable;
/// # use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Seed};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Default, Serialize, Deserialize)]
/// # #[serde(default)]
/// # struct First {
/// #     negate: bool,
/// # }
/// # #[derive(Serialize, Deserialize)]
/// # struct FirstModel(f64);
/// # impl Model for FirstModel {
/// #     fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
/// #         query.rows().zip(out).for_each(|(row, score)| *score = self.0 * f64::from(row[0]));
/// #     }
/// # }
/// # impl Ranker for First {
/// #     const NAME: &'static str = "first";
/// #     type Model = FirstModel;
/// #     fn fit(&self, _train: &Dataset, _cx: &FitContext<'_>) -> Result<FirstModel, FitError> {
/// #         Ok(FirstModel(if self.negate { -1.0 } else { 1.0 }))
/// #     }
/// # }
///
/// // Parameters of `First`, a ranker by the first feature, as an experiment file has them.
/// let entry = RankerEntry::of::<First>();
/// let ranker = entry.parse(DeTable::parse("negate = true")?)?;
/// assert_eq!((entry.name, ranker.params()), ("first", serde_json::json!({ "negate": true })));
/// assert!(entry.parse(DeTable::parse("negat = true")?).err().unwrap().to_string().contains("`negat`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct RankerEntry {
    /// The name used as `kind`.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// [`Ranker::VERSION`].
    pub version: u32,
    /// How stored results know the ranker's code.
    pub code: Code,
    /// [`Ranker::PARAMS`].
    pub help: &'static [ParamHelp],
    /// [`Ranker::RENAMED`].
    pub renamed: &'static [Renamed],
    /// [`Ranker::ADDED`].
    pub added: &'static [&'static str],
    seeded: fn() -> bool,
    params: fn() -> Vec<ParamInfo>,
    presets: fn() -> Vec<(&'static str, &'static str)>,
    parse: Parse,
    restore: Restore,
    load: Load,
}

impl RankerEntry {
    /// The entry of ranker type `R`.
    pub const fn of<R: Ranker>() -> Self {
        RankerEntry {
            name: R::NAME,
            summary: R::SUMMARY,
            version: R::VERSION,
            code: match R::SOURCES {
                Some(hash) => Code::Sources(hash),
                None => Code::Executable,
            },
            help: R::PARAMS,
            renamed: R::RENAMED,
            added: R::ADDED,
            seeded: || R::default().seeded(),
            params: params::describe::<R>,
            presets: || R::presets().iter().map(|p| (p.name, p.summary)).collect(),
            parse: |table| erase(params::parse::<R>(table)?),
            restore: |value| erase(params::from_json::<R>(value)?),
            load: |value| Ok(Box::new(ErasedModel(serde_json::from_value::<R::Model>(value)?))),
        }
    }

    /// The entry of a ranker type whose code stored results know by `VERSION` alone. Use it only in
    /// a crate whose tests call `conformance::check_golden`: no other test sees that the code
    /// changed and the version did not.
    pub const fn by_version<R: Ranker>() -> Self {
        RankerEntry { code: Code::Version, ..RankerEntry::of::<R>() }
    }

    /// [`Ranker::seeded`] at the defaults.
    pub fn seeded(&self) -> bool {
        (self.seeded)()
    }

    /// Name, default and help of each parameter.
    pub fn params(&self) -> Vec<ParamInfo> {
        (self.params)()
    }

    /// Name and summary of each preset.
    pub fn presets(&self) -> Vec<(&'static str, &'static str)> {
        (self.presets)()
    }

    /// A ranker from the parameters in an experiment file.
    ///
    /// # Errors
    /// The first unknown parameter, wrong type or value out of range, with its place in the file.
    pub fn parse(&self, table: Spanned<DeTable<'_>>) -> Result<Box<dyn DynRanker>, ParamError> {
        (self.parse)(table)
    }

    /// A ranker from resolved parameters that were stored as JSON.
    ///
    /// # Errors
    /// If the parameters do not fit this version of the ranker.
    pub fn restore(&self, params: &serde_json::Value) -> Result<Box<dyn DynRanker>, ParamError> {
        (self.restore)(params)
    }

    /// A model from its JSON.
    ///
    /// # Errors
    /// If the JSON is not a model of this ranker.
    pub fn load(&self, model: serde_json::Value) -> Result<Box<dyn DynModel>, serde_json::Error> {
        (self.load)(model)
    }
}

/// A ranker that a build of the program lacks because a Cargo feature is off.
///
/// ```
/// let forest = fivefold_core::Absent { name: "forest", feature: "trees" };
/// assert_eq!(forest.to_string(), "`forest` is in the feature `trees`: cargo build --features trees");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absent {
    /// The ranker's registered name.
    pub name: &'static str,
    /// The feature that adds the ranker.
    pub feature: &'static str,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Absent { name, feature } = self;
        write!(f, "`{name}` is in the feature `{feature}`: cargo build --features {feature}")
    }
}

/// The rankers that a program knows, in the order in which they were registered.
///
/// ```
/// use fivefold_core::{RankerEntry, Registry};
/// # use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Seed};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Default, Serialize, Deserialize)]
/// # #[serde(default)]
/// # struct First {
/// #     negate: bool,
/// # }
/// # #[derive(Serialize, Deserialize)]
/// # struct FirstModel(f64);
/// # impl Model for FirstModel {
/// #     fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
/// #         query.rows().zip(out).for_each(|(row, score)| *score = self.0 * f64::from(row[0]));
/// #     }
/// # }
/// # impl Ranker for First {
/// #     const NAME: &'static str = "first";
/// #     type Model = FirstModel;
/// #     fn fit(&self, _train: &Dataset, _cx: &FitContext<'_>) -> Result<FirstModel, FitError> {
/// #         Ok(FirstModel(if self.negate { -1.0 } else { 1.0 }))
/// #     }
/// # }
///
/// // `First` is a ranker by the first feature.
/// let registry = Registry::new(&[]).with::<First>();
/// assert_eq!(registry.find("first").map(|entry| entry.name), Some("first"));
/// assert!(registry.find("second").is_none());
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<RankerEntry>,
    absent: Vec<Absent>,
}

impl Registry {
    /// A registry of the entries of some slices.
    ///
    /// # Panics
    /// If two rankers have the same name, a mistake of the program's author.
    pub fn new(slices: &[&[RankerEntry]]) -> Self {
        slices.iter().flat_map(|slice| slice.iter()).fold(Registry::default(), |registry, entry| registry.add(*entry))
    }

    /// Adds a ranker type.
    ///
    /// # Panics
    /// If its name is taken, a mistake of the program's author.
    #[must_use]
    pub fn with<R: Ranker>(self) -> Self {
        self.add(RankerEntry::of::<R>())
    }

    fn add(mut self, entry: RankerEntry) -> Self {
        assert!(!self.entries.iter().any(|e| e.name == entry.name), "two rankers are named `{}`", entry.name);
        self.absent.retain(|absent| absent.name != entry.name);
        self.entries.push(entry);
        self
    }

    /// Names rankers that this build lacks, so that errors can say which feature adds them.
    #[must_use]
    pub fn without(mut self, absent: &[Absent]) -> Self {
        let lacking = absent.iter().copied().filter(|absent| self.find(absent.name).is_none());
        self.absent = lacking.collect();
        self
    }

    /// The rankers that this build lacks.
    pub fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// The ranker of this name, if this build lacks it.
    pub fn find_absent(&self, name: &str) -> Option<&Absent> {
        self.absent.iter().find(|absent| absent.name == name)
    }

    /// All entries.
    pub fn entries(&self) -> &[RankerEntry] {
        &self.entries
    }

    /// The entry with this name.
    pub fn find(&self, name: &str) -> Option<&RankerEntry> {
        self.entries.iter().find(|e| e.name == name)
    }

    /// The registered name nearest to an unknown name, for "did you mean".
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        nearest(name, self.entries.iter().map(|e| e.name))
    }
}
