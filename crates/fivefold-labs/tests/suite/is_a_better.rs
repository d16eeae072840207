//! Lab 5, solved from its files by other ways than the grader's: sign vectors one by one in whole
//! numbers, tails of t by integration, power by simulation of its definition, Holm from its
//! step-down rule.

use std::process::Command;

use fivefold_labs::{LABS, Lab, Student, lab};

use crate::common::{Files, STUDENTS, Solution, answered, check, files, number};

/// The columns of a table, without the topics.
fn columns(csv: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = csv.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').skip(1).map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        line.split(',').skip(1).zip(&mut columns).for_each(|(cell, column)| column.push(cell.parse().unwrap()));
    }
    (names, columns)
}

fn simpson(function: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    const STEPS: u32 = 600;
    let width = (high - low) / f64::from(STEPS);
    let weight = |step: u32| match step {
        0 | STEPS => 1.0,
        step if step % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=STEPS).map(|step| weight(step) * function(low + f64::from(step) * width)).sum::<f64>() * width / 3.0
}

/// The two-sided p-value of t, by integration of Student's density.
fn t_tail(t: f64, degrees: f64) -> f64 {
    let front = libm::exp(libm::lgamma((degrees + 1.0) / 2.0) - libm::lgamma(degrees / 2.0))
        / (degrees * std::f64::consts::PI).sqrt();
    let density = |x: f64| front * libm::pow(1.0 + x * x / degrees, -(degrees + 1.0) / 2.0);
    1.0 - 2.0 * simpson(density, 0.0, t.abs())
}

/// Mean of the differences, their deviation, t, and p of the t-test.
fn t_test(a: &[f64], b: &[f64]) -> [f64; 4] {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let deviation = (differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0)).sqrt();
    let t = mean / (deviation / n.sqrt());
    [mean, deviation, t, t_tail(t, n - 1.0)]
}

/// The power of the t-test, from its definition: the noncentral t as a normal number over a
/// deviation.
fn power(effect: f64, topics: usize) -> f64 {
    let degrees = topics as f64 - 1.0;
    let (mut low, mut high) = (0.0, 1000.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if t_tail(middle, degrees) > 0.05 { low = middle } else { high = middle }
    }
    let shift = effect * (topics as f64).sqrt();
    let below = |x: f64| 0.5 * libm::erfc(-x / 2f64.sqrt());
    let half = degrees / 2.0;
    let term = |s: f64| {
        let log = libm::log(2.0) + half * libm::log(half) - libm::lgamma(half) + (degrees - 1.0) * libm::log(s);
        libm::exp(log - half * s * s) * (below(shift - high * s) + below(-shift - high * s))
    };
    simpson(term, 1e-9, 1.0 + 8.0 / (2.0 * degrees).sqrt())
}

/// Holm by its step-down rule: the adjusted p-value is the least level at which a pair is rejected.
fn holm(p_values: &[f64]) -> Vec<f64> {
    let rejected = |level: f64| {
        let mut order: Vec<usize> = (0..p_values.len()).collect();
        order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
        let left = |place: usize| (p_values.len() - place) as f64;
        let stop = (0..order.len()).find(|&place| p_values[order[place]] * left(place) > level).unwrap_or(order.len());
        order[..stop].to_vec()
    };
    let least = |pair: usize| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            if rejected(middle).contains(&pair) { high = middle } else { low = middle }
        }
        high
    };
    (0..p_values.len()).map(least).collect()
}

