//! Classes of queries, which show whether conclusions depend on the queries. `classes = { .. }` has
//! one of three keys:
//!
//! - `file = "classes.csv"`: lines of `query,class` (or with tabs or blanks). A query may be in
//!   several classes, or in no class.
//! - `quantiles = 3`: three parts of equal size, from the hardest to the easiest queries, by the
//!   mean of all systems.
//! - `sets = 500`: the 500 uninformative and the 500 ideal queries of Feng & Karmaker (2023). The
//!   uninformative queries have the least |real - expected|, the ideal queries the greatest real -
//!   expected. `real` is the mean of all systems and cutoffs. `expected` is the mean of E/U, the
//!   value of a random order. Both means are of the original measure. E/U needs rankings, so values
//!   alone do not suffice.
//!
//! `quantiles` and `sets` use the measure `by`, or the first measure if `by` is absent. Queries
//! with equal values stand in the order of the input.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fivefold_base::rounding;
use fivefold_base::words::nearest;
use fivefold_base::words::{counted, which};
use fivefold_core::ParamError;
use fivefold_data::input::MOST_TEXT;
use fivefold_metrics::{Undefined, settle};
use serde::{Deserialize, Serialize};

use super::scores::{ScoredMeasure, Scores};
use crate::study::{Input, StudyContext, StudyError};
use crate::systems::config::input;

/// The setting `classes`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Classes {
    /// A file with the class of each query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Number of parts of equal size by difficulty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<usize>,
    /// Number of uninformative queries, and of ideal queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<usize>,
    /// The measure, without cutoff, for `quantiles` and `sets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// One class.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The name.
    pub name: String,
    /// The queries in rising order, as numbers of the queries that count.
    pub queries: Vec<usize>,
}

/// The classes of a data set.
pub(super) struct Classed {
    pub(super) classes: Vec<Class>,
    /// How the classes were made, with counts.
    pub(super) notes: Vec<String>,
    pub(super) input: Option<Input>,
}

/// The original measure by which queries are uninformative or ideal, even if only another version
/// is compared.
pub(super) struct Original {
    /// The measure without cutoff.
    pub(super) name: String,
    /// The mean of all systems and cutoffs on each query.
    pub(super) real: Vec<f64>,
    /// E/U of each query at each cutoff; NaN if undefined.
    pub(super) expected: Vec<Vec<f64>>,
}

impl Classes {
    /// Whether the settings ask for classes.
    pub fn any(&self) -> bool {
        *self != Classes::default()
    }

    pub(super) fn check(&self) -> Result<(), ParamError> {
        let fault = |what: &str| Err(ParamError::new("classes", what.to_owned()));
        let ways = [self.file.is_some(), self.quantiles.is_some(), self.sets.is_some()];
        match ways.iter().filter(|&&way| way).count() {
            0 if self.any() => fault("needs `file`, `quantiles` or `sets`"),
            2.. => fault("has several keys of `file`, `quantiles` and `sets`: give only one key"),
            _ if self.quantiles.is_some_and(|parts| parts < 2) => fault("needs `quantiles` of at least 2"),
            _ if self.sets == Some(0) => fault("needs `sets` of at least 1"),
            _ if self.by.is_some() && self.file.is_some() => {
                fault("has `by`, but `file` needs no `by`: leave out `by`")
            }
            _ => Ok(()),
        }
    }

    /// Classes the queries of a data set. `original` is given if the values come from rankings.
    pub(super) fn of(
        &self,
        scores: &Scores,
        undefined: Undefined,
        original: Option<&Original>,
        cx: &StudyContext<'_>,
    ) -> Result<Classed, StudyError> {
        let mut classed = if let Some(file) = &self.file {
            from_file(file, scores, cx)?
        } else if let Some(parts) = self.quantiles {
            quantiles(parts, scores, self.by(scores)?)?
        } else if let Some(size) = self.sets {
            sets(size, self.by(scores)?, undefined, original)?
        } else {
            Classed { classes: Vec::new(), notes: Vec::new(), input: None }
        };
        let small: Vec<Class> = classed.classes.extract_if(.., |class| class.queries.len() < 2).collect();
        for class in small {
            classed.notes.push(format!(
                "class {} has {}, too few to compare on",
                class.name,
                counted(class.queries.len(), "query")
            ));
        }
        Ok(classed)
    }

