//! A sample of a long query's documents, for the exact search.
//!
//! The search takes time for marked x all documents of a query: little for 1,000 documents, but
//! hours for 200,000. So it gets at most [`LONGEST`] documents of a query. All grades have equal
//! numbers of documents in the sample, as far as a grade has enough, since relevant documents are
//! few and decide the measure. The documents are drawn with the seed, and do not depend on the
//! order of the file.

use std::sync::Arc;

use fivefold_base::words::counted;
use fivefold_core::dataset::IdTable;
use fivefold_core::{Dataset, DatasetBuilder, FitContext, FitError, GradeScale, Grades, JudgedQuery};

use crate::ties::drawn;

/// The most documents of a query that are searched. No query of the known collections has more.
pub(super) const LONGEST: usize = 4096;

/// The documents that are searched.
pub(super) struct Sample {
    /// The queries of these documents, without features.
    pub(super) data: Dataset,
    /// The places of these documents among all documents.
    pub(super) rows: Vec<u32>,
}

impl Sample {
    /// At most `longest` documents of each query; `None` if no query has more.
    pub(super) fn of_long_queries(
        data: &Dataset,
        longest: usize,
        cx: &FitContext<'_>,
    ) -> Result<Option<Self>, FitError> {
        let long = data.queries().filter(|query| query.len() > longest).count();
        if long == 0 {
            return Ok(None);
        }
        cx.warn(format!(
            "{} of more than {longest} documents: changes of weights are looked for on {longest} of them, drawn evenly from \
             the grades, and judged on all",
            counted(long, "query")
        ));
        let (mut query_ids, mut doc_ids) = (IdTable::default(), IdTable::default());
        let mut grades = Grades::of(GradeScale::new(Some(data.max_grade())));
        let (mut bounds, mut rows, mut first) = (vec![0], Vec::new(), 0);
        for query in data.queries() {
            cx.check()?;
            query_ids.push(query.id());
            for row in chosen(&query, longest, cx) {
                query.add_grade(row, &mut grades);
                query.doc_id(row).into_iter().for_each(|id| doc_ids.push(id));
                rows.push((first + row) as u32);
            }
            bounds.push(rows.len());
            first += query.len();
        }
        let features = Arc::new(Vec::<f32>::new());
        let data = DatasetBuilder { features, width: 0, grades, bounds, query_ids, doc_ids }.build();
        Ok(Some(Sample { data: data.map_err(|error| FitError::Other(error.to_string()))?, rows }))
    }
}

/// The rows of a query that are searched, in rising order.
fn chosen(query: &JudgedQuery<'_>, longest: usize, cx: &FitContext<'_>) -> Vec<usize> {
    if query.len() <= longest {
        return (0..query.len()).collect();
    }
    let places = drawn(query, cx.seed().derive("long queries"));
    let mut by_grade: Vec<Vec<usize>> = vec![Vec::new(); 1 + usize::from(u8::MAX)];
    query.grades().iter().enumerate().for_each(|(row, &grade)| by_grade[usize::from(grade)].push(row));
    by_grade.retain(|rows| !rows.is_empty());
    // The rarest grade comes first, and leaves its unused share to the other grades.
    by_grade.sort_by_key(Vec::len);
    let (mut left, grades) = (longest, by_grade.len());
    let mut rows = Vec::with_capacity(longest);
    for (number, mut of_grade) in by_grade.into_iter().enumerate() {
        of_grade.sort_unstable_by_key(|&row| places[row]);
        of_grade.truncate(left / (grades - number));
        left -= of_grade.len();
        rows.extend(of_grade);
    }
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::{Doc, reordered, rows};

    /// A query of 300 documents, with 5 of grade 2 and 40 of grade 1, and a query of 2 documents.
    fn data() -> Dataset {
        let features: Vec<[f32; 1]> = (0..300).map(|i| [(i * 37 % 300) as f32]).collect();
        let grade = |i: usize| if i.is_multiple_of(60) { 2 } else { u8::from(i % 7 == 1 && i < 280) };
        let long: Vec<Doc<'_>> = features.iter().enumerate().map(|(i, x)| (grade(i), x.as_slice())).collect();
        rows(&[&[(1, &[0.0]), (0, &[1.0])], &long])
    }

    #[test]
    fn rare_grades_are_kept_and_the_others_share_the_rest() {
        let data = data();
        let cx = FitContext::new(Seed::new(1));
        let sample = Sample::of_long_queries(&data, 100, &cx).unwrap().unwrap();
        assert_eq!((sample.data.len(), sample.data.documents(), sample.rows.len()), (2, 102, 102));
        assert_eq!(sample.rows[..2], [0, 1]);
        let all: Vec<u8> = data.queries().flat_map(|query| query.grades().to_vec()).collect();
        let found: Vec<u8> = sample.data.queries().flat_map(|query| query.grades().to_vec()).collect();
        assert!(sample.rows.iter().zip(&found).all(|(&row, &grade)| all[row as usize] == grade));
        let count = |grades: &[u8], wanted| grades.iter().filter(|&&grade| grade == wanted).count();
        assert_eq!((count(&found[2..], 2), count(&found[2..], 1)), (5, count(&all[2..], 1).min(47)));
        assert!(Sample::of_long_queries(&data, 300, &cx).unwrap().is_none());
    }

    #[test]
    fn the_order_of_the_file_does_not_matter() {
        let data = data();
        let moved = reordered(&data, |query| (0..query.len()).rev().collect());
        let cx = FitContext::new(Seed::new(1));
        let features = |data: &Dataset| {
            let all: Vec<f32> = data.queries().flat_map(|query| query.features().to_vec()).collect();
            let rows = Sample::of_long_queries(data, 100, &cx).unwrap().unwrap().rows;
            let mut found: Vec<f32> = rows[2..].iter().map(|&row| all[row as usize]).collect();
            found.sort_unstable_by(f32::total_cmp);
            found
        };
        assert_eq!(features(&data), features(&moved));
    }
}