fn solve(files: &Files, worksheet: &str) -> Solution {
    let mut solution = Solution::new();
    let mut put = |name: &str, value: String| assert!(solution.insert(name.to_owned(), value).is_none());
    let real = |value: f64| number(Some(value));

    let (_, eight) = columns(&files["eight.csv"]);
    let [mean, deviation, t, p] = t_test(&eight[0], &eight[1]);
    let hundredths: Vec<i64> =
        eight[0].iter().zip(&eight[1]).map(|(a, b)| (100.0 * a).round() as i64 - (100.0 * b).round() as i64).collect();
    let observed: i64 = hundredths.iter().sum();
    let sum = |signs: u32| -> i64 {
        hundredths.iter().enumerate().map(|(topic, d)| if signs >> topic & 1 == 1 { -d } else { *d }).sum()
    };
    let as_large = (0..256).filter(|&signs| sum(signs).abs() >= observed.abs()).count();
    put("eight.mean", real(mean));
    put("eight.sd", real(deviation));
    put("eight.as-large", as_large.to_string());
    put("eight.p", format!("\"{as_large}/256\""));
    put("eight.least", real(2.0 / 256.0));
    put("eight.t", real(t));
    put("eight.t-p", real(p));
    put("eight.better", if as_large as f64 / 256.0 < 0.05 { "true" } else { "\"no\"" }.to_owned());

    let effect: f64 = worksheet.split("the effect size ").nth(1).unwrap()[..4].parse().unwrap();
    // More topics have more power, so the first number with enough of it is found by halving.
    let needed = |effect: f64| {
        let (mut few, mut enough) = (2, 1000);
        while enough - few > 1 {
            let middle = (few + enough) / 2;
            if power(effect, middle) >= 0.8 { enough = middle } else { few = middle }
        }
        enough.to_string()
    };
    put("power.rough", real((1.96f64 + 0.84) * (1.96 + 0.84) / (effect * effect)));
    put("power.eight", real(power(effect, 8)));
    put("power.fifty", real(power(effect, 50)));
    put("power.needed", needed(effect));
    put("power.half", needed(effect / 2.0));

    let table = worksheet.split("| pair | p |").nth(1).unwrap();
    let rows: Vec<(&str, f64)> = table
        .lines()
        .skip(2)
        .take(6)
        .map(|line| line.trim_matches(['|', ' ']).split_once(" | ").unwrap())
        .map(|(pair, p)| (pair, p.parse().unwrap()))
        .collect();
    let p_values: Vec<f64> = rows.iter().map(|(_, p)| *p).collect();
    let adjusted = holm(&p_values);
    let below = |values: &[f64], factor: f64| values.iter().filter(|p| **p * factor < 0.05).count().to_string();
    put("family.none", below(&p_values, 1.0));
    put("family.bonferroni", below(&p_values, 6.0));
    put("family.holm", below(&adjusted, 1.0));
    rows.iter().zip(&adjusted).for_each(|((pair, _), p)| put(&format!("family.{pair}"), real(*p)));

    let (names, random) = columns(&files["random.csv"]);
    let (_, fresh) = columns(&files["fresh.csv"]);
    let tests: Vec<[f64; 4]> = random[1..].iter().map(|ranker| t_test(ranker, &random[0])).collect();
    let p_values: Vec<f64> = tests.iter().map(|test| test[3]).collect();
    let best = (1..random.len()).max_by(|a, b| tests[a - 1][0].total_cmp(&tests[b - 1][0])).unwrap();
    let [difference, _, _, fresh_p] = t_test(&fresh[best], &fresh[0]);
    put("random.expected", "1".to_owned());
    put("random.any", real(1.0 - (0..20).map(|_| 0.95).product::<f64>()));
    put("random.count", below(&p_values, 1.0));
    put("random.best", format!("\"{}\"", names[best].to_uppercase()));
    put("random.best-p", real(p_values[best - 1]));
    put("random.bonferroni", real((p_values[best - 1] * 20.0).min(1.0)));
    put("random.holm", below(&holm(&p_values), 1.0));
    put("random.fresh", real(difference));
    put("random.fresh-p", real(fresh_p));
    put("random.honest", "[\"fresh-p\", \"bonferroni\"]".to_owned());
    solution
}

fn own() -> &'static dyn Lab {
    lab("5").unwrap()
}

/// The worksheet of the student with these files.
fn worksheet(files_of_student: &Files) -> String {
    let mut students = STUDENTS.iter().filter(|student| files(own(), student) == *files_of_student);
    own().handout(&Student::new(students.next().unwrap()).unwrap()).unwrap().worksheet
}

#[test]
fn other_ways_solve_the_lab_of_every_student() {
    check(own(), |files| solve(files, &worksheet(files)), |_| {});
}

