//! The measure of the question under each rule for documents of equal score.

use fivefold_metrics::attribution::ScoredQuery;
use fivefold_metrics::{Conventions, Explanation, MeasureError, MeasureSpec, Ties};
use serde::Serialize;

use crate::list::explain;

/// One rule.
#[derive(Debug, Serialize)]
pub struct Rule {
    /// Its word in experiment files.
    pub ties: &'static str,
    /// Whether it is that of the dialect.
    pub in_force: bool,
    /// The ranking: groups of rows, from 0. A group has several rows if it shares its positions.
    pub order: Vec<Vec<usize>>,
    /// The value; `None` if it is undefined.
    pub value: Option<f64>,
}

/// All rules, in the order of the program.
///
/// # Errors
/// As [`explain`].
pub fn rules(
    spec: &MeasureSpec,
    conventions: &Conventions,
    query: &ScoredQuery<'_>,
) -> Result<Vec<Rule>, MeasureError> {
    let under = |word: &&'static str| {
        let ties: Ties = word.parse()?;
        let own = explain(spec, &Conventions { ties, ..conventions.clone() }, query)?;
        Ok(Rule { ties: word, in_force: ties == conventions.ties, order: groups(&own), value: own.value })
    };
    Ties::WORDS.iter().map(under).collect()
}

/// The rows of the ranking, tie group by tie group.
fn groups(explained: &Explanation) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut rest = explained.ranking.as_slice();
    while let Some(first) = rest.first() {
        let (own, after) = rest.split_at(first.tied.clamp(1, rest.len()));
        let mut rows: Vec<usize> = own.iter().map(|position| position.row).collect();
        rows.sort_unstable();
        groups.push(rows);
        rest = after;
    }
    groups
}
