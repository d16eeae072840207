//! The conventions of an evaluation.

use fivefold_data::texts::Texts;

use crate::error::BertScoreError;
use crate::expected::Expected;
use crate::score::{Baseline, Special};

/// How several references of a document make one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum References {
    /// Only the first reference.
    #[default]
    First,
    /// The mean of the scores.
    Mean,
    /// The scores with the reference of the best F1, for P and R too.
    Max,
}

/// The conventions of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The layer of the hidden states; `None` is the last one.
    pub layer: Option<usize>,
    /// What special tokens do.
    pub special: Special,
    /// Whether tokens are weighted by their rarity in the references.
    pub idf: bool,
    /// How several references make one score.
    pub references: References,
    /// The random summary of E.
    pub expected: Expected,
    /// How many summaries [`Expected::Random`] draws for each reference.
    pub draws: usize,
    /// The baseline from which A and E are counted.
    pub baseline: Option<Baseline>,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for Settings {
    /// The defaults of the program: the last layer, the first reference, and 8 draws for E.
    fn default() -> Self {
        Settings {
            layer: None,
            special: Special::default(),
            idf: false,
            references: References::default(),
            expected: Expected::default(),
            draws: 8,
            baseline: None,
            seed: 0,
        }
    }
}

impl Settings {
    /// Checks that the settings fit the texts.
    pub(crate) fn check(&self, texts: &Texts) -> Result<(), BertScoreError> {
        if texts.documents.is_empty() || texts.systems.is_empty() {
            return Err(
                BertScoreError::new("there is no text to score").help("give a file of candidates: --texts FILE")
            );
        }
        if self.expected == Expected::Random && self.draws == 0 {
            return Err(
                BertScoreError::new("0 draws give no expected value").help("give --draws 8, or --expected none")
            );
        }
        if self.expected == Expected::Mismatch && texts.documents.len() < 2 {
            let problem = "the expected value `mismatch` needs texts about other documents, but there is one document";
            return Err(BertScoreError::new(problem).help("give --expected random, or none"));
        }
        let bare = texts.documents.iter().find(|document| document.source.is_none());
        if let Some(bare) = bare.filter(|_| self.expected.needs_source()) {
            let problem = format!(
                "the expected value `{}` needs the source of each document, but `{}` has none",
                self.expected.name(),
                bare.id
            );
            let help =
                "give `source` in the lines, a file of sources (--sources), or --expected mismatch, which needs none";
            return Err(BertScoreError::new(problem).help(help));
        }
        Ok(())
    }
}
