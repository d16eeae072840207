//! Lab 2, solved from its files by an evaluation of its own: the rules of the eleven programs as a
//! table, and measures of one order, with ties by enumeration.

use fivefold_labs::{Answer, Lab, Student, lab};

use crate::common::{Files, STUDENTS, Solution, answered, check, files, number};

/// The rules of a program that matter in this lab.
#[derive(Clone, PartialEq, Debug)]
struct Rules {
    gain: &'static str,
    discount: &'static str,
    ties: &'static str,
    undefined: &'static str,
    threshold: u8,
    ap_denominator: &'static str,
    p_denominator: &'static str,
    short_list: &'static str,
    scores: &'static str,
    ap_ties: &'static str,
    max_grade: u8,
    no_relevant: &'static str,
}

/// As the documentation of the programs says.
fn rules(dialect: &str) -> Rules {
    let usual = Rules {
        gain: "exp2",
        discount: "log2",
        ties: "input",
        undefined: "zero",
        threshold: 1,
        ap_denominator: "relevant",
        p_denominator: "cutoff",
        short_list: "cut",
        scores: "f64",
        ap_ties: "orders",
        max_grade: 3,
        no_relevant: "undefined",
    };
    let letor = Rules { discount: "letor", short_list: "zero", ..usual.clone() };
    match dialect {
        "paper" => Rules { ties: "average", ap_denominator: "cutoff", ..usual },
        "letor4" => letor,
        "mslr" => Rules { threshold: 2, ..letor },
        "trec_eval" => Rules { gain: "linear", ties: "docid", scores: "f32", ..usual },
        "gdeval" => Rules { ties: "docid", undefined: "skip", max_grade: 4, ..usual },
        "ranklib" => Rules { p_denominator: "list", max_grade: 4, ..usual },
        "lightgbm" => Rules { undefined: "one", ap_denominator: "min", ..usual },
        "xgboost" => Rules { undefined: "one", ap_denominator: "min", p_denominator: "list", scores: "f32", ..usual },
        "catboost" => Rules {
            gain: "linear",
            ties: "pessimistic",
            undefined: "one",
            ap_denominator: "min",
            p_denominator: "list",
            no_relevant: "zero",
            ..usual
        },
        "sklearn" => Rules { gain: "linear", ties: "average", ap_ties: "threshold", ..usual },
        "ranx" => Rules { gain: "linear", ..usual },
        other => panic!("{other}"),
    }
}

const DIALECTS: [&str; 11] =
    ["paper", "letor4", "mslr", "trec_eval", "gdeval", "ranklib", "lightgbm", "xgboost", "catboost", "sklearn", "ranx"];

/// A document of the file: grade, id, score.
type Document = (u8, String, f64);

/// The queries of the file with the scores of a system.
fn queries(files: &Files, scores: &str) -> Vec<(String, Vec<Document>)> {
    let mut found: Vec<(String, Vec<Document>)> = Vec::new();
    for (line, score) in files["test.txt"].lines().zip(files[scores].lines()) {
        let fields: Vec<&str> = line.split(' ').collect();
        let query = fields[1].strip_prefix("qid:").unwrap();
        if found.last().is_none_or(|(last, _)| last != query) {
            found.push((query.to_owned(), Vec::new()));
        }
        let document = (fields[0].parse().unwrap(), fields[5].to_owned(), score.parse().unwrap());
        found.last_mut().unwrap().1.push(document);
    }
    found
}

/// All orders of the ranked documents that a rule for ties allows.
fn orders(documents: &[Document], rules: &Rules) -> Vec<Vec<usize>> {
    let score = |at: usize| match rules.scores {
        "f32" => f64::from(documents[at].2 as f32),
        _ => documents[at].2,
    };
    let mut order: Vec<usize> = (0..documents.len()).collect();
    match rules.ties {
        "docid" => order.sort_by(|a, b| documents[*b].1.cmp(&documents[*a].1)),
        "pessimistic" => order.sort_by_key(|at| documents[*at].0),
        _ => {}
    }
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
    // At most two documents tie.
    let tie = (1..order.len()).find(|&rank| score(order[rank - 1]) == score(order[rank]));
    match tie.filter(|_| rules.ties == "average") {
        Some(rank) => {
            let mut other = order.clone();
            other.swap(rank - 1, rank);
            vec![order, other]
        }
        None => vec![order],
    }
}

