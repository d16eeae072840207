//! Writes the evaluation as two CSV files in full precision, and reads the same bits back.
//!
//! `queries.csv` has a line for each test query of a data set. The line holds the query's counts
//! and, for each measure at each cutoff, the expected share E/U. The original measure and its UE
//! versions have the same expected share, so the file holds each share once.
//!
//! `per_query.csv` has a line for each data set, document set, ranker and query, and a column for
//! each measure. An undefined value is an empty field. If a ranker failed on a data set, the file
//! has no lines for this pair.
//!
//! `per_seed.csv` exists only if rankers are repeated. It has a line for each repeat of a repeated
//! ranker, over all documents. `per_query.csv` then has the means over the repeats.

use fivefold_analysis::design::SeedValues;
use fivefold_analysis::evaluation::{DatasetValues, DocumentSet, Evaluation, QueryInfo};
use fivefold_metrics::{MeasureError, MeasureSpec};

use crate::config::Experiment;
use crate::store::{Store, StoreError};

/// File with one line a query.
pub const QUERIES: &str = "queries.csv";
/// File with one line a query and ranker.
pub const PER_QUERY: &str = "per_query.csv";

/// File with one line a query, ranker and repeat.
pub const PER_SEED: &str = "per_seed.csv";

/// Prefix of the name of a column of expected shares.
const EXPECTED: &str = "expected ";
const QUERY_HEAD: [&str; 6] = ["dataset", "fold", "query", "documents", "relevant", "grade2"];
const SEED_HEAD: [&str; 5] = ["dataset", "fold", "query", "seed", "ranker"];
const VALUE_HEAD: [&str; 5] = ["dataset", "fold", "query", "documents", "ranker"];

/// Facts about a data set that are known before its values are read.
#[derive(Debug, Clone, PartialEq)]
pub struct DataShape {
    /// Label of the data set.
    pub name: String,
    /// Labels of the rankers.
    pub rankers: Vec<String>,
    /// `failed[r]`: a job of ranker `r` failed.
    pub failed: Vec<bool>,
    /// Whether halves of the documents were ranked.
    pub halves: bool,
}

/// Writes both files. Returns the hashes of [`QUERIES`] and [`PER_QUERY`].
pub fn write(store: &Store, evaluation: &Evaluation) -> Result<[String; 2], StoreError> {
    let [queries, values] = contents(evaluation).map_err(|error| csv_error(store, PER_QUERY, &error))?;
    Ok([store.keep(QUERIES, &queries)?, store.keep(PER_QUERY, &values)?])
}

/// Writes the values of the single repeats. Returns the hash of [`PER_SEED`]; `None` if nothing was
/// repeated, and then a file of an earlier run is removed.
pub fn write_seeds(store: &Store, evaluation: &Evaluation, seeds: &[SeedValues]) -> Result<Option<String>, StoreError> {
    match seeds_csv(evaluation, seeds).map_err(|error| csv_error(store, PER_SEED, &error))? {
        Some(content) => Ok(Some(store.keep(PER_SEED, &content)?)),
        None => {
            store.remove(PER_SEED)?;
            Ok(None)
        }
    }
}

/// The content of [`PER_SEED`]; `None` if nothing was repeated.
pub fn seeds_csv(evaluation: &Evaluation, seeds: &[SeedValues]) -> Result<Option<Vec<u8>>, csv::Error> {
    if !seeds.iter().any(|own| own.repeated.contains(&true)) {
        return Ok(None);
    }
    let mut csv = csv::Writer::from_writer(Vec::new());
    for column in SEED_HEAD {
        csv.write_field(column)?;
    }
    csv.write_record(evaluation.measures.iter().map(MeasureSpec::stored_name))?;
    let mut number = String::new();
    for (dataset, own) in evaluation.datasets.iter().zip(seeds) {
        for (r, seed) in repeated(dataset, own) {
            for (q, query) in dataset.queries.iter().enumerate() {
                csv.write_field(&dataset.name)?;
                csv.write_field(query.fold.to_string())?;
                csv.write_field(&query.id)?;
                csv.write_field((seed + 1).to_string())?;
                csv.write_field(&dataset.rankers[r])?;
                let values = row(&own.values[seed], r * dataset.queries.len() + q, evaluation.measures.len());
                write_row(&mut csv, values.iter().copied(), &mut number)?;
            }
        }
    }
    finish(csv).map(Some)
}

