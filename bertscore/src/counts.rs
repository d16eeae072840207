//! What an evaluation met on the way, to be said beside its numbers.

/// Counts of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Candidates and references that were read.
    pub candidates: usize,
    /// References that were read.
    pub references: usize,
    /// Documents for which a system has no text. They have no value.
    pub missing: usize,
    /// Candidates that lost tokens at the last position of the model.
    pub cut_candidates: usize,
    /// References that lost tokens.
    pub cut_references: usize,
    /// Sources that lost tokens. Draws are from the whole source, so this matters to b2w and w2b.
    pub cut_sources: usize,
    /// Candidates without a token that counts. Their scores are 0.
    pub empty_candidates: usize,
    /// References without a token that counts. Scores with them are 0.
    pub empty_references: usize,
    /// Sources without a token. Their E is 0.
    pub empty_sources: usize,
    /// Documents whose source has fewer distinct tokens than the reference has tokens, so that the
    /// text of b2w or w2b is shorter.
    pub short_sources: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        let Counts {
            candidates,
            references,
            missing,
            cut_candidates,
            cut_references,
            cut_sources,
            empty_candidates,
            empty_references,
            empty_sources,
            short_sources,
        } = other;
        self.candidates += candidates;
        self.references += references;
        self.missing += missing;
        self.cut_candidates += cut_candidates;
        self.cut_references += cut_references;
        self.cut_sources += cut_sources;
        self.empty_candidates += empty_candidates;
        self.empty_references += empty_references;
        self.empty_sources += empty_sources;
        self.short_sources += short_sources;
    }
}
