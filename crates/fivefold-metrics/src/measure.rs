//! The trait of all measures and what a measure is given: a ranking with its tie groups, and the query's grades.
//!
//! Every measure here is a sum over positions, so a measure writes one thing: what each position contributes, on average
//! over the orders of the documents that tie there. From that come
//! - A, the value: the sum over the positions of the ranking up to the cutoff;
//! - U, the upper bound: the same sum for the ideal order;
//! - E, the expected value: the same sum, mean over all orders, which is that of the ranking in which all documents tie.
//!
//! One pass gives A at all cutoffs, and since E is A of one big tie, the two are equal to the last bit for a ranker that
//! gives every document the same score.

/// A measure: what each position of a ranking contributes, and what the sum is divided by.
///
/// A cutoff of `None` means the whole list.
pub trait Measure: Send + Sync {
    /// Fills `out[i]` with the mean contribution of position `i` (from 0) over all orders of the tied documents.
    ///
    /// `out` has at most as many positions as there are documents, and `out[i]` must not depend on its length.
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]);

    /// Fills `out[i]` with the mean contribution of position `i` over all orders of the documents that tie; E is of all documents as
    /// one tie. A measure overrides this only where a convention takes a tie for something else than all its orders.
    fn mean_over_orders(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        self.contributions(ranked, out);
    }

    /// What the sum of contributions is divided by to give A (and U and E).
    fn denominator(&self, _cutoff: Option<usize>, _query: &QueryGrades) -> f64 {
        1.0
    }

    /// What A is divided by to give the original (not UE-normalised) value; NaN: undefined; infinity: the value is 0.
    fn normaliser(&self, _cutoff: Option<usize>, _query: &QueryGrades, _upper: f64) -> f64 {
        1.0
    }

    /// U; `ideal` is the value of the ideal order.
    fn upper(&self, _cutoff: Option<usize>, _query: &QueryGrades, ideal: f64) -> f64 {
        ideal
    }

    /// E; `mean` is the mean over all orders.
    fn expected(&self, _cutoff: Option<usize>, _query: &QueryGrades, mean: f64) -> f64 {
        mean
    }

    /// How its arithmetic is told: see [`Parts`]. `contributions` are those of `ranked`.
    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let _ = (ranked, contributions);
        Parts::default()
    }

    /// What it does to the sum of contributions when two documents change places.
    ///
    /// `grades` is a ranking without ties of which the first `positions` (at most all) count; `changes[t]` becomes the
    /// change of the sum when the documents at `first` and `first + 1 + t` change places, one for each later document.
    /// A measure overrides this only to be faster: here every exchange is ranked anew.
    fn exchange(&self, grades: &[u8], positions: usize, query: &QueryGrades, first: usize, changes: &mut [f64]) {
        let ends: Vec<u32> = (1..=grades.len() as u32).collect();
        let mut contributions = vec![0.0; positions];
        let mut sum = |grades: &[u8]| -> f64 {
            self.contributions(&Ranked::new(grades, &ends, query), &mut contributions);
            contributions.iter().sum()
        };
        let before = sum(grades);
        let mut exchanged = grades.to_vec();
        for (later, change) in (first + 1..).zip(changes) {
            exchanged.swap(first, later);
            *change = sum(&exchanged) - before;
            exchanged.swap(first, later);
        }
    }
}

/// The arithmetic of a ranking, for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts {
    /// What a position's contribution is the product of; none: nothing that has a name.
    pub factors: Option<[&'static str; 2]>,
    /// The two factors of each position.
    pub values: Vec<[f64; 2]>,
    /// What the sum of contributions is divided by to give A; empty: by nothing.
    pub denominator: &'static str,
    /// What A is divided by to give the original value; empty: by nothing.
    pub normaliser: &'static str,
    /// Why a value is 0 where [`Measure::normaliser`] is infinite; empty: it never is.
    pub zero: &'static str,
    /// What a position of several documents that tie takes; empty: the mean over their orders.
    pub ties: &'static str,
}

/// One more than the highest grade, rounded up to a power of two so that a table is indexed without a check.
const GRADES: usize = 32;

/// A number for each grade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradeTable([f64; GRADES]);

impl GradeTable {
    /// The table of a function of the grade.
    pub fn new(value: impl Fn(u8) -> f64) -> Self {
        GradeTable(std::array::from_fn(|grade| value(grade as u8)))
    }

    /// 1 for grades of at least `threshold`, else 0.
    pub fn relevant(threshold: u8) -> Self {
        Self::new(|grade| f64::from(u8::from(grade >= threshold)))
    }

    /// The number for `grade`, at most [`fivefold_base::dataset::HIGHEST_GRADE`].
    #[inline]
    pub fn of(&self, grade: u8) -> f64 {
        self.0[usize::from(grade) % GRADES]
    }

    /// The sum over some grades.
    #[inline]
    pub fn sum(&self, grades: &[u8]) -> f64 {
        grades.iter().map(|&grade| self.of(grade)).sum()
    }

    /// The mean over some grades (at least one).
    #[inline]
    pub fn mean(&self, grades: &[u8]) -> f64 {
        match grades {
            [grade] => self.of(*grade),
            _ => self.sum(grades) / grades.len() as f64,
        }
    }
}

/// The grades of a query, whatever the order of its documents: of those that are ranked, and of those that are judged.
///
/// Where a collection gives every document of a query, the two are the same. A run ranks what it retrieved, while U and the
/// number of relevant documents are over all judged documents of the topic, its pool.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryGrades {
    ideal: Vec<u8>,
    /// `at_least[g]` judged documents have grade g or higher.
    at_least: AtLeast,
    /// How many documents are ranked.
    ranked: usize,
    /// `at_least` of the ranked documents, where they are not the judged ones.
    ranked_at_least: Option<Box<AtLeast>>,
}

