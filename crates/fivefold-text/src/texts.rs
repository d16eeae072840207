//! All texts of a corpus as numbers: equal tokens have equal numbers, and all tokens of all texts
//! stand in one array.

use std::collections::HashMap;

use crate::corpus::Corpus;
use crate::settings::{Stemmer, Tokeniser};
use crate::tokens::{split, stemmed};

/// The texts of a corpus under one tokeniser and one stemmer.
pub(crate) struct Texts {
    /// The tokens of all texts. A document has its source (empty if there is none), its references
    /// and the candidates (empty if missing), in this order.
    tokens: Vec<u32>,
    /// Where each text begins, and the end of the last.
    starts: Vec<usize>,
    /// The first text of each document, and the number of texts.
    first: Vec<usize>,
    /// The number of systems.
    systems: usize,
    /// The number of different tokens.
    pub(crate) vocabulary: usize,
}

impl Texts {
    pub(crate) fn source(&self, document: usize) -> &[u32] {
        self.text(self.first[document])
    }

    pub(crate) fn references(&self, document: usize) -> usize {
        self.first[document + 1] - self.first[document] - 1 - self.systems
    }

    pub(crate) fn reference(&self, document: usize, reference: usize) -> &[u32] {
        self.text(self.first[document] + 1 + reference)
    }

    pub(crate) fn candidate(&self, document: usize, system: usize) -> &[u32] {
        self.text(self.first[document + 1] - self.systems + system)
    }

    /// The length of the longest text.
    pub(crate) fn longest(&self) -> usize {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    fn text(&self, text: usize) -> &[u32] {
        &self.tokens[self.starts[text]..self.starts[text + 1]]
    }
}

/// The texts of a corpus under one tokeniser, and the tokens by their numbers.
pub(crate) struct Read {
    texts: Texts,
    words: Vec<String>,
}

impl Read {
    /// Cuts all texts into tokens.
    pub(crate) fn new(corpus: &Corpus, tokeniser: Tokeniser) -> Self {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut words = Vec::new();
        let (mut tokens, mut starts, mut first, mut buffer) = (Vec::new(), vec![0], vec![0], String::new());
        for document in &corpus.documents {
            let of_document = [document.source.as_ref()].into_iter();
            let of_document = of_document.chain(document.references.iter().map(Some));
            for text in of_document.chain(document.candidates.iter().map(Option::as_ref)) {
                split(text.map_or("", String::as_str), tokeniser, &mut buffer, |token| {
                    let number = numbers.get(token).copied().unwrap_or_else(|| {
                        let next = words.len() as u32;
                        numbers.insert(token.to_owned(), next);
                        words.push(token.to_owned());
                        next
                    });
                    tokens.push(number);
                });
                starts.push(tokens.len());
            }
            first.push(starts.len() - 1);
        }
        let vocabulary = words.len();
        Read { texts: Texts { tokens, starts, first, systems: corpus.systems.len(), vocabulary }, words }
    }

    /// The texts after stemming: each different token is stemmed once.
    pub(crate) fn stemmed(&self, stemmer: Stemmer) -> Texts {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let of_word: Vec<u32> = self
            .words
            .iter()
            .map(|word| {
                let next = numbers.len() as u32;
                *numbers.entry(stemmed(word, stemmer)).or_insert(next)
            })
            .collect();
        Texts {
            tokens: self.texts.tokens.iter().map(|&token| of_word[token as usize]).collect(),
            starts: self.texts.starts.clone(),
            first: self.texts.first.clone(),
            systems: self.texts.systems,
            vocabulary: numbers.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Document;

    #[test]
    fn equal_tokens_have_equal_numbers() {
        let document = Document {
            id: "1".to_owned(),
            source: Some("dogs dog cats".to_owned()),
            references: vec!["cats".to_owned(), String::new()],
            candidates: vec![None, Some("dog".to_owned())],
        };
        let other = Document { source: None, ..document.clone() };
        let corpus = Corpus { systems: vec!["x".to_owned(), "y".to_owned()], documents: vec![document, other] };
        let read = Read::new(&corpus, Tokeniser::Rouge);
        let plain = read.stemmed(Stemmer::None);
        assert_eq!((plain.source(0), plain.source(1)), (&[0, 1, 2][..], &[][..]));
        assert_eq!((plain.references(1), plain.reference(1, 0), plain.reference(1, 1)), (2, &[2][..], &[][..]));
        assert_eq!((plain.candidate(0, 0), plain.candidate(0, 1)), (&[][..], &[1][..]));
        let stems = read.stemmed(Stemmer::Porter);
        assert_eq!((stems.source(0), stems.vocabulary, stems.longest()), (&[0, 0, 1][..], 2, 3));
    }
}
