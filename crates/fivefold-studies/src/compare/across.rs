//! Several data sets: which system wins most often, and whether the order of the systems is the
//! same on all data sets.
//!
//! Winning numbers (Tax, Bockting & Hiemstra 2015) do not need a system to be in all data sets. The
//! swap rate of two data sets is over the systems in both data sets (Feng & Karmaker 2023, Tables
//! 11 and 23). The measures are the measures that all data sets have.

use std::cmp::Ordering;

use fivefold_analysis::{Cell, Table};
use fivefold_stats::{swap_rate, winning_numbers};

use super::scores::{Scores, differences_across};
use super::tables::notes_of;
use crate::study::StudyError;

/// The tables over data sets.
///
/// # Errors
/// Data sets without a measure in common.
pub fn tables(datasets: &[&Scores]) -> Result<Vec<Table>, StudyError> {
    let mut measures: Vec<&str> = datasets[0].measures.iter().map(|measure| measure.name.as_str()).collect();
    measures.retain(|name| datasets.iter().all(|dataset| means(dataset, name).is_some()));
    if measures.is_empty() {
        let own = |dataset: &&Scores| {
            let names: Vec<&str> = dataset.measures.iter().map(|measure| measure.name.as_str()).collect();
            format!("{} has {}", dataset.label, names.join(", "))
        };
        let all: Vec<String> = datasets.iter().map(own).collect();
        let help =
            "a table of systems takes its measure's name from LABEL:MEASURE=FILE, or else from the name of the file";
        return Err(StudyError::Input(format!("the data sets have no measure in common: {}; {help}", all.join("; "))));
    }
    let mut systems: Vec<&str> = Vec::new();
    for system in datasets.iter().flat_map(|dataset| &dataset.systems) {
        if !systems.contains(&system.as_str()) {
            systems.push(system);
        }
    }
    let (mut winning, mut swapped) = (Vec::new(), Vec::new());
    for measure in measures {
        let values: Vec<Vec<Option<f64>>> =
            datasets.iter().map(|dataset| of_systems(dataset, measure, &systems)).collect();
        let mut numbers: Vec<_> = systems.iter().zip(winning_numbers(&values)?).collect();
        numbers.sort_by(|(_, a), (_, b)| b.normalised().partial_cmp(&a.normalised()).unwrap_or(Ordering::Equal));
        for (system, number) in numbers {
            let share = Cell::number_or_na(number.normalised(), 3);
            let counts = [number.wins, number.ideal].map(Cell::count);
            winning.push([Cell::text(measure), Cell::text(system)].into_iter().chain(counts).chain([share]).collect());
        }
        for (at, first) in datasets.iter().enumerate() {
            for second in &datasets[at + 1..] {
                swapped.push(swap_row(measure, first, second)?);
            }
        }
    }
    let labels: Vec<&str> = datasets.iter().map(|dataset| dataset.label.as_str()).collect();
    let over = format!("data sets: {}", labels.join(", "));
    let mut notes: Vec<String> = differences_across(datasets).into_iter().collect();
    notes.extend([over, "a win is a higher mean on a data set; an equal mean is no win".to_owned()]);
    notes.extend(datasets.iter().flat_map(|dataset| notes_of(dataset, true)));
    let table = |id: &str, title: &str, columns: &[&str], labels, rows| {
        Table::new(id, title, columns, labels).with_rows(rows).with_notes(notes.clone())
    };
    let winning_title = "Winning numbers over data sets (WN wins of IWN comparisons; NWN = WN / IWN)";
    let swap_title = "Swap rates: pairs of systems in opposite order on two data sets";
    Ok(vec![
        table("winning-numbers", winning_title, &["measure", "system", "WN", "IWN", "NWN"], 2, winning),
        table("swap-datasets", swap_title, &["measure", "first", "second", "systems", "swap rate"], 3, swapped),
    ])
}

fn means(dataset: &Scores, measure: &str) -> Option<Vec<f64>> {
    dataset.measures.iter().find(|own| own.name == measure).map(super::scores::ScoredMeasure::means)
}

/// The scores of these systems; `None` for a system that the data set does not have.
fn of_systems(dataset: &Scores, measure: &str, systems: &[&str]) -> Vec<Option<f64>> {
    let means = means(dataset, measure).unwrap_or_default();
    let of = |name: &&str| dataset.systems.iter().position(|own| own == name).and_then(|at| means.get(at).copied());
    systems.iter().map(of).collect()
}

fn swap_row(measure: &str, first: &Scores, second: &Scores) -> Result<Vec<Cell>, StudyError> {
    let systems: Vec<&str> = first.systems.iter().map(String::as_str).collect();
    let pairs = of_systems(first, measure, &systems).into_iter().zip(of_systems(second, measure, &systems));
    let (one, two): (Vec<f64>, Vec<f64>) = pairs.filter_map(|(one, two)| Some((one?, two?))).unzip();
    let count = Cell::count(one.len());
    let rate = Cell::number_or_na(swap_rate(&one, &two)?, 3);
    Ok(vec![Cell::text(measure), Cell::text(&first.label), Cell::text(&second.label), count, rate])
}
