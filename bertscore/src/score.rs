//! P, R and F1 of a pair of texts from the cosines of their tokens (Zhang et al., BERTScore, ICLR
//! 2020).
//!
//! P is the mean, over the tokens of the candidate, of the largest cosine with a token of the
//! reference. R is the same for the tokens of the reference, and F1 = 2 P R / (P + R). The
//! dissertation's Eq. 3.7 calls P by the name R.

use std::collections::{HashMap, HashSet};

use crate::error::BertScoreError;
use crate::model::Model;

/// The three values of a pair of texts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scores {
    /// Precision: of the candidate's tokens.
    pub p: f64,
    /// Recall: of the reference's tokens.
    pub r: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

impl Scores {
    /// The values from P and R. F1 is 0 if both are 0.
    fn of(p: f64, r: f64) -> Self {
        Scores { p, r, f1: if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) } }
    }

    /// The three values in the order P, R, F1.
    pub fn array(self) -> [f64; 3] {
        [self.p, self.r, self.f1]
    }

    pub(crate) fn from_array([p, r, f1]: [f64; 3]) -> Self {
        Scores { p, r, f1 }
    }

    /// The mean of each value; 0 without scores.
    ///
    /// ```
    /// use fivefold_bertscore::Scores;
    ///
    /// let scores = [Scores { p: 1.0, r: 0.5, f1: 0.6 }, Scores { p: 0.0, r: 0.5, f1: 0.2 }];
    /// assert_eq!(Scores::mean(&scores).array(), [0.5, 0.5, 0.4]);
    /// ```
    pub fn mean(scores: &[Scores]) -> Scores {
        let mut sums = [0.0; 3];
        for scores in scores {
            for (sum, value) in sums.iter_mut().zip(scores.array()) {
                *sum += value;
            }
        }
        Scores::from_array(sums.map(|sum| if scores.is_empty() { 0.0 } else { sum / scores.len() as f64 }))
    }
}

/// What the special tokens at both ends of a text do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Special {
    /// They can be matched, and count for nothing in the means, as in the published program.
    #[default]
    Weightless,
    /// They are not there.
    Drop,
}

/// The weight of each token in the means: log((D + 1) / (df + 1)), where D texts are references,
/// and df of them have the token.
#[derive(Debug, Clone, PartialEq)]
pub struct Idf {
    texts: usize,
    frequencies: HashMap<u32, usize>,
}

impl Idf {
    /// The weights from references, given as ids of tokens.
    ///
    /// ```
    /// use fivefold_bertscore::Idf;
    ///
    /// let idf = Idf::new([&[1, 5, 2][..], &[1, 6, 5, 5, 2][..]]);
    /// // Token 5 stands in both texts, token 6 in one, and token 7 in none.
    /// assert_eq!(idf.weight(5), 0.0);
    /// assert!((idf.weight(6) - 1.5_f64.ln()).abs() < 1e-15 && (idf.weight(7) - 3_f64.ln()).abs() < 1e-15);
    /// ```
    pub fn new<'t>(references: impl IntoIterator<Item = &'t [u32]>) -> Self {
        let (mut texts, mut frequencies) = (0, HashMap::new());
        for reference in references {
            texts += 1;
            for id in reference.iter().collect::<HashSet<_>>() {
                *frequencies.entry(*id).or_insert(0) += 1;
            }
        }
        Idf { texts, frequencies }
    }

    /// The weight of a token.
    pub fn weight(&self, id: u32) -> f64 {
        let frequency = self.frequencies.get(&id).copied().unwrap_or(0);
        libm::log((self.texts + 1) as f64 / (frequency + 1) as f64)
    }
}

/// Scores of no information, from which rescaled values are counted: (score - b) / (1 - b).
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// The name, which stands beside each number.
    pub name: String,
    /// The baseline of each value.
    pub scores: Scores,
}

/// The name of the baseline that the authors of BERTScore published for roberta-large.
const ROBERTA: &str = "roberta-large-17";

