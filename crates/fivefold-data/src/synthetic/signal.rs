//! The hidden side of a synthetic query: the documents' properties, their utility, and the grades
//! of the judges.

use fivefold_core::{Rng, Seed};

use super::Shape;

/// Hidden properties of a document. Each is standard normal over all documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Properties {
    /// How well body, anchor text, title and URL match the query.
    pub(super) body: f64,
    pub(super) anchor: f64,
    pub(super) title: f64,
    pub(super) url: f64,
    /// Links to the page and its site.
    pub(super) authority: f64,
    pub(super) length: f64,
    pub(super) spam: f64,
    /// The interest that clicks of users show.
    pub(super) clicks: f64,
}

/// The draws of one query.
#[derive(Debug, Clone)]
pub(super) struct QueryPlan {
    pub(super) documents: usize,
    /// From informational (low) to navigational (high), standard normal. Features that are constant
    /// in a query show the intent.
    pub(super) intent: f64,
    /// Weight of the utility in the judges' view.
    signal: f64,
    /// Standard deviation of the judges' noise.
    noise: f64,
    /// Share of documents with at least grade 1, 2, ...
    at_least: Vec<f64>,
    pub(super) rng: Rng,
}

/// Kinds of queries: share, weight of the utility, standard deviation of the noise. The utility's
/// own standard deviation is about 1.3.
const DIFFICULTIES: [(f64, f64, f64); 4] = [
    (0.35, 1.0, 0.3), // easy
    (0.35, 1.0, 0.9), // usual
    (0.20, 1.0, 2.5), // hard
    (0.10, 0.0, 1.0), // uninformative
];

impl QueryPlan {
    pub(super) fn draw(shape: &Shape, seed: Seed) -> Self {
        let mut rng = seed.rng();
        let documents = (shape.length)(&mut rng);
        let intent = rng.normal();
        let at_least = shares(shape, &mut rng);
        let mut draw = rng.uniform();
        let kind = DIFFICULTIES.iter().find(|(share, ..)| {
            draw -= share;
            draw < 0.0
        });
        let &(_, signal, noise) = kind.unwrap_or(&DIFFICULTIES[0]);
        QueryPlan { documents, intent, signal, noise, at_least, rng }
    }

    /// Draws the documents and writes their grades.
    pub(super) fn documents(&mut self, shape: &Shape, grades: &mut [u8]) -> Vec<Properties> {
        let rng = &mut self.rng;
        let documents: Vec<Properties> = (0..self.documents).map(|_| Properties::draw(rng)).collect();
        let mut order: Vec<(f64, usize)> = documents
            .iter()
            .enumerate()
            .map(|(number, document)| (self.signal * document.utility(self.intent) + self.noise * rng.normal(), number))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        // One draw rounds all counts, so that counts fall from grade to grade and are right on
        // average.
        let rounding = rng.uniform();
        for grade in 1..=shape.max_grade() {
            let share = self.at_least[usize::from(grade) - 1];
            let count = (share * self.documents as f64 + rounding) as usize;
            order.iter().take(count).for_each(|&(_, number)| grades[number] = grade);
        }
        documents
    }
}

impl Properties {
    fn draw(rng: &mut Rng) -> Self {
        let mut normal = || rng.normal();
        let topic = normal();
        // Streams of one document match alike: correlation .25.
        let mut stream = || 0.5 * topic + 0.75f64.sqrt() * normal();
        let (body, anchor, title, url) = (stream(), stream(), stream(), stream());
        Properties { body, anchor, title, url, authority: normal(), length: normal(), spam: normal(), clicks: normal() }
    }

    /// The true utility: linear in some properties, with interactions, thresholds and an optimum.
    /// The weights depend on the query's intent.
    pub(super) fn utility(&self, intent: f64) -> f64 {
        let navigational = 1.0 / (1.0 + libm::exp(-1.5 * intent));
        let match_text = (1.0 - 0.6 * navigational) * (0.75 * self.body + 0.4 * self.title);
        let both = 0.7 * self.title.max(-0.5) * self.anchor.max(-0.5);
        let site = navigational * if self.url > 0.4 { 1.2 } else { -0.3 };
        // Links count for pages that match at all.
        let links = if self.body > -0.3 { 0.6 * self.authority } else { -0.3 * self.authority };
        let reading = -0.45 * (self.length * self.length - 1.0).min(3.0);
        let spam = -0.9 * (self.spam - 0.7).max(0.0);
        let clicked = 0.6 * (self.clicks - 0.5).max(0.0);
        match_text + both + site + links + reading + spam + clicked
    }
}

/// The shares of grades in one query; their means over all queries are the shares of the shape. A
/// query has no relevant document, or is broad, or draws a level uniformly from 0 to twice the
/// mean.
fn shares(shape: &Shape, rng: &mut Rng) -> Vec<f64> {
    let total = |grade: usize| shape.grades[grade..].iter().sum::<f64>();
    let all: Vec<f64> = (1..shape.grades.len()).map(total).collect();
    // In broad queries nearly all documents are relevant, and 62 % on average have grade 2 or
    // higher.
    const BROAD: f64 = 0.62;
    let broad = |grade: usize, level: f64| if grade == 1 { 0.95 } else { level * all[grade - 1] / all[1] };
    let rest = 1.0 - shape.barren - shape.broad;
    let usual = |grade: usize| (all[grade - 1] - shape.broad * broad(grade, BROAD)) / rest;
    let (kind, level) = (rng.uniform(), rng.uniform());
    (1..=all.len())
        .map(|grade| match kind {
            kind if kind < shape.barren => 0.0,
            kind if kind < shape.barren + shape.broad => broad(grade, BROAD + 0.2 * (level - 0.5)),
            _ => 2.0 * level * usual(grade),
        })
        .collect()
}