fn dcg(grades: &[u8], rules: &Rules) -> f64 {
    let term = |(at, grade): (usize, &u8)| {
        let rank = at as f64 + 1.0;
        let gain = if rules.gain == "linear" { f64::from(*grade) } else { f64::from((1u32 << grade) - 1) };
        let discount = match rules.discount {
            "letor" => libm::log2(rank).max(1.0),
            _ => libm::log2(rank + 1.0),
        };
        gain / discount
    };
    grades.iter().take(5).enumerate().map(term).sum()
}

/// The value of one order; `None`: undefined.
fn of_order(measure: &str, grades: &[u8], rules: &Rules) -> Option<f64> {
    let relevant = |grade: &u8| *grade >= rules.threshold;
    let found = grades.iter().filter(|grade| relevant(grade)).count();
    let precision = |rank: usize| grades[..rank].iter().filter(|g| relevant(g)).count() as f64 / rank as f64;
    let precisions = |cutoff: usize| -> f64 {
        (1..=grades.len().min(cutoff)).filter(|rank| relevant(&grades[rank - 1])).map(precision).sum()
    };
    let without = || if rules.no_relevant == "zero" { Some(0.0) } else { None };
    match measure {
        "ndcg@5" => {
            let mut ideal = grades.to_vec();
            ideal.sort_by(|a, b| b.cmp(a));
            let best = dcg(&ideal, rules);
            let short = rules.short_list == "zero" && grades.len() < 5;
            (best > 0.0).then(|| if short { 0.0 } else { dcg(grades, rules) / best })
        }
        "ap" => {
            if found == 0 {
                without()
            } else {
                Some(precisions(usize::MAX) / found as f64)
            }
        }
        "ap@5" => {
            let by = match rules.ap_denominator {
                "cutoff" => 5,
                "min" => found.min(5),
                _ => found,
            };
            if found == 0 { without() } else { Some(precisions(5) / by as f64) }
        }
        "p@5" => {
            let by = if rules.p_denominator == "list" { grades.len().min(5) } else { 5 };
            Some(grades.iter().take(5).filter(|grade| relevant(grade)).count() as f64 / by as f64)
        }
        "rr" => match grades.iter().position(relevant) {
            Some(at) => Some(1.0 / (at + 1) as f64),
            None => without(),
        },
        "err@5" => {
            let (mut reached, mut sum) = (1.0, 0.0);
            for (at, grade) in grades.iter().take(5).enumerate() {
                let stops = f64::from((1u32 << grade) - 1) / f64::from(1u32 << rules.max_grade);
                sum += reached * stops / (at + 1) as f64;
                reached *= 1.0 - stops;
            }
            Some(sum)
        }
        other => panic!("{other}"),
    }
}

/// The value of a query as it counts in the mean; `None`: the query is left out.
fn counted(measure: &str, documents: &[Document], rules: &Rules) -> Option<f64> {
    let orders = orders(documents, rules);
    let grades = |order: &Vec<usize>| order.iter().map(|at| documents[*at].0).collect::<Vec<u8>>();
    let value = match (measure, rules.ap_ties, orders.as_slice()) {
        // All documents of the tie are retrieved at once: precision after the last of them.
        ("ap", "threshold", [one, other]) => {
            let (one, other) = (grades(one), grades(other));
            let rank = (0..one.len()).find(|&at| one[at] != other[at]);
            let found = one.iter().filter(|grade| **grade > 0).count() as f64;
            let precision = |rank: usize| one[..rank].iter().filter(|g| **g > 0).count() as f64 / rank as f64;
            let at = |rank_of: usize| match rank {
                Some(first) if rank_of == first + 1 => precision(first + 2),
                _ => precision(rank_of),
            };
            Some((1..=one.len()).filter(|rank| one[rank - 1] > 0).map(at).sum::<f64>() / found)
        }
        _ => {
            let values: Option<Vec<f64>> =
                orders.iter().map(|order| of_order(measure, &grades(order), rules)).collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        }
    };
    value.or(match rules.undefined {
        "zero" => Some(0.0),
        "one" => Some(1.0),
        _ => None,
    })
}