/// tools.py gives the numbers of `fivefold_stats`.
#[test]
fn the_tools_of_the_folder_are_right() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tools.py"), &files(own(), STUDENTS[0])["tools.py"]).unwrap();
    let code = "from tools import *\nfor t, v in [(0.5, 7), (2.3, 7), (12.0, 49)]: print(student_p(t, v))\n\
        for d, n in [(0.25, 8), (0.55, 50), (0.12, 600), (0.5, 2)]: print(power(d, n))\n";
    let output = match Command::new("python3").args(["-c", code]).current_dir(folder.path()).output() {
        Ok(output) => output,
        Err(error) => return eprintln!("skipped: python3 does not run: {error}"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<f64> = String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    // scipy 1.17: 2 * stats.t.sf(t, v)
    let tails = [0.632_407_135_7, 0.054_991_095_2, 3.38e-16];
    found.iter().zip(tails).for_each(|(found, right)| assert!((found - right).abs() < 1e-9, "{found} {right}"));
    for (found, (effect, topics)) in found[3..].iter().zip([(0.25, 8), (0.55, 50), (0.12, 600), (0.5, 2)]) {
        let right = fivefold_stats::paired_t_power(effect, topics, 0.05).unwrap();
        assert!((found - right).abs() < 1e-4, "{effect} {topics}: {found} {right}");
    }
}

/// Each wrong answer gets the way to the right one.
#[test]
fn each_cell_has_steps() {
    for cell in own().cells(&Student::new(STUDENTS[0]).unwrap()).unwrap() {
        assert!(!cell.steps.is_empty(), "{}", cell.name);
        if let fivefold_labs::Answer::Number(Some(value)) = cell.answer
            && value.fract() != 0.0
        {
            let value = format!("{value:.4}");
            let value = value.trim_end_matches('0').trim_end_matches('.');
            assert!(cell.steps.iter().any(|step| step.contains(value)), "{} {value}: {:?}", cell.name, cell.steps);
        }
    }
}

/// The ranker with the highest mean need not have the least p-value, so what is said of `honest` rests on
/// the choice by the mean alone.
#[test]
fn what_is_said_of_honest_is_true_of_the_data() {
    let mut not_least = 0;
    for number in 0..8 {
        let student = format!("student {number}");
        let (_, random) = columns(&files(own(), &student)["random.csv"]);
        let tests: Vec<[f64; 4]> = random[1..].iter().map(|ranker| t_test(ranker, &random[0])).collect();
        let best = tests.iter().max_by(|a, b| a[0].total_cmp(&b[0])).unwrap();
        not_least += usize::from(tests.iter().any(|test| test[3] < best[3]));
        let told = answered(own(), &student, "random.honest", "[\"best-p\"]").steps.join(" ");
        assert!(told.contains("chosen for its mean") && !told.contains("least"), "{told}");
    }
    assert!(not_least > 0);
}

#[test]
fn a_p_value_of_one_side_is_told() {
    for name in ["eight.t-p", "random.best-p", "random.fresh-p"] {
        let cells = own().cells(&Student::new(STUDENTS[0]).unwrap()).unwrap();
        let fivefold_labs::Answer::Number(Some(p)) = cells.iter().find(|cell| cell.name == name).unwrap().answer else {
            panic!("{name}")
        };
        let cell = answered(own(), STUDENTS[0], name, &format!("{:.6}", p / 2.0));
        assert_eq!(cell.points, 0.0);
        assert!(cell.told[0].contains("take both sides") && cell.hint.unwrap().contains("two-sided"), "{name}");
    }
}

#[test]
fn the_data_show_what_they_are_for() {
    assert!(LABS.iter().any(|lab| lab.about().number == 5));
    for number in 0..20 {
        let student = Student::new(&format!("student {number}")).unwrap();
        let cells = own().cells(&student).unwrap();
        let of = |name: &str| match cells.iter().find(|cell| cell.name == name).unwrap().answer {
            fivefold_labs::Answer::Number(Some(value)) => value,
            _ => unreachable!(),
        };
        assert_eq!(["none", "bonferroni", "holm"].map(|key| of(&format!("family.{key}"))), [4.0, 1.0, 2.0]);
        assert!(of("random.count") >= 1.0 && of("random.holm") == 0.0 && of("random.best-p") < 0.05);
        assert!(of("random.fresh-p") > 0.1 && of("random.bonferroni") > 0.05);
        assert!((of("eight.p") - of("eight.t-p")).abs() > 0.003);
    }
}
