//! The numbers of one document: all that measures with the same tokens share is computed once.
//!
//! References are taken one by one. Each is numbered once ([`Slots`]), and gives for each metric the
//! matches of all candidates and E of the matches of random summaries. What needs several
//! references at once is put together afterwards.

use fivefold_base::Seed;

use crate::expected::chance::LogFactorials;
use crate::expected::draws::{matches_of_each, mean};
use crate::expected::{AnyMatcher, Drawing, Mean, Random, Source, expected};
use crate::measure::TextMeasure;
use crate::score::{Pair, combined, combined_error};
use crate::settings::{Empty, Length, Metric, Model, References, Settings, Upper};
use crate::slots::Slots;
use crate::texts::Texts;

/// E of the matches with single references, as one or several measures need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ByReference {
    metric: Metric,
    drawing: Drawing,
    length: Length,
    draws: u32,
}

/// Measures with the same tokens, and what they need.
pub(crate) struct Group {
    pub(crate) texts: Texts,
    /// The measures, by their places among all.
    pub(crate) measures: Vec<(usize, TextMeasure)>,
    metrics: Vec<Metric>,
    /// What is computed for each reference; whether all references are needed.
    by_reference: Vec<(ByReference, bool)>,
    /// What is drawn for all references at once.
    shared: Vec<ByReference>,
    /// Metrics whose matches with other documents' summaries are needed.
    mismatch: Vec<Metric>,
    logs: LogFactorials,
    seed: Seed,
}

/// The numbers of one summary under one measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    /// A; NaN if it is undefined.
    pub(crate) score: f64,
    /// E; NaN if there is none.
    pub(crate) expected: Mean,
    /// U; NaN if there is none.
    pub(crate) upper: f64,
}

/// What is known of a document's reference.
struct OfReference {
    /// Tokens of the reference.
    tokens: usize,
    /// By metric: the matches of each system's candidate.
    matches: Vec<Vec<u32>>,
    /// By item of `by_reference`: E for each system, or one E for all.
    expected: Vec<Vec<Mean>>,
    /// By item of `shared`: matches of each draw for each length.
    shared: Vec<Vec<u32>>,
    /// By item of `mismatch`: matches of each document's candidates, `[document][system]`.
    others: Vec<Vec<u32>>,
    /// Matches of the best bag of source tokens.
    bag: usize,
}

/// How a measure draws random summaries; `None` if it takes other documents' summaries.
fn drawing(settings: &Settings) -> Option<Drawing> {
    match settings.model {
        Model::Unigram => Some(Drawing::Unigram),
        Model::Sample => Some(Drawing::Sample),
        Model::Mismatch => None,
    }
}

fn by_reference(measure: &TextMeasure) -> Option<ByReference> {
    let settings = measure.settings();
    let (metric, length, draws) = (measure.metric(), settings.length, settings.draws);
    drawing(settings).map(|drawing| ByReference { metric, drawing, length, draws })
}

/// The place of an item in a list, at whose end it is put if it is not there.
fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

impl Group {
    pub(crate) fn new(texts: Texts, measures: Vec<(usize, TextMeasure)>, seed: Seed) -> Self {
        let (mut metrics, mut one, mut shared, mut mismatch) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut all = Vec::new();
        let mut longest = texts.longest();
        for (_, measure) in &measures {
            let settings = measure.settings();
            place(&mut metrics, measure.metric());
            match by_reference(measure) {
                None => _ = place(&mut mismatch, measure.metric()),
                Some(item) if settings.references == References::Max => _ = place(&mut shared, item),
                Some(item) => {
                    let at = place(&mut one, item);
                    all.resize(one.len(), false);
                    all[at] |= settings.references != References::First;
                }
            }
            if let Length::Fixed(tokens) = settings.length {
                longest = longest.max(tokens);
            }
        }
        let by_reference = one.into_iter().zip(all).collect();
        let logs = LogFactorials::up_to(longest + 1);
        Group { texts, measures, metrics, by_reference, shared, mismatch, logs, seed }
    }

    /// The references that the group's measures use.
    fn references(&self, document: usize) -> usize {
        let several = |(_, measure): &(usize, TextMeasure)| measure.settings().references != References::First;
        if self.measures.iter().any(several) { self.texts.references(document) } else { 1 }
    }

    /// All cells of a document: `[measure of the group][system]`. A missing candidate counts as empty
    /// here.
    pub(crate) fn cells(&self, document: &Around<'_>, slots: &mut Slots) -> Vec<Vec<Cell>> {
        let drawn: Vec<Shared> = self.shared.iter().map(|item| self.shared_lengths(item, document)).collect();
        let references: Vec<OfReference> = (0..self.references(document.place))
            .map(|reference| self.of_reference(document, reference, &drawn, slots))
            .collect();
        let of = |(_, measure): &(usize, TextMeasure)| -> Vec<Cell> {
            let settings = measure.settings();
            let upper = upper(measure, document, &references);
            let expected = |system| self.expected(measure, document, &references, &drawn, system);
            let depends_on_system = settings.model == Model::Mismatch || settings.length == Length::Candidate;
            let of_all = (!depends_on_system).then(|| expected(0));
            let cell = |system: usize| Cell {
                score: self.score(measure, document, &references, system),
                expected: of_all.unwrap_or_else(|| expected(system)),
                upper,
            };
            (0..document.present.len()).map(cell).collect()
        };
        self.measures.iter().map(of).collect()
    }

