//! Lab 2: one run, eleven programs.
//!
//! The same scores are measured under all dialects. For pairs of dialects, the student finds the rule
//! that makes a query's value differ. Each query is made for one rule or two (`data`), so that
//! exactly one rule of a pair alters the query's value. What is right comes from
//! `fivefold_metrics::attribution`.

mod data;

use std::borrow::Cow;

use fivefold_base::{Assessment, Seed};
use fivefold_metrics::attribution::{Attribution, ScoredQuery, attribute};
use fivefold_metrics::{Conventions, DIALECTS, dialect};

use self::data::{Data, HIGHEST_GRADE, Pair, System};
use crate::error::LabError;
use crate::explained::number;
use crate::lab::{About, Answer, Cell, File, Handout, Lab, Section, fill};
use crate::student::Student;

/// Lab 2.
#[derive(Debug, Clone, Copy)]
pub struct ElevenPrograms;

const ABOUT: About = About {
    number: 2,
    name: "one-run-eleven-programs",
    title: "One run, eleven programs",
    minutes: 75,
    learns: "find out why two programs print different values for the same ranking",
    version: 2,
};

/// The measure of the means and of the leaderboard.
const MEASURE: &str = "ndcg@5";
/// The pair of dialects whose difference is shared out among rules.
const SHARED: [&str; 2] = ["letor4", "lightgbm"];
/// The rules in which this pair differs, and which the data show.
const SHARES: [&str; 3] = ["discount", "short_list", "undefined"];

/// Two of them depend on each other: on the query `Late` of `data`, the discount matters only if
/// the query is not 0 for its short list.
const TOGETHER: [&str; 2] = ["discount", "short_list"];

/// The rules in the table of the worksheet, each with its option. The pairs need no others.
const OPTIONS: [(&str, &str); 11] = [
    ("gain", "gain"),
    ("discount", "discount"),
    ("ties", "ties"),
    ("scores", "score-precision"),
    ("undefined", "undefined"),
    ("short_list", "short-list"),
    ("threshold", "threshold"),
    ("ap_denominator", "ap-denominator"),
    ("p_denominator", "p-denominator"),
    ("ap_ties", "ap-ties"),
    ("max_grade", "err-max-grade"),
];

impl ElevenPrograms {
    fn data(student: &Student) -> Result<Data, LabError> {
        Data::new(student.seed(ABOUT.name, ABOUT.version))
    }
}

impl Lab for ElevenPrograms {
    fn about(&self) -> About {
        ABOUT
    }

    fn handout(&self, student: &Student) -> Result<Handout, LabError> {
        let data = ElevenPrograms::data(student)?;
        let mut pairs = String::from("| place | dialects | measure | query |\n|---|---|---|---|");
        for (place, pair) in data.pairs.iter().enumerate() {
            let ([one, other], measure, query) = (pair.dialects, pair.measure, &pair.query);
            pairs.push_str(&format!("\n| pair{} | {one}, {other} | {measure} | {query} |", place + 1));
        }
        let mut sections = vec![section("mean", "Part 1: the mean nDCG@5 under each dialect")];
        for (place, pair) in data.pairs.iter().enumerate() {
            let ([one, other], measure, query) = (pair.dialects, pair.measure, &pair.query);
            let title = format!("{one} and {other}, {measure}, query {query}");
            sections.push(section(&format!("pair{}", place + 1), &title));
        }
        sections.push(section("share", "Part 3: what each rule adds"));
        sections.push(section("board", "Part 4: which system is better?"));
        Ok(Handout {
            worksheet: fill(include_str!("worksheet.md"), &[("student", student.id()), ("pairs", &pairs)])?,
            files: vec![
                File::data("test.txt", data.letor()),
                File::data("scores.txt", data.scores(System::One)),
                File::data("other.txt", data.scores(System::Other)),
            ],
            sections,
        })
    }

    fn cells(&self, student: &Student) -> Result<Vec<Cell>, LabError> {
        let data = ElevenPrograms::data(student)?;
        let mut cells = Vec::new();
        for dialect in DIALECTS {
            let mean = attributed(&data, MEASURE, [dialect.name; 2], System::One)?.means[0];
            let asks = format!("mean nDCG@5 under {}", dialect.name);
            cells.push(Cell::new(format!("mean.{}", dialect.name), asks, Answer::Number(Some(mean))));
        }
        for (place, pair) in data.pairs.iter().enumerate() {
            cells.extend(pair_cells(&data, place + 1, pair)?);
        }
        let shared = attributed(&data, MEASURE, SHARED, System::One)?;
        for rule in SHARES {
            let effect = shared.rules.iter().find(|effect| effect.rule == rule);
            let share = effect.ok_or_else(|| LabError::Other(format!("no rule {rule}")))?.mean_difference;
            let asks = format!("share of {rule}");
            let cell = Cell::new(format!("share.{rule}"), asks, Answer::Number(Some(share)));
            let told = "this is what the rule adds in one order; the share is the mean over all orders";
            cells.push(added(&data, rule)?.into_iter().fold(cell, |cell, added| cell.with_slip(added, told)));
        }
        let asks = "a list: the two of these rules that depend on each other";
        cells.push(Cell::new("share.together", asks, Answer::Set(TOGETHER.map(str::to_owned).to_vec())));
        let sum = shared.means[1] - shared.means[0];
        cells.push(Cell::new("share.sum", "the whole difference", Answer::Number(Some(sum))));
        let asks = "dialects under which other.txt has the higher mean nDCG@5";
        cells.push(Cell::new("board.other", asks, Answer::Set(data.won_by_other()?)));
        Ok(cells)
    }

