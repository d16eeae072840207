//! LETOR data with score files: the test folds of a collection, or one file.

use std::path::Path;

use fivefold_core::Dataset;
use fivefold_data::{Missing, Part, ReadOptions, Source, open, read_letor, read_scores};

use super::config::{FOLD, input, names_of, unique_ids};
use super::{Content, RankedQuery, RankedSystems, ScoredList, Systems};
use crate::study::{Input, StudyContext, StudyError};

/// Data for which each system has a score file.
struct Scored {
    /// The number of its fold, if there are folds.
    fold: Option<usize>,
    test: Dataset,
    /// The file with the data. Its reader may have moved lines to bring queries together. `None`
    /// for folds.
    file: Option<Part>,
}

/// Reads the test folds of a collection.
pub(super) fn read_collection(
    dataset: &Source,
    scores: &[String],
    cx: &StudyContext<'_>,
) -> Result<Systems, StudyError> {
    let collection = open(dataset, cx.folders())?;
    if collection.moved {
        let what = "lines of the data were moved to bring queries together, so that score files no longer fit";
        return Err(StudyError::Input(format!("{}: {what}", collection.name)));
    }
    let data = Input { name: dataset.name(), hash: collection.hash.clone() };
    let remarks = collection.remarks.iter().map(|remark| format!("{}: {remark}", collection.name)).collect();
    let folds = collection.folds.into_iter();
    let parts: Vec<Scored> =
        folds.map(|fold| Scored { fold: Some(fold.number), test: fold.test, file: None }).collect();
    systems(&parts, collection.max_grade, scores, data, remarks, cx)
}

/// Reads one file.
pub(super) fn read_file(data: &Path, scores: &[String], cx: &StudyContext<'_>) -> Result<Systems, StudyError> {
    let path = cx.find(data)?;
    // Only grades are used: a missing feature value does no harm.
    let options = ReadOptions { missing: Missing::Zero, ..ReadOptions::default() };
    let file = read_letor(&path, &options)?;
    let test = file.data.clone();
    let (max_grade, input) = (test.max_grade(), input(&data.display().to_string(), &path)?);
    // Remarks use the path that the user gave, so that the bytes of the folder do not depend on the
    // place of the data.
    let (found, named) = (path.display().to_string(), data.display().to_string());
    let remarks = file.remarks.iter().map(|remark| remark.replace(&found, &named)).collect();
    systems(&[Scored { fold: None, test, file: Some(file) }], max_grade, scores, input, remarks, cx)
}

fn systems(
    parts: &[Scored],
    max_grade: u8,
    scores: &[String],
    data: Input,
    remarks: Vec<String>,
    cx: &StudyContext<'_>,
) -> Result<Systems, StudyError> {
    let first = parts.first().and_then(|part| part.fold);
    let of_fold = |pattern: &str, fold: Option<usize>| match fold {
        Some(fold) => pattern.replace(FOLD, &fold.to_string()),
        None => pattern.to_owned(),
    };
    let mut files: Vec<(String, String)> = Vec::new();
    for pattern in scores {
        if pattern.contains(FOLD) != first.is_some() {
            let what = match first {
                Some(_) => "must contain `{fold}`, where the number of the fold stands",
                None => "contains `{fold}`, but there is one data file",
            };
            return Err(StudyError::Input(format!("`{pattern}` {what}")));
        }
        for (name, path) in names_of(cx, pattern, |path| of_fold(path, first))? {
            files.push((name.unwrap_or_else(|| path.clone()), path));
        }
    }
    let mut folds = Vec::new();
    let mut queries = Vec::new();
    for part in parts {
        for query in part.test.queries() {
            folds.push(part.fold.unwrap_or_default());
            let lists = Vec::with_capacity(files.len());
            let (id, grades) = (query.id().to_owned(), query.grades().to_vec());
            queries.push(RankedQuery { id, grades, pooled: 0, ids: Vec::new(), lists });
        }
    }
    let ids = unique_ids(folds.into_iter().zip(queries.iter().map(|query| query.id.as_str())));
    queries.iter_mut().zip(ids).for_each(|(query, id)| query.id = id);
    let mut inputs = vec![data];
    for (_, pattern) in &files {
        let mut places = queries.iter_mut();
        for part in parts {
            let given = of_fold(pattern, part.fold);
            let path = cx.find(Path::new(&given))?;
            inputs.push(input(&given, &path)?);
            let scores = read_scores(&path, part.test.documents())?;
            let scores = match &part.file {
                Some(file) => file.in_data_order(scores),
                None => scores,
            };
            let mut rest = scores.as_slice();
            for query in places.by_ref().take(part.test.len()) {
                let (own, after) = rest.split_at(query.grades.len());
                rest = after;
                let documents = (0..own.len() as u32).collect();
                query.lists.push(Some(ScoredList { documents, scores: own.to_vec() }));
            }
        }
    }
    let names = files.into_iter().map(|(name, _)| name).collect();
    let content = Content::Rankings(RankedSystems { names, queries, max_grade });
    Ok(Systems { inputs, remarks, ..Systems::of(content) })
}
