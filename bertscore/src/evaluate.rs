//! BERTScore of all texts: for each document and system the scores A and their expected values E.
//!
//! Documents are independent. Each is computed by one thread, from its tokens to its scores, so no
//! number depends on how many threads there are.

use fivefold_base::Seed;
use fivefold_data::texts::{TextDocument, Texts};
use rayon::prelude::*;

use crate::counts::Counts;
use crate::error::BertScoreError;
use crate::expected::{BySimilarity, Expected, drawn};
use crate::model::{Model, States};
use crate::score::{Idf, Pair, Scores};
use crate::settings::{References, Settings};
use crate::tokens::Tokens;

/// The values of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Value {
    /// A.
    pub scores: Scores,
    /// E; `None` if the settings ask for none.
    pub expected: Option<Scores>,
}

/// The result of [`Evaluator::evaluate`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// `[document][system]`; `None` where a system has no text.
    pub values: Vec<Vec<Option<Value>>>,
    /// The standard error of the E of each document's F1, where E is drawn.
    pub errors: Vec<Option<f64>>,
    /// What was met on the way.
    pub counts: Counts,
}

/// The tokens of a document.
struct Document {
    id: String,
    candidates: Vec<Option<Tokens>>,
    references: Vec<Tokens>,
    /// With special tokens, cut at the last position.
    source: Option<Tokens>,
    /// The whole source.
    all: Vec<u32>,
}

/// The states of a document's texts.
struct DocumentStates {
    candidates: Vec<Option<States>>,
    references: Vec<States>,
}

/// The random texts of a document, as ids with the special tokens.
struct RandomTexts {
    /// A list for each length of a summary.
    by_length: Vec<Vec<Vec<u32>>>,
    /// Whether a text is shorter than its length.
    short: bool,
}

/// The values of a document.
struct DocumentValues {
    /// `[system]`
    values: Vec<Option<Value>>,
    /// The standard error of E.
    error: Option<f64>,
    /// Whether the source is short.
    short: bool,
}

/// E of a document, and the standard error of F1.
struct DocumentExpected {
    scores: Scores,
    error: Option<f64>,
}

/// Texts as tokens, ready to be computed.
pub struct Evaluator<'m> {
    model: &'m Model,
    settings: Settings,
    documents: Vec<Document>,
    idf: Option<Idf>,
    counts: Counts,
}

impl<'m> Evaluator<'m> {
    /// Splits all texts into tokens, and checks that the settings fit them.
    ///
    /// # Errors
    /// No text; a layer that the model does not have; a baseline of another model; no draws; a document
    /// without a source where E needs sources; one document where E needs other documents; a single
    /// reference where tokens are weighted by their rarity.
    pub fn new(model: &'m Model, texts: &Texts, settings: Settings) -> Result<Self, BertScoreError> {
        let layer = model.layer(settings.layer)?;
        if let Some(baseline) = &settings.baseline {
            baseline.check(model, layer)?;
        }
        settings.check(texts)?;
        let of_document = |document: &TextDocument| Document::new(model, document, &settings);
        let documents: Vec<Document> = texts.documents.par_iter().map(of_document).collect::<Result<_, _>>()?;
        let references = || documents.iter().flat_map(|document| &document.references);
        if settings.idf && references().count() < 2 {
            let problem = "idf needs two references: each token of a single one has the weight 0";
            return Err(BertScoreError::new(problem).help("leave out --idf"));
        }
        let idf = settings.idf.then(|| Idf::new(references().map(|reference| &reference.ids[..])));
        let mut evaluator = Evaluator { model, settings, documents, idf, counts: Counts::default() };
        let mut counts = Counts::default();
        evaluator.documents.iter().for_each(|document| counts.add(document.counts(evaluator.idf.as_ref())));
        evaluator.counts = counts;
        Ok(evaluator)
    }

    /// The scores and expected values of all texts.
    ///
    /// # Errors
    /// A fault within the library of tensors.
    pub fn evaluate(&self) -> Result<Evaluation, BertScoreError> {
        let mut counts = self.counts;
        let (mut values, mut errors) = (Vec::new(), Vec::new());
        if self.settings.expected == Expected::Mismatch {
            // The states of all documents stay in memory.
            let states: Vec<DocumentStates> =
                self.documents.par_iter().map(|document| self.states(document)).collect::<Result<_, _>>()?;
            values =
                (0..states.len()).into_par_iter().map(|own| self.mismatched(own, &states)).collect::<Result<_, _>>()?;
            errors = vec![None; values.len()];
        } else {
            let of_document = |document| self.document(document);
            let documents: Vec<DocumentValues> =
                self.documents.par_iter().map(of_document).collect::<Result<_, _>>()?;
            for document in documents {
                values.push(document.values);
                errors.push(document.error);
                counts.short_sources += usize::from(document.short);
            }
        }
        let baseline = self.settings.baseline.as_ref();
        if let Some(baseline) = baseline {
            for value in values.iter_mut().flatten().flatten() {
                value.scores = baseline.rescaled(value.scores);
                value.expected = value.expected.map(|expected| baseline.rescaled(expected));
            }
            for error in errors.iter_mut().flatten() {
                *error /= 1.0 - baseline.scores.f1;
            }
        }
        Ok(Evaluation { values, errors, counts })
    }

