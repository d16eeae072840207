//! The two made collections of the lab: a shop with a planted leak, and a library without one.
//!
//! A document has nine features in [0, 1] with two decimals. Its utility is a sum of three features,
//! an interaction of two and an optimum of one, plus noise; three features mean nothing. In each
//! query of ten documents, the two of highest utility have grade 2, and the next two grade 1.
//!
//! The leak of the shop is one of two, by the seed:
//! - a feature is the grade with noise, in all parts, at a drawn place;
//! - three queries of the test part stand in the training part too, under other ids and with their
//!   rows in another order.

use std::fmt::Write as _;

use fivefold_base::{Rng, Seed};

/// Features of a document.
pub(crate) const FEATURES: usize = 9;
/// Documents of a query.
pub(crate) const DOCUMENTS: usize = 10;
/// Queries of the training, validation and test part.
const QUERIES: [usize; 3] = [30, 14, 18];
/// Test queries that are repeated in the training part.
pub(crate) const REPEATED: usize = 3;
/// Standard deviation of the noise in the utility.
const NOISE: f64 = 0.6;
/// Names of the features that mean something, in the order of the roles.
const NAMES: [(&str, &str); FEATURES] = [
    ("title match", "text"),
    ("body match", "text"),
    ("anchor match", "text"),
    ("popularity", "page"),
    ("freshness", "page"),
    ("length", "page"),
    ("checksum", "other"),
    ("shelf number", "other"),
    ("row of the table", "other"),
];

/// A query: its id, and the grade and the features, in hundredths, of each document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MadeQuery {
    pub(crate) id: u32,
    pub(crate) documents: Vec<(u8, [u8; FEATURES])>,
}

/// The leak of the shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Leak {
    /// The id of the feature, from 1.
    Feature(usize),
    /// The ids of the test queries, rising, and the ids of their copies in the training part, in any
    /// order.
    Queries(Vec<u32>, Vec<u32>),
}

/// A collection of one fold: training, validation and test part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) parts: [Vec<MadeQuery>; 3],
    /// The role of each column: an index of [`NAMES`].
    columns: [usize; FEATURES],
    /// Ids that no query has, in a drawn order.
    free_ids: Vec<u32>,
}

impl Made {
    fn new(seed: Seed) -> Self {
        let mut columns: [usize; FEATURES] = std::array::from_fn(|role| role);
        let mut rng = seed.derive("columns").rng();
        rng.shuffle(&mut columns);
        // Which group matters more is a matter of the seed.
        let weights = if rng.below(2) == 0 { [1.5, 0.25] } else { [0.4, 1.3] };
        // Drawn ids: in rising ids, a copy with an id of its own would be seen at once.
        let mut free_ids: Vec<u32> = (101..=199).collect();
        rng.shuffle(&mut free_ids);
        let parts = QUERIES.map(|queries| {
            let ids = free_ids.split_off(free_ids.len() - queries);
            let query = |id| made_query(id, &columns, weights, &mut seed.derive_index("query", u64::from(id)).rng());
            ids.into_iter().map(query).collect()
        });
        Made { parts, columns, free_ids }
    }

    /// The library, which has no leak.
    pub(crate) fn library(seed: Seed) -> Self {
        Made::new(seed.derive("library"))
    }

    /// The shop, with its leak.
    pub(crate) fn shop(seed: Seed) -> (Self, Leak) {
        let seed = seed.derive("shop");
        let mut made = Made::new(seed);
        let mut rng = seed.derive("leak").rng();
        let leak = if rng.below(2) == 0 { made.leak_a_feature(&mut rng) } else { made.repeat_queries(&mut rng) };
        (made, leak)
    }

    /// Puts the grade with noise in place of a feature that means nothing.
    fn leak_a_feature(&mut self, rng: &mut Rng) -> Leak {
        let role = 6 + rng.index(3);
        let column = self.columns.iter().position(|&own| own == role).unwrap_or(0);
        for (grade, features) in self.parts.iter_mut().flatten().flat_map(|query| &mut query.documents) {
            let value = 25.0 + 25.0 * f64::from(*grade) + 15.0 * rng.normal();
            features[column] = value.round().clamp(0.0, 100.0) as u8;
        }
        Leak::Feature(column + 1)
    }

    /// Puts copies of test queries into the training part.
    fn repeat_queries(&mut self, rng: &mut Rng) -> Leak {
        let [train, _, test] = &mut self.parts;
        let copies = self.free_ids.split_off(self.free_ids.len() - REPEATED);
        let places = rng.sample(test.len(), REPEATED);
        let mut repeated: Vec<u32> = places.iter().map(|&place| test[place].id).collect();
        for (place, &id) in places.into_iter().zip(&copies) {
            let mut copy = MadeQuery { id, ..test[place].clone() };
            rng.shuffle(&mut copy.documents);
            let at = rng.index(train.len());
            train.insert(at, copy);
        }
        repeated.sort_unstable();
        Leak::Queries(repeated, copies)
    }