fn mean(measure: &str, queries: &[(String, Vec<Document>)], rules: &Rules) -> f64 {
    let values: Vec<f64> = queries.iter().filter_map(|(_, documents)| counted(measure, documents, rules)).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Takes over one rule of another program.
fn taken(from: &Rules, other: &Rules, rule: &str) -> Rules {
    let mut rules = from.clone();
    match rule {
        "gain" => rules.gain = other.gain,
        "discount" => rules.discount = other.discount,
        "ties" => rules.ties = other.ties,
        "undefined" => rules.undefined = other.undefined,
        "threshold" => rules.threshold = other.threshold,
        "ap_denominator" => rules.ap_denominator = other.ap_denominator,
        "p_denominator" => rules.p_denominator = other.p_denominator,
        "short_list" => rules.short_list = other.short_list,
        "scores" => rules.scores = other.scores,
        "ap_ties" => rules.ap_ties = other.ap_ties,
        "max_grade" => rules.max_grade = other.max_grade,
        "no_relevant" => rules.no_relevant = other.no_relevant,
        other => panic!("{other}"),
    }
    rules
}

const NAMES: [&str; 12] = [
    "gain",
    "discount",
    "ties",
    "undefined",
    "threshold",
    "ap_denominator",
    "p_denominator",
    "short_list",
    "scores",
    "ap_ties",
    "max_grade",
    "no_relevant",
];

/// The orders in which three rules can be changed.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn solve(files: &Files, worksheet: &str) -> Solution {
    let (one, other) = (queries(files, "scores.txt"), queries(files, "other.txt"));
    let mut solution = Solution::new();
    let mut put = |name: String, value: String| assert!(solution.insert(name, value).is_none());
    let real = |value: f64| number(Some(value));
    let mut won = Vec::new();
    for name in DIALECTS {
        let means = [&one, &other].map(|queries| mean("ndcg@5", queries, &rules(name)));
        put(format!("mean.{name}"), real(means[0]));
        if means[1] > means[0] {
            won.push(format!("{name:?}"));
        }
    }
    put("board.other".to_owned(), format!("[{}]", won.join(", ")));
    let table = worksheet.lines().filter_map(|line| line.strip_prefix("| pair"));
    for row in table {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        let (first, second) = cells[1].split_once(", ").unwrap();
        let (a, b) = (rules(first), rules(second));
        let documents = &one.iter().find(|(id, _)| id == cells[3]).unwrap().1;
        let [before, after] = [&a, &b].map(|rules| counted(cells[2], documents, rules));
        let altering: Vec<&str> =
            NAMES.into_iter().filter(|rule| counted(cells[2], documents, &taken(&a, &b, rule)) != before).collect();
        assert_eq!(altering.len(), 1, "{row}: {altering:?}");
        assert_eq!(counted(cells[2], documents, &taken(&a, &b, altering[0])), after, "{row}");
        put(format!("pair{}.rule", cells[0]), format!("{:?}", altering[0]));
        put(format!("pair{}.value", cells[0]), number(after));
    }
    let (a, b) = (rules("letor4"), rules("lightgbm"));
    let names = ["discount", "short_list", "undefined"];
    let mut added: [Vec<f64>; 3] = Default::default();
    for order in ORDERS {
        let mut at = a.clone();
        for rule in order {
            let next = taken(&at, &b, names[rule]);
            added[rule].push(mean("ndcg@5", &one, &next) - mean("ndcg@5", &one, &at));
            at = next;
        }
    }
    let shares = added.clone().map(|all| all.iter().sum::<f64>() / 6.0);
    // A rule that adds more in one order than in another depends on another rule. The difference must
    // be seen in four decimals.
    let depends = |all: &[f64]| all.iter().any(|one| (one - all[0]).abs() > 0.01);
    let together: Vec<String> =
        names.iter().zip(&added).filter(|(_, all)| depends(all)).map(|(name, _)| format!("{name:?}")).collect();
    put("share.together".to_owned(), format!("[{}]", together.join(", ")));
    names.iter().zip(shares).for_each(|(name, share)| put(format!("share.{name}"), real(share)));
    put("share.sum".to_owned(), real(mean("ndcg@5", &one, &b) - mean("ndcg@5", &one, &a)));
    solution
}

