//! Side-by-side preferences: how often a measure orders two systems as people do.
//!
//! - item level: the scores of both systems on the item of each preference;
//! - system level: for each pair of systems, the sign of preferences for one less preferences for the
//!   other, against the mean scores of both systems over all items.
//!
//! The share divides the pairs that the measure orders as people do by all pairs that people order.
//! A pair that ties under the measure is not ordered as people do, and is counted.

use std::collections::BTreeMap;

use fivefold_analysis::{Cell, Table};
use fivefold_base::rounding::gap;
use fivefold_stats::Moments;

use super::input::{Input, Measure, Placed};
use crate::study::Findings;

/// How a measure orders the pairs that people order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Orders {
    pub(super) agree: usize,
    pub(super) against: usize,
    /// Pairs that tie under the measure.
    pub(super) ties: usize,
    /// Pairs that people do not order.
    pub(super) without: usize,
}

impl Orders {
    /// Counts a pair: the preference for the first system over the second, and the difference of
    /// their scores.
    fn add(&mut self, preferred: i64, difference: f64) {
        match preferred.signum() as f64 * difference {
            _ if preferred == 0 => self.without += 1,
            product if product > 0.0 => self.agree += 1,
            product if product < 0.0 => self.against += 1,
            _ => self.ties += 1,
        }
    }

    /// The share of pairs that the measure orders as people do.
    pub(super) fn share(&self) -> Option<f64> {
        let ordered = self.agree + self.against + self.ties;
        (ordered > 0).then(|| self.agree as f64 / ordered as f64)
    }
}

/// The orders of a measure at the item level and at the system level.
pub(super) fn orders(input: &Input, measure: &Measure) -> [Orders; 2] {
    let items = input.scores.queries;
    let (mut of_items, mut of_systems) = (Orders::default(), Orders::default());
    let mut sums: BTreeMap<[usize; 2], i64> = BTreeMap::new();
    for &Placed { item, systems: [a, b], preferred } in &input.preferences {
        of_items.add(preferred, gap(measure.values[a * items + item], measure.values[b * items + item]));
        *sums.entry([a.min(b), a.max(b)]).or_default() += if a < b { preferred } else { -preferred };
    }
    let mean = |system: usize| Moments::of(&measure.values[system * items..(system + 1) * items]).mean;
    for ([a, b], preferred) in sums {
        of_systems.add(preferred, gap(mean(a), mean(b)));
    }
    [of_items, of_systems]
}

/// Adds the table and the file of preferences.
pub(super) fn add(input: &Input, findings: &mut Findings) {
    if input.preferences.is_empty() {
        return;
    }
    let (mut rows, mut of_file) = (Vec::new(), Vec::new());
    for measure in &input.measures {
        for (level, own) in ["item", "system"].into_iter().zip(orders(input, measure)) {
            let counts = [own.agree, own.against, own.ties, own.without];
            let mut row = vec![Cell::text(&measure.name), Cell::text(level), Cell::number_or_na(own.share(), 3)];
            row.extend(counts.map(Cell::count));
            rows.push(row);
            let mut row = vec![measure.name.clone(), level.to_owned()];
            row.push(own.share().map_or_else(String::new, |share| share.to_string()));
            row.extend(counts.map(|count| count.to_string()));
            of_file.push(row);
        }
    }
    let columns = ["measure", "level", "share", "as people", "against people", "ties of the measure", "ties of people"];
    let mut notes = vec![
        "share: pairs that the measure orders as people do, of all pairs that people order; a tie of the \
         measure does not \
         agree"
            .to_owned(),
        "item level: one pair a preference; system level: one pair for two systems, by the majority of their \
         preferences and \
         their mean scores"
            .to_owned(),
    ];
    notes.extend(input.notes.iter().cloned());
    let table = Table::new("preferences", "Agreement with preferences", columns, 2);
    findings.tables.push(table.with_rows(rows).with_notes(notes));
    findings.add_csv("preferences.csv", &columns.map(str::to_owned), of_file.into_iter());
}
