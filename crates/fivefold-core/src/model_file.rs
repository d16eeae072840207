//! Model files: JSON with a header that names the ranker and describes the data that the model can
//! score.

use fivefold_base::printable::{bounded, shown};
use serde::{Deserialize, Serialize};

use crate::chosen::OfColumns;
use crate::dataset::MOST_FEATURES;
use crate::registry::{Absent, DynModel, Registry};

/// Name of the format, the first value in every model file.
pub const FORMAT: &str = "fivefold-model/1";

/// The ranker that made a model, and the data that the model can score.
///
/// ```
/// use fivefold_core::{ModelFile, ModelHeader};
///
/// let text = r#"{"header": {"format": "fivefold-model/1", "ranker": "first", "version": 1, "params": {}, "features": 46,
///     "missing": "zero", "normaliser": null, "data": ""}, "model": 1.0}"#;
/// let ModelHeader { ranker, features, .. } = ModelFile::parse(text)?.header;
/// assert_eq!((ranker.as_str(), features), ("first", 46));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the header of a model file")]
pub struct ModelHeader {
    /// [`FORMAT`].
    pub format: String,
    /// The ranker's registered name.
    pub ranker: String,
    /// [`Ranker::VERSION`](crate::Ranker::VERSION) when the model was trained.
    pub version: u32,
    /// All parameters in force; `null` if another program trained the model, so that they are not
    /// known.
    pub params: serde_json::Value,
    /// Features a document of the training data.
    pub features: usize,
    /// The columns that the model sees, from 0 and in rising order; `None` if it sees all features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<usize>>,
    /// How missing feature values were treated when the training data were read, as written in an
    /// experiment file.
    pub missing: String,
    /// The normaliser of the training data with its fitted values, in the form of the crate that
    /// applies it; `null` if the data were not normalised.
    pub normaliser: serde_json::Value,
    /// Hash of the training data; empty if the data are not known.
    pub data: String,
}

/// A header and the model itself.
///
/// ```
/// use fivefold_core::{ModelFile, ModelHeader, RankerEntry, Registry};
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
/// // What `First` makes, a ranker by the first feature, written down and read back.
/// let header = ModelHeader {
///     format: fivefold_core::model_file::FORMAT.to_owned(),
///     ranker: "first".to_owned(),
///     version: 1,
///     params: serde_json::json!({ "negate": true }),
///     features: 1,
///     columns: None,
///     missing: "zero".to_owned(),
///     normaliser: serde_json::Value::Null,
///     data: String::new(),
/// };
/// let text = ModelFile { header, model: serde_json::to_value(FirstModel(-1.0))? }.to_text()?;
/// let entries = [RankerEntry::of::<First>()];
/// let model = ModelFile::parse(&text)?.load(&Registry::new(&[&entries]), 1)?;
/// let mut scores = [0.0; 2];
/// model.score(QueryView::new("q1", &[0.9, 0.5], 1, 2), &mut scores);
/// assert!(scores[0] < scores[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Ranker and data of the model.
    pub header: ModelHeader,
    /// The model, as its type serialises itself.
    pub model: serde_json::Value,
}

