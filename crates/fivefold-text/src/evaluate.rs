//! Evaluates all systems on all documents, for several measures at once.
//!
//! Texts are cut into tokens once for each tokeniser, and stemmed once for each stemmer. Documents
//! are then computed in parallel, each with random summaries of its own seed, and put together in
//! their order: the bytes are the same for any number of threads.

use fivefold_base::ue;
use fivefold_base::{Seed, Version};
use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::document::{Around, Cell, Group};
use crate::error::TextError;
use crate::measure::TextMeasure;
use crate::settings::{Clip, References, Stemmer, Tokeniser};
use crate::slots::Slots;
use crate::texts::{Read, Texts};
use crate::values::{Column, TextValues};

/// A, E, U, V1 and V2 of each summary under each measure.
///
/// Random summaries, where E has no closed form, come from `seed`, the document's id and the
/// reference's place: other documents, systems and measures do not change them.
///
/// E is computed for every measure, also for one whose name asks for A alone, if the document has a
/// source. `model=mismatch` takes time in proportion to the square of the number of documents.
///
/// ```
/// use fivefold_text::{Column, Corpus, Document, Seed, evaluate};
///
/// let document = |id: &str, candidate: &str| Document {
///     id: id.to_owned(),
///     source: Some("The cat sat on the mat. The end.".to_owned()),
///     references: vec!["The cat on the mat.".to_owned()],
///     candidates: vec![Some(candidate.to_owned())],
/// };
/// let documents = vec![document("1", "The cat sat."), document("2", "The cat on the mat.")];
/// let corpus = Corpus { systems: vec!["lead".to_owned()], documents };
/// let values = evaluate(&corpus, &["rouge1.v2".parse()?, "rougeL".parse()?], Seed::new(1))?;
/// // The summary of the second document is the reference.
/// assert_eq!((values.of(0, 0)[1], values.of(1, 0)[1]), (1.0, 1.0));
/// // E is exact here.
/// assert_eq!(values.column(Column::ExpectedError, 1, 0), [0.0, 0.0]);
/// # Ok::<(), fivefold_text::TextError>(())
/// ```
///
/// # Errors
/// Those of [`Corpus::check`].
pub fn evaluate(corpus: &Corpus, measures: &[TextMeasure], seed: Seed) -> Result<TextValues, TextError> {
    corpus.check(measures)?;
    let ids = corpus.documents.iter().map(|document| document.id.clone()).collect();
    let mut values = TextValues::new(measures, &corpus.systems, ids);
    let is_there = |candidates: &Vec<Option<String>>| candidates.iter().map(Option::is_some).collect();
    let present: Vec<Vec<bool>> = corpus.documents.iter().map(|document| is_there(&document.candidates)).collect();
    for tokeniser in [Tokeniser::Rouge, Tokeniser::Space] {
        let mut read = None;
        for stemmer in [Stemmer::Porter, Stemmer::None] {
            let is_of = |measure: &TextMeasure| {
                measure.settings().tokeniser == tokeniser && measure.settings().stemmer == stemmer
            };
            let own: Vec<(usize, TextMeasure)> =
                measures.iter().cloned().enumerate().filter(|(_, measure)| is_of(measure)).collect();
            if !own.is_empty() {
                let read = read.get_or_insert_with(|| Read::new(corpus, tokeniser));
                let group = Group::new(read.stemmed(stemmer), own, seed.derive("text"));
                fill(corpus, &group, &present, &mut values);
            }
        }
    }
    Ok(values)
}

/// Computes and enters the values of one group of measures.
fn fill(corpus: &Corpus, group: &Group, present: &[Vec<bool>], values: &mut TextValues) {
    let cells: Vec<Vec<Vec<Cell>>> = corpus
        .documents
        .par_iter()
        .enumerate()
        .map_init(
            || Slots::new(group.texts.vocabulary),
            |slots, (place, document)| {
                let (id, source) = (document.id.as_str(), document.source.as_deref());
                let around = Around { place, id, source, present: &present[place], documents: present };
                group.cells(&around, slots)
            },
        )
        .collect();
    for (document, of_document) in cells.iter().enumerate() {
        for ((measure, named), of_measure) in group.measures.iter().zip(of_document) {
            count_texts(corpus, &group.texts, document, *measure, named, values);
            for (system, cell) in of_measure.iter().enumerate() {
                if present[document][system] {
                    enter(values, [*measure, system, document], named, *cell);
                } else {
                    values.counts[*measure].missing_candidates += 1;
                }
            }
        }
    }
}

/// Enters the numbers of one summary, and counts those that are undefined.
fn enter(values: &mut TextValues, at: [usize; 3], measure: &TextMeasure, cell: Cell) {
    let Cell { score: a, expected, upper: u } = cell;
    let e = expected.value;
    let of = |version: Version| match version {
        Version::Original => a,
        _ if !ue::differ(u, e) => f64::NAN,
        Version::V1 => ue::v1(a, u, e),
        Version::V2 => match measure.settings().clip {
            Clip::None => ue::v2(a, u, e),
            Clip::Zero if a < e => 0.0,
            Clip::Zero => ue::v2(a, u, e),
        },
    };
    for version in Version::ALL {
        values.set(version.into(), at, of(version));
    }
    values.set(Column::Expected, at, e);
    values.set(Column::ExpectedError, at, if e.is_nan() { f64::NAN } else { expected.error });
    values.set(Column::Upper, at, u);
    let counts = &mut values.counts[at[0]];
    if a.is_nan() {
        counts.undefined_scores += 1;
    } else if e.is_nan() || u.is_nan() {
        counts.without_expected += 1;
    } else if !ue::differ(u, e) {
        counts.undefined_ue += 1;
    }
}

/// Counts the texts of a document that are empty for a measure.
fn count_texts(
    corpus: &Corpus,
    texts: &Texts,
    place: usize,
    measure: usize,
    named: &TextMeasure,
    values: &mut TextValues,
) {
    let document = &corpus.documents[place];
    let is_empty = |text: &[u32]| named.metric().units(text.len()) == 0;
    let counts = &mut values.counts[measure];
    match &document.source {
        None => counts.without_source += 1,
        Some(_) => counts.empty_sources += usize::from(texts.source(place).is_empty()),
    }
    let used = match named.settings().references {
        References::First => 1,
        _ => document.references.len(),
    };
    counts.empty_references += (0..used).filter(|&reference| is_empty(texts.reference(place, reference))).count();
    let candidates = document.candidates.iter().enumerate().filter(|(_, text)| text.is_some());
    counts.empty_candidates += candidates.filter(|(system, _)| is_empty(texts.candidate(place, *system))).count();
}