    /// The measure for `quantiles` and `sets`.
    pub(super) fn by<'a>(&self, scores: &'a Scores) -> Result<&'a ScoredMeasure, StudyError> {
        let Some(name) = &self.by else { return Ok(&scores.measures[0]) };
        let known = || scores.measures.iter().map(|measure| measure.name.as_str());
        scores.measures.iter().find(|measure| measure.name == *name).ok_or_else(|| {
            let near = nearest(name, known()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            StudyError::Input(format!(
                "classes are by `{name}`, but the measures are {}{near}",
                known().collect::<Vec<_>>().join(", ")
            ))
        })
    }
}

/// The mean of all systems and cutoffs on each query.
fn real(measure: &ScoredMeasure, queries: usize) -> Vec<f64> {
    let all = || measure.columns.iter().flat_map(|column| &column.values);
    let count = all().count() as f64;
    (0..queries).map(|query| all().map(|values| values[query]).sum::<f64>() / count).collect()
}

fn quantiles(parts: usize, scores: &Scores, measure: &ScoredMeasure) -> Result<Classed, StudyError> {
    let all = scores.queries;
    if all < 2 * parts {
        let what = format!("{all} queries cannot be cut into {parts} classes of at least two");
        return Err(StudyError::Input(what));
    }
    let real = real(measure, all);
    let mut order: Vec<usize> = (0..all).collect();
    order.sort_by(|&a, &b| real[a].total_cmp(&real[b]));
    let class = |part: usize| {
        let own = &order[part * all / parts..(part + 1) * all / parts];
        let (first, last) = (real[own[0]], real[own[own.len() - 1]]);
        let mut queries = own.to_vec();
        queries.sort_unstable();
        let name = match (part, parts) {
            (0, _) => "hardest".to_owned(),
            (part, parts) if part + 1 == parts => "easiest".to_owned(),
            (1, 3) => "middle".to_owned(),
            (part, parts) => format!("{} of {parts}", part + 1),
        };
        (Class { name: name.clone(), queries }, format!("{name} {first:.3} to {last:.3}"))
    };
    let (classes, ranges): (Vec<Class>, Vec<String>) = (0..parts).map(class).unzip();
    let note = format!("classes of queries: by the mean {} of all systems: {}", measure.name, ranges.join(", "));
    Ok(Classed { classes, notes: vec![note], input: None })
}

