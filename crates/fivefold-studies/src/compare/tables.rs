//! Tables of the study: scores with intervals, comparisons, power, queries needed, the swap method,
//! ranks, and measures against each other.

use std::cmp::Ordering;

use fivefold_analysis::table::TableMarks;
use fivefold_analysis::tables::PadNotes;
use fivefold_analysis::{Cell, HowFound, Table, slug};
use fivefold_base::rounding::levels;
use fivefold_base::words::{counted, list, which};
use fivefold_stats::outcome::t_interval;
use fivefold_stats::{
    Agreement, FriedmanMethod, Moments, Outcome, cliques, critical_difference, friedman, queries_needed,
};

use super::between::{CORRELATIONS, matrix, pairs};
use super::page::of_measure;
use super::scores::{ScoredMeasure, Scores};
use super::tested::{Found, Tested, deviation, family};
use super::{Compare, bounds};
use crate::study::{Findings, StudyError};

/// Number of systems that tables show if the settings do not say.
const SHOWN_SYSTEMS: usize = 10;
/// The most rows of the table of comparisons.
const SHOWN_PAIRS: usize = 60;

/// The settings that change the divisor of percentage absolute differences.
pub(super) const PAD_INSTEAD: &str = "`pad = \"abs\"`, `--pad abs`";

/// The input of all tables of a data set.
pub(super) struct Shown<'a> {
    pub(super) study: &'a Compare,
    pub(super) scores: &'a Scores,
    pub(super) compared: &'a [Found],
    /// Whether the study has several data sets.
    pub(super) several: bool,
}

/// The notes of a data set, with its label if there are several data sets.
pub(crate) fn notes_of(scores: &Scores, several: bool) -> Vec<String> {
    let labelled = |note: &String| if several { format!("{}: {note}", scores.label) } else { note.clone() };
    scores.notes.iter().map(labelled).collect()
}

/// The id of a table or chart of a data set.
pub(crate) fn id_of(scores: &Scores, several: bool, id: &str) -> String {
    if several { format!("{}-{id}", slug(&scores.label)) } else { id.to_owned() }
}

