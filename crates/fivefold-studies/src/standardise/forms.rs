//! The forms of a measure that are compared: raw, U-normalised, UE-normalised (V1, V2),
//! standardised, linear.
//!
//! - U-normalised: the value divided by the value of the ideal order of the query's judged
//!   documents. So DCG becomes nDCG, and SP becomes SP/min(k, Np). A query with the ideal value 0
//!   has no such value.
//! - V1 and V2: the registered versions, with U and E by the conventions of the study.
//!
//! Values of other programs have the raw form. If the table has columns of these names, V1 and V2
//! are forms too.

use fivefold_analysis::slug;
use fivefold_base::words::nearest;
use fivefold_base::words::{counted, which};
use fivefold_core::Seed;
use fivefold_data::per_query::SystemValues;
use fivefold_metrics::{Conventions, MeasureSpec, Version, spelling};
use fivefold_stats::matrix::Matrix;

use super::factors::{Factors, Linear, normal, z_scores};
use crate::study::StudyError;
use crate::systems::{Content, RankedSystems};

/// The default measures of rankings.
const DEFAULT_MEASURES: [&str; 2] = ["dcg@10", "sp@10"];

/// Scores of one form.
#[derive(Debug, Clone)]
pub struct Form {
    /// The name in tables.
    pub name: &'static str,
    /// The scores of all systems for all queries; NaN if undefined.
    pub matrix: Matrix,
}

/// A measure in all its forms.
#[derive(Debug, Clone)]
pub struct MeasureForms {
    /// The raw measure.
    pub measure: String,
    /// The conventions of the measure, a line each.
    pub conventions: Vec<String>,
    /// Names of the systems.
    pub systems: Vec<String>,
    /// Ids of the queries.
    pub queries: Vec<String>,
    /// The forms; the raw form is first.
    pub forms: Vec<Form>,
    /// Factors of the queries; `None` until they are known.
    pub factors: Option<Factors>,
    /// The queries for which every form of every system has a value.
    pub common: Vec<usize>,
}

/// Names of the forms.
pub const RAW: &str = "raw";
/// See [`RAW`].
pub const STANDARDISED: &str = "standardised";
/// See [`RAW`].
pub const LINEAR: &str = "linear";
const U_NORMALISED: &str = "U-normalised";
const VERSIONS: [(Version, &str); 2] = [(Version::V1, "V1"), (Version::V2, "V2")];

/// The families of these measures. Without a measure, all families that make sense.
///
/// # Errors
/// An unknown measure, or a measure that does not suit the data.
pub fn families(
    content: &Content,
    measures: &[String],
    conventions: &Conventions,
) -> Result<Vec<MeasureForms>, StudyError> {
    let defaults = || DEFAULT_MEASURES.map(str::to_owned).to_vec();
    match content {
        Content::Rankings(ranked) => {
            let measures = if measures.is_empty() { defaults() } else { measures.to_vec() };
            measures.iter().map(|measure| of_rankings(ranked, measure, conventions)).collect()
        }
        Content::Values(values) => {
            let measures = if measures.is_empty() { originals(values) } else { measures.to_vec() };
            measures.iter().map(|measure| of_values(values, measure)).collect()
        }
    }
}

fn of_rankings(ranked: &RankedSystems, measure: &str, conventions: &Conventions) -> Result<MeasureForms, StudyError> {
    let spelling::Reading { spec, note } = spelling::read(measure, conventions)?;
    if spec.version() != Version::Original {
        let what = format!("`{measure}` is a version already: give `{}`, all forms of which are compared", spec.base());
        return Err(StudyError::Input(what));
    }
    let specs: Vec<MeasureSpec> =
        std::iter::once(spec.clone()).chain(VERSIONS.map(|(version, _)| spec.with_version(version))).collect();
    let evaluator = ranked.evaluator(&specs, conventions, Seed::new(0))?;
    let values = ranked.values(&evaluator)?;
    let ideal = ranked.ideal_values(&specs[..1], conventions)?;
    let matrix = |column: usize| matrix(&values, column);
    let raw = matrix(0);
    let share = raw.map(|query, value| if ideal[0][query] > 0.0 { value / ideal[0][query] } else { f64::NAN });
    let mut forms = vec![Form { name: RAW, matrix: raw }, Form { name: U_NORMALISED, matrix: share }];
    forms.extend((1..).zip(VERSIONS).map(|(column, (_, name))| Form { name, matrix: matrix(column) }));
    Ok(MeasureForms {
        measure: spec.to_string(),
        conventions: note.into_iter().chain(evaluator.describe()).collect(),
        systems: values.systems,
        queries: values.queries,
        forms,
        factors: None,
        common: Vec::new(),
    })
}

/// The columns that are not a UE version of a measure.
fn originals(values: &SystemValues) -> Vec<String> {
    let is_version = |name: &str| name.parse().is_ok_and(|spec: MeasureSpec| spec.version() != Version::Original);
    values.measures.iter().filter(|name| !is_version(name)).cloned().collect()
}