/// The content of a model file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the JSON object that `fivefold train`, `fivefold import` or a run writes")]
struct Stored<H, M> {
    header: H,
    model: M,
    /// Hash of header and model. `None` in a file that was written by hand, or by a version of the
    /// program that wrote no hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

/// Why a model cannot be used.
///
/// ```
/// use fivefold_core::{ModelFile, ModelFileError};
///
/// let error = ModelFile::parse("0.5 0.1").unwrap_err();
/// assert!(matches!(error, ModelFileError::Json(_)));
/// assert!(error.to_string().starts_with("not a model file: "));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// Not JSON, or not of this shape.
    #[error("not a model file: {}", bounded(&.0.to_string()))]
    Json(#[from] serde_json::Error),
    /// Another version of the format.
    #[error("the model file has format \"{}\"; this program reads \"{FORMAT}\"", shown(.0))]
    Format(String),
    /// A ranker that this program does not have.
    #[error("the model was made by ranker \"{}\", which this program does not have", shown(.0))]
    Ranker(String),
    /// A ranker that this build of the program lacks.
    #[error("the model was made by a ranker that this build lacks: {0}")]
    Absent(Absent),
    /// The content differs from the content that was written.
    #[error(
        "the model file was altered: its `hash` is not the hash of its content; train or copy the model again, or \
            remove `hash` if you altered the file yourself"
    )]
    Altered,
    /// The header belongs to another model: its number of features differs from the model's own.
    #[error("the header says {header} features a document, but the model has {model}: the file was altered")]
    Features {
        /// Features by the header.
        header: usize,
        /// Features by the model itself.
        model: usize,
    },
    /// More features than any data have.
    #[error("the header says {0} features a document; the most is {MOST_FEATURES}")]
    TooManyFeatures(usize),
    /// Columns that are no columns of the data.
    #[error("the header's columns do not rise, or are not below {0}: the file was altered")]
    Columns(usize),
    /// Data of another width.
    #[error("the model was trained on {model} features a document, but the data have {data}")]
    Width {
        /// Features of the model.
        model: usize,
        /// Features of the data.
        data: usize,
    },
}

impl ModelFile {
    /// Reads a model file's text.
    ///
    /// # Errors
    /// If the text is no model file, has another format or too many features, or was altered.
    pub fn parse(text: &str) -> Result<Self, ModelFileError> {
        let Stored { header, model, hash } = serde_json::from_str(text)?;
        let file = ModelFile { header, model };
        if let Some(hash) = hash
            && hash != file.hash()?
        {
            return Err(ModelFileError::Altered);
        }
        if file.header.format != FORMAT {
            return Err(ModelFileError::Format(file.header.format));
        }
        if file.header.features > MOST_FEATURES {
            return Err(ModelFileError::TooManyFeatures(file.header.features));
        }
        Ok(file)
    }

    /// The text of the file. The same model always gives the same text.
    ///
    /// # Errors
    /// If a value cannot be written as JSON.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let stored = Stored { header: &self.header, model: &self.model, hash: Some(self.hash()?) };
        let mut text = serde_json::to_string(&stored)?;
        text.push('\n');
        Ok(text)
    }

    /// Hash of header and model.
    fn hash(&self) -> Result<String, serde_json::Error> {
        Ok(blake3::hash(serde_json::to_string(self)?.as_bytes()).to_hex().to_string())
    }

    /// The model, ready to score data with `width` features a document. A model that sees some
    /// columns only picks these columns itself.
    ///
    /// # Errors
    /// If the ranker is not registered, if the data or the model have another width than the header
    /// says, or if the ranker cannot read the model.
    pub fn load(self, registry: &Registry, width: usize) -> Result<Box<dyn DynModel>, ModelFileError> {
        if self.header.features != width {
            return Err(ModelFileError::Width { model: self.header.features, data: width });
        }
        let ranker = self.header.ranker;
        let entry = registry.find(&ranker).ok_or_else(|| match registry.find_absent(&ranker) {
            Some(absent) => ModelFileError::Absent(*absent),
            None => ModelFileError::Ranker(ranker),
        })?;
        let model = entry.load(self.model)?;
        let columns = self.header.columns;
        if columns.as_ref().is_some_and(|columns| !rise_below(columns, width)) {
            return Err(ModelFileError::Columns(width));
        }
        let seen = columns.as_ref().map_or(width, Vec::len);
        match model.features() {
            Some(model) if model != seen => Err(ModelFileError::Features { header: seen, model }),
            _ => Ok(match columns {
                Some(columns) => Box::new(OfColumns::new(columns, width, model)),
                None => model,
            }),
        }
    }
}

/// Whether columns rise, and are below `width`.
fn rise_below(columns: &[usize], width: usize) -> bool {
    columns.is_sorted_by(|one, next| one < next) && columns.last().is_some_and(|last| *last < width)
}