impl Baseline {
    /// Reads `roberta-large-17`, or a baseline of one's own as `NAME=P,R,F1`.
    ///
    /// # Errors
    /// An unknown name; not three numbers below 1.
    ///
    /// ```
    /// use fivefold_bertscore::{Baseline, Scores};
    ///
    /// let own: Baseline = "unrelated=0.25,0.2,0.5".parse()?;
    /// let scores = own.rescaled(Scores { p: 0.25, r: 0.6, f1: 0.75 });
    /// assert_eq!((own.name.as_str(), scores.p, scores.f1), ("unrelated", 0.0, 0.5));
    /// assert!((scores.r - 0.5).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rescaled(&self, scores: Scores) -> Scores {
        let mut values = scores.array();
        for (value, b) in values.iter_mut().zip(self.scores.array()) {
            *value = (*value - b) / (1.0 - b);
        }
        Scores::from_array(values)
    }

    /// Checks that a published baseline meets the model and the layer that it was measured with.
    pub(crate) fn check(&self, model: &Model, layer: usize) -> Result<(), BertScoreError> {
        let config = model.config();
        let shape = (config.model_type.as_str(), config.hidden_size, config.num_hidden_layers, layer);
        if self.name != ROBERTA || shape == ("roberta", 1024, 24, 17) {
            return Ok(());
        }
        let problem = format!(
            "the baseline `{ROBERTA}` belongs to layer 17 of roberta-large, but this is layer {layer} of a model of \
             the type `{}` with {} layers of {} numbers",
            config.model_type, config.num_hidden_layers, config.hidden_size
        );
        let help =
            "give --layer 17 with the weights of roberta-large, or a baseline of your own: --rescale NAME=P,R,F1";
        Err(BertScoreError::new(problem).help(help))
    }
}

impl std::str::FromStr for Baseline {
    type Err = BertScoreError;

    fn from_str(text: &str) -> Result<Self, BertScoreError> {
        let help = format!("the baselines are {ROBERTA}, and your own as NAME=P,R,F1, such as unrelated=0.2,0.2,0.2");
        if text == ROBERTA {
            // Published with bert-score 0.3.
            let scores = Scores { p: 0.831_506, r: 0.831_494, f1: 0.831_226 };
            return Ok(Baseline { name: text.to_owned(), scores });
        }
        let Some((name, numbers)) = text.split_once('=') else {
            return Err(BertScoreError::new(format!("there is no baseline `{text}`")).help(help));
        };
        if name.is_empty() || name == ROBERTA {
            return Err(
                BertScoreError::new(format!("`{text}`: a baseline of your own needs a name of its own")).help(help)
            );
        }
        let values: Option<Vec<f64>> = numbers.split(',').map(|number| number.trim().parse().ok()).collect();
        match values.as_deref() {
            Some(&[p, r, f1]) if [p, r, f1].iter().all(|value| *value < 1.0 && *value > -1.0) => {
                Ok(Baseline { name: name.to_owned(), scores: Scores { p, r, f1 } })
            }
            _ => Err(BertScoreError::new(format!("`{numbers}` is not three numbers between -1 and 1")).help(help)),
        }
    }
}

/// The cosines of a pair of texts, special tokens included.
#[derive(Debug)]
pub(crate) struct Pair<'p> {
    /// `[candidate][reference]`, row by row.
    pub(crate) cosines: &'p [f32],
    pub(crate) candidate: &'p [u32],
    pub(crate) reference: &'p [u32],
}

impl Pair<'_> {
    /// The scores. `None` if no token of one of the texts counts.
    pub(crate) fn scores(&self, special: Special, idf: Option<&Idf>) -> Option<Scores> {
        let (rows, columns) = (self.candidate.len(), self.reference.len());
        let ends = usize::from(special == Special::Drop);
        if rows <= 2 || columns <= 2 {
            return None;
        }
        let mut best = vec![f32::NEG_INFINITY; columns];
        let mut precision = Mean::default();
        for row in ends..rows - ends {
            let cosines = &self.cosines[row * columns..][..columns];
            let mut most = f32::NEG_INFINITY;
            for (best, cosine) in best[ends..columns - ends].iter_mut().zip(&cosines[ends..columns - ends]) {
                *best = best.max(*cosine);
                most = most.max(*cosine);
            }
            if (1..rows - 1).contains(&row) {
                precision.add(most, self.candidate[row], idf);
            }
        }
        let mut recall = Mean::default();
        for (most, id) in best.iter().zip(self.reference).skip(1).take(columns - 2) {
            recall.add(*most, *id, idf);
        }
        Some(Scores::of(precision.value()?, recall.value()?))
    }
}

