//! Tables of query classes: whether a measure tells systems apart on a class, and whether classes
//! order the systems alike.
//!
//! The statistics are from Feng & Karmaker (2023, Tables 7 to 14). Kendall's tau and conflicts
//! between measures, discriminative power and PAD are each on all queries and on each class. Swap
//! rates compare the orders of the systems on two classes.

use fivefold_analysis::tables::PadNotes;
use fivefold_analysis::{Cell, Table};
use fivefold_base::rounding::highest;
use fivefold_stats::{kendall_tau_b, swap_rate};

use super::between::{MeasurePair, pairs};
use super::scores::{ScoredMeasure, Scores};
use super::tables::{PAD_INSTEAD, Shown, say_why_no_order};
use super::tested::{Tested, test_all};
use crate::study::{Findings, StudyError};

/// A class with the results of the tests on its queries.
pub(super) struct OfClass {
    pub(super) name: String,
    pub(super) scores: Scores,
    pub(super) tested: Vec<Tested>,
}

impl OfClass {
    /// The system with the highest mean, or all such systems.
    fn best(&self, measure: usize) -> String {
        let best = highest(&self.scores.measures[measure].means());
        best.into_iter().map(|system| self.scores.systems[system].as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl Shown<'_> {
    /// Adds the tables of classes, if queries are classed.
    pub(super) fn add_classes(&self, of_classes: &[OfClass], findings: &mut Findings) -> Result<(), StudyError> {
        if of_classes.is_empty() {
            return Ok(());
        }
        findings.tables.push(self.power_of_classes(of_classes)?);
        findings.tables.push(self.swaps_of_classes(of_classes)?);
        if self.scores.measures.len() > 1 {
            findings.tables.push(self.taus_of_classes(of_classes)?);
            let conflicts = self.conflicts_of_classes(of_classes)?;
            findings.tables.extend((!conflicts.rows.is_empty()).then_some(conflicts));
        }
        Ok(())
    }

    fn power_of_classes(&self, of_classes: &[OfClass]) -> Result<Table, StudyError> {
        let mut rows = Vec::new();
        let mut notes = PadNotes::new(self.study.pad.denominator());
        for (number_of, measure) in self.scores.measures.iter().enumerate() {
            for class in of_classes {
                let tested = &class.tested[number_of];
                let comparisons = tested.p_values.len();
                let place = format!("{}, {}", measure.name, class.name);
                notes.add(&place, &class.scores.measures[number_of].means(), &tested.pad);
                let mut cells = vec![Cell::text(&measure.name), Cell::text(&class.name)];
                cells.extend([class.scores.queries, comparisons, tested.power].map(Cell::count));
                cells.push(Cell::number(100.0 * tested.power as f64 / comparisons as f64, 1));
                cells.extend([Cell::number_or_na(tested.pad.percent, 2), Cell::text(class.best(number_of))]);
                rows.push(cells);
            }
        }
        let columns = ["measure", "class", "queries", "comparisons", "significant", "%", "PAD %", "best system"];
        let title = "Discriminative power and PAD by class of queries";
        let mut table = self.table("class-power", title, &columns, 2, rows);
        table.notes.insert(0, self.note_of_classes(of_classes)?);
        table.notes.splice(1..1, self.over_cutoffs("PAD and best system"));
        table.notes.extend(notes.into_lines(PAD_INSTEAD));
        Ok(table)
    }

    /// A line about the tests on all classes. On a class with few queries a test can be exact,
    /// although it draws on all queries.
    fn note_of_classes(&self, of_classes: &[OfClass]) -> Result<String, StudyError> {
        self.note_of(of_classes.iter().flat_map(|class| &class.tested))
    }

    fn swaps_of_classes(&self, of_classes: &[OfClass]) -> Result<Table, StudyError> {
        let mut rows = Vec::new();
        for (number_of, measure) in self.scores.measures.iter().enumerate() {
            for (at, first) in of_classes.iter().enumerate() {
                for second in &of_classes[at + 1..] {
                    let [one, two] = [first, second].map(|class| class.scores.measures[number_of].means());
                    let same = first.best(number_of) == second.best(number_of);
                    let mut cells = [measure.name.as_str(), &first.name, &second.name].map(Cell::text).to_vec();
                    cells.extend([
                        Cell::number_or_na(swap_rate(&one, &two)?, 3),
                        Cell::number_or_na(kendall_tau_b(&one, &two)?, 3),
                        Cell::text(if same { "yes" } else { "no" }),
                    ]);
                    rows.push(cells);
                }
            }
        }
        let columns = ["measure", "first", "second", "swap rate", "tau-b", "same winner"];
        let title = "Swap rates: pairs of systems in opposite order on two classes of queries";
        let mut table = self.table("class-swaps", title, &columns, 3, rows);
        table.notes.splice(0..0, self.over_cutoffs("orders and winners"));
        say_why_no_order(&mut table);
        Ok(table)
    }

    /// A line that says which columns use the mean over cutoffs; `None` if no measure has several
    /// cutoffs.
    fn over_cutoffs(&self, what: &str) -> Option<String> {
        let several = self.scores.measures.iter().any(|measure| measure.columns.len() > 1);
        several.then(|| format!("{what}: by the mean over cutoffs"))
    }

    fn taus_of_classes(&self, of_classes: &[OfClass]) -> Result<Table, StudyError> {
        let measures = &self.scores.measures;
        let mut rows = Vec::new();
        for (at, first) in measures.iter().enumerate() {
            for (offset, second) in measures[at + 1..].iter().enumerate() {
                let mut cells = vec![Cell::text(&first.name), Cell::text(&second.name)];
                for class in of_classes {
                    let means = |measure: usize| ScoredMeasure::means(&class.scores.measures[measure]);
                    cells.push(Cell::number_or_na(kendall_tau_b(&means(at), &means(at + 1 + offset))?, 3));
                }
                rows.push(cells);
            }
        }
        let title = "Kendall's tau-b between the measures' orders of the systems, by class of queries";
        let mut table = self.table("class-tau", title, &columns(of_classes), 2, rows);
        say_why_no_order(&mut table);
        Ok(table)
    }

    fn conflicts_of_classes(&self, of_classes: &[OfClass]) -> Result<Table, StudyError> {
        let by_class: Vec<Vec<MeasurePair<'_>>> =
            of_classes.iter().map(|class| pairs(&class.scores, class.tested.iter()).0).collect();
        let mut rows = Vec::new();
        for (number_of, pair) in by_class[0].iter().enumerate() {
            let mut cells = vec![Cell::text(&pair.first.0.name), Cell::text(&pair.second.0.name)];
            for of_class in &by_class {
                let (found, ..) = of_class[number_of].conflicts(self.study.alpha)?;
                cells.push(Cell::count(found));
            }
            rows.push(cells);
        }
        let title = "Conflicts: comparisons significant under only the first or only the second measure, by class of \
            queries";
        let mut table = self.table("class-conflicts", title, &columns(of_classes), 2, rows);
        table.notes.insert(0, self.note_of_classes(of_classes)?);
        Ok(table)
    }
}

fn columns(of_classes: &[OfClass]) -> Vec<&str> {
    ["first", "second"].into_iter().chain(of_classes.iter().map(|class| class.name.as_str())).collect()
}

/// All queries, then each class, with the tests of every measure.
pub(super) fn of_classes(shown: &Shown<'_>, seed: fivefold_core::Seed) -> Result<Vec<OfClass>, StudyError> {
    let scores = shown.scores;
    if scores.classes.is_empty() {
        return Ok(Vec::new());
    }
    let all = OfClass {
        name: "all".to_owned(),
        scores: scores.clone(),
        tested: shown.compared.iter().map(|compared| compared.tested.clone()).collect(),
    };
    let of_class = |class: &super::classes::Class| {
        let own = scores.only(&class.queries);
        let tested = test_all(shown.study, &own, seed)?;
        Ok(OfClass { name: class.name.clone(), scores: own, tested })
    };
    let classes = scores.classes.iter().map(of_class);
    std::iter::once(Ok(all)).chain(classes).collect()
}
