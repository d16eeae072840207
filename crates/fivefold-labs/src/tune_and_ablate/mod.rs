//! Lab 4: tune, overfit, ablate.
//!
//! A shop with a planted leak, and a library without one (`data`). The right answers are the
//! numbers of the experiments of the folder, which the grader runs in process (`runs`): about
//! twenty small fits, half a second a student.

mod data;
mod protocols;
mod runs;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use fivefold_base::Seed;

use self::data::{Leak, Made};
use self::protocols::{FAULTS, protocols};
use self::runs::{FILES, GROUPS, LEAVES, Values, collection_files, values};
use crate::error::LabError;
use crate::lab::{About, Answer, Cell, File, Handout, Lab, Section, fill};
use crate::student::Student;

/// Lab 4.
#[derive(Debug, Clone, Copy)]
pub struct TuneAndAblate;

const ABOUT: About = About {
    number: 4,
    name: "tune-overfit-ablate",
    title: "Tune, overfit, ablate",
    minutes: 85,
    learns: "find a leak, see a ranker overfit, choose by validation and report once",
    version: 1,
};

/// Students whose values are kept: a lab that is written and graded needs the values of one student
/// several times.
const KEPT: usize = 8;
static KNOWN: Mutex<VecDeque<(Seed, [Values; 2])>> = Mutex::new(VecDeque::new());

/// The values of a student under nDCG@5 and under its V1, from memory if they were computed before.
fn values_of(seed: Seed) -> Result<[Values; 2], LabError> {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, found)) = known().iter().find(|(own, _)| *own == seed) {
        return Ok(found.clone());
    }
    let found = values(seed)?;
    let mut known = known();
    if known.len() == KEPT {
        known.pop_front();
    }
    known.push_back((seed, found.clone()));
    Ok(found)
}

/// Values of two columns that are nearer than this are not told apart: more than twice the tolerance.
const APART: f64 = 0.004;

impl Lab for TuneAndAblate {
    fn about(&self) -> About {
        ABOUT
    }

    fn handout(&self, student: &Student) -> Result<Handout, LabError> {
        let seed = student.seed(ABOUT.name, ABOUT.version);
        let protocols = protocols(seed);
        let texts: Vec<String> =
            (1..).zip(&protocols).map(|(number, own)| format!("| `p{number}` | {} |", own.text)).collect();
        let faults: Vec<String> = FAULTS.iter().map(|(word, meaning)| format!("| `{word}` | {meaning} |")).collect();
        let worksheet = fill(
            include_str!("worksheet.md"),
            &[("student", student.id()), ("protocols", &texts.join("\n")), ("faults", &faults.join("\n"))],
        )?;
        let collections = collection_files("shop", &Made::shop(seed).0)
            .into_iter()
            .filter(|(path, _)| path != "data/shop/features.txt")
            .chain(collection_files("library", &Made::library(seed)));
        let mut files: Vec<File> = collections.map(|(path, text)| File::data(path, text)).collect();
        // The student adds lines to the experiment files.
        files.extend(FILES.map(|(path, text)| File::stub(path, text)));
        let section = |(name, title): (&str, &str)| Section { name: name.to_owned(), title: title.to_owned() };
        let sections = [
            ("leak", "Part 1: the leak of the shop"),
            ("overfit", "Part 2: nDCG@5 of the library by leaves"),
            ("curve", "Part 3: nDCG@5 on the validation part by training queries"),
            ("ablation", "Part 4: groups of features left out"),
            ("report", "Part 5: one number for the test part"),
            ("protocol", "Part 6: four ways to report"),
        ];
        Ok(Handout { worksheet, files, sections: sections.map(section).into() })
    }

    fn cells(&self, student: &Student) -> Result<Vec<Cell>, LabError> {
        let seed = student.seed(ABOUT.name, ABOUT.version);
        let leak = Made::shop(seed).1;
        let [mut cells, beside] =
            values_of(seed)?.map(|values| [of_leak(&leak, &values), of_library(&values), of_report(&values)].concat());
        for (cell, beside) in cells.iter_mut().zip(beside) {
            if let (Answer::Number(Some(right)), Answer::Number(Some(other))) = (&cell.answer, beside.answer)
                && (right - other).abs() > APART
            {
                cell.slips.push((other, "the value of the column ndcg.v1: read the column ndcg".to_owned()));
            }
        }
        for (number, protocol) in (1..).zip(protocols(seed)) {
            let asks = format!("the fault of protocol {number}, or \"sound\"");
            cells.push(Cell::new(format!("protocol.p{number}"), asks, Answer::Word(spellings(protocol.fault))));
        }
        Ok(cells)
    }

