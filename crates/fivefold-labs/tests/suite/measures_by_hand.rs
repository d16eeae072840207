//! Lab 1, solved from its files by enumeration: each measure of one order is a few lines, and ties
//! and E are means over orders that are written down.

use fivefold_labs::{Answer, LABS, Student, lab};

use crate::common::{Files, STUDENTS, Solution, check, files, number};

/// A ranked document: its grade, if it was judged, and its score.
type Ranked = (Option<u8>, f64);

/// All orders of the indices of a list.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let insert = |order: &Vec<usize>, place: usize| {
        let mut order = order.clone();
        order.insert(place, count - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(|place| insert(order, place)).collect::<Vec<_>>()).collect()
}

fn relevant(grade: &Option<u8>) -> bool {
    grade.is_some_and(|grade| grade > 0)
}

fn gain(grade: &Option<u8>) -> f64 {
    f64::from((1u32 << grade.unwrap_or(0)) - 1)
}

fn discount(rank: usize) -> f64 {
    libm::log(rank as f64 + 1.0) / libm::log(2.0)
}

fn dcg(ranking: &[Option<u8>], cutoff: usize) -> f64 {
    ranking.iter().take(cutoff).enumerate().map(|(i, grade)| gain(grade) / discount(i + 1)).sum()
}

fn ideal(pool: &[u8]) -> Vec<Option<u8>> {
    let mut pool = pool.to_vec();
    pool.sort_by(|a, b| b.cmp(a));
    pool.into_iter().map(Some).collect()
}

/// A measure of one order; `pool` has the grades of all judged documents.
fn value(measure: &str, ranking: &[Option<u8>], pool: &[u8]) -> Option<f64> {
    let found = pool.iter().filter(|grade| **grade > 0).count();
    match measure {
        "p" => Some(ranking.iter().take(5).filter(|grade| relevant(grade)).count() as f64 / 5.0),
        "ap" => (found > 0).then(|| {
            let precision = |i: usize| ranking[..=i].iter().filter(|g| relevant(g)).count() as f64 / (i + 1) as f64;
            let ranks = (0..ranking.len()).filter(|&i| relevant(&ranking[i]));
            ranks.map(precision).sum::<f64>() / found as f64
        }),
        "rr" => (found > 0).then(|| ranking.iter().position(relevant).map_or(0.0, |i| 1.0 / (i + 1) as f64)),
        "dcg" => Some(dcg(ranking, 5)),
        "dcg2" => Some(dcg(ranking, 2)),
        "ndcg" => (found > 0).then(|| dcg(ranking, 5) / dcg(&ideal(pool), 5)),
        "err" => {
            let (mut reached, mut sum) = (1.0, 0.0);
            for (i, grade) in ranking.iter().take(5).enumerate() {
                let stops = gain(grade) / 16.0;
                sum += reached * stops / (i + 1) as f64;
                reached *= 1.0 - stops;
            }
            Some(sum)
        }
        "rbp" => {
            let ranks = (0..ranking.len()).filter(|&i| relevant(&ranking[i]));
            Some(0.2 * ranks.map(|i| 0.8f64.powi(i as i32)).sum::<f64>())
        }
        other => panic!("{other}"),
    }
}

/// The mean over all orders that keep the scores falling.
fn mean_over_ties(measure: &str, documents: &[Ranked], pool: &[u8]) -> Option<f64> {
    let falling = |order: &Vec<usize>| order.windows(2).all(|w| documents[w[0]].1 >= documents[w[1]].1);
    let orders: Vec<Vec<usize>> = orders(documents.len()).into_iter().filter(falling).collect();
    let values: Option<Vec<f64>> = orders
        .iter()
        .map(|order| value(measure, &order.iter().map(|&i| documents[i].0).collect::<Vec<_>>(), pool))
        .collect();
    values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
}