/// Counts of documents with at least each grade.
type AtLeast = [u32; GRADES + 1];

fn at_least(grades: &[u8]) -> AtLeast {
    let mut at_least = [0; GRADES + 1];
    for &grade in grades {
        at_least[usize::from(grade) % GRADES] += 1;
    }
    for grade in (0..GRADES).rev() {
        at_least[grade] += at_least[grade + 1];
    }
    at_least
}

impl QueryGrades {
    /// Of these grades, each at most [`fivefold_base::dataset::HIGHEST_GRADE`]; all judged documents are ranked.
    pub(crate) fn new(grades: &[u8]) -> Self {
        let mut ideal = grades.to_vec();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        QueryGrades { ideal, at_least: at_least(grades), ranked: grades.len(), ranked_at_least: None }
    }

    /// Of a pool of judged documents and of those that a run ranks, unjudged ones with grade 0.
    pub(crate) fn pooled(judged: &[u8], ranked: &[u8]) -> Self {
        QueryGrades {
            ranked: ranked.len(),
            ranked_at_least: Some(Box::new(at_least(ranked))),
            ..QueryGrades::new(judged)
        }
    }

    /// Whether the pool has at least as many documents of each grade above 0 as are ranked.
    pub(crate) fn pool_covers_ranked(&self) -> bool {
        let ranked = self.ranked_at_least.as_deref().unwrap_or(&self.at_least);
        ranked[1..].iter().zip(&self.at_least[1..]).all(|(ranked, judged)| ranked <= judged)
    }

    /// Number of ranked documents n.
    pub fn documents(&self) -> usize {
        self.ranked
    }

    /// Number of judged documents.
    pub fn judged(&self) -> usize {
        self.ideal.len()
    }

    /// Number of judged documents with at least this grade.
    pub fn relevant(&self, threshold: u8) -> usize {
        self.at_least[usize::from(threshold).min(GRADES)] as usize
    }

    /// Number of ranked documents with at least this grade.
    pub fn ranked_relevant(&self, threshold: u8) -> usize {
        let ranked = self.ranked_at_least.as_deref().unwrap_or(&self.at_least);
        ranked[usize::from(threshold).min(GRADES)] as usize
    }

    /// All judged grades, highest first.
    pub fn ideal(&self) -> &[u8] {
        &self.ideal
    }
}

/// A ranking: grades from the first position to the last, cut into groups of documents that tie.
///
/// Within a group the grades fall, so that sums over a group do not depend on the order of rows.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    grades: &'a [u8],
    ends: &'a [u32],
    query: &'a QueryGrades,
}

impl<'a> Ranked<'a> {
    /// A ranking of the documents of `query`: `ends[g]` is the position after group `g`.
    pub(crate) fn new(grades: &'a [u8], ends: &'a [u32], query: &'a QueryGrades) -> Self {
        Ranked { grades, ends, query }
    }

    /// The query's grades.
    pub fn query(&self) -> &'a QueryGrades {
        self.query
    }

    /// Number of positions.
    pub(crate) fn positions(&self) -> usize {
        self.grades.len()
    }

    /// A number for each of the first `positions`, the same in a whole group.
    pub(crate) fn of_positions(&self, positions: usize, of_group: impl Fn(&[u8]) -> f64) -> Vec<f64> {
        let of = |group: Group<'_>| std::iter::repeat_n(of_group(group.grades), group.seen - group.start);
        self.groups(positions).flat_map(of).collect()
    }

    /// The groups of tied documents that begin within the first `positions`, from the top.
    #[inline]
    pub fn groups(&self, positions: usize) -> impl Iterator<Item = Group<'a>> {
        let Ranked { grades, ends, .. } = *self;
        let mut start = 0;
        ends.iter().map_while(move |&end| {
            let group = (start < positions).then(|| Group {
                start,
                seen: (end as usize).min(positions),
                grades: &grades[start..end as usize],
            });
            start = end as usize;
            group
        })
    }
}

/// Documents that tie. A document without a tie is a group of its own.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// The group's first position, from 0.
    pub start: usize,
    /// The position after its last one, or after the last one asked for.
    pub seen: usize,
    /// Grades of all its documents, highest first.
    pub grades: &'a [u8],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_groups() {
        let query = QueryGrades::new(&[0, 2, 1, 2]);
        assert_eq!(query.ideal(), [2, 2, 1, 0]);
        assert_eq!([0, 1, 2, 3, 30, 200].map(|t| query.relevant(t)), [4, 3, 2, 0, 0, 0]);
        let ranked = Ranked::new(&[2, 1, 0, 2], &[1, 3, 4], &query);
        let groups: Vec<_> = ranked.groups(2).map(|g| (g.start, g.seen, g.grades)).collect();
        assert_eq!(groups, [(0, 1, &[2][..]), (1, 2, &[1, 0][..])]);
        assert_eq!(ranked.groups(4).count(), 3);
        assert_eq!(ranked.groups(0).count(), 0);

        let pooled = QueryGrades::pooled(&[0, 2, 1, 2], &[2, 0, 0, 0, 0]);
        assert_eq!((pooled.documents(), pooled.judged(), pooled.ideal()), (5, 4, &[2, 2, 1, 0][..]));
        assert_eq!([1, 2].map(|t| (pooled.relevant(t), pooled.ranked_relevant(t))), [(3, 1), (2, 1)]);
        assert!(pooled.pool_covers_ranked() && !QueryGrades::pooled(&[1], &[2]).pool_covers_ranked());
    }
}