    fn key(&self) -> &'static str {
        include_str!("key.toml")
    }
}

/// A fault, with hyphens or with blanks between its words.
fn spellings(fault: &str) -> Vec<String> {
    vec![fault.to_owned(), fault.replace('-', " ")]
}

fn number(name: &str, asks: impl Into<String>, value: f64) -> Cell {
    Cell::new(name, asks, Answer::Number(Some(value)))
}

fn of_leak(leak: &Leak, values: &Values) -> Vec<Cell> {
    let (kind, place) = match leak {
        Leak::Feature(id) => ("feature", vec![id.to_string()]),
        Leak::Queries(repeated, _) => ("queries", repeated.iter().map(u32::to_string).collect()),
    };
    let [linear, trees] = values.leaking;
    let [clean_linear, clean_trees] = values.clean;
    vec![
        Cell::new("leak.kind", "feature or queries", Answer::word(kind)),
        Cell::new(
            "leak.place",
            "a list: the number of the feature, or the ids of the test queries",
            Answer::Set(place),
        ),
        number("leak.linear", "nDCG@5 of Linear with the leak", linear),
        number("leak.trees", "nDCG@5 of Trees with the leak", trees),
        number("leak.clean-linear", "nDCG@5 of Linear without the leak", clean_linear),
        number("leak.clean-trees", "nDCG@5 of Trees without the leak", clean_trees),
    ]
}

fn of_library(values: &Values) -> Vec<Cell> {
    let Values { training, validation, curve, all_features, without, .. } = values;
    let largest = |values: &[f64; 3]| (0..3).fold(0, |most, at| if values[at] < values[most] { at } else { most });
    let worst = largest(without);
    let gap = training[3] - validation[3];
    let gap_steps =
        vec![format!("{:.4} on the training part minus {:.4} on the validation part", training[3], validation[3])];
    vec![
        number("overfit.training-2", "2 leaves, on the training part", training[0]),
        number("overfit.validation-2", "2 leaves, on the validation part", validation[0]),
        number("overfit.training-16", "16 leaves, on the training part", training[3]),
        number("overfit.validation-16", "16 leaves, on the validation part", validation[3]),
        number("overfit.gap", "training minus validation, with 16 leaves", gap).with_steps(gap_steps),
        number("curve.queries", "training queries behind the first point", 6.0),
        number("curve.first", "a fifth of the training queries", curve[0]),
        number("curve.second", "two fifths of the training queries", curve[1]),
        number("curve.last", "all training queries", curve[2]),
        number("ablation.all", "Linear with all features", *all_features),
        Cell::new("ablation.group", "the group whose absence costs most", Answer::word(GROUPS[worst])),
        number("ablation.cost", "all features minus without this group", all_features - without[worst]),
        number("ablation.other", "Linear without the group `other`", without[2]),
    ]
}

fn of_report(values: &Values) -> Vec<Cell> {
    let chosen = Values::best(&values.validation);
    let best = Values::best(&values.test);
    let (promised, reported) = (values.validation[chosen], values.test[chosen]);
    let shown = |values: &[f64; 4]| {
        let of_setting = |(leaves, value): (usize, &f64)| format!("{leaves} leaves: {value:.4}");
        vec![LEAVES.into_iter().zip(values).map(of_setting).collect::<Vec<_>>().join(", ")]
    };
    vec![
        number("report.leaves", "the leaves that the validation part chooses", LEAVES[chosen] as f64)
            .with_steps(shown(&values.validation)),
        number("report.test", "nDCG@5 on the test part with these leaves: the number to report", reported),
        number("report.optimism", "validation value of these leaves minus their test value", promised - reported),
        number("report.forbidden", "the highest of the four test values", values.test[best]),
        number("report.gained", "the highest test value minus the one to report", values.test[best] - reported),
    ]
}
