//! `config.json` of a model: its shape, and whether this crate computes such a model.

use std::path::Path;

use serde::Deserialize;

use crate::error::BertScoreError;

/// The shape of a model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Config {
    /// `bert` or `roberta`.
    pub model_type: String,
    /// Numbers that describe a token in each layer.
    pub hidden_size: usize,
    /// Layers after the embeddings.
    pub num_hidden_layers: usize,
    /// Heads of attention.
    pub num_attention_heads: usize,
    /// Numbers within the second half of a layer.
    pub intermediate_size: usize,
    /// Positions for which the model has an embedding.
    pub max_position_embeddings: usize,
    /// Tokens of the vocabulary.
    pub vocab_size: usize,
    /// What is added to a variance before its root.
    pub layer_norm_eps: f64,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    pad_token_id: Option<usize>,
}

/// The most tokens of a text, with the two special ones, unless a model has fewer positions.
const MOST: usize = 512;

impl Config {
    /// Reads and checks a file.
    pub(crate) fn read(path: &Path) -> Result<Self, BertScoreError> {
        let text = std::fs::read_to_string(path).map_err(|error| BertScoreError::file("read", path, error))?;
        let config: Config = serde_json::from_str(&text).map_err(|error| {
            BertScoreError::new(format!("{}: is no configuration of a model: {error}", path.display()))
        })?;
        config.check().map_err(|problem| {
            BertScoreError::new(format!("{}: {problem}", path.display()))
                .help("take a model of the type `bert` or `roberta` with absolute positions")
        })?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        if !["bert", "roberta"].contains(&self.model_type.as_str()) {
            return Err(format!("`model_type` is `{}`, a kind of model that is not computed here", self.model_type));
        }
        if self.hidden_act != "gelu" {
            return Err(format!("`hidden_act` is `{}`, but only `gelu` is computed here", self.hidden_act));
        }
        if let Some(kind) = self.position_embedding_type.as_deref().filter(|kind| *kind != "absolute") {
            return Err(format!("`position_embedding_type` is `{kind}`, but only `absolute` is computed here"));
        }
        if self.num_attention_heads == 0 || !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(format!("{} heads do not divide {} numbers", self.num_attention_heads, self.hidden_size));
        }
        if self.positions() < 3 {
            return Err("there is no position for a token between the two special ones".to_owned());
        }
        Ok(())
    }

    pub(crate) fn is_roberta(&self) -> bool {
        self.model_type == "roberta"
    }

    /// The position of a text's first token. RoBERTa counts from the id of its padding, plus 1.
    pub(crate) fn first_position(&self) -> usize {
        if self.is_roberta() { self.pad_token_id.unwrap_or(1) + 1 } else { 0 }
    }

    /// The most tokens of a text, with the two special ones.
    pub fn positions(&self) -> usize {
        self.max_position_embeddings.saturating_sub(self.first_position()).min(MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(change: (&str, serde_json::Value)) -> Config {
        let mut value = serde_json::json!({
            "model_type": "bert", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
            "intermediate_size": 16, "max_position_embeddings": 514, "vocab_size": 10, "layer_norm_eps": 1e-12,
            "hidden_act": "gelu", "pad_token_id": 1, "other": true
        });
        value[change.0] = change.1;
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn positions_follow_the_kind_of_model() {
        let bert = config(("max_position_embeddings", 100.into()));
        assert_eq!((bert.positions(), bert.first_position(), bert.check()), (100, 0, Ok(())));
        let roberta = config(("model_type", "roberta".into()));
        assert_eq!((roberta.positions(), roberta.first_position(), roberta.check()), (512, 2, Ok(())));
    }

    #[test]
    fn other_models_are_refused() {
        let cases = [
            (("model_type", "t5".into()), "`model_type` is `t5`"),
            (("hidden_act", "relu".into()), "`hidden_act` is `relu`"),
            (("position_embedding_type", "relative_key".into()), "`position_embedding_type` is `relative_key`"),
            (("num_attention_heads", 3.into()), "3 heads do not divide 8 numbers"),
            (("num_attention_heads", 0.into()), "0 heads do not divide"),
            (("max_position_embeddings", 2.into()), "there is no position"),
        ];
        for (change, expected) in cases {
            let problem = config(change).check().unwrap_err();
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
}
