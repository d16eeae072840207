//! The trait of all measures, and its inputs: a ranking with its tie groups, and the grades of the
//! query.
//!
//! Nearly every measure is a sum over positions. A measure computes the contribution of each position,
//! averaged over the orders of the documents that tie there. The contributions give
//! - A, the value: the sum over the positions of the ranking up to the cutoff;
//! - U, the upper bound: the same sum for the ideal order;
//! - E, the expected value: the mean of the sum over all orders, which is the sum for a ranking in
//!   which all documents tie.
//!
//! Other measures give the value of a whole ranking ([`Measure::whole`]).
//!
//! One pass gives A at all cutoffs. E is A of one big tie, so A and E are equal to the last bit for
//! a ranker that gives every document the same score.

use std::array;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use fivefold_base::Assessment;

/// A measure: the contribution of each position of a ranking, and the divisors of the sum.
///
/// A cutoff of `None` means the whole list.
pub trait Measure: Send + Sync {
    /// Fills `out[i]` with the mean contribution of position `i` (from 0) over all orders of the
    /// tied documents.
    ///
    /// `out` has at most as many positions as there are documents, and `out[i]` must not depend on
    /// its length. A measure of the whole ranking ([`is_whole`](Self::is_whole)) has no
    /// contributions.
    fn contributions(&self, _ranked: &Ranked<'_>, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// The contribution of a document without ties, if it depends on nothing but the document's grade
    /// and its position (from 0): what [`contributions`](Self::contributions) gives.
    fn contribution(&self, _grade: u8, _position: usize) -> Option<f64> {
        None
    }

    /// For a ranking without ties: fills in the sums of contributions up to each cutoff (`None`: the
    /// whole list), and returns true, if there is a faster way than to add contributions up.
    fn strict_sums(&self, _grades: &[u8], _: &QueryGrades, _cutoffs: &[Option<usize>], _sums: &mut [f64]) -> bool {
        false
    }

    /// Whether the value is not a sum over positions, but given by [`whole`](Self::whole).
    fn is_whole(&self) -> bool {
        false
    }

    /// The value of a ranking without ties, in place of the sum of contributions. A under averaged
    /// ties, and E, are means over orders.
    fn whole(&self, _strict: &Ranked<'_>, _cutoff: Option<usize>) -> f64 {
        0.0
    }

    /// The exact mean of [`whole`](Self::whole) over all orders of the tied documents. `None` if
    /// there is no way to the mean but to take the orders one by one; the mean is then over all
    /// orders or, if they are many, over random ones.
    fn mean_of_whole(&self, _ranked: &Ranked<'_>, _cutoff: Option<usize>) -> Option<f64> {
        None
    }

    /// As [`contributions`](Self::contributions), but always the mean over all orders of the tied
    /// documents. E comes from this method, with all documents as one tie. A measure overrides
    /// this method only if by a convention `contributions` does not take the mean over the
    /// orders.
    fn mean_over_orders(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        self.contributions(ranked, out);
    }

    /// The divisor that turns a sum of contributions into A (and U and E).
    fn denominator(&self, _cutoff: Option<usize>, _query: &QueryGrades) -> f64 {
        1.0
    }

    /// The divisor that turns A into the original (not UE-normalised) value. NaN: the value is
    /// undefined. Infinity: the value is 0.
    fn normaliser(&self, _cutoff: Option<usize>, _query: &QueryGrades, _upper: f64) -> f64 {
        1.0
    }

    /// The highest value of any order of the ranked documents. `ideal` is the value of the ideal
    /// order of the judged documents, which a measure replaces only if a run that did not retrieve
    /// the whole pool has another best order.
    fn best(&self, _cutoff: Option<usize>, _query: &QueryGrades, ideal: f64) -> f64 {
        ideal
    }

    /// U; `ideal` is the value of the ideal order.
    fn upper(&self, _cutoff: Option<usize>, _query: &QueryGrades, ideal: f64) -> f64 {
        ideal
    }

    /// E; `mean` is the mean over all orders.
    fn expected(&self, _cutoff: Option<usize>, _query: &QueryGrades, mean: f64) -> f64 {
        mean
    }

    /// For a measure of diversity: how the greedy order values documents, whose value is U. `None`:
    /// the measure does not look at subtopics.
    fn greedy(&self) -> Option<Greedy> {
        None
    }

    /// For a measure of diversity: the divisor that turns the sum over subtopics into the original
    /// value; as [`normaliser`](Self::normaliser). `subtopics` have a relevant document, among
    /// `judged` documents.
    fn of_subtopics(&self, _cutoff: Option<usize>, _subtopics: usize, _judged: usize, _upper: f64) -> f64 {
        f64::NAN
    }

    /// The parts of the arithmetic for an explanation. `contributions` belong to `ranked`.
    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let _ = (ranked, contributions);
        Parts::default()
    }