impl Shown<'_> {
    /// Adds all tables of the data set.
    pub(super) fn add(&self, findings: &mut Findings) -> Result<(), StudyError> {
        for (measure, found) in self.scores.measures.iter().zip(self.compared) {
            findings.tables.push(self.means(measure, found)?);
        }
        findings.tables.extend(bounds::table(self.scores, self.several));
        findings.tables.push(self.pairs()?);
        findings.tables.push(self.power()?);
        findings.tables.push(self.needed());
        findings.tables.push(self.swaps());
        findings.tables.push(self.ranks()?);
        if self.scores.measures.len() > 1 {
            for (id, title, correlation) in CORRELATIONS {
                let rows = matrix(self.scores, correlation)?.into_iter().zip(&self.scores.measures);
                let row = |(row, measure): (Vec<Option<f64>>, &ScoredMeasure)| {
                    std::iter::once(Cell::text(&measure.name))
                        .chain(row.into_iter().map(|tau| Cell::number_or_na(tau, 3)))
                        .collect()
                };
                let mut columns = vec!["measure"];
                columns.extend(self.scores.measures.iter().map(|measure| measure.name.as_str()));
                let mut table = self.table(id, title, &columns, 1, rows.map(row).collect());
                table
                    .notes
                    .insert(0, format!("over all {} systems, by the mean over cutoffs", self.scores.systems.len()));
                if id == "tau-ap" {
                    let ties = "ties of scores: the mean over all their orders, so that an order with ties is not quite itself";
                    table.notes.insert(1, ties.to_owned());
                }
                say_why_no_order(&mut table);
                findings.tables.push(table);
            }
            findings.tables.extend(self.conflicts()?);
            findings.tables.extend(self.agreement()?);
        }
        Ok(())
    }

    pub(super) fn table(&self, id: &str, title: &str, columns: &[&str], labels: usize, rows: Vec<Vec<Cell>>) -> Table {
        let title = if self.several { format!("{title}: {}", self.scores.label) } else { title.to_owned() };
        let notes = notes_of(self.scores, self.several);
        Table::new(self.id(id), title, columns, labels).with_rows(rows).with_notes(notes)
    }

    /// The systems that tables show, by their score under a measure.
    fn order(&self, measure: &ScoredMeasure) -> Vec<usize> {
        self.best(measure, SHOWN_SYSTEMS)
    }

    /// The best systems under a measure, best first: as many as the settings say, or else `most`.
    pub(super) fn best(&self, measure: &ScoredMeasure, most: usize) -> Vec<usize> {
        let levels = levels(&measure.means());
        let mut order: Vec<usize> = (0..levels.len()).collect();
        order.sort_by(|&a, &b| levels[b].total_cmp(&levels[a]));
        order.truncate(self.study.top.unwrap_or(most));
        order
    }

    pub(super) fn id(&self, id: &str) -> String {
        id_of(self.scores, self.several, id)
    }

    pub(super) fn interval_in_words(&self) -> String {
        format!("{} % intervals (t)", self.study.confidence())
    }

    fn means(&self, measure: &ScoredMeasure, found: &Found) -> Result<Table, StudyError> {
        let order = self.order(measure);
        let row = |&system: &usize| {
            let mut cells = vec![Cell::text(&self.scores.systems[system])];
            for column in &measure.columns {
                let moments = Moments::of(&column.values[system]);
                let half =
                    t_interval(&moments, 1.0 - self.study.alpha).ok().map(|interval| interval.high - moments.mean);
                cells.extend([Cell::number(moments.mean, 4), Cell::number_or_na(half, 4)]);
            }
            cells
        };
        let mut columns = vec!["system"];
        columns.extend(measure.columns.iter().flat_map(|column| [column.name.as_str(), "±"]));
        let title = format!("Systems by {}", measure.name);
        let rows: Vec<Vec<Cell>> = order.iter().map(row).collect();
        let mut table = self.table(&format!("scores-{}", slug(&measure.name)), &title, &columns, 1, rows);
        table.notes.insert(0, format!("±: half the width of the means' {}", self.interval_in_words()));
        cut(&mut table, order.len(), self.scores.systems.len(), "systems", "scores.csv");
        Ok(table.with_marks(self.marks(measure, found, &order)?))
    }

    /// The marks of a table of means, in which each cutoff has two columns. A row is a system.
    fn marks(&self, measure: &ScoredMeasure, found: &Found, rows: &[usize]) -> Result<TableMarks, StudyError> {
        let compared = of_measure(self.study, &self.study.difference_test()?, measure, found);
        let of_cutoff = |cutoff: usize| {
            let marks = compared.marks(cutoff, self.study.alpha);
            let marked = |(row, &system): (usize, &usize)| Some((row, 1 + 2 * cutoff, marks[system]?));
            rows.iter().enumerate().filter_map(marked).collect::<Vec<_>>()
        };
        let marks = TableMarks::of_means((0..measure.columns.len()).flat_map(of_cutoff).collect());
        Ok(TableMarks { meaning: format!("{} ({})", marks.meaning, self.test_note()?), ..marks })
    }

    /// Whether a correction changes the p-values: `none` does not.
    fn corrected(&self) -> bool {
        fivefold_stats::correction(&self.study.correction).is_ok_and(|correction| correction.corrects())
    }

    /// A note for each measure under which no comparison can be significant, because the draws are
    /// too few for so many comparisons.
    fn too_few_draws(&self) -> Result<Vec<String>, StudyError> {
        let difference = self.study.difference_test()?;
        let found = self.scores.measures.iter().zip(self.compared).filter_map(|(measure, compared)| {
            let why = difference.too_few_draws(&compared.tested.run, &compared.tested.p_values)?;
            Some(format!("{}: {why}", measure.name))
        });
        Ok(found.collect())
    }

    /// A line about the tests of all measures.
    pub(super) fn test_note(&self) -> Result<String, StudyError> {
        self.note_of(self.tested())
    }

    /// A line about these tests.
    pub(super) fn note_of<'t>(&self, all: impl Iterator<Item = &'t Tested> + Clone) -> Result<String, StudyError> {
        let Compare { test, alpha, .. } = self.study;
        let difference = self.study.difference_test()?;
        let how = difference.how_found(&how_found(all.clone()));
        let comparisons = all.into_iter().next().map_or(0, |tested| tested.p_values.len());
        let correction = match difference.corrects_itself() {
            true => {
                let pairs = self.scores.systems.len() * (self.scores.systems.len() - 1) / 2;
                format!("the test's own, over all {} of systems of a measure at a cutoff", counted(pairs, "pair"))
            }
            false => {
                format!("{}, over the comparisons of one measure ({comparisons} for the first)", self.study.correction)
            }
        };
        Ok(format!("test: {test}{how}, two-sided; correction: {correction}; significant: p < {alpha}"))
    }

    fn pairs(&self) -> Result<Table, StudyError> {
        let mut rows = Vec::new();
        let mut all = 0;
        for (measure, compared) in self.scores.measures.iter().zip(self.compared) {
            let order = self.order(measure);
            let place = |system: usize| order.iter().position(|&shown| shown == system);
            let family = family(self.scores, measure)?;
            let per_column = compared.tested.run.outcomes.len() / measure.columns.len();
            all += compared.tested.run.outcomes.len();
            for (column, outcomes) in measure.columns.iter().zip(compared.tested.run.outcomes.chunks(per_column.max(1)))
            {
                let start = outcomes.first().map_or(0, |outcome| outcome.comparison.group) * per_column;
                let mut shown: Vec<((usize, usize), &Outcome, Option<f64>)> = Vec::new();
                for (number, outcome) in outcomes.iter().enumerate() {
                    let (first, second) = (place(outcome.comparison.first), place(outcome.comparison.second));
                    let key = match (first, second, self.scores.baseline) {
                        (Some(first), _, Some(_)) => (first, 0),
                        (Some(first), Some(second), None) => (first.min(second), first.max(second)),
                        _ => continue,
                    };
                    shown.push((key, outcome, compared.tested.p_values[start + number]));
                }
                shown.sort_by_key(|(key, _, _)| *key);
                for (_, outcome, p) in shown {
                    if rows.len() < SHOWN_PAIRS {
                        let deviation = deviation(&family.moments(outcome.comparison));
                        rows.push(self.pair_row(&column.name, outcome, p, deviation)?);
                    }
                }
            }
        }
        let mut columns = vec!["measure", "first", "second", "difference", "low", "high", "p"];
        columns.extend(self.corrected().then_some("corrected p"));
        columns.extend(["d_z", "queries needed"]);
        let title = match self.scores.baseline {
            Some(baseline) => format!("Differences from {}", self.scores.systems[baseline]),
            None => "Differences of systems".to_owned(),
        };
        let shown = rows.len();
        let mut table = self.table("pairs", &title, &columns, 3, rows);
        let Compare { alpha, power, .. } = self.study;
        table.notes.insert(
            0,
            format!(
                "queries needed: for a difference like this to be found with probability {power} at level {alpha} (t)"
            ),
        );
        table.notes.insert(0, self.test_note()?);
        table.notes.insert(1, {
            let (confidence, how) = (self.study.confidence(), self.study.intervals(self.tested()));
            format!("low, high: {confidence} % interval of the difference ({how})")
        });
        table.notes.extend(self.against_means());
        cut(&mut table, shown, all, "comparisons", "pairs.csv");
        Ok(table)
    }

    /// A note with the number of significant comparisons that contradict the difference of the
    /// means. A test of signs or ranks can have such comparisons.
    fn against_means(&self) -> Option<String> {
        let alpha = self.study.alpha;
        let found = self.compared.iter().flat_map(|compared| {
            let tested = &compared.tested;
            tested.run.outcomes.iter().zip(&tested.p_values).filter(|(outcome, p)| {
                let favours = outcome.test.as_ref().map_or(Ordering::Equal, |test| test.favours);
                let by_means = outcome.difference.partial_cmp(&0.0);
                p.is_some_and(|p| p < alpha) && favours.is_ne() && Some(favours) != by_means
            })
        });
        let count = found.count();
        (count > 0).then(|| {
            let of = counted(count, "significant comparison");
            let favour = which(count, "favours", "favour");
            format!(
                "{of} {favour} a system whose mean is not higher, because the test looks at signs or ranks: see \
                    `favours` in pairs.csv"
            )
        })
    }

    /// The row of a pair: the better system first, unless one of the systems is the baseline.
    fn pair_row(
        &self,
        column: &str,
        outcome: &Outcome,
        p: Option<f64>,
        deviation: Option<f64>,
    ) -> Result<Vec<Cell>, StudyError> {
        let turned = self.scores.baseline.is_none() && outcome.difference < 0.0;
        let sign = if turned { -1.0 } else { 1.0 };
        let (mut first, mut second) = (outcome.comparison.first, outcome.comparison.second);
        let mut ends = outcome.interval.ok().map_or([None; 2], |interval| [Some(interval.low), Some(interval.high)]);
        if turned {
            std::mem::swap(&mut first, &mut second);
            ends = [ends[1].map(|end| -end), ends[0].map(|end| -end)];
        }
        let needed = match deviation {
            Some(deviation) if deviation > 0.0 => {
                queries_needed(outcome.difference, deviation, self.study.alpha, self.study.power)?
            }
            _ => None,
        };
        let name = |system: usize| Cell::text(&self.scores.systems[system]);
        let mut cells = vec![Cell::text(column), name(first), name(second)];
        // The `+ 0.0` turns -0 into 0 for two equal systems.
        cells.push(Cell::number(sign * outcome.difference + 0.0, 4));
        cells.extend(ends.map(|end| Cell::number_or_na(end, 4)));
        cells.push(p_or(outcome.test.ok().map(|test| test.p)));
        cells.extend(self.corrected().then(|| p_or(p)));
        cells.push(Cell::number_or_na(outcome.effect.ok().map(|effect| sign * effect), 3));
        cells.push(needed.map_or_else(Cell::na, Cell::count));
        Ok(cells)
    }

    fn power(&self) -> Result<Table, StudyError> {
        let mut notes = PadNotes::new(self.study.pad.denominator());
        let row = |(measure, compared): (&ScoredMeasure, &Found)| {
            notes.add(&measure.name, &measure.means(), &compared.tested.pad);
            let comparisons = compared.tested.p_values.len();
            let undefined = compared.tested.p_values.iter().filter(|p| p.is_none()).count();
            let share = 100.0 * compared.tested.power as f64 / comparisons as f64;
            vec![
                Cell::text(&measure.name),
                Cell::count(measure.columns.len()),
                Cell::count(comparisons),
                Cell::count(compared.tested.power),
                Cell::number(share, 1),
                Cell::count(undefined),
                Cell::number_or_na(compared.tested.pad.percent, 2),
            ]
        };
        let rows = self.scores.measures.iter().zip(self.compared).map(row).collect();
        let columns = ["measure", "cutoffs", "comparisons", "significant", "%", "no p-value", "PAD %"];
        let title = "Discriminative power, and percentage absolute difference";
        let mut table = self.table("power", title, &columns, 1, rows);
        table.notes.splice(0..0, std::iter::once(self.test_note()?).chain(self.too_few_draws()?));
        table.notes.extend(notes.into_lines(PAD_INSTEAD));
        if self.scores.measures.len() < 2 {
            let what = "not defined with one measure: Kendall's tau, conflicts and agreement of conclusions, which are between measures";
            table.notes.push(what.to_owned());
        }
        Ok(table)
    }

    fn needed(&self) -> Table {
        let mut rows = Vec::new();
        for (measure, compared) in self.scores.measures.iter().zip(self.compared) {
            for (column, needed) in measure.columns.iter().zip(&compared.needed) {
                let mut cells =
                    vec![Cell::text(&column.name), Cell::number(needed.median, 4), Cell::number(needed.largest, 4)];
                let counts = needed.queries.iter().map(|count| count.map_or_else(Cell::na, Cell::count));
                cells.extend(counts);
                rows.push(cells);
            }
        }
        let heads: Vec<String> = self.study.differences.iter().map(|difference| format!("for {difference}")).collect();
        let mut columns = vec!["measure", "median sd", "largest sd"];
        columns.extend(heads.iter().map(String::as_str));
        let Compare { alpha, power, .. } = self.study;
        let mut table = self.table("queries-needed", "Queries needed to find a difference", &columns, 1, rows);
        table.notes.insert(0, format!(
            "sd: of the differences of two systems, over all comparisons; queries: at the median, with probability {power}, at level \
             {alpha} (paired t)"
        ));
        table
    }

    fn swaps(&self) -> Table {
        let mut rows = Vec::new();
        for (measure, compared) in self.scores.measures.iter().zip(self.compared) {
            for (column, curve) in measure.columns.iter().zip(&compared.swaps) {
                let (comparisons, swaps) =
                    curve.bins.iter().fold((0, 0), |(all, swaps), bin| (all + bin.comparisons, swaps + bin.swaps));
                let rate = (comparisons > 0).then(|| 100.0 * swaps as f64 / comparisons as f64);
                let mut cells = vec![Cell::text(&column.name), Cell::count(comparisons), Cell::number_or_na(rate, 1)];
                cells.push(Cell::number_or_na(curve.needed, 2));
                cells.push(Cell::number_or_na(curve.sensitivity.map(|share| 100.0 * share), 1));
                rows.push(cells);
            }
        }
        let columns = ["measure", "comparisons", "swaps %", "difference needed", "sensitivity %"];
        let title = "Swap method: how often the order on one half of the queries is reversed on the other";
        let mut table = self.table("swap-method", title, &columns, 1, rows);
        table.notes.insert(0, format!(
            "{} random halves; difference needed: for at most 5 % swaps, in steps of .01; sensitivity: comparisons that reach it",
            self.study.trials
        ));
        table
    }

    fn ranks(&self) -> Result<Table, StudyError> {
        let mut rows = Vec::new();
        let mut methods = Vec::new();
        for column in self.scores.measures.iter().flat_map(|measure| &measure.columns) {
            let values: Vec<&[f64]> = column.values.iter().map(Vec::as_slice).collect();
            let found = friedman(&values)?;
            methods.push((&column.name, found.method));
            let critical = critical_difference(values.len(), found.queries, self.study.alpha)?;
            let best = (0..values.len()).min_by(|&a, &b| found.average_ranks[a].total_cmp(&found.average_ranks[b]));
            let best = best.unwrap_or_default();
            let like_best = cliques(&found.average_ranks, critical).into_iter().find(|clique| clique.contains(&best));
            rows.push(vec![
                Cell::text(&column.name),
                Cell::number(found.chi_square, 2),
                Cell::PValue(found.p),
                Cell::number(critical, 2),
                Cell::text(&self.scores.systems[best]),
                Cell::number(found.average_ranks[best], 2),
                Cell::Count(like_best.map_or(0, |clique| clique.len() as u64 - 1)),
            ]);
        }
        let columns =
            ["measure", "chi-square", "p", "critical difference", "best", "average rank", "not told from the best"];
        let title = "Average ranks: Friedman test and Nemenyi's critical difference";
        let mut table = self.table("ranks", title, &columns, 1, rows);
        // The method can differ between columns, because ties leave some columns fewer orders to
        // count.
        let how = match methods.split_first() {
            Some(((_, first), others)) if others.iter().all(|(_, other)| other == first) => first.to_string(),
            _ => {
                let exact = methods.iter().filter(|(_, method)| *method == FriedmanMethod::Exact);
                let names: Vec<&str> = exact.map(|(name, _)| name.as_str()).collect();
                format!("{}; of {} {}", FriedmanMethod::F, list(&names), FriedmanMethod::Exact)
            }
        };
        table.notes.insert(0, format!("p: {how}; critical difference at level {}", self.study.alpha));
        Ok(table)
    }

    fn tested(&self) -> impl Iterator<Item = &Tested> + Clone {
        self.compared.iter().map(|compared| &compared.tested)
    }

    fn conflicts(&self) -> Result<Option<Table>, StudyError> {
        let (pairs, unlike) = pairs(self.scores, self.tested());
        let mut rows = Vec::new();
        for pair in &pairs {
            let (found, least, most) = pair.conflicts(self.study.alpha)?;
            let mut cells = vec![Cell::text(&pair.first.0.name), Cell::text(&pair.second.0.name)];
            let counts = [pair.first.1.power, pair.second.1.power, found, least, most];
            cells.extend(counts.map(Cell::count));
            rows.push(cells);
        }
        let columns = ["first", "second", "power", "power of second", "conflicts", "least", "most"];
        let title = "Conflicts: comparisons significant under only the first or only the second measure";
        let mut table = self.table("conflicts", title, &columns, 2, rows);
        table.notes.insert(0, "least, most: the numbers that the two powers allow, in steps of two".to_owned());
        table.notes.insert(0, self.test_note()?);
        if unlike > 0 {
            table.notes.push(format!(
                "{} of measures {} different numbers of cutoffs and {} left out",
                counted(unlike, "pair"),
                which(unlike, "has", "have"),
                which(unlike, "is", "are")
            ));
        }
        Ok((!table.rows.is_empty()).then_some(table))
    }

    fn agreement(&self) -> Result<Option<Table>, StudyError> {
        if self.scores.baseline.is_some() {
            return Ok(None);
        }
        let (pairs, _) = pairs(self.scores, self.tested());
        let mut rows = Vec::new();
        for pair in &pairs {
            let found = pair.agreements(self.study.alpha)?;
            let of = |holds: fn(&Agreement) -> bool| {
                let count = found.iter().filter(|agreement| holds(agreement)).count();
                match found.len() {
                    1 => Cell::text(if count == 1 { "yes" } else { "no" }),
                    all => Cell::text(format!("{count} of {all}")),
                }
            };
            let sum = |part: fn(&Agreement) -> usize| Cell::count(found.iter().map(part).sum::<usize>());
            rows.push(vec![
                Cell::text(&pair.first.0.name),
                Cell::text(&pair.second.0.name),
                of(|a| a.same_winner),
                of(|a| a.same_order),
                of(|a| a.same_significant),
                sum(|a| a.active_agreements),
                sum(|a| a.active_disagreements),
                sum(|a| a.mixed_agreements),
                sum(|a| a.mixed_disagreements),
                sum(|a| a.passive_agreements),
                sum(|a| a.passive_disagreements),
            ]);
        }
        let columns =
            ["first", "second", "same winner", "same order", "same significant", "AA", "AD", "MA", "MD", "PA", "PD"];
        let title = "Agreement of conclusions";
        let mut table = self.table("agreement", title, &columns, 2, rows);
        table.notes.insert(
            0,
            "first letter: pairs of systems significant under both measures (A), a single measure (M) or no measure \
                (P). Second letter: agreement (A) or disagreement (D) on the better system (Moffat, Scholer & Thomas \
                2012); a tie agrees. With several cutoffs, the columns called same count cutoffs"
                .to_owned(),
        );
        Ok((!table.rows.is_empty()).then_some(table))
    }
}

/// How the p-values of tests were found.
pub(super) fn how_found<'t>(all: impl Iterator<Item = &'t Tested>) -> HowFound {
    let mut found = HowFound::default();
    all.for_each(|tested| found.add(&tested.run));
    found
}

/// Adds a note to a table of rank correlations that says why some of them do not exist.
pub(super) fn say_why_no_order(table: &mut Table) {
    if table.rows.iter().flatten().any(|cell| matches!(cell, Cell::Missing(_))) {
        table.notes.push("n/a: undefined, since all systems tie on one side: there is no order to compare".to_owned());
    }
}

/// Adds a note if a table does not show all items.
fn cut(table: &mut Table, shown: usize, of: usize, what: &str, file: &str) {
    if shown < of {
        table.notes.insert(0, format!("{shown} of {of} {what} are shown; {file} has all"));
    }
}

/// A p-value, or `n/a` if there is no p-value.
fn p_or(p: Option<f64>) -> Cell {
    p.map_or_else(Cell::na, Cell::PValue)
}