/// The rankers and repeats of [`PER_SEED`], in the order of the file.
fn repeated<'a>(dataset: &'a DatasetValues, seeds: &'a SeedValues) -> impl Iterator<Item = (usize, usize)> + 'a {
    let rankers = (0..dataset.rankers.len()).filter(|&ranker| seeds.repeated[ranker] && !dataset.failed[ranker]);
    rankers.flat_map(|ranker| (0..seeds.values.len()).map(move |seed| (ranker, seed)))
}

/// Reads [`PER_SEED`]. Empty if the experiment repeats nothing.
pub fn read_seeds(
    store: &Store,
    experiment: &Experiment,
    evaluation: &Evaluation,
) -> Result<Vec<SeedValues>, StoreError> {
    let repeats = experiment.design.repeats;
    let repeated_rankers: Vec<bool> =
        (0..experiment.rankers.len()).map(|ranker| experiment.repeats_of(ranker) > 1).collect();
    if !repeated_rankers.contains(&true) {
        return Ok(Vec::new());
    }
    let content = content(store, PER_SEED)?;
    let mut csv = csv::Reader::from_reader(content.as_slice());
    let mut record = csv::StringRecord::new();
    let mut line = 1;
    let width = evaluation.measures.len();
    let mut all = Vec::with_capacity(evaluation.datasets.len());
    for dataset in &evaluation.datasets {
        // A ranker without repeats has its values in each of them.
        let mut own = SeedValues { repeated: repeated_rankers.clone(), values: vec![dataset.all.clone(); repeats] };
        let lines: Vec<(usize, usize)> = repeated(dataset, &own).collect();
        for (ranker, seed) in lines {
            for (place, query) in dataset.queries.iter().enumerate() {
                line += 1;
                csv.read_record(&mut record).map_err(|error| csv_error(store, PER_SEED, &error))?;
                let [fold, number] = [query.fold, seed + 1].map(|number| number.to_string());
                let expected = [&dataset.name, &fold, &query.id, &number, &dataset.rankers[ranker]].map(String::as_str);
                if !record.iter().take(expected.len()).eq(expected) {
                    let reason = format!("the line of {} is missing", expected.join(", "));
                    return Err(wrong(store, PER_SEED, line, &reason));
                }
                let start = (ranker * dataset.queries.len() + place) * width;
                for (column, text) in record.iter().skip(SEED_HEAD.len()).enumerate() {
                    let value = parse(text)
                        .ok_or_else(|| wrong(store, PER_SEED, line, &format!("\"{text}\" is not a number")))?;
                    own.values[seed][start + column] = value;
                }
            }
        }
        all.push(own);
    }
    Ok(all)
}

/// The content of [`QUERIES`] and [`PER_QUERY`].
pub fn contents(evaluation: &Evaluation) -> Result<[Vec<u8>; 2], csv::Error> {
    Ok([queries_csv(evaluation)?, values_csv(evaluation)?])
}

/// Reads both files.
pub fn read(store: &Store, shapes: &[DataShape]) -> Result<Evaluation, StoreError> {
    let content = content(store, PER_QUERY)?;
    let mut values = csv::Reader::from_reader(content.as_slice());
    let head = values.headers().map_err(|error| csv_error(store, PER_QUERY, &error))?;
    let no_measure = |error: MeasureError| wrong(store, PER_QUERY, 1, &error.to_string());
    let measures =
        head.iter().skip(VALUE_HEAD.len()).map(|name| name.parse().map_err(no_measure)).collect::<Result<_, _>>()?;
    let mut evaluation = read_queries(store, shapes, measures)?;
    read_values(store, shapes, values, &mut evaluation)?;
    Ok(evaluation)
}