    /// The change of the sum of contributions when two documents change places.
    ///
    /// `grades` is a ranking without ties; its first `positions` count. `changes[t]` becomes the
    /// change of the sum when the documents at `first` and `first + 1 + t` change places, so there
    /// is one change for each later document. A measure overrides this method only to be faster:
    /// the default computes the sum of every exchanged ranking.
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

    /// Whether every contribution is gain x discount: the gain follows from the grade alone, and the
    /// discount from the position alone. If so, writes both factors of each position. The discount
    /// of a position that does not count is 0.
    ///
    /// Each change of [`exchange`](Self::exchange) must then be, to the last bit,
    /// (gain of the later position - gain of `first`) x (discount of `first` - later discount).
    fn factors(&self, _grades: &[u8], _positions: usize, _gains: &mut Vec<f64>, _discounts: &mut Vec<f64>) -> bool {
        false
    }
}

/// How a greedy order values a document: each further document of a subtopic is worth `left` times
/// the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct Greedy {
    /// The share that is left.
    pub left: f64,
    /// For the best order in place of the greedy one: the discount of each of the first positions,
    /// which falls.
    pub exact: Option<Vec<f64>>,
}

/// The arithmetic of a ranking, for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts {
    /// Names of the two factors of a contribution; `None` if the factors have no names.
    pub factors: Option<[&'static str; 2]>,
    /// The two factors of each position.
    pub values: Vec<[f64; 2]>,
    /// Name of the divisor that turns the sum of contributions into A; empty if there is no
    /// divisor.
    pub denominator: &'static str,
    /// Name of the divisor that turns A into the original value; empty if there is no divisor.
    pub normaliser: &'static str,
    /// Why the value is 0 if [`Measure::normaliser`] is infinite; empty if the normaliser is never
    /// infinite.
    pub zero: &'static str,
    /// The contribution of a position in a tie group, in words; empty: the mean over the orders.
    pub ties: &'static str,
}

/// One more than the highest grade, rounded up to a power of two so that a table is indexed without
/// a check.
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

    /// The number for `grade`, at most [`fivefold_base::HIGHEST_GRADE`].
    #[inline]
    pub fn of(&self, grade: u8) -> f64 {
        self.0[usize::from(grade) % GRADES]
    }

    /// Whether no grade has a lower number than a grade below it.
    pub fn is_rising(&self) -> bool {
        self.0.is_sorted()
    }

    /// The sum over some grades.
    #[inline]
    pub fn sum(&self, grades: &[u8]) -> f64 {
        grades.iter().map(|&grade| self.of(grade)).sum()
    }

    /// The mean over some grades; `grades` must not be empty.
    #[inline]
    pub fn mean(&self, grades: &[u8]) -> f64 {
        match grades {
            [grade] => self.of(*grade),
            _ => self.sum(grades) / grades.len() as f64,
        }
    }
}

/// Whether a retrieved document was judged; the order is that of the sort keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Status {
    Judged,
    Pooled,
    Unjudged,
}

