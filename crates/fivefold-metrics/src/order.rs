//! From scores to a ranking: one sort a query, with the tie policy built into the sort key.
//!
//! Each document has a 128-bit key. The upper half is the score, mapped so that a higher score is a
//! smaller number. The lower half holds a rank by the tie policy, which decides between documents
//! of equal score, and then the grade. The lower half does not depend on the scores, so it is
//! computed once for a query. The sorted keys hold the grades in ranked order, so no grade is
//! looked up by row. Under `average`, the rank of the tie policy comes from the grade, so the
//! result does not depend on the order of rows.

use fivefold_base::{Assessment, HIGHEST_GRADE, Seed};

use crate::conventions::{Scores, Ties, Unjudged};
use crate::error::MeasureError;
use crate::measure::{QueryGrades, Ranked, RelevantPlaces, Status};

/// Bits of a grade at the low end of a key, with what is known of the document above it.
const GRADE_BITS: u32 = 8;

/// Bits of the grade alone.
const PLAIN_GRADE_BITS: u32 = 5;

/// Bits of the place of a key among few keys.
const PLACE_BITS: u32 = 8;

/// Writes into the keys of documents whether they were judged.
pub(crate) fn mark_statuses(tie_keys: &mut [u64], retrieved: &[Assessment]) {
    for (key, &assessment) in tie_keys.iter_mut().zip(retrieved) {
        *key |= (Status::from(assessment) as u64) << PLAIN_GRADE_BITS;
    }
}

/// The grade in a key.
#[inline]
fn grade(key: u64) -> u8 {
    key as u8 & ((1 << PLAIN_GRADE_BITS) - 1)
}

/// The status in a key.
#[inline]
fn status(key: u64) -> Status {
    match key as u8 >> PLAIN_GRADE_BITS {
        0 => Status::Judged,
        1 => Status::Pooled,
        _ => Status::Unjudged,
    }
}

/// The lower half of each document's key: rank among equal scores, then grade.
///
/// # Errors
/// If the policy needs document ids, and they are missing, not unique, or not as many as
/// documents.
pub(crate) fn tie_keys(
    id: &str,
    grades: &[u8],
    doc_ids: Option<&[&str]>,
    ties: Ties,
    seed: Seed,
) -> Result<Vec<u64>, MeasureError> {
    if let Some(ids) = doc_ids.filter(|ids| ids.len() != grades.len()) {
        let (found, expected) = (ids.len(), grades.len());
        return Err(MeasureError::Count { query: id.to_owned(), what: "document id", found, expected });
    }
    let ids = || doc_ids.ok_or_else(|| MeasureError::NoDocumentIds { query: id.to_owned(), ties: ties.word() });
    let ranks: Vec<u64> = match ties {
        Ties::Average | Ties::Optimistic => grades.iter().map(|&grade| u64::from(HIGHEST_GRADE - grade)).collect(),
        Ties::Pessimistic => grades.iter().map(|&grade| u64::from(grade)).collect(),
        Ties::Input => (0..grades.len() as u64).collect(),
        Ties::DocId => ranks_by(id, ids()?, ties, std::cmp::Reverse)?,
        Ties::Shuffle => {
            let query = seed.derive("ties").derive(id);
            ranks_by(id, ids()?, ties, |doc_id| (query.derive(doc_id).value(), doc_id))?
        }
    };
    Ok(ranks.into_iter().zip(grades).map(|(rank, &grade)| rank << GRADE_BITS | u64::from(grade)).collect())
}

/// The rank of each document when ordered by a key of its id, lowest first.
fn ranks_by<'a, K: Ord>(
    query: &str,
    ids: &[&'a str],
    ties: Ties,
    key: impl Fn(&'a str) -> K,
) -> Result<Vec<u64>, MeasureError> {
    let mut order: Vec<(K, usize)> = ids.iter().enumerate().map(|(row, &id)| (key(id), row)).collect();
    order.sort();
    if let Some(pair) = order.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let id = ids[pair[0].1].to_owned();
        return Err(MeasureError::DuplicateDocumentId { query: query.to_owned(), id, ties: ties.word() });
    }
    let mut ranks = vec![0; ids.len()];
    for (rank, (_, row)) in order.iter().enumerate() {
        ranks[*row] = rank as u64;
    }
    Ok(ranks)
}

