//! LETOR data with score files, one a fold and system.

use std::path::Path;

use fivefold_data::{Source, open, read_scores};

use super::config::{FOLD, input, names_of, unique_ids};
use super::{Content, RankedQuery, RankedSystems, ScoredList, Systems};
use crate::study::{Input, StudyContext, StudyError};

/// Reads a collection and the scores of its test folds.
pub(super) fn read(dataset: &Source, scores: &[String], cx: &StudyContext<'_>) -> Result<Systems, StudyError> {
    let collection = open(dataset, cx.folders())?;
    if collection.moved {
        let what = "lines of the data were moved to bring queries together, so that score files no longer fit";
        return Err(StudyError::Input(format!("{}: {what}", collection.name)));
    }
    let first = collection.folds.first().map_or(1, |fold| fold.number);
    let of_fold = |pattern: &str, fold: usize| pattern.replace(FOLD, &fold.to_string());
    let mut systems: Vec<(String, String)> = Vec::new();
    for pattern in scores {
        if !pattern.contains(FOLD) {
            let what = format!("`{pattern}` must contain `{FOLD}`, where the number of the fold stands");
            return Err(StudyError::Input(what));
        }
        for (name, path) in names_of(cx, pattern, |path| of_fold(path, first))? {
            systems.push((name.unwrap_or_else(|| path.clone()), path));
        }
    }
    let tests = || collection.folds.iter().flat_map(|fold| fold.test.queries().map(move |query| (fold.number, query)));
    let ids = unique_ids(tests().map(|(fold, query)| (fold, query.id())).collect::<Vec<_>>().into_iter());
    let mut queries: Vec<RankedQuery> = tests()
        .zip(ids)
        .map(|((_, query), id)| RankedQuery {
            id,
            grades: query.grades().to_vec(),
            ids: Vec::new(),
            lists: Vec::with_capacity(systems.len()),
        })
        .collect();
    let mut inputs = vec![Input { name: dataset.name(), hash: collection.hash.clone() }];
    for (_, pattern) in &systems {
        let mut places = queries.iter_mut();
        for fold in &collection.folds {
            let given = of_fold(pattern, fold.number);
            let path = cx.find(Path::new(&given))?;
            inputs.push(input(&given, &path)?);
            let scores = read_scores(&path, fold.test.documents())?;
            let mut rest = scores.as_slice();
            for query in places.by_ref().take(fold.test.len()) {
                let (own, after) = rest.split_at(query.grades.len());
                rest = after;
                let documents = (0..own.len() as u32).collect();
                query.lists.push(Some(ScoredList { documents, scores: own.to_vec() }));
            }
        }
    }
    let names = systems.into_iter().map(|(name, _)| name).collect();
    let ranked = RankedSystems { names, queries, max_grade: collection.max_grade };
    let remarks = collection.remarks.iter().map(|remark| format!("{}: {remark}", collection.name)).collect();
    Ok(Systems { content: Content::Rankings(ranked), inputs, remarks })
}