    /// A part without some queries.
    pub(crate) fn without(&self, part: usize, ids: &[u32]) -> Vec<MadeQuery> {
        self.parts[part].iter().filter(|query| !ids.contains(&query.id)).cloned().collect()
    }

    /// The names and groups of the features, as fivefold reads them.
    pub(crate) fn features_file(&self) -> String {
        let mut text = "# number, name, group\n".to_owned();
        for (column, &role) in self.columns.iter().enumerate() {
            let (name, group) = NAMES[role];
            let _ = writeln!(text, "{}\t{name}\t{group}", column + 1);
        }
        text
    }
}

fn made_query(id: u32, columns: &[usize; FEATURES], weights: [f64; 2], rng: &mut Rng) -> MadeQuery {
    let [text, page] = weights;
    let mut utilities = Vec::new();
    let mut documents = Vec::new();
    for _ in 0..DOCUMENTS {
        let by_role: [u8; FEATURES] = std::array::from_fn(|_| rng.below(101) as u8);
        let x = |role: usize| f64::from(by_role[role]) / 100.0;
        let matching = text * (1.2 * x(0) + x(1) + 0.8 * x(2));
        let good_page = page * (1.5 * x(3) + 1.2 * x(3).round() * x(4) - 1.0 * (x(5) - 0.5).abs());
        utilities.push(matching + good_page + NOISE * rng.normal());
        documents.push((0, columns.map(|role| by_role[role])));
    }
    let mut order: Vec<usize> = (0..DOCUMENTS).collect();
    order.sort_by(|&a, &b| utilities[b].total_cmp(&utilities[a]));
    for (rank, &document) in order.iter().enumerate().take(4) {
        documents[document].0 = if rank < 2 { 2 } else { 1 };
    }
    MadeQuery { id, documents }
}

/// The LETOR text of some queries.
pub(crate) fn letor(queries: &[MadeQuery]) -> String {
    let mut text = String::new();
    for query in queries {
        for (grade, features) in &query.documents {
            let _ = write!(text, "{grade} qid:{}", query.id);
            for (column, value) in features.iter().enumerate() {
                let _ = write!(text, " {}:{}.{:02}", column + 1, value / 100, value % 100);
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn both_leaks_occur_and_are_what_they_say() {
        let mut kinds = BTreeSet::new();
        for student in 0..30 {
            let (shop, leak) = Made::shop(Seed::new(student));
            match leak {
                Leak::Feature(id) => {
                    kinds.insert("feature");
                    // The mean of the feature by grade rises by far more than its noise.
                    let mean = |grade: u8| {
                        let documents = shop.parts.iter().flatten().flat_map(|query| &query.documents);
                        let values: Vec<f64> =
                            documents.filter(|own| own.0 == grade).map(|own| f64::from(own.1[id - 1])).collect();
                        values.iter().sum::<f64>() / values.len() as f64
                    };
                    assert!(mean(1) - mean(0) > 15.0 && mean(2) - mean(1) > 12.0);
                    assert_eq!(shop.parts[0].len(), QUERIES[0]);
                }
                Leak::Queries(repeated, copies) => {
                    kinds.insert("queries");
                    let rows = |query: &MadeQuery| query.documents.iter().copied().collect::<BTreeSet<_>>();
                    let find = |part: usize, id: u32| shop.parts[part].iter().find(|query| query.id == id).unwrap();
                    for train in &copies {
                        assert!(repeated.iter().any(|test| rows(find(2, *test)) == rows(find(0, *train))));
                    }
                    // No other test query has a vector of the training part.
                    let learnt: BTreeSet<_> = shop.parts[0].iter().flat_map(rows).collect();
                    let seen = shop.parts[2].iter().filter(|query| !rows(query).is_disjoint(&learnt));
                    assert_eq!(seen.map(|query| query.id).collect::<BTreeSet<_>>(), repeated.into_iter().collect());
                    assert_eq!(shop.without(0, &copies).len(), QUERIES[0]);
                }
            }
        }
        assert_eq!(kinds.len(), 2);
    }

    #[test]
    fn a_line_is_letor_text() {
        let query = MadeQuery { id: 7, documents: vec![(2, [100, 5, 0, 10, 0, 0, 0, 0, 99])] };
        assert_eq!(letor(&[query]), "2 qid:7 1:1.00 2:0.05 3:0.00 4:0.10 5:0.00 6:0.00 7:0.00 8:0.00 9:0.99\n");
    }

    #[test]
    fn ids_are_unique_and_the_same_student_has_the_same_data() {
        let (shop, _) = Made::shop(Seed::new(1));
        let ids: BTreeSet<u32> = shop.parts.iter().flatten().map(|query| query.id).collect();
        assert_eq!(ids.len(), shop.parts.iter().map(Vec::len).sum::<usize>());
        assert_eq!(Made::shop(Seed::new(1)), Made::shop(Seed::new(1)));
        assert_ne!(Made::library(Seed::new(1)), Made::library(Seed::new(2)));
    }
}
