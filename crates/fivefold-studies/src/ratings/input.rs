//! The input: values of measures, ratings, preferences, and what they share.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_base::words::{counted, nearest, which};
use fivefold_data::ratings::{self as reader, Preference, RatingError, RatingOptions, Ratings as Read};

use super::Ratings;
use crate::compare::scores::{self, Column, Scores, original_name};
use crate::study::{Input as Hashed, StudyContext, StudyError};
use crate::systems::config::{Named, expand, inputs};

/// Everything that the study reads.
pub(super) struct Input {
    /// The values of the measures: all systems and queries that count.
    pub(super) scores: Scores,
    /// The measures, each cutoff for itself.
    pub(super) measures: Vec<Measure>,
    /// All ratings as they were read; none if there are preferences alone.
    pub(super) ratings: Read,
    /// The dimensions of the study.
    pub(super) dimensions: Vec<Dimension>,
    /// The preferences about systems and items of the values.
    pub(super) preferences: Vec<Placed>,
    /// The files that were read.
    pub(super) inputs: Vec<Hashed>,
    /// Remarks for a reader: conventions, counts of what was left out.
    pub(super) notes: Vec<String>,
}

/// A preference about two systems on an item. Numbers are places in the values.
pub(super) struct Placed {
    pub(super) item: usize,
    pub(super) systems: [usize; 2],
    /// 1 if people prefer the first system, -1 if they prefer the second, and 0 for a tie.
    pub(super) preferred: i64,
}

/// A measure with its values.
pub(super) struct Measure {
    pub(super) name: String,
    /// The place of the measure to which differences are taken.
    pub(super) original: Option<usize>,
    /// `[system][item]`, all finite.
    pub(super) values: Vec<f64>,
}

/// A dimension with the mean ratings of systems and items of the values.
pub(super) struct Dimension {
    pub(super) name: String,
    /// The place among the dimensions of the ratings.
    pub(super) place: usize,
    /// `[system][item]`; NaN without a rating.
    pub(super) means: Vec<f64>,
    /// Pairs of a rated system and a rated item without a rating under this dimension.
    pub(super) without: usize,
}

fn fault<T>(what: impl Into<String>) -> Result<T, StudyError> {
    Err(StudyError::Input(what.into()))
}

fn unreadable(error: RatingError) -> StudyError {
    StudyError::Input(error.to_string())
}

impl Input {
    pub(super) fn read(study: &Ratings, cx: &StudyContext<'_>) -> Result<Self, StudyError> {
        let mut datasets = scores::read(&study.as_compare(), cx)?;
        let Some(dataset) = datasets.pop().filter(|_| datasets.is_empty()) else {
            return fault("the results folder has several data sets; choose one with `results_dataset`");
        };
        let mut input = Input {
            measures: measures(study, &dataset.scores)?,
            notes: dataset.scores.notes.clone(),
            scores: dataset.scores,
            ratings: Read::default(),
            dimensions: Vec::new(),
            preferences: Vec::new(),
            inputs: dataset.inputs,
        };
        let files = expand(cx, &study.ratings.files)?;
        if !files.is_empty() {
            input.ratings = ratings(study, &files)?;
            input.dimensions(study)?;
        }
        let preferences = expand(cx, &study.ratings.preferences)?;
        if !preferences.is_empty() {
            input.preferences(&preferences)?;
        }
        input.inputs.extend(inputs(&files)?);
        input.inputs.extend(inputs(&preferences)?);
        Ok(input)
    }

