//! Diagrams of the systems under each measure: means with intervals, critical differences, p-values
//! of all pairs.
//!
//! Some diagrams show a single cutoff: 10, or else the measure's last cutoff. If there are many
//! systems, the best are drawn, and a note says how many.

use fivefold_analysis::diagram::{Diagram, IntervalSeries, Intervals, PairOfSystems, Pairs, Ranks};
use fivefold_analysis::p_value::p_in_words;
use fivefold_analysis::slug;
use fivefold_base::words::counted;
use fivefold_stats::outcome::t_interval;
use fivefold_stats::{Friedman, Moments, cliques, critical_difference, friedman};

use super::scores::ScoredMeasure;
use super::tables::{Shown, notes_of};
use super::tested::Found;
use crate::study::{Findings, StudyError};

/// The most systems that are drawn if the settings do not say: as lines or squares, and on a line
/// of ranks.
const LINES: usize = 40;
const RANKED: usize = 24;

impl Shown<'_> {
    /// Adds the diagrams of the data set.
    pub(super) fn add_diagrams(&self, findings: &mut Findings) -> Result<(), StudyError> {
        for (measure, compared) in self.scores.measures.iter().zip(self.compared) {
            findings.diagrams.push(Diagram::Intervals(self.intervals(measure)));
            if self.scores.baseline.is_none() {
                findings.diagrams.push(Diagram::Pairs(self.p_values(measure, compared)?));
            }
        }
        findings.diagrams.extend(self.ranks_of_measures()?.into_iter().map(Diagram::Ranks));
        Ok(())
    }

    fn named(&self, title: String) -> String {
        if self.several { format!("{title}: {}", self.scores.label) } else { title }
    }

    /// The notes of a diagram with this number of systems.
    fn notes(&self, own: Vec<String>, drawn: usize) -> Vec<String> {
        let all = self.scores.systems.len();
        let cut =
            (drawn < all).then(|| format!("the best {drawn} of {all} systems; scores.csv and pairs.csv have all"));
        own.into_iter().chain(cut).chain(notes_of(self.scores, self.several)).collect()
    }

    fn names(&self, systems: &[usize]) -> Vec<String> {
        systems.iter().map(|&system| self.scores.systems[system].clone()).collect()
    }

    fn intervals(&self, measure: &ScoredMeasure) -> Intervals {
        let order = self.best(measure, LINES);
        let series = measure.columns.iter().map(|column| {
            let mean = |&system: &usize| {
                let moments = Moments::of(&column.values[system]);
                let ends = t_interval(&moments, 1.0 - self.study.alpha).ok();
                (moments.mean, ends.map(|ends| (ends.low, ends.high)))
            };
            IntervalSeries { name: column.name.clone(), means: order.iter().map(mean).collect() }
        });
        let name = if let [only] = measure.columns.as_slice() { &only.name } else { &measure.name };
        Intervals {
            id: self.id(&format!("means-{}", slug(&measure.name))),
            title: self.named(format!("Means of {name} with their {}", self.interval_in_words())),
            axis: format!("mean {name}"),
            systems: self.names(&order),
            series: series.collect(),
            notes: self.notes(vec![OVERLAP.to_owned()], order.len()),
        }
    }

    fn p_values(&self, measure: &ScoredMeasure, compared: &Found) -> Result<Pairs, StudyError> {
        let order = self.best(measure, LINES);
        let column = main_column(measure);
        let place = |system: usize| order.iter().position(|&other| other == system);
        let mut cells = vec![vec![None; order.len()]; order.len()];
        for (outcome, p) in compared.tested.run.outcomes.iter().zip(&compared.tested.p_values) {
            let comparison = outcome.comparison;
            let (Some(first), Some(second), Some(p)) = (place(comparison.first), place(comparison.second), *p) else {
                continue;
            };
            if comparison.group == column {
                let difference = outcome.difference;
                cells[first][second] = Some(PairOfSystems { difference, p });
                cells[second][first] = Some(PairOfSystems { difference: -difference, p });
            }
        }
        let name = &measure.columns[column].name;
        Ok(Pairs {
            id: self.id(&format!("p-values-{}", slug(&measure.name))),
            title: self.named(format!("p-values of all pairs under {name}")),
            systems: self.names(&order),
            cells,
            alpha: self.study.alpha,
            notes: self.notes(vec![self.test_note()?], order.len()),
        })
    }

    /// The diagrams of ranks. Measures that rank the systems alike on every query, as UE versions
    /// do, share a diagram.
    fn ranks_of_measures(&self) -> Result<Vec<Ranks>, StudyError> {
        let mut found: Vec<(Friedman, Vec<&str>)> = Vec::new();
        for measure in &self.scores.measures {
            let column = &measure.columns[main_column(measure)];
            let values: Vec<&[f64]> = column.values.iter().map(Vec::as_slice).collect();
            let ranks = friedman(&values)?;
            match found.iter_mut().find(|(other, _)| other.average_ranks == ranks.average_ranks) {
                Some((_, names)) => names.push(&column.name),
                None => found.push((ranks, vec![&column.name])),
            }
        }
        found.iter().map(|(ranks, names)| self.ranks_diagram(ranks, names)).collect()
    }

    fn ranks_diagram(&self, ranks: &Friedman, names: &[&str]) -> Result<Ranks, StudyError> {
        let average = &ranks.average_ranks;
        let difference = critical_difference(average.len(), ranks.queries, self.study.alpha)?;
        let mut order: Vec<usize> = (0..average.len()).collect();
        order.sort_by(|&a, &b| average[a].total_cmp(&average[b]));
        order.truncate(self.study.top.unwrap_or(RANKED));
        let mut bars: Vec<Vec<usize>> = Vec::new();
        for clique in cliques(average, difference) {
            let drawn: Vec<usize> = (0..order.len()).filter(|&place| clique.contains(&order[place])).collect();
            // Only the best systems are drawn. So the drawn part of a clique may lie within another
            // clique.
            if drawn.len() > 1 && !bars.iter().any(|bar| drawn.iter().all(|place| bar.contains(place))) {
                bars.push(drawn);
            }
        }
        let own = format!(
            "average ranks of {} systems over {}; Nemenyi's critical difference {difference:.3} (level {}); Friedman's chi-square \
             {:.2}, {} ({}), for equal systems; a bar joins systems that are not told apart",
            average.len(),
            counted(ranks.queries, "query"),
            self.study.alpha,
            ranks.chi_square,
            p_in_words(ranks.p),
            ranks.method
        );
        Ok(Ranks {
            id: self.id(&format!("critical-difference-{}", slug(names[0]))),
            title: self.named(format!("Critical differences under {}", names.join(", "))),
            systems: self.names(&order),
            average: order.iter().map(|&system| average[system]).collect(),
            critical_difference: difference,
            cliques: bars,
            notes: self.notes(vec![own], order.len()),
        })
    }
}

const OVERLAP: &str = "intervals are of each system's own mean: systems whose intervals overlap can still differ, \
because tests compare systems query by query";

/// The cutoff at which a measure is drawn: 10 if the measure has it, else the last.
pub(super) fn main_column(measure: &ScoredMeasure) -> usize {
    let ten = measure.columns.iter().position(|column| column.name.ends_with("@10"));
    ten.unwrap_or(measure.columns.len().saturating_sub(1))
}