fn queries_csv(evaluation: &Evaluation) -> Result<Vec<u8>, csv::Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for column in QUERY_HEAD {
        csv.write_field(column)?;
    }
    let columns = shared_columns(&evaluation.measures);
    for (name, _) in &columns {
        csv.write_field(expected_column(name))?;
    }
    csv.write_record(None::<&[u8]>)?;
    let mut number = String::new();
    for dataset in &evaluation.datasets {
        for (index, query) in dataset.queries.iter().enumerate() {
            csv.write_field(&dataset.name)?;
            csv.write_field(query.fold.to_string())?;
            csv.write_field(&query.id)?;
            for count in [query.documents, query.relevant, query.graded2] {
                csv.write_field(count.to_string())?;
            }
            let expected = row(&dataset.expected, index, evaluation.measures.len());
            write_row(&mut csv, columns.iter().map(|(_, measures)| expected[measures[0]]), &mut number)?;
        }
    }
    finish(csv)
}

/// The name of the column that holds a measure's expected shares.
fn expected_column(measure: &MeasureSpec) -> String {
    format!("{EXPECTED}{}", measure.stored_name())
}

/// The columns of expected shares. Each column has a measure without its version, and the indices
/// of the measures that are versions of it.
fn shared_columns(measures: &[MeasureSpec]) -> Vec<(MeasureSpec, Vec<usize>)> {
    let mut columns: Vec<(MeasureSpec, Vec<usize>)> = Vec::new();
    for (index, measure) in measures.iter().enumerate() {
        let base = measure.base();
        match columns.iter_mut().find(|(name, _)| *name == base) {
            Some((_, versions)) => versions.push(index),
            None => columns.push((base, vec![index])),
        }
    }
    columns
}

fn values_csv(evaluation: &Evaluation) -> Result<Vec<u8>, csv::Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for column in VALUE_HEAD {
        csv.write_field(column)?;
    }
    csv.write_record(evaluation.measures.iter().map(MeasureSpec::stored_name))?;
    let mut number = String::new();
    for dataset in &evaluation.datasets {
        for set in sets(!dataset.left.is_empty()) {
            let values = dataset.values(*set);
            for (r, ranker) in dataset.rankers.iter().enumerate().filter(|(r, _)| !dataset.failed[*r]) {
                for (q, query) in dataset.queries.iter().enumerate() {
                    csv.write_field(&dataset.name)?;
                    csv.write_field(query.fold.to_string())?;
                    csv.write_field(&query.id)?;
                    csv.write_field(set_name(*set))?;
                    csv.write_field(ranker)?;
                    let index = r * dataset.queries.len() + q;
                    let values = row(values, index, evaluation.measures.len()).iter().copied();
                    write_row(&mut csv, values, &mut number)?;
                }
            }
        }
    }
    finish(csv)
}

fn read_queries(store: &Store, shapes: &[DataShape], measures: Vec<MeasureSpec>) -> Result<Evaluation, StoreError> {
    let content = content(store, QUERIES)?;
    let mut csv = csv::Reader::from_reader(content.as_slice());
    let head = csv.headers().map_err(|error| csv_error(store, QUERIES, &error))?;
    let columns = shared_columns(&measures);
    let names = columns.iter().map(|(name, _)| expected_column(name));
    if !head.iter().skip(QUERY_HEAD.len()).map(str::to_owned).eq(names) {
        return Err(wrong(store, QUERIES, 1, "the measures differ from the measures of per_query.csv"));
    }
    let mut datasets: Vec<DatasetValues> = shapes
        .iter()
        .map(|shape| DatasetValues {
            name: shape.name.clone(),
            rankers: shape.rankers.clone(),
            failed: shape.failed.clone(),
            queries: Vec::new(),
            all: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            expected: Vec::new(),
        })
        .collect();
    for (index, record) in csv.records().enumerate() {
        let record = record.map_err(|error| csv_error(store, QUERIES, &error))?;
        let fault = || wrong(store, QUERIES, index + 2, "not a query of this run");
        let count = |column: usize| record.get(column).and_then(|text| text.parse::<usize>().ok()).ok_or_else(fault);
        let dataset = datasets.iter_mut().find(|d| Some(d.name.as_str()) == record.get(0)).ok_or_else(fault)?;
        dataset.queries.push(QueryInfo {
            fold: count(1)?,
            id: record.get(2).ok_or_else(fault)?.to_owned(),
            documents: count(3)?,
            relevant: count(4)?,
            graded2: count(5)?,
        });
        let start = dataset.expected.len();
        dataset.expected.resize(start + measures.len(), f64::NAN);
        for (text, (_, versions)) in record.iter().skip(QUERY_HEAD.len()).zip(&columns) {
            let share = parse(text).ok_or_else(fault)?;
            versions.iter().for_each(|&measure| dataset.expected[start + measure] = share);
        }
    }
    Ok(Evaluation { measures, datasets })
}

