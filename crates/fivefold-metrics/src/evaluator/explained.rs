//! The arithmetic of one value.

use std::cmp::Reverse;

use super::{Column, Evaluator, Judged, Scratch};
use crate::error::MeasureError;
use crate::explain::{Arithmetic, Explanation};
use crate::measure::{Ranked, Status};
use crate::order::{Order, ranked_rows};
use crate::orders::ORDERS;

impl Evaluator {
    /// The whole arithmetic of one column on one query.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    ///
    /// # Panics
    /// If there is no such column.
    pub fn explain(&self, judged: &Judged, scores: &[f64], column: usize) -> Result<Explanation, MeasureError> {
        let mut scratch = Scratch::default();
        let mut values = vec![0.0; self.columns.len()];
        self.evaluate(judged, scores, &mut scratch, &mut values)?;
        let Column { slot, version } = self.columns[column];
        let base = self
            .bases
            .iter()
            .rfind(|base| base.first_slot <= slot)
            .ok_or_else(|| MeasureError::ForeignJudgement { query: judged.id.clone() })?;
        let cutoff = base.cutoffs[slot - base.first_slot];
        let grades = &judged.grades;
        let explain = |ranked: &Ranked<'_>| {
            let documents = ranked.positions();
            let mut contributions = vec![0.0; cutoff.map_or(documents, |k| k.min(documents))];
            base.measure.contributions(ranked, &mut contributions);
            let parts = base.measure.parts(cutoff, ranked, &contributions);
            (contributions, parts)
        };
        let Order { grades: in_order, statuses, ends, .. } = &scratch.order;
        let ranked = scratch.order.ranked(grades);
        let (contributions, parts) = explain(&ranked);
        let singles: Vec<u32> = (1..=grades.judged() as u32).collect();
        let (ideal, ideal_parts) = explain(&Ranked::new(grades.ideal(), &singles, grades));
        let mut falling: Vec<usize> = (0..in_order.len()).collect();
        falling.sort_by_key(|&place| (Reverse(in_order[place]), statuses.get(place)));
        let statuses: Vec<Status> = falling.iter().filter_map(|&place| statuses.get(place).copied()).collect();
        let falling: Vec<u8> = falling.into_iter().map(|place| in_order[place]).collect();
        let one_group = [falling.len() as u32];
        let mut untied = vec![0.0; contributions.len()];
        base.measure.mean_over_orders(&ranked, &mut untied);
        let mut means = vec![0.0; contributions.len()];
        let tied = Ranked::new(&falling, if falling.is_empty() { &[] } else { &one_group }, grades);
        base.measure.mean_over_orders(&tied.with_statuses(&statuses), &mut means);
        Ok(Explanation::new(Arithmetic {
            name: &self.names[column],
            whole: base.measure.is_whole().then(|| scratch.sums[slot]),
            drawn: Some((ORDERS, scratch.errors[slot])).filter(|&(_, error)| error > 0.0),
            version,
            cutoff,
            value: values[column],
            bounds: judged.bounds[slot],
            rows: ranked_rows(scores, &judged.tie_keys, self.order_rules(judged)),
            scores,
            grades: in_order,
            ends,
            contributions,
            parts,
            query: grades,
            ideal,
            ideal_parts,
            untied,
            means,
        }))
    }
}
