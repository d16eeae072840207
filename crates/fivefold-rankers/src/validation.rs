//! The validation part for early stopping or a choice among models, if it can tell models apart.
//!
//! A query cannot tell models apart if all its documents have the same features, or if their order
//! does not alter the measure. (For example, the query has one grade, one document, or an undefined
//! value.) If all queries of a validation part are so, all models are equally good. The first
//! model would be the best for ever, and boosting would stop early and keep one tree. So the part
//! is not used, and a warning says so. A single query that can tell models apart is enough.
//! Training data whose order does not matter are refused, since a ranker cannot learn from them.
//!
//! Cost: queries are visited up to the first useful query, which is nearly always the first query.

use fivefold_base::words::counted;
use fivefold_core::{Dataset, FitContext, FitError, JudgedQuery};
use fivefold_metrics::{Objective, Scratch};

/// The validation part with its objective; `None` if there is no validation part, or if it cannot
/// tell models apart.
pub(crate) fn validation<'a>(
    cx: &FitContext<'a>,
    measure: impl FnOnce(&Dataset) -> Result<Objective, FitError>,
) -> Result<Option<(&'a Dataset, Objective)>, FitError> {
    let Some(data) = cx.validation() else { return Ok(None) };
    let objective = measure(data)?;
    match blind(&objective, data) {
        None => Ok(Some((data, objective))),
        Some(reason) => {
            cx.warn(format!(
                "the validation part cannot tell models apart. It is not used, and the fit does not stop early: {reason}"
            ));
            Ok(None)
        }
    }
}

/// Why all models have the same mean on `data`; `None` if they do not.
fn blind(objective: &Objective, data: &Dataset) -> Option<String> {
    let mut scratch = Scratch::default();
    let mut matters = (0..data.len()).filter(|&query| objective.order_matters(query, &mut scratch)).peekable();
    if matters.peek().is_none() {
        let queries = counted(data.len(), "query");
        return Some(format!(
            "no order of documents alters {} in any of its {queries}: each query has too few documents, or one grade only",
            objective.name()
        ));
    }
    let same = matters.all(|query| alike(&data.query(query)));
    same.then(|| "its documents have the same features as all others of their query".to_owned())
}

/// Whether all documents have the same features.
fn alike(query: &JudgedQuery<'_>) -> bool {
    let mut rows = query.rows();
    let first = rows.next();
    rows.all(|row| Some(row) == first)
}

/// Refuses training data in which no order of documents alters the objective.
pub(crate) fn require_order(objective: &Objective, data: &Dataset) -> Result<(), FitError> {
    let mut scratch = Scratch::default();
    if (0..data.len()).any(|query| objective.order_matters(query, &mut scratch)) {
        return Ok(());
    }
    Err(FitError::Data(format!(
        "no order of documents alters {}: every query has one grade only, or too few documents",
        objective.name()
    )))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use fivefold_core::{Progress, Seed};

    use super::*;
    use crate::boosting::objective;
    use crate::test_data::rows;

    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Progress for Notes {
        fn step(&self, _: u64, _: u64) {}
        fn warning(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }
    }

    /// Whether `data` is used as the validation part, and the warnings.
    fn tried(measure: &str, data: &Dataset) -> (bool, Vec<String>) {
        let told = Notes::default();
        let cx = FitContext::new(Seed::new(1)).with_progress(&told).with_validation(data);
        let used = validation(&cx, |data| objective("stop_measure", measure, data, Seed::new(1))).unwrap().is_some();
        (used, told.0.into_inner().unwrap())
    }

    #[test]
    fn only_a_part_in_which_no_query_tells_models_apart_is_left_out_with_a_warning() {
        let one_grade: &[(u8, &[f32])] = &[(1, &[1.0]), (1, &[2.0])];
        let irrelevant: &[(u8, &[f32])] = &[(0, &[1.0]), (0, &[2.0])];
        let one_document: &[(u8, &[f32])] = &[(2, &[1.0])];
        let alike: &[(u8, &[f32])] = &[(2, &[1.0]), (0, &[1.0])];
        let good: &[(u8, &[f32])] = &[(1, &[1.0]), (0, &[2.0])];
        for (queries, used, said) in [
            (vec![one_grade], false, "alters ndcg in any of its 1 query:"),
            (vec![one_grade, irrelevant, one_document], false, "in any of its 3 queries:"),
            (vec![one_grade, alike, alike], false, "the same features"),
            (vec![alike, one_document, good], true, ""),
            (vec![good], true, ""),
        ] {
            let (found, warnings) = tried("ndcg", &rows(&queries));
            assert_eq!((found, warnings.len()), (used, usize::from(!used)));
            assert!(warnings.iter().all(|text| text.contains(said)), "{warnings:?}");
        }
        // With `p@10` all documents count, in any order.
        assert!(!tried("p@10", &rows(&[good])).0 && tried("p@1", &rows(&[good])).0);
    }

    #[test]
    fn without_a_validation_part_nothing_is_said() {
        let told = Notes::default();
        let cx = FitContext::new(Seed::new(1)).with_progress(&told);
        assert!(validation(&cx, |_| Err(FitError::Cancelled)).unwrap().is_none());
        assert!(told.0.into_inner().unwrap().is_empty());
    }

    #[test]
    fn training_data_need_one_query_whose_order_matters() {
        let blind = rows(&[&[(1, &[1.0]), (1, &[2.0])], &[(0, &[1.0])]]);
        let good = rows(&[&[(1, &[1.0]), (1, &[2.0])], &[(0, &[1.0]), (1, &[1.0])]]);
        let tried = |data: &Dataset| require_order(&objective("objective", "ap", data, Seed::new(1)).unwrap(), data);
        assert!(tried(&good).is_ok());
        assert!(
            matches!(tried(&blind), Err(FitError::Data(reason)) if reason.contains("no order of documents alters ap"))
        );
    }
}