/// A number that falls as the score rises; -0 and 0 are the same score.
#[inline]
fn falling(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    let negative = ((bits as i64) >> 63) as u64;
    // For rising order, flip all bits of a negative number, and the sign bit of any other number.
    // The complement gives falling order.
    !(bits ^ (negative | 1 << 63))
}

/// The upper half of the key of a document.
#[inline]
fn upper(score: f64, precision: Scores) -> u64 {
    falling(match precision {
        Scores::F64 => score,
        Scores::F32 => f64::from(score as f32),
    })
}

/// The key of a document: the lowest comes first.
#[inline]
fn key(score: f64, tie: u64, precision: Scores) -> u128 {
    u128::from(upper(score, precision)) << 64 | u128::from(tie)
}

/// Whether all scores are finite, and each is lower than the one before. No score is a branch.
pub(crate) fn fall(scores: &[f64], precision: Scores) -> bool {
    // If all fall, only the first and the last may be infinite.
    let finite = [scores.first(), scores.last()].into_iter().flatten().all(|score| score.is_finite());
    let pairs = scores.iter().zip(scores.iter().skip(1));
    finite
        && match precision {
            Scores::F64 => pairs.fold(true, |fall, (one, next)| fall & (one > next)),
            Scores::F32 => pairs.fold(true, |fall, (&one, &next)| fall & (one as f32 > next as f32)),
        }
}

/// Fills in the rows of the documents from the first position to the last, each with the upper half
/// of its key. Returns false if equal scores are averaged, shuffled or ordered by grades, or if
/// something is wrong with scores or ids; the rows then have no meaning.
pub(crate) fn strict_rows(
    scores: &[f64],
    ids: Option<&[&str]>,
    ties: Ties,
    precision: Scores,
    rows: &mut Vec<(u64, u32)>,
) -> bool {
    let mut finite = true;
    rows.clear();
    rows.extend(scores.iter().zip(0..).map(|(&score, row)| {
        finite &= score.is_finite();
        (upper(score, precision), row)
    }));
    if !finite {
        return false;
    }
    rows.sort_unstable();
    if ties == Ties::Input || rows.windows(2).all(|pair| pair[0].0 < pair[1].0) {
        return true;
    }
    match ids.filter(|ids| ties == Ties::DocId && ids.len() == scores.len()) {
        Some(ids) => rows.chunk_by_mut(|one, next| one.0 == next.0).all(|tied| by_falling_id(tied, ids)),
        None => false,
    }
}

/// Sorts rows from the highest id to the lowest. Returns false if an id stands twice.
fn by_falling_id(tied: &mut [(u64, u32)], ids: &[&str]) -> bool {
    let id = |&(_, row): &(u64, u32)| ids[row as usize];
    tied.sort_unstable_by(|one, other| id(other).cmp(id(one)));
    tied.windows(2).all(|pair| id(&pair[0]) != id(&pair[1]))
}

/// The rows of the documents from the first position to the last, as [`Order::rank`] ranks them.
/// Documents with equal keys stand in the order of rows.
pub(crate) fn ranked_rows(scores: &[f64], tie_keys: &[u64], rules: OrderRules) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..scores.len()).filter(|&row| rules.keep(tie_keys[row])).collect();
    rows.sort_by_key(|&row| key(scores[row], tie_keys[row], rules.precision));
    rows
}

/// The position after each group of ranked rows whose scores are equal; each row alone if ties are
/// not averaged.
pub(crate) fn tie_ends(rows: &[usize], scores: &[f64], rules: OrderRules) -> Vec<u32> {
    let score = |row: usize| key(scores[row], 0, rules.precision);
    let ends = (1..=rows.len())
        .filter(|&end| !rules.averaged || rows.get(end).is_none_or(|&next| score(next) != score(rows[end - 1])));
    ends.map(|end| end as u32).collect()
}

