//! Lab 6, solved from its files: the laws of the tables on the printed text, and the formulas of the
//! worksheet written out.

use fivefold_labs::{Lab, State, Student, lab};
use fivefold_studies::replay::FENG_KARMAKER_2023_SCORES;

use crate::common::{Files, STUDENTS, Solution, answered, check, files, number};

/// The rows of each table of the paper: their name and their numbers.
fn tables(paper: &str) -> Vec<Vec<(String, Vec<f64>)>> {
    let of_table = |text: &str| {
        let rows = text.lines().filter(|line| line.starts_with("| ") && !line.contains("row |"));
        let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        rows.map(cells)
            .map(|cells: Vec<String>| {
                let numbers = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
                (cells[0].clone(), numbers)
            })
            .collect()
    };
    paper.split("## Table ").skip(1).map(of_table).collect()
}

fn is_whole(number: f64, slack: f64) -> bool {
    (number - number.round()).abs() < slack
}

fn is_possible(table: usize, cells: &[f64]) -> bool {
    match table {
        2 => is_whole((1.0 - cells[0]) * 7.5, 0.005),
        3 => (cells.iter().sum::<f64>() - 100.0).abs() < 0.21,
        4 => {
            let both = (cells[0] + cells[1] - cells[2]) / 2.0;
            is_whole(both, 1e-9) && both >= 0.0 && both <= cells[0].min(cells[1]) && cells[0] + cells[1] - both <= 15.0
        }
        5 => (cells[1] + cells[2] - 2.0 * cells[0]).abs() < 0.0021,
        6 => (cells[0].abs() > 2.01) == (cells[1] < 0.05),
        7 => is_whole(cells[0] * 50.0, 0.01),
        8 => cells.iter().sum::<f64>() == 50.0,
        _ => true,
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

/// P(|T| > t) by Simpson's rule over the density of Student's distribution.
fn student_p(t: f64, degrees: f64) -> f64 {
    let density = |x: f64| libm::pow(1.0 + x * x / degrees, -(degrees + 1.0) / 2.0);
    let area = |from: f64, to: f64| {
        let (steps, width) = (20_000, (to - from) / 20_000.0);
        let weight = |step: i32| {
            if step == 0 || step == steps {
                1.0
            } else if step % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        (0..=steps).map(|step| weight(step) * density(from + f64::from(step) * width)).sum::<f64>() * width / 3.0
    };
    let inside = area(0.0, t.abs());
    1.0 - inside / (inside + area(t.abs(), t.abs() + 200.0))
}

/// The normal distribution function, by Simpson's rule.
fn normal_below(z: f64) -> f64 {
    let (steps, width) = (2000, z / 2000.0);
    let density = |x: f64| libm::exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
    let weight = |step: i32| {
        if step == 0 || step == steps {
            1.0
        } else if step % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    0.5 + (0..=steps).map(|step| weight(step) * density(f64::from(step) * width)).sum::<f64>() * width / 3.0
}

/// Pairs of two lists that stand in opposite orders.
fn swaps(first: &[f64], second: &[f64]) -> usize {
    let pairs = (0..first.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    pairs.filter(|&(a, b)| (first[a] > first[b]) != (second[a] > second[b])).count()
}

/// The pairs of methods that stand in another order in two blocks of the printed scores.
fn printed_swaps(dataset: &str, version: &str) -> usize {
    let file: toml::Table = FENG_KARMAKER_2023_SCORES.parse().unwrap();
    let block = |metric: &str| -> Vec<f64> {
        let blocks = file["scores"].as_array().unwrap();
        let of = |block: &&toml::Value| {
            block["dataset"].as_str() == Some(dataset) && block["metric"].as_str() == Some(metric)
        };
        let values = blocks.iter().find(of).unwrap()["values"].as_table().unwrap();
        let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|whole| whole as f64)).unwrap();
        values.values().map(|row| mean(&row.as_array().unwrap().iter().map(number).collect::<Vec<_>>())).collect()
    };
    let original = version.split('.').next().unwrap();
    swaps(&block(original), &block(version))
}

fn csv(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn solve(files: &Files) -> Solution {
    let mut solution = Solution::new();
    let mut put = |name: &str, value: f64| solution.insert(name.to_owned(), number(Some(value)));
    // Read by hand in the output of `fivefold replay`.
    put("replay.misprint", 0.116);
    let asked: Vec<Vec<String>> = csv(&files["asked.csv"]);
    let of = |name: &str| asked.iter().find(|row| row[0] == name).unwrap()[1].clone();
    let tau = of("replay.swaps");
    let words: Vec<&str> = tau.split(", ").collect();
    let swapped = printed_swaps(words[1], words[2]) as f64;
    put("replay.swaps", swapped);
    put("replay.next", 1.0 - (swapped + 1.0) / 14.0);
    // The powers that are printed in tables 9 and 21.
    let conflicts = of("replay.fewest");
    let powers: [i32; 2] = if conflicts.starts_with("table 8,") {
        [33, 78]
    } else if conflicts.contains(".v1") {
        [45, 50]
    } else {
        [45, 59]
    };
    // All numbers that may be significant under both, tried one by one.
    let conflicts = |both: i32| powers[0] + powers[1] - 2 * both;
    let both = (0..=powers[0].min(powers[1])).min_by_key(|both| conflicts(*both)).unwrap();
    put("replay.fewest", f64::from(conflicts(both)));
    put("replay.both", f64::from(both));

    let tables = tables(&files["paper.md"]);
    let mut rows = Vec::new();
    for (table, own) in (2..).zip(&tables[1..]) {
        let found: Vec<_> = own.iter().filter(|(_, cells)| !is_possible(table, cells)).collect();
        assert!(found.len() < 2, "table {table}: {found:?}");
        rows.push((table, found.first().map_or("none", |(name, _)| name)));
        match (table, found.first()) {
            (2, Some((_, cells))) => put("nearest.tau", 1.0 - ((1.0 - cells[0]) * 7.5).round() / 7.5),
            (4, Some((_, cells))) => put("nearest.conflicts", (cells[0] - cells[1]).abs()),
            (7, Some((_, cells))) => put("nearest.precision", (cells[0] * 50.0).round() / 50.0),
            _ => None,
        };
    }
    let values: Vec<Vec<f64>> = csv(&files["other.csv"])
        .iter()
        .map(|row| row[1..].iter().map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let system = |name: &str| {
        let column = "ABCDEF".find(name).unwrap();
        values.iter().map(|row| row[column]).collect::<Vec<f64>>()
    };
    let mut verdicts = Vec::new();
    for claim in csv(&files["claims.csv"]) {
        let (better, worse) = (system(&claim[1]), system(&claim[2]));
        let differences: Vec<f64> = better.iter().zip(worse).map(|(a, b)| a - b).collect();
        let p = student_p(mean(&differences) / (deviation(&differences) / 30f64.sqrt()), 29.0);
        put(&format!("{}.difference", claim[0]), mean(&differences));
        put(&format!("{}.p", claim[0]), p);
        let verdict = if p >= 0.05 {
            "open"
        } else if mean(&differences) > 0.0 {
            "holds"
        } else {
            "reversed"
        };
        verdicts.push((claim[0].clone(), verdict));
    }
    let printed: Vec<f64> = tables[0].iter().skip(1).map(|(_, cells)| cells[0]).collect();
    assert_eq!(printed.len(), 6);
    let means: Vec<f64> = "ABCDEF".split("").filter(|name| !name.is_empty()).map(|name| mean(&system(name))).collect();
    let changes = swaps(&printed, &means) as f64;
    put("orders.changes", changes);
    put("orders.tau", 1.0 - 2.0 * changes / 15.0);

    let small: Vec<Vec<f64>> = csv(&files["small.csv"])
        .iter()
        .map(|row| row[2..].iter().map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let at = |system: usize, query: usize| &small[3 * query + system];
    let v2 = |system: usize, query: usize| {
        let [a, e, u] = at(system, query)[..] else { panic!() };
        if a < e { (a - e) / e } else { (a - e) / (u - e) }
    };
    let cell = |name: &str| {
        let text = of(name);
        ("XYZ".find(&text[..1]).unwrap(), text[text.len() - 1..].parse::<usize>().unwrap() - 1)
    };
    let (above, below) = (cell("ue.above"), cell("ue.below"));
    let [a, e, u] = at(above.0, above.1)[..] else { panic!() };
    put("ue.v1", a * a / (u * (a + e)));
    put("ue.above", v2(above.0, above.1));
    put("ue.below", v2(below.0, below.1));
    put("ue.undefined", 1.0);
    put("z.undefined", 2.0);
    let z = |system: usize, among: &[usize]| {
        let of_query = |query: usize| {
            let all: Vec<f64> = among.iter().map(|&other| at(other, query)[0]).collect();
            normal_below((at(system, query)[0] - mean(&all)) / deviation(&all))
        };
        (of_query(0), (0..3).map(of_query).sum::<f64>() / 3.0)
    };
    for (system, name) in ["x", "y", "z"].iter().enumerate() {
        put(&format!("ue.{name}"), (0..4).map(|query| v2(system, query)).sum::<f64>() / 4.0);
        put(&format!("z.{name}"), z(system, &[0, 1, 2]).1);
    }
    put("z.first", z(0, &[0, 1, 2]).0);
    put("leave.standardised", z(0, &[0, 1]).1);
    put("leave.v2", (0..4).map(|query| v2(0, query)).sum::<f64>() / 4.0);
    let words = rows.into_iter().map(|(table, row)| (format!("tables.t{table}"), row.to_owned()));
    let words =
        words.chain(verdicts.into_iter().map(|(claim, verdict)| (format!("{claim}.verdict"), verdict.to_owned())));
    let words = words.chain([("leave.unchanged".to_owned(), "v2".to_owned())]);
    solution.extend(words.map(|(name, word)| (name, format!("\"{word}\""))));
    // Significance rests on single queries; orders of means do not.
    solution.insert("replay.follows".to_owned(), "[\"winner\", \"tau\", \"swap-rate\"]".to_owned());
    solution
}

/// The impossible row of table 4 breaks one of two limits, and the hint has both.
#[test]
fn the_hint_of_table_4_has_the_limit_that_is_broken() {
    let (mut odd, mut beyond) = (0, 0);
    for number in 0..12 {
        let student = format!("student {number}");
        let rows = tables(&files(own(), &student)["paper.md"]).remove(3);
        let (_, cells) = rows.iter().find(|(_, cells)| !is_possible(4, cells)).unwrap();
        let both = (cells[0] + cells[1] - cells[2]) / 2.0;
        let hint = answered(own(), &student, "tables.t4", "\"none\"").hint.unwrap();
        let limit = if !is_whole(both, 1e-9) {
            odd += 1;
            "c is a whole number"
        } else {
            assert!(both > cells[0].min(cells[1]), "{cells:?}");
            beyond += 1;
            "to the smaller power"
        };
        assert!(hint.contains(limit), "{hint}");
    }
    assert!(odd > 0 && beyond > 0, "{odd} {beyond}");
    // Part 1 asks for conflicts, too. It trains for both limits.
    let worksheet = own().handout(&Student::new(STUDENTS[0]).unwrap()).unwrap().worksheet;
    let first = worksheet.split("## Part 2").next().unwrap();
    assert!(first.contains("no\n  whole number c") || first.contains("no whole number c"), "{first}");
    assert!(first.contains("more than the smaller power"), "{first}");
}

#[test]
fn answers_in_another_form_are_told_the_form() {
    let letter = answered(own(), STUDENTS[0], "tables.t7", "\"B\"");
    assert_eq!((letter.state, letter.points), (State::Unreadable, 0.0));
    assert!(letter.told[0].contains("write 7b, not b"), "{letter:?}");
    let small = answered(own(), STUDENTS[0], "claim4.p", "\"<0.001\"");
    assert!(small.state == State::Unreadable && small.told[0].contains("0.000 for <0.001"), "{small:?}");
}

/// A mean over four or three queries, divided by all five.
#[test]
fn a_mean_over_too_many_queries_is_told() {
    let solution = solve(&files(own(), STUDENTS[0]));
    for (name, queries) in [("ue.x", 4.0), ("z.y", 3.0), ("leave.standardised", 3.0), ("leave.v2", 4.0)] {
        let right: f64 = solution[name].parse().unwrap();
        let cell = answered(own(), STUDENTS[0], name, &format!("{:.6}", right * queries / 5.0));
        assert_eq!(cell.points, 0.0, "{name}");
        assert!(cell.told[0].contains("over how many queries"), "{name}: {cell:?}");
    }
}

fn own() -> &'static dyn Lab {
    lab("6").unwrap()
}

#[test]
fn the_laws_and_formulas_solve_the_lab_of_every_student() {
    check(own(), solve, |_| {});
}