/// A weighted mean.
#[derive(Default)]
struct Mean {
    sum: f64,
    weights: f64,
}

impl Mean {
    fn add(&mut self, value: f32, id: u32, idf: Option<&Idf>) {
        let weight = idf.map_or(1.0, |idf| idf.weight(id));
        self.sum += weight * f64::from(value);
        self.weights += weight;
    }

    fn value(&self) -> Option<f64> {
        (self.weights > 0.0).then(|| self.sum / self.weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tokens against one, between the special ones 0 and 9.
    const COSINES: [f32; 12] = [
        0.9, 0.8, 0.1, //
        0.2, 0.5, 0.6, //
        0.3, 0.25, -0.5, //
        0.1, 0.7, 0.9,
    ];

    fn pair() -> Pair<'static> {
        Pair { cosines: &COSINES, candidate: &[0, 3, 4, 9], reference: &[0, 5, 9] }
    }

    fn close(scores: Option<Scores>, p: f64, r: f64) {
        let scores = scores.unwrap();
        let f1 = 2.0 * p * r / (p + r);
        for (own, expected) in scores.array().into_iter().zip([p, r, f1]) {
            assert!((own - expected).abs() < 1e-7, "{scores:?} {p} {r} {f1}");
        }
    }

    #[test]
    fn special_tokens_by_hand() {
        // They can be matched: .6 and .3 are cosines with them, and so is .8.
        close(pair().scores(Special::Weightless, None), (0.6 + 0.3) / 2.0, 0.8);
        close(pair().scores(Special::Drop, None), (0.5 + 0.25) / 2.0, 0.5);
    }

    #[test]
    fn weights_by_hand() {
        // Token 3 stands in one of two references, and token 4 in none.
        let idf = Idf::new([&[0, 3, 5, 9][..], &[0, 8, 9][..]]);
        let (one, none) = (libm::log(1.5), libm::log(3.0));
        close(pair().scores(Special::Weightless, Some(&idf)), (one * 0.6 + none * 0.3) / (one + none), 0.8);
        // Token 5 stands in both: the reference has no token that counts.
        let idf = Idf::new([&[0, 5, 9][..], &[0, 5, 9][..]]);
        assert_eq!(pair().scores(Special::Weightless, Some(&idf)), None);
    }

    #[test]
    fn texts_without_tokens_have_no_scores() {
        let cosines = [0.5; 6];
        let empty = Pair { cosines: &cosines, candidate: &[0, 9], reference: &[0, 5, 9] };
        assert_eq!(empty.scores(Special::Weightless, None), None);
        let empty = Pair { cosines: &cosines, candidate: &[0, 5, 9], reference: &[0, 9] };
        assert_eq!(empty.scores(Special::Drop, None), None);
    }

    #[test]
    fn baselines_are_read() {
        let published: Baseline = "roberta-large-17".parse().unwrap();
        assert_eq!(published.scores.array(), [0.831506, 0.831494, 0.831226]);
        for (bad, expected) in [
            ("roberta", "there is no baseline `roberta`"),
            ("a=1,2,3", "`1,2,3` is not three numbers"),
            ("a=0.1,0.2", "`0.1,0.2` is not three numbers"),
            ("a=x,0,0", "`x,0,0` is not"),
            ("=0,0,0", "`=0,0,0`: a baseline of your own"),
            ("roberta-large-17=0,0,0", "`roberta-large-17=0,0,0`: a baseline of your own"),
        ] {
            let error = bad.parse::<Baseline>().unwrap_err();
            assert!(error.to_string().starts_with(expected) && error.advice().is_some(), "{error}");
        }
    }
}