/// How scores rank documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderRules {
    /// Whether a group holds all documents of one score; otherwise each group holds one document.
    pub(crate) averaged: bool,
    pub(crate) precision: Scores,
    /// Whether all documents were judged.
    pub(crate) all_judged: bool,
    pub(crate) unjudged: Unjudged,
}

impl OrderRules {
    /// Whether a document takes part in the ranking.
    #[inline]
    fn keep(&self, tie_key: u64) -> bool {
        self.all_judged || self.unjudged == Unjudged::NotRelevant || status(tie_key) == Status::Judged
    }
}

/// Sorted keys, and their ranking: grades from the top, and the end of each tie group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    keys: Vec<u128>,
    /// Scratch: keys in another order, and the places of keys.
    moved: Vec<u128>,
    places: Vec<u64>,
    pub(crate) grades: Vec<u8>,
    /// Empty if all documents were judged.
    pub(crate) statuses: Vec<Status>,
    pub(crate) ends: Vec<u32>,
    relevant: RelevantPlaces,
}

impl Order {
    /// Ranks documents by their scores. The error is the row of a score that is not finite.
    pub(crate) fn rank(&mut self, scores: &[f64], tie_keys: &[u64], rules: OrderRules) -> Result<(), usize> {
        let mut finite = true;
        self.relevant.take();
        self.keys.clear();
        self.keys.extend(scores.iter().zip(tie_keys).map(|(&score, &tie)| {
            finite &= score.is_finite();
            key(score, tie, rules.precision)
        }));
        if !finite {
            return Err(scores.iter().position(|score| !score.is_finite()).unwrap_or(0));
        }
        if !rules.all_judged {
            self.keys.retain(|&key| rules.keep(key as u64));
        }
        self.sort();
        self.take_keys(rules);
        Ok(())
    }

    /// The ranking by the negatives of the scores of the last [`rank`](Self::rank).
    pub(crate) fn turn(&mut self, rules: OrderRules) {
        self.relevant.take();
        self.moved.clear();
        self.keys.chunk_by(|a, b| a >> 64 == b >> 64).rev().for_each(|tied| self.moved.extend(tied));
        std::mem::swap(&mut self.keys, &mut self.moved);
        self.take_keys(rules);
    }

    /// Sorts the keys. Of few keys, the first bits are sorted with the place in the last bits,
    /// since words of 64 bits are sorted in less time.
    fn sort(&mut self) {
        let Order { keys, moved, places, .. } = self;
        if keys.len() > 1 << PLACE_BITS {
            keys.sort_unstable();
            return;
        }
        places.clear();
        let first_bits = |key: u128| (key >> 64 >> PLACE_BITS << PLACE_BITS) as u64;
        places.extend(keys.iter().zip(0..).map(|(&key, place)| first_bits(key) | place));
        places.sort_unstable();
        moved.clear();
        moved.extend(places.iter().map(|place| keys[(place % (1 << PLACE_BITS)) as usize]));
        let alike = moved.chunk_by_mut(|&a, &b| first_bits(a) == first_bits(b));
        alike.filter(|alike| alike.len() > 1).for_each(<[u128]>::sort_unstable);
        std::mem::swap(keys, moved);
    }

    /// Makes the ranking from the sorted keys.
    fn take_keys(&mut self, rules: OrderRules) {
        self.statuses.clear();
        if !rules.all_judged && rules.unjudged == Unjudged::NotRelevant {
            self.statuses.extend(self.keys.iter().map(|&key| status(key as u64)));
        }
        self.grades.clear();
        self.grades.extend(self.keys.iter().map(|&key| grade(key as u64)));
        let keys = &self.keys[..];
        self.ends.resize(keys.len(), 0);
        let mut groups = 0;
        for i in 0..keys.len() {
            // The place is always written, but kept only at the end of a group. This is faster than
            // an unpredictable branch.
            self.ends[groups] = i as u32 + 1;
            let ends_here = !rules.averaged || keys.get(i + 1).is_none_or(|&next| next >> 64 != keys[i] >> 64);
            groups += usize::from(ends_here);
        }
        self.ends.truncate(groups);
    }
}