    fn of_reference(
        &self,
        document: &Around<'_>,
        reference: usize,
        drawn: &[Shared],
        slots: &mut Slots,
    ) -> OfReference {
        let texts = &self.texts;
        let tokens = texts.reference(document.place, reference);
        let local = slots.enter(tokens);
        let source = Source::new(slots.of(texts.source(document.place)), &local);
        let systems = 0..document.present.len();
        let mut matchers: Vec<AnyMatcher> =
            self.metrics.iter().map(|&metric| AnyMatcher::new(metric, &local)).collect();
        let place_of = |metric: Metric| self.metrics.iter().position(|known| *known == metric).unwrap_or(0);
        let candidates = |matcher: &mut AnyMatcher, of: usize| -> Vec<u32> {
            systems.clone().map(|system| matcher.of(slots.of(texts.candidate(of, system)))).collect()
        };
        let matches = matchers.iter_mut().map(|matcher| candidates(matcher, document.place)).collect();
        let mut of_item = |(item, all): &(ByReference, bool)| -> Vec<Mean> {
            if document.source.is_none() || (reference > 0 && !all) {
                return Vec::new();
            }
            let asked = self.lengths(item, document, tokens.len());
            let lengths = increasing(&asked);
            let seed = self.seed(document, item.drawing).derive_index("reference", reference as u64);
            let random = Random { drawing: item.drawing, draws: item.draws, seed };
            let matcher = &mut matchers[place_of(item.metric)];
            let means = expected(matcher, &local, &source, &lengths, random, &self.logs);
            asked.iter().map(|&m| means[lengths.partition_point(|&length| length < m)]).collect()
        };
        let expected = self.by_reference.iter().map(&mut of_item).collect();
        let shared = self.shared.iter().zip(drawn).map(|(item, drawn)| {
            matches_of_each(&mut matchers[place_of(item.metric)], &source, &drawn.lengths, drawn.random)
        });
        let shared = shared.collect();
        let others = self.mismatch.iter().map(|&metric| {
            let matcher = &mut matchers[place_of(metric)];
            (0..document.documents.len()).flat_map(|other| candidates(matcher, other)).collect()
        });
        let others = others.collect();
        let bag = local.counts.iter().zip(&source.counts).map(|(&one, &other)| one.min(other) as usize).sum();
        slots.leave(tokens);
        OfReference { tokens: tokens.len(), matches, expected, shared, others, bag }
    }

    /// The lengths of random summaries: one for all systems, or one for each. `reference`: the tokens
    /// of the reference.
    fn lengths(&self, item: &ByReference, document: &Around<'_>, reference: usize) -> Vec<usize> {
        let source = self.texts.source(document.place).len();
        let systems = 0..document.present.len();
        let asked = match item.length {
            Length::Reference => vec![reference],
            Length::Fixed(tokens) => vec![tokens],
            Length::Candidate => systems.map(|system| self.texts.candidate(document.place, system).len()).collect(),
        };
        asked.into_iter().map(|m| item.drawing.length(m, source)).collect()
    }

    fn seed(&self, document: &Around<'_>, drawing: Drawing) -> Seed {
        let model = match drawing {
            Drawing::Unigram => Model::Unigram,
            Drawing::Sample => Model::Sample,
        };
        self.seed.derive(document.id).derive(model.to_string())
    }

    /// What random summaries all references of a document share.
    fn shared_lengths(&self, item: &ByReference, document: &Around<'_>) -> Shared {
        let texts = &self.texts;
        let count = texts.references(document.place);
        let tokens: usize = (0..count).map(|reference| texts.reference(document.place, reference).len()).sum();
        let mean_length = (tokens as f64 / count as f64).round() as usize;
        let asked = self.lengths(item, document, mean_length);
        let mut lengths = increasing(&asked);
        // An empty text needs no draw.
        lengths.retain(|&length| length > 0);
        if texts.source(document.place).is_empty() {
            lengths.clear();
        }
        let seed = self.seed(document, item.drawing).derive("all references");
        let random = Random { drawing: item.drawing, draws: item.draws, seed };
        Shared { asked, lengths, random }
    }

    fn score(&self, measure: &TextMeasure, document: &Around<'_>, references: &[OfReference], system: usize) -> f64 {
        let metric = measure.metric();
        let at = self.metrics.iter().position(|known| *known == metric).unwrap_or(0);
        let candidate = metric.units(self.texts.candidate(document.place, system).len());
        let pairs = references.iter().map(|of| Pair {
            matches: f64::from(of.matches[at][system]),
            candidate,
            reference: metric.units(of.tokens),
        });
        combined(measure.settings(), pairs)
    }

