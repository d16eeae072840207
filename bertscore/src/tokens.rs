//! Splits texts into the tokens of a model's vocabulary.

use std::path::Path;

use fivefold_base::words::counted;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{Model as _, Tokenizer};

use crate::config::Config;
use crate::error::BertScoreError;

/// A text as ids of tokens, between its two special tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// The ids, the special ones at both ends: at most as many as the model has positions.
    pub ids: Vec<u32>,
    /// How many tokens at the end of the text had no position.
    pub cut: usize,
}

impl Tokens {
    /// The ids between the special ones.
    pub fn inner(&self) -> &[u32] {
        &self.ids[1..self.ids.len() - 1]
    }
}

/// The tokeniser of a model.
pub(crate) struct Tokeniser {
    tokenizer: Tokenizer,
    /// The special ids at the beginning and at the end of a text.
    ends: [u32; 2],
    positions: usize,
    /// Text that stands before each text. RoBERTa tells a word after a space from a word without
    /// one; the published program puts a space before the first word.
    before: &'static str,
}

impl Tokeniser {
    /// Reads `tokenizer.json`, else `vocab.txt`, of a model's folder.
    pub(crate) fn read(folder: &Path, config: &Config) -> Result<Self, BertScoreError> {
        let (whole, vocabulary) = (folder.join("tokenizer.json"), folder.join("vocab.txt"));
        let mut tokenizer = if whole.is_file() {
            Tokenizer::from_file(&whole).map_err(|error| BertScoreError::file("read", &whole, error))?
        } else if vocabulary.is_file() {
            of_vocabulary(&vocabulary, &folder.join("tokenizer_config.json"))?
        } else {
            return Err(BertScoreError::new(format!("{} has neither tokenizer.json nor vocab.txt", folder.display()))
                .help("put the model's tokeniser into the folder of its weights"));
        };
        // The file may ask for both, for a use of its own.
        let failed = |error| BertScoreError::file("use the tokeniser of", folder, error);
        tokenizer.with_padding(None).with_truncation(None).map_err(failed)?;
        let ends = tokenizer.encode("", true).map_err(failed)?;
        let [first, last] = *ends.get_ids() else {
            let problem = format!(
                "the tokeniser of {} puts {} around a text; BERTScore needs one at each end",
                folder.display(),
                counted(ends.get_ids().len(), "special token")
            );
            return Err(BertScoreError::new(problem).help("take the tokenizer.json of the model's publisher"));
        };
        if let Some(beyond) = tokenizer.get_vocab(true).values().find(|id| **id as usize >= config.vocab_size) {
            let problem = format!(
                "the tokeniser of {} has the token {beyond}, but the model has {} only",
                folder.display(),
                counted(config.vocab_size, "token")
            );
            return Err(BertScoreError::new(problem).help("take the tokeniser and the weights of one model"));
        }
        let before = if config.is_roberta() { " " } else { "" };
        Ok(Tokeniser { tokenizer, ends: [first, last], positions: config.positions(), before })
    }

    /// The ids of a text, cut where the positions end.
    pub(crate) fn tokens(&self, text: &str) -> Result<Tokens, BertScoreError> {
        let text = text.trim();
        let text = if text.is_empty() { String::new() } else { format!("{}{text}", self.before) };
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding = encoding.map_err(|error| BertScoreError::new(format!("a text cannot be split: {error}")))?;
        let inner = encoding.get_ids();
        let kept = inner.len().min(self.positions - 2);
        Ok(Tokens { ids: self.between(&inner[..kept]), cut: inner.len() - kept })
    }

    /// All ids of a text without special ones, however many there are.
    pub(crate) fn all(&self, text: &str) -> Result<Vec<u32>, BertScoreError> {
        let encoding = self.tokenizer.encode_fast(format!("{}{}", self.before, text.trim()), false);
        let encoding = encoding.map_err(|error| BertScoreError::new(format!("a text cannot be split: {error}")))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Ids between the two special ones.
    pub(crate) fn between(&self, inner: &[u32]) -> Vec<u32> {
        [&self.ends[..1], inner, &self.ends[1..]].concat()
    }

    /// A token as people read it.
    pub(crate) fn name(&self, id: u32) -> String {
        // `Ġ` is how RoBERTa's vocabulary writes a space.
        self.tokenizer
            .id_to_token(id)
            .map_or_else(|| format!("[{id}]"), |name| name.replace('Ġ', " ").trim().to_owned())
    }
}

/// BERT's tokeniser over a list of its word pieces.
fn of_vocabulary(path: &Path, settings: &Path) -> Result<Tokenizer, BertScoreError> {
    let failed = |error| BertScoreError::file("read", path, error);
    let pieces = WordPiece::from_file(&path.to_string_lossy()).build().map_err(failed)?;
    let id = |name: &str| {
        pieces
            .token_to_id(name)
            .map(|id| (name.to_owned(), id))
            .ok_or_else(|| BertScoreError::new(format!("{} has no `{name}`", path.display())))
    };
    let (sep, cls) = (id("[SEP]")?, id("[CLS]")?);
    let lower = lower_case(settings)?;
    let mut tokenizer = Tokenizer::new(pieces);
    tokenizer.with_normalizer(Some(BertNormalizer::new(true, true, None, lower)));
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    tokenizer.with_post_processor(Some(BertProcessing::new(sep, cls)));
    Ok(tokenizer)
}

/// Whether `tokenizer_config.json` says that letters are made small. Without the file, the choice
/// would be a guess.
fn lower_case(settings: &Path) -> Result<bool, BertScoreError> {
    let advice =
        "give the model's tokenizer.json, or a tokenizer_config.json with `\"do_lower_case\": true` or `false`";
    let text = std::fs::read_to_string(settings)
        .map_err(|error| BertScoreError::file("read", settings, error).help(advice))?;
    let value: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    value.and_then(|value| value["do_lower_case"].as_bool()).ok_or_else(|| {
        BertScoreError::new(format!("{}: does not say `do_lower_case`", settings.display())).help(advice)
    })
}