    fn key(&self) -> &'static str {
        include_str!("key.toml")
    }
}

/// The head of the rules that a wrong `pairN.rule` is told.
const CHOICES: &str = "rules that can matter for this measure, and in which the dialects differ:";

fn section(name: &str, title: &str) -> Section {
    Section { name: name.to_owned(), title: title.to_owned() }
}

/// What a rule of [`SHARES`] adds to the mean if it is changed first, and if it is changed last.
fn added(data: &Data, rule: &str) -> Result<[f64; 2], LabError> {
    let [from, to] = [dialect(SHARED[0])?.conventions(), dialect(SHARED[1])?.conventions()];
    let changed = |own: &Conventions, other: &Conventions| {
        let mut own = own.clone();
        match rule {
            "discount" => own.discount = other.discount,
            "short_list" => own.short_list = other.short_list,
            "undefined" => own.undefined = other.undefined,
            _ => return Err(LabError::Other(format!("no rule {rule}"))),
        }
        Ok(own)
    };
    let difference = |one: &Conventions, other: &Conventions| {
        let means = under(data, MEASURE, [one, other], System::One)?.means;
        Ok::<f64, LabError>(means[1] - means[0])
    };
    Ok([difference(&from, &changed(&from, &to)?)?, difference(&changed(&to, &from)?, &to)?])
}

/// The rule of a pair, and the query's value under the second dialect.
fn pair_cells(data: &Data, place: usize, pair: &Pair) -> Result<[Cell; 2], LabError> {
    let [one, other] = pair.dialects;
    let found = attributed(data, pair.measure, pair.dialects, System::One)?;
    let at = data.queries.iter().position(|query| query.id == pair.query).unwrap_or(0);
    let altering = found.rules.iter().filter(|effect| effect.affects[at]);
    let rules: Vec<&str> = altering.map(|effect| effect.rule).collect();
    let &[rule] = rules.as_slice() else {
        let what = format!("{one} and {other}, {}, query {}: not one rule, but {rules:?}", pair.measure, pair.query);
        return Err(LabError::Other(what));
    };
    let told = |value: Option<f64>| value.map_or_else(|| "left out".to_owned(), number);
    let values = format!("{one}: {}; {other}: {}", told(found.values[0][at]), told(found.values[1][at]));
    // Which of the rules alters the value stays the student's to find: the answer would be a gift.
    // Rules that the worksheet does not explain would only puzzle.
    let explained = |name: &str| OPTIONS.iter().find(|(rule, _)| *rule == name);
    let choices = found.rules.iter().filter(|effect| explained(effect.rule).is_some()).map(|effect| {
        let [before, after] = &effect.choices;
        format!("{}: {before} in {one}, {after} in {other}", effect.rule)
    });
    let choices: Vec<String> = [CHOICES.to_owned()].into_iter().chain(choices).collect();
    let value = Cell::new(
        format!("pair{place}.value"),
        format!("{} of query {} under {other}", pair.measure, pair.query),
        Answer::Number(found.values[1][at]),
    );
    let (_, option) = explained(rule).ok_or_else(|| LabError::Other(format!("the worksheet lacks the rule {rule}")))?;
    // Who names the option has found the cause.
    let words = vec![rule.to_owned(), (*option).to_owned(), format!("--{option}")];
    let rule = Cell::new(format!("pair{place}.rule"), "the rule that makes the difference", Answer::Word(words));
    Ok([rule.with_steps(choices), value.with_steps(vec![values])])
}

/// Values and means of a system under two dialects, with the effect of each rule.
fn attributed(data: &Data, measure: &str, dialects: [&str; 2], system: System) -> Result<Attribution, LabError> {
    let [one, other] = [dialect(dialects[0])?.conventions(), dialect(dialects[1])?.conventions()];
    under(data, measure, [&one, &other], system)
}

/// As [`attributed`], under two sets of conventions.
fn under(data: &Data, measure: &str, conventions: [&Conventions; 2], system: System) -> Result<Attribution, LabError> {
    let case = |query: &'_ data::Query| ScoredQuery {
        fold: 0,
        id: "",
        assessments: query.documents.iter().map(|document| Assessment::from(document.grade)).collect(),
        doc_ids: None,
        scores: Cow::Owned(query.scores(system)),
        pool: None,
        missing: false,
    };
    let mut cases: Vec<ScoredQuery<'_>> = data.queries.iter().map(case).collect();
    for (case, query) in cases.iter_mut().zip(&data.queries) {
        case.id = &query.id;
        case.doc_ids = Some(query.documents.iter().map(|document| document.id.as_str()).collect());
    }
    let spec = measure.parse()?;
    Ok(attribute(&spec, conventions, HIGHEST_GRADE, Seed::new(0), [&cases, &cases])?)
}