    /// The values of a document where E comes from its source, or where there is none.
    fn document(&self, document: &Document) -> Result<DocumentValues, BertScoreError> {
        let states = self.states(document)?;
        let mut expected = None;
        let mut short = false;
        if self.settings.expected.needs_source() {
            let texts = self.random_texts(document, self.settings.expected)?;
            expected = Some(self.expected(document, &states, &texts)?);
            short = texts.short;
        }
        let value = |(tokens, states_of): (&Option<Tokens>, &Option<States>)| {
            let (Some(tokens), Some(own)) = (tokens, states_of) else { return Ok(None) };
            let scores = self.against_all(&tokens.ids, own, document, &states.references)?;
            Ok(Some(Value { scores, expected: expected.as_ref().map(|expected| expected.scores) }))
        };
        let values =
            document.candidates.iter().zip(&states.candidates).map(value).collect::<Result<_, BertScoreError>>()?;
        Ok(DocumentValues { values, error: expected.and_then(|expected| expected.error), short })
    }

    /// The values of a document where E is the mean score of summaries of other documents.
    fn mismatched(&self, own: usize, states: &[DocumentStates]) -> Result<Vec<Option<Value>>, BertScoreError> {
        let document = &self.documents[own];
        let references = &states[own].references;
        let against = |other: usize, system: usize| -> Result<Option<Scores>, BertScoreError> {
            let tokens = self.documents[other].candidates[system].as_ref();
            let (Some(tokens), Some(of)) = (tokens, &states[other].candidates[system]) else { return Ok(None) };
            self.against_all(&tokens.ids, of, document, references).map(Some)
        };
        let value = |system: usize| {
            let Some(scores) = against(own, system)? else { return Ok(None) };
            let others = (0..states.len()).filter(|other| *other != own);
            let others: Vec<Option<Scores>> = others.map(|other| against(other, system)).collect::<Result<_, _>>()?;
            let others: Vec<Scores> = others.into_iter().flatten().collect();
            if others.is_empty() {
                let problem =
                    format!("a system has a text about `{}` only, so there is no mismatched text", document.id);
                return Err(BertScoreError::new(problem).help("give --expected random, or none"));
            }
            Ok(Some(Value { scores, expected: Some(Scores::mean(&others)) }))
        };
        (0..document.candidates.len()).map(value).collect()
    }

    fn states(&self, document: &Document) -> Result<DocumentStates, BertScoreError> {
        let present = document.candidates.iter().flatten();
        let texts: Vec<&[u32]> = document.references.iter().chain(present).map(|tokens| &tokens.ids[..]).collect();
        let mut states = self.model.states(&texts, self.settings.layer)?.into_iter();
        let references = states.by_ref().take(document.references.len()).collect();
        let candidates = document.candidates.iter().map(|tokens| tokens.as_ref().and_then(|_| states.next())).collect();
        Ok(DocumentStates { candidates, references })
    }

    /// The score of a text with one reference; 0 if no token of one of the texts counts.
    fn pair(&self, ids: &[u32], own: &States, reference: &Tokens, other: &States) -> Result<Scores, BertScoreError> {
        let cosines = own.cosines(other)?;
        let pair = Pair { cosines: &cosines, candidate: ids, reference: &reference.ids };
        Ok(pair.scores(self.settings.special, self.idf.as_ref()).unwrap_or_default())
    }

    /// The score of a text with all references of a document.
    fn against_all(
        &self,
        ids: &[u32],
        own: &States,
        document: &Document,
        references: &[States],
    ) -> Result<Scores, BertScoreError> {
        let pairs = document.references.iter().zip(references);
        let scores: Vec<Scores> =
            pairs.map(|(tokens, other)| self.pair(ids, own, tokens, other)).collect::<Result<_, _>>()?;
        Ok(match self.settings.references {
            References::First | References::Mean => Scores::mean(&scores),
            References::Max => {
                let better = |best: Scores, other: Scores| if other.f1 > best.f1 { other } else { best };
                scores.into_iter().reduce(better).unwrap_or_default()
            }
        })
    }

