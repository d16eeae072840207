//! Fuzz target for ratings and preferences by people.
//!
//! - Every rating is finite, and every name is in its list.
//! - Ratings that are written as lines of JSON and read again are the same.
//! - The mean of a system on an item lies between the ratings.

use fivefold_data::ratings::{RaterGroup, RatingOptions, Ratings, read, read_preferences};

use crate::files::{file, is_packed};

pub(crate) fn run(bytes: &[u8]) {
    if is_packed(bytes) {
        return;
    }
    let path = file("ratings", bytes);
    for group in RaterGroup::ALL {
        if let Ok(ratings) = read(&path, &RatingOptions { group, system: None }) {
            assert!(!ratings.all.is_empty() && ratings.all.iter().all(|own| own.value.is_finite()));
            means(&ratings);
            read_back(&ratings);
        }
    }
    if let Ok(preferences) = read_preferences(&path) {
        for own in &preferences.all {
            assert!(own.systems[0] != own.systems[1] && own.preferred.is_none_or(|side| side < 2));
        }
    }
}

fn means(ratings: &Ratings) {
    let most = ratings.all.iter().map(|own| own.value.abs()).fold(0.0, f64::max);
    // A table of means of many systems and items would be large, and a sum of huge ratings infinite.
    if ratings.systems.len() * ratings.items.len() > 10_000 || most > 1e300 {
        return;
    }
    for dimension in 0..ratings.dimensions.len() {
        let means = ratings.means(dimension, &ratings.systems, &ratings.items);
        let known = means.iter().filter(|mean| !mean.is_nan());
        assert!(known.clone().all(|mean| mean.abs() <= most * (1.0 + 1e-9)));
        let rated = ratings.all.iter().filter(|own| own.dimension == dimension);
        let cells: std::collections::BTreeSet<_> = rated.map(|own| (own.system, own.item)).collect();
        assert_eq!(known.count(), cells.len());
    }
}

/// The names and the value of each rating.
fn named(ratings: &Ratings) -> Vec<([&str; 4], u64)> {
    let names = |own: &fivefold_data::ratings::Rating| {
        [
            ratings.dimensions[own.dimension].as_str(),
            &ratings.systems[own.system],
            &ratings.items[own.item],
            &ratings.raters[own.rater],
        ]
    };
    ratings.all.iter().map(|own| (names(own), own.value.to_bits())).collect()
}

fn read_back(ratings: &Ratings) {
    let line = |([dimension, system, item, rater], bits): ([&str; 4], u64)| {
        let rating = f64::from_bits(bits);
        let value = serde_json::json!({
            "item": item, "system": system, "rater": rater, "dimension": dimension, "rating": rating,
        });
        format!("{value}\n")
    };
    let text: String = named(ratings).into_iter().map(line).collect();
    // The words for SummEval's files also begin a line of this form.
    if text.lines().next().is_some_and(|first| first.contains("_annotations")) {
        return;
    }
    let again = read(&file("again", text.as_bytes()), &RatingOptions::default()).unwrap();
    assert_eq!(named(ratings), named(&again));
}