fn read_values(
    store: &Store,
    shapes: &[DataShape],
    mut csv: csv::Reader<&[u8]>,
    evaluation: &mut Evaluation,
) -> Result<(), StoreError> {
    let width = evaluation.measures.len();
    let mut record = csv::StringRecord::new();
    let mut line = 1;
    for (dataset, shape) in evaluation.datasets.iter_mut().zip(shapes) {
        for set in sets(shape.halves) {
            let mut values = Vec::with_capacity(dataset.rankers.len() * dataset.queries.len() * width);
            for (ranker, failed) in dataset.rankers.iter().zip(&dataset.failed) {
                if *failed {
                    values.resize(values.len() + dataset.queries.len() * width, f64::NAN);
                    continue;
                }
                for query in &dataset.queries {
                    line += 1;
                    csv.read_record(&mut record).map_err(|error| csv_error(store, PER_QUERY, &error))?;
                    let fold = query.fold.to_string();
                    let expected = [dataset.name.as_str(), fold.as_str(), query.id.as_str(), set_name(*set), ranker];
                    if !record.iter().take(expected.len()).eq(expected) {
                        let reason = format!("the line of {} is missing", expected.join(", "));
                        return Err(wrong(store, PER_QUERY, line, &reason));
                    }
                    for text in record.iter().skip(VALUE_HEAD.len()) {
                        let value = parse(text)
                            .ok_or_else(|| wrong(store, PER_QUERY, line, &format!("\"{text}\" is not a number")))?;
                        values.push(value);
                    }
                }
            }
            match set {
                DocumentSet::All => dataset.all = values,
                DocumentSet::Left => dataset.left = values,
                DocumentSet::Right => dataset.right = values,
            }
        }
    }
    if csv.read_record(&mut record).map_err(|error| csv_error(store, PER_QUERY, &error))? {
        return Err(wrong(store, PER_QUERY, line + 1, "a line that is not of this run"));
    }
    Ok(())
}

fn sets(halves: bool) -> &'static [DocumentSet] {
    let sets = &[DocumentSet::All, DocumentSet::Left, DocumentSet::Right];
    if halves { sets } else { &sets[..1] }
}

/// The name of a document set in the files.
pub fn set_name(set: DocumentSet) -> &'static str {
    match set {
        DocumentSet::All => "all",
        DocumentSet::Left => "left",
        DocumentSet::Right => "right",
    }
}

fn row(values: &[f64], index: usize, width: usize) -> &[f64] {
    &values[index * width..(index + 1) * width]
}

/// Writes each value as the shortest decimal that reads back to the same bits. An undefined value
/// becomes an empty field.
fn write_row(
    csv: &mut csv::Writer<Vec<u8>>,
    values: impl Iterator<Item = f64>,
    number: &mut String,
) -> Result<(), csv::Error> {
    use std::fmt::Write as _;
    for value in values {
        number.clear();
        if !value.is_nan() {
            // Writing to a string cannot fail.
            let _ = write!(number, "{value}");
        }
        csv.write_field(&number)?;
    }
    csv.write_record(None::<&[u8]>)
}

fn parse(text: &str) -> Option<f64> {
    if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() }
}

