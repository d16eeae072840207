//! The measure of the question under each dialect, and the rules that make the difference.

use fivefold_metrics::attribution::{ScoredQuery, attribute};
use fivefold_metrics::{Conventions, DIALECTS, Dialect, MeasureError, MeasureSpec};
use serde::Serialize;

use crate::list::{HIGHEST_GRADE, seed, value};

/// One dialect.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The dialect in a line.
    pub summary: &'static str,
    /// The value; `None` if it is undefined.
    pub value: Option<f64>,
    /// How a mean counts an undefined value: `zero`, `one` or `skip`.
    pub undefined: &'static str,
    /// The rules that alter the value, against the dialect of the question. Rules that only alter a
    /// mean are left out.
    pub rules: Vec<Rule>,
}

/// A rule in which two dialects differ.
#[derive(Debug, Serialize)]
pub struct Rule {
    /// Its name in experiment files.
    pub rule: &'static str,
    /// The choice of the dialect of the question.
    pub ours: String,
    /// The choice of the other dialect.
    pub theirs: String,
}

/// All dialects, in the order of the program.
///
/// # Errors
/// As [`value`].
pub fn rows(spec: &MeasureSpec, conventions: &Conventions, query: &ScoredQuery<'_>) -> Result<Vec<Row>, MeasureError> {
    DIALECTS.iter().map(|dialect| row(spec, conventions, dialect, query)).collect()
}

fn row(
    spec: &MeasureSpec,
    conventions: &Conventions,
    dialect: &Dialect,
    query: &ScoredQuery<'_>,
) -> Result<Row, MeasureError> {
    let theirs = dialect.conventions();
    // How a mean counts an undefined value is told beside it, and is no difference of the values.
    let compared = Conventions { undefined: conventions.undefined, ..theirs.clone() };
    let sides = [std::slice::from_ref(query); 2];
    let found = attribute(spec, [conventions, &compared], HIGHEST_GRADE, seed(), sides)?;
    let rules = found.rules.into_iter().filter(|effect| effect.affects.contains(&true)).map(|effect| {
        let [ours, theirs] = effect.choices;
        Rule { rule: effect.rule, ours, theirs }
    });
    Ok(Row {
        name: dialect.name,
        summary: dialect.summary,
        value: value(spec, &theirs, query)?,
        undefined: theirs.undefined.word(),
        rules: rules.collect(),
    })
}
