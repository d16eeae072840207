//! Score tables: means with intervals and the best mean marked. Each system has a letter, and the
//! letters beside a mean name the systems that it beats significantly.

use fivefold_analysis::Compared;
use fivefold_analysis::p_value::p_in_words;
use fivefold_analysis::page::PageDataset;
use fivefold_base::words::counted;
use serde::Serialize;

use super::wording::{letter, on};

/// The scores of a measure's version on a data set.
#[derive(Serialize)]
pub(super) struct ScoreTable {
    caption: String,
    cutoffs: Vec<String>,
    rows: Vec<Row>,
    /// The number of comparisons behind the letters.
    note: String,
}

#[derive(Serialize)]
struct Row {
    letter: String,
    method: String,
    cells: Vec<ScoreCell>,
}

#[derive(Serialize)]
struct ScoreCell {
    mean: String,
    /// The mean with more decimals, for sorting.
    sort: String,
    /// Half of the interval. Empty if there is no interval.
    interval: String,
    best: bool,
    /// The letters of the systems that this system beats.
    beats: String,
    /// The p-value against the baseline, or else against the best mean of the column. Shown when a
    /// pointer rests on the cell.
    title: String,
}

/// With more systems than this number, systems are sorted by their mean at the main cutoff, the
/// best first. Otherwise systems have the order of the experiment.
const FEW: usize = 10;

/// A score table for each measure, with the systems that are shown.
pub(super) fn scores(dataset: &PageDataset, noun: &str, alpha: f64) -> Vec<ScoreTable> {
    dataset.compared.iter().map(|compared| table(dataset, compared, noun, alpha)).collect()
}

fn table(dataset: &PageDataset, all: &Compared, noun: &str, alpha: f64) -> ScoreTable {
    let compared = all.among(&dataset.shown);
    let levels: Vec<Vec<Option<f64>>> = (0..compared.cutoffs.len()).map(|cutoff| compared.levels(cutoff)).collect();
    let best: Vec<f64> =
        levels.iter().map(|own| own.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max)).collect();
    let baseline = dataset.baseline.and_then(|baseline| compared.systems.iter().position(|&system| system == baseline));
    let reference =
        |cutoff: usize| baseline.or_else(|| levels[cutoff].iter().position(|level| *level == Some(best[cutoff])));
    let against_reference = |system: usize, cutoff: usize| {
        let reference = reference(cutoff)?;
        let p = compared.p(reference, system, cutoff)?;
        Some(format!("{} against {}", p_in_words(p), dataset.systems[compared.systems[reference]]))
    };
    let cell = |system: usize, cutoff: usize| {
        let found = compared.means[system][cutoff];
        let beaten = compared.beaten(system, cutoff, alpha);
        ScoreCell {
            mean: found.mean.map_or_else(|| "undefined".to_owned(), |mean| format!("{mean:.4}")),
            sort: found.mean.map(|mean| format!("{mean:.9}")).unwrap_or_default(),
            interval: found.ends.map(|(low, high)| format!("{:.4}", (high - low) / 2.0)).unwrap_or_default(),
            best: levels[cutoff][system] == Some(best[cutoff]),
            title: against_reference(system, cutoff).unwrap_or_default(),
            beats: beaten.iter().map(|&other| letter(compared.systems[other])).collect::<Vec<_>>().join(" "),
        }
    };
    let row = |(place, &system): (usize, &usize)| Row {
        letter: letter(system),
        method: dataset.systems[system].clone(),
        cells: (0..compared.cutoffs.len()).map(|cutoff| cell(place, cutoff)).collect(),
    };
    let mut places: Vec<(usize, &usize)> = compared.systems.iter().enumerate().collect();
    if places.len() > FEW {
        let main = compared.column(compared.main_cutoff());
        let key = |place: usize| main[place].unwrap_or(f64::NEG_INFINITY);
        places.sort_by(|(a, _), (b, _)| key(*b).total_cmp(&key(*a)));
    }
    let rows = places.into_iter().map(row).collect();
    let pairs = all.p_values.iter().filter(|of_pair| of_pair.iter().any(Option::is_some)).count();
    let of_pairs = match dataset.baseline {
        Some(baseline) => format!("{} with {}", counted(pairs, noun), dataset.systems[baseline]),
        None => format!("{} of {noun}s", counted(pairs, "pair")),
    };
    let mut note =
        format!("{}: {of_pairs} at {}", counted(all.tested(), "comparison"), counted(all.cutoffs.len(), "cutoff"));
    if let Some(why) = &all.too_few_draws {
        note += &format!(". {why}");
    }
    ScoreTable { caption: on(&all.measure, &dataset.name), cutoffs: compared.cutoffs, rows, note }
}

#[cfg(test)]
mod tests {
    use fivefold_stats::correction;

    use super::*;
    use crate::samples;

    /// The p-values of a-b, a-c and b-c are .01, .03 and .04. Holm's correction makes .03, .06 and
    /// .06, so of three letters a single letter is left.
    #[test]
    fn letters_with_and_without_a_correction() {
        let letters = |name: &str| {
            let p = correction(name).unwrap().adjust_p_values(&[0.01, 0.03, 0.04].map(Some)).unwrap();
            let dataset = samples::three_systems(vec![samples::compared("ap", [0.2, 0.5, 0.9], [p[0], p[1], p[2]])]);
            let table = scores(&dataset, "system", 0.05).remove(0);
            assert_eq!(table.note, "3 comparisons: 3 pairs of systems at 1 cutoff");
            let titles: Vec<&str> = table.rows.iter().map(|row| row.cells[0].title.as_str()).collect();
            let expected = [p[1], p[2]].map(|p| format!("p = {:.4} against c", p.unwrap()));
            assert_eq!(titles, [expected[0].as_str(), &expected[1], ""]);
            table.rows.iter().map(|row| row.cells[0].beats.clone()).collect::<Vec<_>>()
        };
        // Only the baseline is compared with: c is still bold, and what a pointer is told is about
        // b.
        let mut dataset =
            samples::three_systems(vec![samples::compared("ap", [0.2, 0.5, 0.9], [Some(0.01), None, Some(0.04)])]);
        dataset.baseline = Some(1);
        let table = scores(&dataset, "system", 0.05).remove(0);
        let cells = |of: fn(&ScoreCell) -> String| table.rows.iter().map(|row| of(&row.cells[0])).collect::<Vec<_>>();
        assert_eq!(cells(|cell| cell.title.clone()), ["p = 0.0100 against b", "", "p = 0.0400 against b"]);
        assert_eq!(cells(|cell| cell.beats.clone()), ["", "a", "b"]);
        assert_eq!(table.note, "2 comparisons: 2 systems with b at 1 cutoff");
        assert_eq!(letters("none"), ["", "a", "a b"]);
        assert_eq!(letters("holm"), ["", "a", ""]);
        assert_eq!(letters("bonferroni"), ["", "a", ""]);
        assert_eq!(letters("bh"), ["", "a", "a b"]);
    }
}