fn finish(csv: csv::Writer<Vec<u8>>) -> Result<Vec<u8>, csv::Error> {
    csv.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

fn content(store: &Store, file: &str) -> Result<Vec<u8>, StoreError> {
    store.read(file)?.ok_or_else(|| StoreError::Content {
        path: store.path(file),
        reason: "there is no such file; run the experiment again".to_owned(),
    })
}

fn wrong(store: &Store, file: &str, line: usize, reason: &str) -> StoreError {
    StoreError::Content { path: store.path(file), reason: format!("line {line}: {reason}; run the experiment again") }
}

fn csv_error(store: &Store, file: &str, error: &csv::Error) -> StoreError {
    StoreError::Content { path: store.path(file), reason: format!("{error}; run the experiment again") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measures(names: &[&str]) -> Vec<MeasureSpec> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn evaluation() -> (Evaluation, Vec<DataShape>) {
        let query = |fold, id: &str| QueryInfo { fold, id: id.to_owned(), documents: 3, relevant: 1, graded2: 0 };
        let dataset = |name: &str, failed: Vec<bool>, halves: bool| {
            let mut values = vec![0.1 + 0.2, f64::NAN, 1e-300, -0.5, 1.0, 1.0 / 3.0, 0.0, 7.0];
            if failed[1] {
                values[4..].fill(f64::NAN);
            }
            DatasetValues {
                name: name.to_owned(),
                rankers: vec!["a, \"quoted\"".to_owned(), "b".to_owned()],
                failed,
                queries: vec![query(1, "q1"), query(2, "2020:1")],
                left: if halves { values.clone() } else { Vec::new() },
                right: if halves { values.iter().map(|v| v / 3.0).collect() } else { Vec::new() },
                all: values,
                expected: vec![0.25, f64::NAN, 0.7, 0.7],
            }
        };
        let datasets = vec![dataset("d1", vec![false, false], true), dataset("d2", vec![false, true], false)];
        let shapes = datasets
            .iter()
            .map(|d| DataShape {
                name: d.name.clone(),
                rankers: d.rankers.clone(),
                failed: d.failed.clone(),
                halves: !d.left.is_empty(),
            })
            .collect();
        (Evaluation { measures: measures(&["ndcg@5", "ap.v2@5"]), datasets }, shapes)
    }

    fn bits(evaluation: &Evaluation) -> Vec<u64> {
        let arrays = |d: &DatasetValues| [d.all.clone(), d.left.clone(), d.right.clone(), d.expected.clone()].concat();
        evaluation.datasets.iter().flat_map(arrays).map(|v| if v.is_nan() { 1 } else { v.to_bits() }).collect()
    }

    #[test]
    fn every_bit_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let (evaluation, shapes) = evaluation();
        write(&store, &evaluation).unwrap();
        let back = read(&store, &shapes).unwrap();
        assert_eq!(bits(&back), bits(&evaluation));
        assert_eq!(back.measures, evaluation.measures);
        for (a, b) in back.datasets.iter().zip(&evaluation.datasets) {
            assert_eq!((&a.queries, &a.rankers, &a.failed), (&b.queries, &b.rankers, &b.failed));
        }
    }

    #[test]
    fn versions_of_a_measure_share_their_column_of_expected_shares() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let (mut evaluation, shapes) = evaluation();
        evaluation.measures = measures(&["ndcg@5", "ndcg.v2@5"]);
        evaluation.datasets.iter_mut().for_each(|d| d.expected = vec![0.25, 0.25, f64::NAN, f64::NAN]);
        write(&store, &evaluation).unwrap();
        let text = String::from_utf8(store.read(QUERIES).unwrap().unwrap()).unwrap();
        assert_eq!(text.lines().next(), Some("dataset,fold,query,documents,relevant,grade2,expected ndcg@5"));
        assert_eq!(bits(&read(&store, &shapes).unwrap()), bits(&evaluation));
        store.write(QUERIES, text.replace("expected ndcg@5", "expected ndcg@10").as_bytes()).unwrap();
        assert!(read(&store, &shapes).unwrap_err().to_string().contains("differ from the measures of per_query.csv"));
    }

    #[test]
    fn missing_foreign_and_broken_lines_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let (evaluation, shapes) = evaluation();
        assert!(read(&store, &shapes).unwrap_err().to_string().contains("no such file"));
        write(&store, &evaluation).unwrap();
        let text = String::from_utf8(store.read(PER_QUERY).unwrap().unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (broken, message) in [
            ([&lines[..2], &lines[3..]].concat().join("\n"), "line 3: the line of d1, 2, 2020:1, all, a"),
            (format!("{text}d1,1,q1,all,b,1,1\n"), "line 16: a line that is not of this run"),
            (text.replace("-0.5", "half"), "line 3: \"half\" is not a number"),
            (text.replace("ap.v2@5", "ndgc@1"), "line 1: unknown measure `ndgc`"),
        ] {
            store.write(PER_QUERY, broken.as_bytes()).unwrap();
            let error = read(&store, &shapes).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