fn of_values(values: &SystemValues, measure: &str) -> Result<MeasureForms, StudyError> {
    let column = |name: &str| values.measures.iter().position(|other| other == name);
    let Some(raw) = column(measure) else {
        let known = || values.measures.iter().map(String::as_str);
        let help = nearest(measure, known()).map_or_else(
            || format!("there are {}", known().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(StudyError::Input(format!("the values have no measure `{measure}`; {help}")));
    };
    let mut forms = vec![Form { name: RAW, matrix: matrix(values, raw) }];
    if let Ok(spec) = measure.parse::<MeasureSpec>() {
        let versions = VERSIONS.map(|(version, name)| (column(&spec.with_version(version).to_string()), name));
        let found = versions.into_iter().filter_map(|(column, name)| Some((column?, name)));
        forms.extend(found.map(|(column, name)| Form { name, matrix: matrix(values, column) }));
    }
    Ok(MeasureForms {
        measure: measure.to_owned(),
        conventions: Vec::new(),
        systems: values.systems.clone(),
        queries: values.queries.clone(),
        forms,
        factors: None,
        common: Vec::new(),
    })
}

fn matrix(values: &SystemValues, measure: usize) -> Matrix {
    let all = (0..values.systems.len()).flat_map(|system| values.of(measure, system).iter().copied()).collect();
    Matrix { queries: values.queries.len(), values: all }
}

impl MeasureForms {
    /// The raw scores.
    pub fn raw(&self) -> &Matrix {
        &self.forms[0].matrix
    }

    /// Computes factors from these systems, or from all systems if no name is given.
    ///
    /// # Errors
    /// A name that no system has, or fewer than two systems.
    pub fn standardise(&mut self, names: &[String]) -> Result<(), StudyError> {
        let chosen = match names {
            [] => self.systems.clone(),
            names => names.to_vec(),
        };
        if let Some(name) = chosen.iter().find(|name| !self.systems.contains(name)) {
            let near = nearest(name, self.systems.iter().map(String::as_str));
            let help = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(StudyError::Input(format!("`standardising` names `{name}`, which is no system{help}")));
        }
        if chosen.len() < 2 {
            let what = "standardisation needs at least two standardising systems";
            return Err(StudyError::Input(format!("{what}, and there is {}", chosen.len())));
        }
        let matrix = self.of_systems(&chosen);
        self.factors = Some(Factors::of(&matrix, &self.measure, &self.conventions, &chosen, &self.queries));
        Ok(())
    }

    /// Takes factors of other systems.
    ///
    /// # Errors
    /// Factors under other conventions, or without any of the queries.
    pub fn apply(&mut self, factors: Factors) -> Result<(), StudyError> {
        let wrong = |what: &str| Err(StudyError::Input(format!("the factors of {} {what}", self.measure)));
        if factors.conventions != self.conventions {
            return wrong("were computed under other conventions than these scores");
        }
        if factors.of_queries(&self.queries).iter().all(Option::is_none) {
            return wrong("are about other queries: no query here has factors");
        }
        self.factors = Some(factors);
        Ok(())
    }

    /// Adds the standardised forms, and finds the queries for which all forms have a value.
    ///
    /// # Errors
    /// Fewer than four such queries, since halves of them cannot be compared.
    pub fn add_standardised(&mut self, linear: Linear) -> Result<(), StudyError> {
        let Some(factors) = &self.factors else { return Ok(()) };
        let z = z_scores(self.raw(), &factors.of_queries(&self.queries));
        self.forms.push(Form { name: STANDARDISED, matrix: z.map(|_, z| normal(z)) });
        self.forms.push(Form { name: LINEAR, matrix: z.map(|_, z| linear.at(z)) });
        let is_common = |query: &usize| self.forms.iter().all(|form| form.matrix.is_defined(*query));
        self.common = (0..self.queries.len()).filter(is_common).collect();
        if self.common.len() < 4 {
            let what = format!(
                "{} of {} {} a value in every form",
                counted(self.common.len(), "query"),
                self.measure,
                which(self.common.len(), "has", "have")
            );
            return Err(StudyError::Input(format!("{what}; at least 4 are needed to compare halves of them")));
        }
        Ok(())
    }

    /// Raw scores of the standardising systems that are among these systems, for queries with
    /// factors.
    pub fn standardising_matrix(&self) -> Matrix {
        let Some(factors) = &self.factors else { return self.raw().clone() };
        let names: Vec<String> = factors.systems.iter().filter(|name| self.systems.contains(name)).cloned().collect();
        let known = factors.of_queries(&self.queries);
        let queries: Vec<usize> = (0..self.queries.len()).filter(|&query| known[query].is_some()).collect();
        self.of_systems(&names).select(&queries)
    }

    fn of_systems(&self, names: &[String]) -> Matrix {
        let own = names.iter().filter_map(|name| self.systems.iter().position(|other| other == name));
        let values = own.flat_map(|system| self.raw().system(system).iter().copied()).collect();
        Matrix { queries: self.queries.len(), values }
    }

    /// The name and the text of the file of factors.
    pub fn factor_file(&self) -> (String, String) {
        let text = self.factors.as_ref().map_or_else(String::new, Factors::text);
        (format!("factors/{}.json", slug(&self.measure)), text)
    }
}