impl From<Assessment> for Status {
    fn from(assessment: Assessment) -> Self {
        match assessment {
            Assessment::Judged(_) => Status::Judged,
            Assessment::Pooled => Status::Pooled,
            Assessment::Unjudged => Status::Unjudged,
        }
    }
}

/// The grades of a query without an order: grades of the ranked documents, and grades of the judged
/// documents.
///
/// In a learning-to-rank collection, the ranked documents are the judged documents. A run ranks
/// its retrieved documents only, but U and the number of relevant documents count all judged
/// documents of the topic (its pool).
#[derive(Debug, Clone, PartialEq)]
pub struct QueryGrades {
    /// Shared with the pool by all rankings of it.
    ideal: Arc<[u8]>,
    /// `at_least[g]` judged documents have grade g or higher.
    at_least: AtLeast,
    /// How many documents are ranked.
    ranked: usize,
    /// `at_least` of the ranked documents; `None` if exactly the judged documents are ranked.
    ranked_at_least: Option<AtLeast>,
}

/// Counts of documents with at least each grade.
type AtLeast = [u32; GRADES + 1];

/// Calls `each` with the place of each entry for which `holds`, in rising order. Nobody can foresee
/// which entries these are, so the places are gathered as bits, without a branch for each entry.
#[inline]
pub(crate) fn for_each_where<T>(entries: &[T], holds: impl Fn(&T) -> bool, mut each: impl FnMut(usize)) {
    for (chunk, first) in entries.chunks(u64::BITS as usize).zip((0..).step_by(u64::BITS as usize)) {
        let (eights, rest) = chunk.as_chunks::<8>();
        let eights_bits = eights.iter().zip((0..).step_by(8)).fold(0, |bits, (eight, place)| {
            bits | packed(eight.each_ref().map(|entry| u8::from(holds(entry)))) << place
        });
        let places = 8 * eights.len()..;
        let mut bits =
            rest.iter().zip(places).fold(eights_bits, |bits, (entry, place)| bits | u64::from(holds(entry)) << place);
        while bits != 0 {
            each(first + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

/// Eight bytes, each 0 or 1, as eight bits.
#[inline]
fn packed(bytes: [u8; 8]) -> u64 {
    // The factor has the bits 56 - 7i. It moves byte i, at bit 8i, to bit 56 + i, and no two products
    // meet at one bit: 8i - 7j is another number for each i and j.
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The highest grade up to which documents are counted by a pass for each grade.
const FEW: u8 = 4;

fn at_least(grades: &[u8]) -> AtLeast {
    let mut at_least = [0; GRADES + 1];
    at_least[0] = grades.len() as u32;
    let highest = grades.iter().fold(0, |highest, &grade| highest.max(grade));
    if highest <= FEW {
        for grade in 1..=highest {
            at_least[usize::from(grade)] = count_at_least(grades, grade);
        }
        return at_least;
    }
    // Most documents of a run have grade 0, and a count that each of them raised would be slow.
    for_each_where(grades, |&grade| grade > 0, |place| at_least[usize::from(grades[place]) % GRADES] += 1);
    for grade in (1..GRADES).rev() {
        at_least[grade] += at_least[grade + 1];
    }
    at_least
}

/// How many grades are at least `threshold`, counted in bytes: so many of them fit a register.
#[inline]
pub(crate) fn count_at_least(grades: &[u8], threshold: u8) -> u32 {
    let of_chunk = |chunk: &[u8]| chunk.iter().fold(0u8, |count, &grade| count + u8::from(grade >= threshold));
    grades.chunks(usize::from(u8::MAX)).map(|chunk| u32::from(of_chunk(chunk))).sum()
}

impl QueryGrades {
    /// For a query of which all judged documents are ranked. A grade is at most
    /// [`fivefold_base::HIGHEST_GRADE`].
    pub(crate) fn new(grades: &[u8]) -> Self {
        let at_least = at_least(grades);
        let of_grade =
            |grade: usize| std::iter::repeat_n(grade as u8, (at_least[grade] - at_least[grade + 1]) as usize);
        let ideal: Vec<u8> = (0..GRADES).rev().flat_map(of_grade).collect();
        QueryGrades { ideal: ideal.into(), at_least, ranked: grades.len(), ranked_at_least: None }
    }

    /// The same pool, for a run that ranks documents of these grades.
    pub(crate) fn of_ranking(&self, ranked: &[u8]) -> Self {
        let ranked_at_least = Some(at_least(ranked));
        QueryGrades { ideal: self.ideal.clone(), at_least: self.at_least, ranked: ranked.len(), ranked_at_least }
    }

    /// For a pool of judged documents, and the grades of the documents that a run ranks.
    pub(crate) fn pooled(judged: &[u8], ranked: &[u8]) -> Self {
        QueryGrades::new(judged).of_ranking(ranked)
    }

    /// Whether the pool has all judged documents that a run ranks: at least as many of each grade.
    /// `retrieved` is what is known of the ranked documents, in any order.
    pub(crate) fn covers(&self, retrieved: &[Assessment]) -> bool {
        let mut ranked = self.ranked_at_least.unwrap_or(self.at_least);
        ranked[0] = retrieved.iter().map(|document| u32::from(document.is_judged())).sum();
        let of_grade = |at_least: AtLeast| array::from_fn(|grade| at_least[grade] - at_least[grade + 1]);
        let (ranked, in_pool): ([u32; GRADES], [u32; GRADES]) = (of_grade(ranked), of_grade(self.at_least));
        // All grades are compared, without a branch for each.
        ranked.iter().zip(in_pool).fold(true, |covers, (&ranked, in_pool)| covers & (ranked <= in_pool))
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
        let ranked = self.ranked_at_least.as_ref().unwrap_or(&self.at_least);
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
    /// Empty if all documents were judged.
    statuses: &'a [Status],
    ends: &'a [u32],
    query: &'a QueryGrades,
    relevant: Option<&'a RelevantPlaces>,
}

/// The places of a ranking's relevant documents from 0, and the threshold by which they are relevant.
/// Many measures may ask for them, so they are kept.
pub(crate) type RelevantPlaces = OnceCell<(u8, Vec<u32>)>;

impl<'a> Ranked<'a> {
    /// A ranking of the documents of `query`: `ends[g]` is the position after group `g`.
    pub(crate) fn new(grades: &'a [u8], ends: &'a [u32], query: &'a QueryGrades) -> Self {
        Ranked { grades, statuses: &[], ends, query, relevant: None }
    }

    /// The same ranking, with the status of each position; an empty list if all documents were
    /// judged.
    pub(crate) fn with_statuses(self, statuses: &'a [Status]) -> Self {
        Ranked { statuses, ..self }
    }

    /// The same ranking, with a place to keep its [`relevant_places`](Self::relevant_places).
    pub(crate) fn with_places(self, relevant: &'a RelevantPlaces) -> Self {
        Ranked { relevant: Some(relevant), ..self }
    }

    /// The places, from 0, of documents with at least this grade.
    pub(crate) fn relevant_places(&self, threshold: u8) -> Cow<'a, [u32]> {
        let places = || {
            let (mut places, mut relevant) = (vec![0; self.grades.len() + 1], 0);
            // Each place is written, but kept only if the document is relevant: no branch.
            for (place, &grade) in (0..).zip(self.grades) {
                places[relevant] = place;
                relevant += usize::from(grade >= threshold);
            }
            places.truncate(relevant);
            places
        };
        match self.relevant.map(|kept| kept.get_or_init(|| (threshold, places()))) {
            Some((by, kept)) if *by == threshold => Cow::Borrowed(kept),
            _ => Cow::Owned(places()),
        }
    }

    /// The query's grades.
    pub fn query(&self) -> &'a QueryGrades {
        self.query
    }

    /// Number of positions.
    pub(crate) fn positions(&self) -> usize {
        self.grades.len()
    }

    /// The grades from the first position to the last; `None` if documents tie.
    #[inline]
    pub(crate) fn strict(&self) -> Option<&'a [u8]> {
        (self.ends.len() == self.grades.len()).then_some(self.grades)
    }

    /// The grade and the status of each position; `None` if documents tie.
    #[inline]
    pub(crate) fn strict_statuses(&self) -> Option<impl Iterator<Item = (u8, Status)>> {
        let statuses = self.statuses;
        let status = move |place: usize| statuses.get(place).copied().unwrap_or(Status::Judged);
        Some(self.strict()?.iter().enumerate().map(move |(place, &grade)| (grade, status(place))))
    }

    /// A number for each of the first `positions`. All positions of a group have the same number.
    pub(crate) fn of_positions(&self, positions: usize, of_group: impl Fn(&[u8]) -> f64) -> Vec<f64> {
        let of = |group: Group<'_>| std::iter::repeat_n(of_group(group.grades), group.seen - group.start);
        self.groups(positions).flat_map(of).collect()
    }

    /// The groups of tied documents that begin within the first `positions`, from the top.
    #[inline]
    pub fn groups(&self, positions: usize) -> impl Iterator<Item = Group<'a>> {
        let Ranked { grades, statuses, ends, .. } = *self;
        let mut start = 0;
        ends.iter().map_while(move |&end| {
            let group = (start < positions).then(|| Group {
                start,
                seen: (end as usize).min(positions),
                grades: &grades[start..end as usize],
                statuses: statuses.get(start..end as usize).unwrap_or_default(),
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
    /// The position after the group's last document, or the number of positions asked for if it is
    /// lower.
    pub seen: usize,
    /// Grades of all its documents, highest first. A document that was not judged has grade 0.
    pub grades: &'a [u8],
    /// Empty if all documents were judged.
    statuses: &'a [Status],
}

impl Group<'_> {
    /// Number of documents that are not in the qrels.
    pub fn unjudged(&self) -> usize {
        self.count(Status::Unjudged)
    }

    /// Number of documents that are in the pool but were not judged.
    pub fn pooled(&self) -> usize {
        self.count(Status::Pooled)
    }

    fn count(&self, wanted: Status) -> usize {
        self.statuses.iter().filter(|&&status| status == wanted).count()
    }
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
        let covers = |pool: &[u8], retrieved: &[Option<u8>]| {
            let retrieved: Vec<Assessment> = retrieved.iter().copied().map(Assessment::from).collect();
            let grades: Vec<u8> = retrieved.iter().map(|document| document.grade()).collect();
            QueryGrades::pooled(pool, &grades).covers(&retrieved)
        };
        assert!(covers(&[1, 0], &[Some(1), None, None]) && covers(&[1, 0], &[Some(0), Some(1)]));
        assert!(!covers(&[1], &[Some(2)]) && !covers(&[1, 0], &[Some(0), Some(0)]));
    }

    #[test]
    fn fast_counts_are_those_of_plain_counting() {
        let mut state = 1u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for length in (0..140).chain([255, 256, 510, 511, 1000]) {
            for highest in [0, 1, u32::from(FEW), u32::from(FEW) + 1, 31] {
                let grades: Vec<u8> = (0..length).map(|_| next(highest + 1) as u8).collect();
                let counted =
                    |threshold: usize| grades.iter().filter(|&&grade| usize::from(grade) >= threshold).count();
                let expected: Vec<u32> = (0..=GRADES).map(|threshold| counted(threshold) as u32).collect();
                assert_eq!(at_least(&grades)[..], expected, "{grades:?}");
                assert_eq!((0..=GRADES).map(|own| count_at_least(&grades, own as u8)).collect::<Vec<_>>(), expected);
                let mut places = Vec::new();
                for_each_where(&grades, |&grade| grade > 1, |place| places.push(place));
                assert_eq!(places, (0..grades.len()).filter(|&place| grades[place] > 1).collect::<Vec<_>>());
            }
        }
    }
}
