//! The data sets, rankers and measures that only one of two results folders has.

use std::collections::BTreeSet;

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::counted;
use fivefold_metrics::MeasureSpec;
use fivefold_results::Results;

use super::{COLUMN, Key};

/// Columns of values that the other side lacks, each with its side.
pub(super) struct OneSided {
    pub(super) keys: Vec<(&'static str, Key)>,
    /// The names of the data sets, rankers and measures of each side.
    names: [(&'static str, [BTreeSet<String>; 3]); 2],
}

impl OneSided {
    pub(super) fn between(sides: &[Results; 2]) -> Self {
        let [a, b] = sides.each_ref().map(keys);
        let only = |side, own: &BTreeSet<Key>, other: &BTreeSet<Key>| {
            own.difference(other).map(|key| (side, key.clone())).collect::<Vec<_>>()
        };
        let names = |keys: &BTreeSet<Key>| {
            [0, 1, 2].map(|part: usize| keys.iter().map(|key| key[part].clone()).collect::<BTreeSet<_>>())
        };
        let keys = [only("A", &a, &b), only("B", &b, &a)].concat();
        OneSided { keys, names: [("A", names(&a)), ("B", names(&b))] }
    }

    /// The notes on columns that one side lacks. One line names the data sets that only one side
    /// has, and so for rankers and measures. A last line counts the other columns.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let [a, b] = &self.names;
        for ((side, own), (_, other)) in [(a, b), (b, a)] {
            let mut rest: Vec<&Key> = self.keys.iter().filter(|(of, _)| of == side).map(|(_, key)| key).collect();
            for (part, what) in ["data set", "ranker", "measure"].into_iter().enumerate() {
                let names: Vec<&str> = own[part].difference(&other[part]).map(String::as_str).collect();
                let before = rest.len();
                rest.retain(|key| !names.contains(&key[part].as_str()));
                if before > rest.len() {
                    let columns = counted(before - rest.len(), COLUMN);
                    let what = counted(names.len(), what);
                    notes.push(format!("only {side} has {what} ({columns}): {}", names.join(", ")));
                }
            }
            if let Some(first) = rest.first() {
                let columns = counted(rest.len(), "further column of values");
                notes.push(format!("only {side} has {columns}, the first of which is {}", first.join(", ")));
            }
        }
        if !self.keys.is_empty() {
            notes.push("--json and --format csv list all columns that one side lacks".to_owned());
        }
        notes
    }

    pub(super) fn table(&self) -> Table {
        let mut all = Table::new("one-side", "Values of one side only", ["side", "data set", "ranker", "measure"], 4);
        all.rows.extend(self.keys.iter().map(|(side, key)| {
            let mut cells = vec![Cell::text(*side)];
            cells.extend(key.iter().map(Cell::text));
            cells
        }));
        all
    }
}

/// The columns of values of a folder. A ranker that failed has no columns.
fn keys(results: &Results) -> BTreeSet<Key> {
    let mut keys = BTreeSet::new();
    for dataset in &results.evaluation.datasets {
        for (name, _) in dataset.rankers.iter().zip(&dataset.failed).filter(|(_, failed)| !**failed) {
            let key = |measure: &MeasureSpec| [dataset.name.clone(), name.clone(), measure.to_string()];
            keys.extend(results.evaluation.measures.iter().map(key));
        }
    }
    keys
}