    fn expected(
        &self,
        measure: &TextMeasure,
        document: &Around<'_>,
        references: &[OfReference],
        drawn: &[Shared],
        system: usize,
    ) -> Mean {
        let none = Mean { value: f64::NAN, error: 0.0 };
        let Some(item) = by_reference(measure) else {
            return Mean { value: self.of_others(measure, document, references, system), error: 0.0 };
        };
        if document.source.is_none() {
            return none;
        }
        let (metric, settings) = (measure.metric(), measure.settings());
        // A random summary without a unit has value 0. Only references are left out.
        let rule = Settings { empty: Empty::Zero, ..*settings };
        let is_used = |units: usize| settings.empty == Empty::Zero || units > 0;
        let used = if settings.references == References::First { 1 } else { references.len() };
        let kept: Vec<&OfReference> =
            references.iter().take(used).filter(|of| is_used(metric.units(of.tokens))).collect();
        if kept.is_empty() {
            return none;
        }
        if settings.references == References::Max {
            let at = self.shared.iter().position(|known| *known == item).unwrap_or(0);
            return of_shared(metric, &rule, &kept, at, &drawn[at], system);
        }
        let at = self.by_reference.iter().position(|(known, _)| *known == item).unwrap_or(0);
        let pairs = kept.iter().map(|of| {
            let asked = self.lengths(&item, document, of.tokens);
            let (mean, m) = (of_system(&of.expected[at], system), of_system(&asked, system));
            let pair = Pair { matches: mean.value, candidate: metric.units(m), reference: metric.units(of.tokens) };
            (pair, mean.error)
        });
        let pairs: Vec<(Pair, f64)> = pairs.collect();
        let value = combined(&rule, pairs.iter().map(|(pair, _)| *pair));
        let is_exact = pairs.iter().all(|(_, error)| *error == 0.0);
        let error = if is_exact { 0.0 } else { combined_error(&rule, pairs.iter().copied()) };
        Mean { value, error }
    }

    /// The mean value of the system's summaries of other documents; NaN if there is none.
    fn of_others(
        &self,
        measure: &TextMeasure,
        document: &Around<'_>,
        references: &[OfReference],
        system: usize,
    ) -> f64 {
        let metric = measure.metric();
        let at = self.mismatch.iter().position(|known| *known == metric).unwrap_or(0);
        let systems = document.present.len();
        let (mut sum, mut count) = (0.0, 0);
        for (other, present) in document.documents.iter().enumerate() {
            if other == document.place || !present[system] {
                continue;
            }
            let candidate = metric.units(self.texts.candidate(other, system).len());
            let pairs = references.iter().map(|of| Pair {
                matches: f64::from(of.others[at][other * systems + system]),
                candidate,
                reference: metric.units(of.tokens),
            });
            let value = combined(measure.settings(), pairs);
            if !value.is_nan() {
                sum += value;
                count += 1;
            }
        }
        if count == 0 { f64::NAN } else { sum / f64::from(count) }
    }
}

/// Random summaries that all references of a document share.
struct Shared {
    /// The length for each system, or one for all.
    asked: Vec<usize>,
    /// The same lengths, each once and increasing, without 0.
    lengths: Vec<usize>,
    /// How they are drawn.
    random: Random,
}

/// E of the value at the best of several references.
fn of_shared(
    metric: Metric,
    rule: &Settings,
    references: &[&OfReference],
    at: usize,
    drawn: &Shared,
    system: usize,
) -> Mean {
    let m = of_system(&drawn.asked, system);
    let Ok(length) = drawn.lengths.binary_search(&m) else {
        return Mean::default();
    };
    let step = drawn.lengths.len();
    let value = |draw: usize| {
        let pairs = references.iter().map(|of| Pair {
            matches: f64::from(of.shared[at][draw * step + length]),
            candidate: metric.units(m),
            reference: metric.units(of.tokens),
        });
        combined(rule, pairs)
    };
    let values: Vec<f64> = (0..rule.draws as usize).map(value).collect();
    mean(values.iter().copied())
}

/// U of all summaries of a document.
fn upper(measure: &TextMeasure, document: &Around<'_>, references: &[OfReference]) -> f64 {
    let settings = measure.settings();
    match settings.upper {
        Upper::One => 1.0,
        Upper::Source if document.source.is_none() => f64::NAN,
        Upper::Source => {
            let bag = |of: &OfReference| Pair { matches: of.bag as f64, candidate: of.tokens, reference: of.tokens };
            combined(settings, references.iter().map(bag))
        }
    }
}

/// The system's item of a list that has one item for each system, or one for all.
fn of_system<T: Copy + Default>(list: &[T], system: usize) -> T {
    list.get(system).or(list.first()).copied().unwrap_or_default()
}

/// The different lengths of a list, increasing.
fn increasing(lengths: &[usize]) -> Vec<usize> {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// A document among all.
pub(crate) struct Around<'a> {
    /// Its place among the documents.
    pub(crate) place: usize,
    pub(crate) id: &'a str,
    pub(crate) source: Option<&'a str>,
    /// Whether each system's candidate is there.
    pub(crate) present: &'a [bool],
    /// The same for all documents.
    pub(crate) documents: &'a [Vec<bool>],
}