    fn random_texts(&self, document: &Document, kind: Expected) -> Result<RandomTexts, BertScoreError> {
        let lengths: Vec<usize> = document.references.iter().map(|reference| reference.inner().len()).collect();
        // One text is scored with all references: its length is their mean, rounded half up.
        let lengths = match self.settings.references {
            References::Max => vec![(2 * lengths.iter().sum::<usize>() + lengths.len()) / (2 * lengths.len())],
            _ => lengths,
        };
        let seed = Seed::new(self.settings.seed).derive("bertscore").derive(&document.id);
        let Some(source) = document.source.as_ref().filter(|_| !document.all.is_empty()) else {
            return Ok(RandomTexts { by_length: vec![Vec::new(); lengths.len()], short: false });
        };
        if kind == Expected::Random {
            let draw = |(index, length): (usize, &usize)| {
                let seed = seed.derive_index("reference", index as u64);
                drawn(self.model, &document.all, *length, self.settings.draws, seed)
            };
            return Ok(RandomTexts { by_length: lengths.iter().enumerate().map(draw).collect(), short: false });
        }
        let tokens = BySimilarity::new(self.model, &source.ids, self.settings.layer)?;
        let short = lengths.iter().any(|length| *length > tokens.count());
        let text = |length: &usize| vec![self.model.between(&tokens.first(*length, kind == Expected::B2w))];
        Ok(RandomTexts { by_length: lengths.iter().map(text).collect(), short })
    }

    /// E of a document: the mean score of its random texts.
    fn expected(
        &self,
        document: &Document,
        states: &DocumentStates,
        texts: &RandomTexts,
    ) -> Result<DocumentExpected, BertScoreError> {
        let (mut means, mut variance) = (Vec::new(), Some(0.0));
        for (index, texts) in texts.by_length.iter().enumerate() {
            let own = self.model.states(texts, self.settings.layer)?;
            let score = |(ids, own): (&Vec<u32>, &States)| match self.settings.references {
                References::Max => self.against_all(ids, own, document, &states.references),
                _ => self.pair(ids, own, &document.references[index], &states.references[index]),
            };
            let scores: Vec<Scores> = texts.iter().zip(&own).map(score).collect::<Result<_, _>>()?;
            let mean = Scores::mean(&scores);
            means.push(mean);
            variance =
                variance.filter(|_| self.settings.expected == Expected::Random && scores.len() > 1).map(|sum: f64| {
                    let squares: f64 = scores.iter().map(|scores| (scores.f1 - mean.f1).powi(2)).sum();
                    sum + squares / ((scores.len() - 1) * scores.len()) as f64
                });
        }
        let error = variance.map(|sum| sum.sqrt() / means.len() as f64);
        Ok(DocumentExpected { scores: Scores::mean(&means), error })
    }

    /// The E of each document under `b2w` and `w2b`, before any rescaling, with the document's id.
    pub(crate) fn ends(&self) -> Result<Vec<(String, [Scores; 2])>, BertScoreError> {
        let of_document = |document: &Document| {
            let states = self.states_of_references(document)?;
            let end = |kind| {
                let texts = self.random_texts(document, kind)?;
                Ok::<_, BertScoreError>(self.expected(document, &states, &texts)?.scores)
            };
            Ok((document.id.clone(), [end(Expected::B2w)?, end(Expected::W2b)?]))
        };
        self.documents.par_iter().map(of_document).collect()
    }

    fn states_of_references(&self, document: &Document) -> Result<DocumentStates, BertScoreError> {
        let texts: Vec<&[u32]> = document.references.iter().map(|tokens| &tokens.ids[..]).collect();
        Ok(DocumentStates { candidates: Vec::new(), references: self.model.states(&texts, self.settings.layer)? })
    }
}

impl Document {
    fn new(model: &Model, document: &TextDocument, settings: &Settings) -> Result<Self, BertScoreError> {
        let tokens = |text: &String| model.tokens(text);
        let used = match settings.references {
            References::First => &document.references[..document.references.len().min(1)],
            _ => &document.references[..],
        };
        let candidate = |text: &Option<String>| text.as_ref().map(tokens).transpose();
        let source = document.source.as_ref().filter(|_| settings.expected.needs_source());
        Ok(Document {
            id: document.id.clone(),
            candidates: document.candidates.iter().map(candidate).collect::<Result<_, _>>()?,
            references: used.iter().map(tokens).collect::<Result<_, _>>()?,
            source: source.map(tokens).transpose()?,
            all: source.map_or_else(|| Ok(Vec::new()), |text| model.all_tokens(text))?,
        })
    }

    fn counts(&self, idf: Option<&Idf>) -> Counts {
        let is_empty = |tokens: &&Tokens| match idf {
            Some(idf) => tokens.inner().iter().all(|id| idf.weight(*id) == 0.0),
            None => tokens.inner().is_empty(),
        };
        let is_cut = |tokens: &&Tokens| tokens.cut > 0;
        let candidates = || self.candidates.iter().flatten();
        Counts {
            candidates: candidates().count(),
            references: self.references.len(),
            missing: self.candidates.iter().filter(|tokens| tokens.is_none()).count(),
            cut_candidates: candidates().filter(is_cut).count(),
            cut_references: self.references.iter().filter(is_cut).count(),
            cut_sources: self.source.iter().filter(is_cut).count(),
            empty_candidates: candidates().filter(is_empty).count(),
            empty_references: self.references.iter().filter(is_empty).count(),
            empty_sources: self.source.iter().filter(|_| self.all.is_empty()).count(),
            short_sources: 0,
        }
    }
}