fn sets(
    size: usize,
    measure: &ScoredMeasure,
    undefined: Undefined,
    original: Option<&Original>,
) -> Result<Classed, StudyError> {
    let Some(Original { name, real, expected }) = original else {
        return Err(StudyError::Input(format!(
            "the values of {} have no E/U for the classes uninformative and ideal; give qrels with runs \
                or LETOR data with scores, or class queries by a file or by quantiles",
            measure.name
        )));
    };
    let queries = real.len();
    if size > queries {
        return Err(StudyError::Input(format!("`sets` asks for {size} of {}", counted(queries, "query"))));
    }
    if expected.iter().flatten().all(|value| value.is_nan()) {
        return Err(StudyError::Input(format!(
            "`{name}` has no expected value E on any query, and the classes uninformative and ideal are chosen by E/U; \
                class queries by a file or by quantiles"
        )));
    }
    let mut lacking = 0;
    let differences = real.iter().zip(expected).map(|(real, of_columns)| {
        lacking += usize::from(of_columns.iter().all(|value| value.is_nan()));
        let settled = of_columns.iter().filter_map(|&value| settle(value, undefined));
        let (sum, count) = settled.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        if count > 0.0 { rounding::difference(*real, sum / count) } else { 0.0 }
    });
    let differences: Vec<f64> = differences.collect();
    let least = |key: fn(f64) -> f64| {
        let mut order: Vec<usize> = (0..queries).collect();
        order.sort_by(|&a, &b| key(differences[a]).total_cmp(&key(differences[b])));
        order.truncate(size);
        order.sort_unstable();
        order
    };
    let classes = vec![
        Class { name: "uninformative".to_owned(), queries: least(f64::abs) },
        Class { name: "ideal".to_owned(), queries: least(|difference| -difference) },
    ];
    let both = classes[0].queries.iter().filter(|query| classes[1].queries.contains(query)).count();
    let note = format!(
        "classes of queries: by the mean {name} of all systems less E/U; {} {} in both sets, {lacking} {} no E/U and \
            the difference 0",
        counted(both, "query"),
        which(both, "is", "are"),
        which(lacking, "has", "have")
    );
    Ok(Classed { classes, notes: vec![note], input: None })
}

fn from_file(file: &Path, scores: &Scores, cx: &StudyContext<'_>) -> Result<Classed, StudyError> {
    let path = cx.find(file)?;
    let text = fivefold_data::input::read_text(&path, MOST_TEXT)
        .map_err(|error| StudyError::Input(format!("cannot read {}: {error}", path.display())))?;
    let places: BTreeMap<&str, usize> = scores.query_ids.iter().map(String::as_str).zip(0..).collect();
    let mut classes: Vec<Class> = Vec::new();
    let mut unknown = 0;
    for (line, text) in (1..).zip(text.lines().map(str::trim)) {
        if text.is_empty() || text.starts_with('#') || (line == 1 && is_head(text)) {
            continue;
        }
        let fault = |what: String| Err(StudyError::Input(format!("{}:{line}: {what}", path.display())));
        let Some((query, name)) = split(text) else {
            return fault(format!("`{text}` is not a query and its class, parted by a comma, a tab or a blank"));
        };
        let Some(&query) = places.get(query) else {
            unknown += 1;
            continue;
        };
        let place = classes.iter().position(|class| class.name == name).unwrap_or_else(|| {
            classes.push(Class { name: name.to_owned(), queries: Vec::new() });
            classes.len() - 1
        });
        if classes[place].queries.contains(&query) {
            return fault(format!("query `{}` stands in class `{name}` already", scores.query_ids[query]));
        }
        classes[place].queries.push(query);
    }
    if classes.is_empty() {
        let what = format!("{} has no class for any of the {} queries", path.display(), scores.queries);
        return Err(StudyError::Input(format!("{what}; a line is `query,class`, with ids as in the values")));
    }
    classes.iter_mut().for_each(|class| class.queries.sort_unstable());
    let none = (0..scores.queries).filter(|query| !classes.iter().any(|class| class.queries.contains(query))).count();
    let note = format!(
        "classes of queries: by {}; {none} of {} {} in no class, {unknown} of its lines {} about other queries",
        file.display(),
        counted(scores.queries, "query"),
        which(none, "is", "are"),
        which(unknown, "is", "are")
    );
    Ok(Classed { classes, notes: vec![note], input: Some(input(&file.display().to_string(), &path)?) })
}

/// Whether the first line names the columns.
fn is_head(text: &str) -> bool {
    split(text).is_some_and(|(query, _)| ["query", "topic", "qid", "query_id"].contains(&query.to_lowercase().as_str()))
}

fn split(text: &str) -> Option<(&str, &str)> {
    let (query, class) =
        text.split_once(',').or_else(|| text.split_once('\t')).or_else(|| text.split_once(char::is_whitespace))?;
    let (query, class) = (query.trim(), class.trim());
    (!query.is_empty() && !class.is_empty()).then_some((query, class))
}
