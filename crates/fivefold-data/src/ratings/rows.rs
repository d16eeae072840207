//! Ratings in rows and in SummEval's files.

use std::collections::{HashMap, HashSet};

use fivefold_base::words::list_some;
use serde_json::Value;

use super::{Rating, RatingOptions, Ratings, Record, Wrong, object, records};
use crate::per_query::ITEM;

/// Names of the column of raters.
pub(super) const RATER: [&str; 4] = ["rater", "annotator", "rater_id", "annotator_id"];
/// Names of the columns of ratings, if each row has one.
const RATING: [&str; 2] = ["rating", "value"];
/// The end of the names of SummEval's files, after the name of the system.
const SUMMEVAL_FILE: &str = "_outputs_annotations";
/// The dimension of a file that names none.
const ONLY: &str = "rating";

/// Names in the order of their first appearance.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

impl Names {
    fn place(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

/// Collects ratings in any order.
#[derive(Default)]
pub(super) struct Collected {
    /// Dimensions, systems, items, raters.
    names: [Names; 4],
    all: Vec<Rating>,
    known: HashSet<[usize; 4]>,
    pub(super) missing: usize,
}

impl Collected {
    /// Adds a rating under the names of dimension, system, item and rater.
    pub(super) fn add(&mut self, names: [&str; 4], value: f64) -> Result<(), String> {
        let mut place = [0; 4];
        self.names.iter_mut().zip(names).zip(&mut place).for_each(|((known, name), place)| *place = known.place(name));
        if !self.known.insert(place) {
            let [dimension, system, item, rater] = names;
            let by = if rater.is_empty() {
                "; a column `rater` tells raters apart".to_owned()
            } else {
                format!(" by rater `{rater}`; remove one")
            };
            return Err(format!("item `{item}` has a second rating of `{system}` in {dimension}{by}"));
        }
        let [dimension, system, item, rater] = place;
        self.all.push(Rating { dimension, system, item, rater, value });
        Ok(())
    }

    /// Adds a rating as it is written.
    fn add_text(&mut self, names: [&str; 4], text: &str) -> Result<(), String> {
        match number(text) {
            Ok(Some(value)) => self.add(names, value),
            Ok(None) => {
                self.missing += 1;
                // A dimension whose ratings are all missing is a dimension.
                self.names.iter_mut().zip(names).for_each(|(known, name)| {
                    known.place(name);
                });
                Ok(())
            }
            Err(()) => {
                let found: String = text.escape_debug().take(40).collect();
                Err(format!("the rating of {} is `{found}`, not a number; leave it empty if it is missing", names[0]))
            }
        }
    }

    pub(super) fn ratings(self) -> Ratings {
        let [dimensions, systems, items, raters] = self.names.map(|names| names.names);
        Ratings { dimensions, systems, items, raters, all: self.all, missing: self.missing }
    }
}

/// The number of a text; `None` if it says that there is none.
fn number(text: &str) -> Result<Option<f64>, ()> {
    let missing = ["", "nan", "na", "null", "none"];
    if missing.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(None);
    }
    match fast_float2::parse::<f64, _>(text) {
        Ok(value) if value.is_finite() => Ok(Some(value)),
        _ => Err(()),
    }
}

/// Parses the ratings of a file of this name.
pub(super) fn parse(text: &str, file: &str, options: &RatingOptions) -> Result<Ratings, Wrong> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let system = options.system.as_deref().unwrap_or_else(|| file.strip_suffix(SUMMEVAL_FILE).unwrap_or(file));
    if first.trim_start().starts_with('{') && first.contains("_annotations\"") {
        return summeval(text, system, options);
    }
    let mut collected = Collected::default();
    for record in records(text)? {
        let line = record.line;
        row(record, options.system.as_deref(), &mut collected).map_err(|message| (line, message))?;
    }
    finished(collected)
}

fn finished(collected: Collected) -> Result<Ratings, Wrong> {
    let ratings = collected.ratings();
    if ratings.all.is_empty() {
        return Err((0, "has no rating, as all ratings are missing; check the columns".to_owned()));
    }
    Ok(ratings)
}

/// Adds the ratings of a row.
fn row(mut record: Record, system: Option<&str>, collected: &mut Collected) -> Result<(), String> {
    let columns =
        |record: &Record| list_some(&record.cells.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>());
    let found = columns(&record);
    let Some(item) = record.take(&ITEM) else {
        return Err(format!("there is no column `item` (or {}); the columns are {found}", ITEM[1..].join(", ")));
    };
    let Some(own) = record.take(&["system", "model_id", "model"]).or_else(|| system.map(str::to_owned)) else {
        return Err(format!("there is no column `system`; the columns are {found}"));
    };
    let rater = record.take(&RATER).unwrap_or_default();
    let dimension = record.take(&["dimension"]);
    if let Some(dimension) = dimension {
        let Some(rating) = record.take(&RATING) else {
            return Err(format!("there is a column `dimension` but no `rating`; the columns are {found}"));
        };
        if !record.cells.is_empty() {
            return Err(format!(
                "beside item, system, rater, dimension and rating stand {}; remove them",
                columns(&record)
            ));
        }
        return collected.add_text([&dimension, &own, &item, &rater], &rating);
    }
    if record.cells.is_empty() {
        return Err(format!("there is no column of ratings; the columns are {found}"));
    }
    for (name, text) in &record.cells {
        let name = if record.cells.len() == 1 && RATING.contains(&name.as_str()) { ONLY } else { name };
        collected.add_text([name, &own, &item, &rater], text)?;
    }
    Ok(())
}

/// Parses a file of SummEval: lines of JSON with lists of annotations.
fn summeval(text: &str, system: &str, options: &RatingOptions) -> Result<Ratings, Wrong> {
    let mut collected = Collected::default();
    let key = options.group.key();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let object = object(text, line)?;
        let text_of = |name: &str| object.get(name).and_then(Value::as_str);
        let Some(item) = text_of("id") else { return Err((line, "there is no text `id`".to_owned())) };
        let own = text_of("model_id").unwrap_or(system);
        let Some(annotations) = object.get(key).and_then(Value::as_array) else {
            return Err((line, format!("there is no list `{key}`; the group of raters is `expert` or `crowd`")));
        };
        for (rater, annotation) in (1..).zip(annotations) {
            let Some(annotation) = annotation.as_object() else {
                return Err((line, format!("an entry of `{key}` is no object of dimensions and ratings")));
            };
            for (dimension, rating) in annotation {
                let text = match rating {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let names = [dimension.as_str(), own, item, &rater.to_string()];
                collected.add_text(names, &text).map_err(|message| (line, message))?;
            }
        }
    }
    finished(collected)
}