impl Order {
    /// Takes over a ranking without ties.
    pub(crate) fn fill(&mut self, ranking: &[Assessment], only_judged: bool) {
        self.relevant.take();
        self.grades.clear();
        self.statuses.clear();
        if only_judged {
            let judged = ranking.iter().filter(|document| document.is_judged());
            self.grades.extend(judged.map(|document| document.grade()));
        } else {
            self.grades.extend(ranking.iter().map(|document| document.grade()));
            self.statuses.extend(ranking.iter().map(|&document| Status::from(document)));
        }
        self.ends.clear();
        self.ends.extend(1..=self.grades.len() as u32);
    }

    /// The ranking, for measures.
    pub(crate) fn ranked<'a>(&'a self, query: &'a QueryGrades) -> Ranked<'a> {
        Ranked::new(&self.grades, &self.ends, query).with_statuses(&self.statuses).with_places(&self.relevant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(averaged: bool, precision: Scores) -> OrderRules {
        OrderRules { averaged, precision, all_judged: true, unjudged: Unjudged::NotRelevant }
    }

    fn ranked(scores: &[f64], grades: &[u8], ids: Option<&[&str]>, ties: Ties) -> (Vec<u8>, Vec<u32>) {
        let keys = tie_keys("q", grades, ids, ties, Seed::new(1)).unwrap();
        let mut order = Order::default();
        order.rank(scores, &keys, rules(ties == Ties::Average, Scores::F64)).unwrap();
        (order.grades, order.ends)
    }

    /// Against sorted rows, for numbers of documents on both sides of the limit, with scores that
    /// differ by the last bits of a double, with ties, and turned.
    #[test]
    fn keys_are_sorted_and_turned() {
        let mut state = 7u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for documents in [0, 1, 2, 40, 255, 256, 257, 600] {
            for kinds in [1, 3, 1000] {
                for averaged in [false, true] {
                    let scores: Vec<f64> = (0..documents)
                        .map(|_| f64::from_bits(1.5f64.to_bits() + below(kinds) * [1, 1 << 40][below(2) as usize]))
                        .map(|score| score - 1.75)
                        .collect();
                    let tie_keys: Vec<u64> = (0..documents)
                        .map(|row| (if averaged { below(5) } else { row }, below(5)))
                        .map(|(rank, grade)| rank << GRADE_BITS | if averaged { rank } else { grade })
                        .collect();
                    let rules = rules(averaged, Scores::F64);
                    let mut order = Order::default();
                    order.rank(&scores, &tie_keys, rules).unwrap();
                    let negatives: Vec<f64> = scores.iter().map(|score| -score).collect();
                    for (turned, scores) in [(false, scores), (true, negatives)] {
                        if turned {
                            order.turn(rules);
                        }
                        let rows = ranked_rows(&scores, &tie_keys, rules);
                        let grades: Vec<u8> = rows.iter().map(|&row| grade(tie_keys[row])).collect();
                        assert_eq!((&order.grades, &order.ends), (&grades, &tie_ends(&rows, &scores, rules)));
                    }
                }
            }
        }
    }

    #[test]
    fn higher_scores_come_first() {
        let scores = [-1.0, f64::MAX, 0.0, -f64::MAX, 1e-310, 2.0, -0.0];
        let (grades, ends) = ranked(&scores, &[1, 2, 3, 4, 5, 6, 7], None, Ties::Average);
        assert_eq!(grades, [2, 6, 5, 7, 3, 1, 4]);
        assert_eq!(ends, [1, 2, 3, 5, 6, 7]);
    }

    /// numpy: `np.float32(1.0 + 1e-9) == np.float32(1.0)`,
    /// `np.float32(1.0 + 1e-7) > np.float32(1.0)`.
    #[test]
    fn scores_tie_that_agree_as_32_bit_floats() {
        let ends = |precision| {
            let mut order = Order::default();
            order.rank(&[1.0, 1.0 + 1e-9, 1.0 + 1e-7], &[0, 0, 0], rules(true, precision)).unwrap();
            order.ends
        };
        assert_eq!((ends(Scores::F64), ends(Scores::F32)), (vec![1, 2, 3], vec![1, 3]));
    }

    #[test]
    fn tie_policies_order_equal_scores() {
        let (scores, grades) = ([1.0, 1.0, 2.0, 1.0], [1, 0, 0, 2]);
        let ids: &[&str] = &["b", "a", "c", "ab"];
        for (ties, expected) in [
            (Ties::Input, [0, 1, 0, 2]),
            (Ties::Pessimistic, [0, 0, 1, 2]),
            (Ties::Optimistic, [0, 2, 1, 0]),
            (Ties::DocId, [0, 1, 2, 0]),
        ] {
            assert_eq!(ranked(&scores, &grades, Some(ids), ties), (expected.to_vec(), vec![1, 2, 3, 4]), "{ties}");
        }
    }

    #[test]
    fn shuffle_depends_on_ids_and_not_on_rows() {
        let ids: Vec<String> = (0..20).map(|i| format!("d{i}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let grades: Vec<u8> = (0..20).collect();
        let forward = ranked(&[0.0; 20], &grades, Some(&ids), Ties::Shuffle).0;
        let (mut back_ids, mut back_grades) = (ids.clone(), grades.clone());
        back_ids.reverse();
        back_grades.reverse();
        assert_eq!(ranked(&[0.0; 20], &back_grades, Some(&back_ids), Ties::Shuffle).0, forward);
        assert_ne!(forward, grades);
        let other = tie_keys("q", &grades, Some(&ids), Ties::Shuffle, Seed::new(2)).unwrap();
        assert_ne!(other, tie_keys("q", &grades, Some(&ids), Ties::Shuffle, Seed::new(1)).unwrap());
    }

    #[test]
    fn ids_must_be_there_and_unique() {
        let keys = |ids: Option<&[&str]>, ties| tie_keys("q", &[0, 1], ids, ties, Seed::new(1)).unwrap_err();
        for ties in [Ties::DocId, Ties::Shuffle] {
            assert!(matches!(keys(None, ties), MeasureError::NoDocumentIds { .. }));
            assert!(matches!(keys(Some(&["a", "a"]), ties), MeasureError::DuplicateDocumentId { .. }));
            assert!(matches!(keys(Some(&["a"]), ties), MeasureError::Count { found: 1, expected: 2, .. }));
        }
    }

    #[test]
    fn falling_scores_are_those_whose_keys_rise() {
        let of_all = [f64::NAN, f64::INFINITY, 1e300, 2.0, 1.0 + 1e-9, 1.0, 0.0, -0.0, -1.0, f64::NEG_INFINITY];
        for precision in [Scores::F64, Scores::F32] {
            assert!(fall(&[], precision) && fall(&[2.0, 1.0, 0.0, -1.0, -2.5], precision));
            for (one, other) in of_all.iter().flat_map(|&one| of_all.map(|other| (one, other))) {
                let finite = one.is_finite() && other.is_finite();
                assert_eq!(fall(&[one], precision), one.is_finite());
                for scores in [&[one, other][..], &[3e300, one, other, -3e300], &[5.0, 4.0, 3.0, one, other]] {
                    let keys: Vec<u128> = scores.iter().map(|&score| key(score, 0, precision)).collect();
                    let rise = keys.windows(2).all(|pair| pair[0] < pair[1]);
                    assert_eq!(fall(scores, precision), finite && rise, "{scores:?} {precision:?}");
                }
            }
        }
    }

    #[test]
    fn scores_that_are_not_finite_are_found() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Order::default().rank(&[0.0, bad], &[0, 0], rules(true, Scores::F64)), Err(1));
        }
    }
}