    /// Takes the mean ratings of the systems and items that the values have.
    fn dimensions(&mut self, study: &Ratings) -> Result<(), StudyError> {
        let (systems, items) = (&self.scores.systems, &self.scores.query_ids);
        let shared = |own: &[String], other: &[String]| {
            let other: BTreeSet<&String> = other.iter().collect();
            own.iter().filter(|name| other.contains(name)).count()
        };
        for (what, own, values) in [("system", &self.ratings.systems, systems), ("item", &self.ratings.items, items)] {
            let both = shared(own, values);
            let needed = if what == "system" { 2 } else { 1 };
            if both < needed {
                let first = |names: &[String]| names.first().cloned().unwrap_or_default();
                return fault(format!(
                    "ratings and values share {}, but at least {needed} must be shared: the ratings have `{}`, \
                     the values `{}`; \
                     names must be equal",
                    counted(both, what),
                    first(own),
                    first(values)
                ));
            }
            let (of_ratings, of_values) = (own.len() - both, values.len() - both);
            if of_ratings > 0 {
                let is = which(of_ratings, "has", "have");
                self.notes.push(format!("{} of the ratings {is} no values", counted(of_ratings, what)));
            }
            if of_values > 0 {
                let is = which(of_values, "has", "have");
                self.notes.push(format!("{} of the values {is} no ratings", counted(of_values, what)));
            }
        }
        if self.ratings.missing > 0 {
            let are = which(self.ratings.missing, "is", "are");
            self.notes.push(format!("{} {are} missing in the files", counted(self.ratings.missing, "rating")));
        }
        let rated = shared(systems, &self.ratings.systems) * shared(items, &self.ratings.items);
        for name in chosen(study, &self.ratings)? {
            let Some(place) = self.ratings.dimensions.iter().position(|other| *other == name) else {
                let known = || self.ratings.dimensions.iter().map(String::as_str);
                let help = nearest(&name, known()).map_or_else(
                    || format!("there are {}", known().collect::<Vec<_>>().join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                return fault(format!("the ratings have no dimension `{name}`; {help}"));
            };
            let means = self.ratings.means(place, systems, items);
            let without = rated.saturating_sub(means.iter().filter(|mean| !mean.is_nan()).count());
            self.dimensions.push(Dimension { name, place, means, without });
        }
        for dimension in self.dimensions.iter().filter(|dimension| dimension.without > 0) {
            let pairs = counted(dimension.without, "pair");
            let have = which(dimension.without, "has", "have");
            self.notes.push(format!("{pairs} of system and item {have} no rating in {}", dimension.name));
        }
        Ok(())
    }

    /// Reads the preferences about systems and items of the values.
    fn preferences(&mut self, files: &[Named]) -> Result<(), StudyError> {
        let (mut all, mut missing) = (Vec::new(), 0);
        for file in files {
            let read = reader::read_preferences(&file.path).map_err(unreadable)?;
            all.extend(read.all);
            missing += read.missing;
        }
        let first = all.first().map_or_else(String::new, |own: &Preference| {
            format!("`{}`, `{}` and `{}`", own.item, own.systems[0], own.systems[1])
        });
        let places = |names: &[String]| -> BTreeMap<String, usize> {
            names.iter().enumerate().map(|(place, name)| (name.clone(), place)).collect()
        };
        let (items, systems) = (places(&self.scores.query_ids), places(&self.scores.systems));
        let place = |own: &Preference| {
            let [a, b] = own.systems.each_ref().map(|name| systems.get(name).copied());
            let preferred = own.preferred.map_or(0, |side| if side == 0 { 1 } else { -1 });
            Some(Placed { item: *items.get(&own.item)?, systems: [a?, b?], preferred })
        };
        let (count, all) = (all.len(), all.iter().filter_map(place).collect::<Vec<_>>());
        if all.is_empty() {
            return fault(format!(
                "no preference is about an item and two systems of the values: the first is about {first}; \
                 names must be equal"
            ));
        }
        let others = count - all.len();
        if others > 0 {
            let are = which(others, "is", "are");
            self.notes.push(format!("{} {are} about items or systems without values", counted(others, "preference")));
        }
        if missing > 0 {
            let are = which(missing, "is", "are");
            self.notes.push(format!("{} {are} missing in the files", counted(missing, "preference")));
        }
        self.preferences = all;
        Ok(())
    }
}

/// The names of the study's dimensions.
fn chosen(study: &Ratings, ratings: &Read) -> Result<Vec<String>, StudyError> {
    let named = &study.ratings.dimensions;
    Ok(if named.is_empty() { ratings.dimensions.clone() } else { named.clone() })
}

/// Reads the files of ratings.
fn ratings(study: &Ratings, files: &[Named]) -> Result<Read, StudyError> {
    let group = study.group()?;
    let mut parts = Vec::with_capacity(files.len());
    for file in files {
        let options = RatingOptions { system: file.name.clone(), group };
        parts.push((file.path.clone(), reader::read(&file.path, &options).map_err(unreadable)?));
    }
    Read::join(parts).map_err(unreadable)
}

/// The measures, each with the one to which its differences are taken.
fn measures(study: &Ratings, scores: &Scores) -> Result<Vec<Measure>, StudyError> {
    let columns: Vec<&Column> = scores.measures.iter().flat_map(|measure| &measure.columns).collect();
    let place = |name: &str| columns.iter().position(|column| column.name == name);
    let against = match &study.against {
        None => None,
        Some(name) => match place(name) {
            Some(found) => Some(found),
            None => {
                let known = || columns.iter().map(|column| column.name.as_str());
                let near = nearest(name, known()).map(|near| format!("; did you mean `{near}`?"));
                return fault(format!(
                    "`against` names `{name}`, but no measure has this name{}",
                    near.unwrap_or_default()
                ));
            }
        },
    };
    let measure = |(own, column): (usize, &&Column)| Measure {
        name: column.name.clone(),
        original: against.filter(|other| *other != own).or_else(|| {
            let original = original_name(&column.name).filter(|_| study.against.is_none())?;
            place(&original)
        }),
        values: column.values.concat(),
    };
    Ok(columns.iter().enumerate().map(measure).collect())
}