fn solve(files: &Files) -> Solution {
    let fields = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let qrels: Vec<Vec<String>> = files["qrels.txt"].lines().map(fields).collect();
    let run: Vec<Vec<String>> = files["run.txt"].lines().map(fields).collect();
    let mut solution = Solution::new();
    for number_of_query in 1..=12 {
        let query = format!("q{number_of_query}");
        let judged: Vec<&Vec<String>> = qrels.iter().filter(|line| line[0] == query).collect();
        let pool: Vec<u8> = judged.iter().map(|line| line[3].parse().unwrap()).collect();
        let grade = |id: &str| judged.iter().find(|line| line[2] == id).map(|line| line[3].parse().unwrap());
        let of_query = run.iter().filter(|line| line[0] == query);
        let documents: Vec<Ranked> = of_query.map(|line| (grade(&line[2]), line[4].parse().unwrap())).collect();
        let mut put = |key: &str, value: Option<f64>| solution.insert(format!("{query}.{key}"), number(value));
        if number_of_query <= 10 {
            for measure in ["p", "ap", "rr", "dcg", "ndcg", "err", "rbp"] {
                put(measure, mean_over_ties(measure, &documents, &pool));
            }
            let condensed: Vec<Ranked> = documents.iter().copied().filter(|(grade, _)| grade.is_some()).collect();
            put("ap-judged", mean_over_ties("ap", &condensed, &pool));
            continue;
        }
        let measure = if number_of_query == 11 { "dcg2" } else { "rr" };
        let a = mean_over_ties(measure, &documents, &pool).unwrap();
        let u = value(measure, &ideal(&pool), &pool).unwrap();
        let all_tie: Vec<Ranked> = documents.iter().map(|(grade, _)| (*grade, 0.0)).collect();
        let e = mean_over_ties(measure, &all_tie, &pool).unwrap();
        let v2 = if a >= e { (a - e) / (u - e) } else { (a - e) / e };
        for (key, value) in [("a", a), ("u", u), ("e", e), ("v1", a / u * a / (a + e)), ("v2", v2)] {
            put(key, Some(value));
        }
    }
    let cells = LABS[0].cells(&Student::new(STUDENTS[0]).unwrap()).unwrap();
    solution.retain(|name, _| cells.iter().any(|cell| cell.name == *name));
    solution
}

#[test]
fn enumeration_solves_the_lab_of_every_student() {
    check(lab("1").unwrap(), solve, |_| {});
}

/// A student who mistakes one rule for another is wrong by more than the tolerance.
#[test]
fn each_query_shows_what_it_is_for() {
    for number in 0..200 {
        let student = Student::new(&format!("student {number}")).unwrap();
        let cells = lab("1").unwrap().cells(&student).unwrap();
        let of = |name: &str| match cells.iter().find(|cell| cell.name == name).unwrap().answer {
            Answer::Number(value) => value,
            _ => unreachable!(),
        };
        let differ = |one: &str, other: &str| {
            let [a, b] = [one, other].map(|name| of(name).unwrap());
            assert!((a - b).abs() > 0.002, "{number}: {one} {a}, {other} {b}");
        };
        assert!(of("q1.rr").unwrap() < 1.0 && of("q1.ap").unwrap() < 1.0);
        assert!(of("q3.ndcg").unwrap() < 0.998 && of("q6.ndcg").unwrap() < 0.998 && of("q9.ndcg").unwrap() < 0.998);
        differ("q10.ap", "q10.ap-judged");
        for name in ["q7.ap", "q7.rr", "q7.ndcg"] {
            assert_eq!(of(name), None);
        }
        for name in ["q7.p", "q7.dcg", "q7.err"] {
            assert_eq!(of(name), Some(0.0));
        }
        for (good, query) in [(true, "q11"), (false, "q12")] {
            let [a, u, e, v2] = ["a", "u", "e", "v2"].map(|key| of(&format!("{query}.{key}")).unwrap());
            assert!(a < u - 0.01 && (a - e).abs() > 0.002 && (a > e) == good && (v2 > 0.0) == good, "{number} {query}");
        }
    }
}

/// The steps of a wrong cell end with its value.
#[test]
fn steps_lead_to_the_value() {
    let student = Student::new(STUDENTS[0]).unwrap();
    for cell in lab("1").unwrap().cells(&student).unwrap() {
        let Answer::Number(value) = cell.answer else { unreachable!() };
        let steps = cell.steps.join("\n");
        let value = value.map_or_else(|| "undefined".to_owned(), |value| format!("{value:.4}"));
        let value = value.trim_end_matches('0').trim_end_matches('.');
        assert!(steps.contains(&format!("= {value}")), "{} {value}:\n{steps}", cell.name);
    }
    assert_eq!(files(lab("1").unwrap(), STUDENTS[0]).len(), 2);
}

/// The worksheet asks for the orders of documents that tie, so the steps show each of them, as
/// enumeration gives it.
#[test]
fn steps_of_ties_show_each_order() {
    for (query, orders) in [("q8", 2), ("q9", 6)] {
        for cell in lab("1").unwrap().cells(&Student::new(STUDENTS[1]).unwrap()).unwrap() {
            if cell.name.starts_with(query) {
                let shown = cell.steps.iter().filter(|step| step.starts_with("order ")).count();
                assert_eq!((shown, cell.steps.len()), (orders, orders + 1), "{}: {:?}", cell.name, cell.steps);
            }
        }
    }
}
