//! How many documents of a kind stand above a document that ties with others.
//!
//! A document at place j (from 0) of a group of m tied documents has j of the other m-1 documents
//! above it. If c of the others are of the kind, the number of those above is hypergeometric:
//! Hyp(m-1, c, j). The distribution follows from place to place. Probabilities below 1e-40 are left
//! out, which changes no bit of a sum. Cost: about 20 sqrt(m) multiplications a place.

/// A probability that changes no bit of a sum.
const NEGLIGIBLE: f64 = 1e-40;

/// The probabilities of the numbers of documents above a place.
pub(super) struct Chances<'a> {
    first: usize,
    chances: &'a [f64],
}

impl Chances<'_> {
    /// The mean of `worth[x]` over the number x of documents above.
    pub(super) fn mean(&self, worth: &[f64]) -> f64 {
        self.chances.iter().zip(&worth[self.first..]).map(|(chance, worth)| chance * worth).sum()
    }

    /// The mean of a function of the number of documents above.
    pub(super) fn mean_of(&self, worth: impl Fn(usize) -> f64) -> f64 {
        (self.first..).zip(self.chances).map(|(above, chance)| chance * worth(above)).sum()
    }
}

/// Calls `each` for the places (from 0) of a tie group, with the number of documents of the kind
/// above the place. The document at the place ties with `others` documents, `counted` of them of
/// the kind.
pub(super) fn numbers_above(others: usize, counted: usize, places: usize, mut each: impl FnMut(usize, Chances<'_>)) {
    // `chances[x]`: the probability that x documents stand above. All that is not negligible lies
    // in `first..=last`.
    let mut chances = vec![0.0; counted + 1];
    chances[0] = 1.0;
    let (mut first, mut last) = (0, 0);
    for place in 0..places {
        each(place, Chances { first, chances: &chances[first..=last] });
        let left = others.saturating_sub(place);
        if left == 0 {
            break;
        }
        for x in (first..=last).rev() {
            let one_more = chances[x] * ((counted - x) as f64 / left as f64);
            chances[x] -= one_more;
            if x < counted {
                chances[x + 1] += one_more;
            }
        }
        last = (last + 1).min(counted);
        while first < last && chances[first] < NEGLIGIBLE {
            chances[first] = 0.0;
            first += 1;
        }
        while first < last && chances[last] < NEGLIGIBLE {
            chances[last] = 0.0;
            last -= 1;
        }
    }
}
