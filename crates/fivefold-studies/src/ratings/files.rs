//! `correlations.csv`, `differences.csv`, `pairs.csv` and `systems.csv`: all numbers, with all digits.

use super::computed::Computed;
use super::input::Input;
use super::tables::opposite;
use crate::study::Findings;

/// Adds the files about ratings.
pub(super) fn add(input: &Input, computed: &Computed, findings: &mut Findings) {
    if input.dimensions.is_empty() {
        return;
    }
    let shown = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let owned = |head: &[&str]| head.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let measure = |number: usize| input.measures[number].name.clone();
    let (mut of_found, mut of_differences) = (Vec::new(), Vec::new());
    for found in &computed.found {
        let key = vec![
            measure(found.measure),
            input.dimensions[found.dimension].name.clone(),
            found.level.name().to_owned(),
            found.coefficient.name().to_owned(),
        ];
        let own = &found.correlated;
        of_found.push([key.clone(), vec![shown(own.value), own.points.to_string(), own.left_out.to_string()]].concat());
        if let Some((original, _, own)) = &found.difference {
            let mut row = key;
            row.insert(1, measure(*original));
            row.push(shown(own.difference));
            row.extend(own.interval.map_or([None; 2], |(low, high)| [Some(low), Some(high)]).map(shown));
            row.extend([own.draws.to_string(), shown(own.p), own.permutations.to_string()]);
            row.extend([own.williams.map(|own| own.t), own.williams.map(|own| own.p), found.pai()].map(shown));
            of_differences.push(row);
        }
    }
    let head = owned(&["measure", "dimension", "level", "coefficient", "correlation", "points", "items left out"]);
    findings.add_csv("correlations.csv", &head, of_found.into_iter());
    if !of_differences.is_empty() {
        let head = owned(&[
            "measure",
            "against",
            "dimension",
            "level",
            "coefficient",
            "difference",
            "low",
            "high",
            "draws",
            "p",
            "permutations",
            "williams t",
            "williams p",
            "PAI",
        ]);
        findings.add_csv("differences.csv", &head, of_differences.into_iter());
    }
    let (mut of_pairs, mut of_systems) = (Vec::new(), Vec::new());
    let system = |number: usize| input.scores.systems[number].clone();
    for (dimension, means) in input.dimensions.iter().zip(&computed.means) {
        for (number, means) in means.iter().enumerate() {
            for own in means {
                let row = vec![measure(number), dimension.name.clone(), system(own.system)];
                of_systems.push([row, vec![own.score.to_string(), own.rating.to_string()]].concat());
            }
            for (better, worse) in opposite(means) {
                let names = vec![measure(number), dimension.name.clone(), system(better.system), system(worse.system)];
                let numbers = [better.rating, worse.rating, better.score, worse.score].map(|own| own.to_string());
                of_pairs.push([names, numbers.to_vec()].concat());
            }
        }
    }
    let head = owned(&["measure", "dimension", "system", "mean score", "mean rating"]);
    findings.add_csv("systems.csv", &head, of_systems.into_iter());
    let head =
        owned(&["measure", "dimension", "people prefer", "to", "rating", "other rating", "score", "other score"]);
    findings.add_csv("pairs.csv", &head, of_pairs.into_iter());
}