fn own() -> &'static dyn Lab {
    lab("2").unwrap()
}

fn worksheet(student: &str) -> String {
    own().handout(&Student::new(student).unwrap()).unwrap().worksheet
}

#[test]
fn an_evaluation_of_its_own_solves_the_lab_of_every_student() {
    let of = |found: &Files| {
        let student = STUDENTS.iter().find(|student| files(own(), student) == *found).unwrap();
        solve(found, &worksheet(student))
    };
    check(own(), of, |_| {});
}

/// The rows of the worksheet's table of rules: names, and options.
fn explained() -> Vec<(String, String)> {
    let worksheet = worksheet(STUDENTS[0]);
    let table = worksheet.split("| rule | option |").nth(1).unwrap().split("\n\n").next().unwrap();
    let words = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        words(cells[0]).into_iter().zip(words(cells[1])).collect::<Vec<_>>()
    };
    table.lines().skip(2).flat_map(row).collect()
}

#[test]
fn the_option_of_a_rule_counts_and_hints_keep_to_the_rules_of_the_worksheet() {
    let table = explained();
    assert_eq!(table.len(), 11, "{table:?}");
    for number in 0..4 {
        for cell in own().cells(&Student::new(&format!("student {number}")).unwrap()).unwrap() {
            let Answer::Word(words) = &cell.answer else { continue };
            let (rule, option) = table.iter().find(|(known, _)| *known == words[0]).unwrap();
            assert_eq!(words[1..], [option.trim_start_matches('-').to_owned(), option.clone()], "{rule}");
            assert!(cell.steps[0].contains("can matter for this measure"), "{:?}", cell.steps);
            let told: Vec<&str> = cell.steps[1..].iter().map(|step| step.split(':').next().unwrap()).collect();
            assert!(told.iter().all(|told| table.iter().any(|(known, _)| known == told)), "{told:?}");
            assert!(told.contains(&rule.as_str()), "{told:?}");
        }
    }
    // With the hyphens of the command line, and without them.
    let solution = solve(&files(own(), STUDENTS[0]), &worksheet(STUDENTS[0]));
    let (name, rule) = solution.iter().find(|(name, _)| name.ends_with(".rule")).unwrap();
    let (_, option) = table.iter().find(|(known, _)| known == rule.trim_matches('"')).unwrap();
    for written in [option.clone(), option.trim_start_matches('-').replace('-', "_")] {
        assert_eq!(answered(own(), STUDENTS[0], name, &format!("{written:?}")).points, 2.0, "{written}");
    }
}

/// What a rule adds when it is changed first is not its share, and that is said.
#[test]
fn what_a_rule_adds_in_one_order_is_told() {
    let found = queries(&files(own(), STUDENTS[0]), "scores.txt");
    let (a, b) = (rules("letor4"), rules("lightgbm"));
    let of = |rules: &Rules| mean("ndcg@5", &found, rules);
    for added in [of(&taken(&a, &b, "short_list")) - of(&a), of(&b) - of(&taken(&b, &a, "short_list"))] {
        let cell = answered(own(), STUDENTS[0], "share.short_list", &format!("{added:.6}"));
        assert_eq!(cell.points, 0.0);
        assert!(cell.told[0].contains("mean over all orders"), "{added}: {cell:?}");
    }
}

/// Each pair has exactly one rule for many students, and together they have all pairs.
#[test]
fn each_pair_of_dialects_has_one_rule() {
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..40 {
        let student = format!("student {number}");
        let solution = solve(&files(own(), &student), &worksheet(&student));
        seen.extend(solution.into_iter().filter(|(name, _)| name.ends_with(".rule")).map(|(_, rule)| rule));
        own().cells(&Student::new(&student).unwrap()).unwrap();
    }
    assert_eq!(seen.len(), 11, "{seen:?}");
}
