//! The conventions under which values per query were computed. A results folder of fivefold names
//! them; files of other programs do not.

use fivefold_base::words::list;
use fivefold_metrics::conventions::{RULES, Rule};
use fivefold_metrics::{Conventions, FoldMean, Undefined};
use fivefold_results::Manifest;

/// A source of values, and its conventions.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// The results folder or file, as the settings name it.
    pub source: String,
    /// The conventions as lines under the tables of a run; empty if the study computes the values
    /// itself.
    pub lines: Vec<String>,
    /// The same conventions, for comparisons.
    pub conventions: Conventions,
}

impl Computed {
    /// The conventions of the values of a run.
    pub fn by_run(source: String, manifest: &Manifest) -> Self {
        let conventions = manifest.experiment.evaluation.conventions.clone();
        Computed { source, lines: manifest.conventions_and_errors(), conventions }
    }

    /// The conventions in words, for the notes of tables.
    pub fn in_words(&self) -> Option<String> {
        let Computed { source, lines, .. } = self;
        (!lines.is_empty()).then(|| format!("values of {source} were computed under {}", lines.join("; ")))
    }

    /// A note if the study treats undefined values or folds differently from the run.
    pub fn otherwise_here(&self, undefined: Undefined, some_undefined: bool) -> Option<String> {
        let other_undefined = some_undefined && self.conventions.undefined != undefined;
        let differing = [
            other_undefined.then(|| format!("undefined values: {undefined}, not {}", self.conventions.undefined)),
            (self.conventions.fold_mean != FoldMean::Queries)
                .then(|| format!("mean over: {}, not {}", FoldMean::Queries, self.conventions.fold_mean)),
        ];
        let differing: Vec<String> = differing.into_iter().flatten().collect();
        let own = !self.lines.is_empty() && !differing.is_empty();
        own.then(|| format!("MEANS ARE NOT THOSE OF {}: here {}", self.source, differing.join("; ")))
    }
}

/// The conventions in which values of different sources differ, each with its sources. Conventions
/// that affect means alone are left out, because the study makes the means.
pub fn differences(all: &[&Computed]) -> Option<String> {
    let differing = |rule: &Rule| {
        let mut choices: Vec<(String, Vec<&str>)> = Vec::new();
        for computed in all {
            let choice = rule.value(&computed.conventions);
            match choices.iter_mut().find(|(known, _)| *known == choice) {
                Some((_, sources)) if sources.contains(&computed.source.as_str()) => {}
                Some((_, sources)) => sources.push(&computed.source),
                None => choices.push((choice, vec![&computed.source])),
            }
        }
        let each = choices.iter().map(|(choice, sources)| format!("{choice} in {}", list(sources)));
        (choices.len() > 1).then(|| format!("{} {}", rule.name, each.collect::<Vec<_>>().join(", ")))
    };
    let of_values = RULES.iter().filter(|rule| !["undefined", "fold_mean"].contains(&rule.name));
    let found: Vec<String> = of_values.filter_map(differing).collect();
    (!found.is_empty()).then(|| format!("CONVENTIONS DIFFER between values that are compared: {}", found.join("; ")))
}

#[cfg(test)]
mod tests {
    use fivefold_metrics::dialect;

    use super::*;

    fn computed(source: &str, name: &str) -> Computed {
        let found = dialect(name).unwrap();
        let conventions = found.conventions();
        Computed { source: source.to_owned(), lines: vec![found.describe(&conventions)], conventions }
    }

    #[test]
    fn conventions_that_differ_are_named_with_who_has_which() {
        let (a, b) = (computed("a", "paper"), computed("b", "paper"));
        assert_eq!(differences(&[&a, &b]), None);
        let mut c = computed("c", "paper");
        c.conventions.threshold = 2;
        c.conventions.undefined = Undefined::Skip;
        let said = "CONVENTIONS DIFFER between values that are compared: threshold 1 in a and b, 2 in c";
        assert_eq!(differences(&[&a, &b, &c, &a]).unwrap(), said);
        assert_eq!(a.in_words().unwrap(), "values of a were computed under dialect: paper");
    }

    #[test]
    fn what_is_done_here_and_not_in_the_run_is_said() {
        let mut run = computed("runs/x", "paper");
        assert_eq!(run.otherwise_here(run.conventions.undefined, true), None);
        run.conventions.undefined = Undefined::Skip;
        assert_eq!(run.otherwise_here(Undefined::Zero, false), None);
        run.conventions.fold_mean = FoldMean::Folds;
        assert_eq!(
            run.otherwise_here(Undefined::Zero, true).unwrap(),
            "MEANS ARE NOT THOSE OF runs/x: here undefined values: zero, not skip; mean over: queries, not folds"
        );
        let ours = Computed { lines: Vec::new(), ..run };
        assert_eq!((ours.in_words(), ours.otherwise_here(Undefined::Zero, true)), (None, None));
    }
}
