//! Runs a student's gradients and judges them.
//!
//! The student's file is run as a `command` ranker of an experiment, once for each loss: with a time
//! limit, in a folder of its own that is removed afterwards, and confined as commands are (see
//! `fivefold_experiment`). The program around it (`program`) is the grader's own copy.
//! It trains on the made collection, and writes the gradients of the cases in place of scores. On
//! a second data set, it does the fits of the conformance kit (`kit`).

use std::fs;
use std::path::Path;

use fivefold_base::Seed;
use fivefold_data::scores::read_own_scores;
use fivefold_experiment::worker::Worker;
use fivefold_experiment::{Job, JobFilter, Plan};
use fivefold_metrics::value;
use fivefold_results::store::Store;

use super::kit;
use super::losses::{Loss, finite_differences};
use super::made::{Case, MadeQuery, cases, collection, letor, letor_of_cases};
use super::program::{Language, Program, experiment, run_text, stopped};
use super::{BUILD_SH, GRADIENTS_PY, GRADIENTS_RS, RANK_PY, RANK_RS};
use crate::error::LabError;
use crate::lab::{CodeResult, CodeRun, Help};

/// A gradient is right up to this share of its size, or up to this number if it is below 1.
const NEAR: f64 = 1e-6;
/// The least mean V2 of nDCG@5 of a trained ranker; a random order has 0 at most.
const LEAST_V2: f64 = 0.1;
/// The measure of the trained ranker.
const MEASURE: &str = "ndcg.v2@5";
/// The most bytes of a student's file.
const MOST_BYTES: u64 = 1 << 20;
/// The data sets: where the ranker learns, and the fits of the kit.
const DATA_SETS: [&str; 2] = ["made", "kit"];

/// The results of all cells with code.
///
/// # Errors
/// If no code can be run: no interpreter or compiler, or no temporary folder.
pub(crate) fn judge(seed: Seed, folder: &Path, worker: Option<&Worker>) -> Result<CodeRun, LabError> {
    let changed: Vec<Language> =
        [Language::Python, Language::Rust].into_iter().filter(|language| language.is_filled_in(folder)).collect();
    let Some(&language) = changed.first() else {
        let told = format!("{} and {} are as they were handed out", GRADIENTS_PY.0, GRADIENTS_RS.0);
        return Ok(CodeRun {
            cells: Loss::ALL.into_iter().flat_map(|loss| open(loss, &told)).collect(),
            remarks: Vec::new(),
        });
    };
    let source = folder.join(language.file());
    let plain = fs::symlink_metadata(&source).is_ok_and(|there| there.is_file() && there.len() <= MOST_BYTES);
    if !plain {
        return Ok(all_failed(&format!("{} is no plain file of at most 1 MiB", language.file())));
    }
    let bench = tempfile::tempdir().map_err(|error| LabError::io("make a folder in", &std::env::temp_dir(), error))?;
    let [train, test] = collection(seed);
    let cases = cases(seed);
    let write = |name: &str, text: &[u8]| {
        let path = bench.path().join(name);
        fs::write(&path, text).map_err(|error| LabError::io("write", &path, error))
    };
    let of_kit = kit::letor(kit::fits());
    let made = [letor("train", &train), format!("{}{}", letor_of_cases(&cases), letor("rank", &test))];
    for (name, parts) in DATA_SETS.iter().zip([made, of_kit]) {
        for (part, text) in ["train", "test"].iter().zip(parts) {
            write(&format!("{name}-{part}.txt"), text.as_bytes())?;
        }
    }
    write(language.file(), &fs::read(&source).map_err(|error| LabError::io("read", &source, error))?)?;
    match language {
        Language::Python => write(RANK_PY.0, RANK_PY.1.as_bytes())?,
        Language::Rust => {
            write(RANK_RS.0, RANK_RS.1.as_bytes())?;
            write(BUILD_SH.0, BUILD_SH.1.as_bytes())?;
        }
    }
    let program = match language {
        Language::Python => Ok(Program::python()?),
        Language::Rust => Program::rust(bench.path(), DATA_SETS[0], worker)?,
    };
    let mut run = match program {
        Ok(program) => run_all(bench.path(), language, &program, &cases, &test, worker)?,
        Err(reason) => all_failed(&refused(language, &reason).unwrap_or(reason)),
    };
    let others = changed.iter().filter(|other| **other != language);
    let left = others.map(|other| format!("; {} is filled in too, and was not run", other.file())).collect::<String>();
    run.remarks.insert(0, format!("{} was run{left}", language.file()));
    Ok(run)
}

/// Every cell without points, for one reason: it is told once.
fn all_failed(told: &str) -> CodeRun {
    let cells = Loss::ALL.into_iter().flat_map(names).enumerate();
    let see = format!("see {}", gradient_cell(Loss::ALL[0]));
    let result = |(place, name)| (name, no_points(if place == 0 { told } else { &see }));
    CodeRun { cells: cells.map(result).collect(), remarks: Vec::new() }
}

/// The cells of a loss whose function raised an error.
fn failed(loss: Loss, told: &str) -> [(String, CodeResult); 3] {
    let see = format!("see {}", gradient_cell(loss));
    let [gradient, trained, rules] = names(loss);
    [(gradient, no_points(told)), (trained, no_points(&see)), (rules, no_points(&see))]
}

/// The cells of a loss whose function is not filled in.
fn open(loss: Loss, told: &str) -> [(String, CodeResult); 3] {
    names(loss).map(|name| (name, CodeResult { help: Help::Open, ..no_points(told) }))
}

fn names(loss: Loss) -> [String; 3] {
    [gradient_cell(loss), trained_cell(loss), rules_cell(loss)]
}

fn no_points(told: &str) -> CodeResult {
    CodeResult { share: 0.0, told: told.lines().map(str::to_owned).collect(), help: Help::Told }
}

/// Whether a function stopped at the line of the stub.
fn is_stub(reason: &str) -> bool {
    reason.lines().any(|line| line.trim() == "NotImplementedError" || line.starts_with("not yet implemented: "))
}

/// What to say if the file fails before any function is called: the compiler, or Python's import,
/// refuses it.
fn refused(language: Language, reason: &str) -> Option<String> {
    let (mark, what) = match language {
        Language::Python => ("import gradients", "gradients.py cannot be loaded"),
        Language::Rust => ("gradients.rs does not compile", "gradients.rs does not compile"),
    };
    let lines = || reason.lines().filter(|line| line.trim() != what);
    reason
        .lines()
        .any(|line| line.trim() == mark)
        .then(|| std::iter::once(what).chain(lines()).collect::<Vec<_>>().join("\n"))
}

pub(crate) fn gradient_cell(loss: Loss) -> String {
    format!("{}.gradient", loss.name())
}

pub(crate) fn trained_cell(loss: Loss) -> String {
    format!("{}.trained", loss.name())
}

pub(crate) fn rules_cell(loss: Loss) -> String {
    format!("{}.rules", loss.name())
}

fn run_all(
    bench: &Path,
    language: Language,
    program: &Program,
    cases: &[Case],
    test: &[MadeQuery],
    worker: Option<&Worker>,
) -> Result<CodeRun, LabError> {
    let rankers = Loss::ALL.map(|loss| program.ranker(loss.name(), &[loss.name()], worker.is_some()));
    // Beside the experiment, not in its folder: programs do not reach the results.
    let out = tempfile::tempdir().map_err(|error| stopped(&error))?;
    let results = out.path().join("results");
    let (experiment, outcome) = run_text(bench, &experiment(&DATA_SETS, &rankers), &results, worker)?;
    let plan = Plan::new(&experiment, &JobFilter::All).map_err(|error| stopped(&error))?;
    let store = Store::new(results);
    // What a program wrote for a data set; inside, why it failed.
    let written = |dataset: usize, loss: usize, documents: usize| -> Result<Result<Vec<f64>, String>, LabError> {
        let is_it = |job: &&Job| (job.dataset, job.ranker) == (dataset, loss);
        let job = plan.jobs.iter().find(is_it).ok_or_else(|| stopped(&"a job is missing"))?;
        if let Some((_, reason)) = outcome.failed.iter().find(|(id, _)| *id == job.id) {
            return Ok(Err(reason.clone()));
        }
        let path = store.own_path(&job.scores_file()).map_err(|error| stopped(&error))?;
        Ok(Ok(read_own_scores(&path, documents).map_err(|error| stopped(&error))?))
    };
    let of_cases = cases.iter().map(|case| case.scores.len()).sum();
    let documents = of_cases + test.iter().map(|query| query.grades.len()).sum::<usize>();
    let mut results = Vec::new();
    for (place, loss) in Loss::ALL.into_iter().enumerate() {
        let numbers = match written(0, place, documents)? {
            Ok(numbers) => numbers,
            Err(reason) => {
                if let Some(told) = refused(language, &reason) {
                    return Ok(all_failed(&told));
                }
                let cells = if is_stub(&reason) { open(loss, "is not filled in") } else { failed(loss, &reason) };
                results.extend(cells);
                continue;
            }
        };
        let (gradients, scores) = numbers.split_at(of_cases);
        let gradient = judge_gradients(loss, cases, gradients);
        let mut trained = judge_ranker(test, scores)?;
        // A wrong gradient is the likely cause, and has a hint of its own.
        if gradient.share < 1.0 {
            trained.help = Help::Told;
        }
        let rules = match written(1, place, kit::numbers(kit::fits()))? {
            Ok(numbers) => judge_rules(&numbers),
            Err(reason) => no_points(&reason),
        };
        results.extend(names(loss).into_iter().zip([gradient, trained, rules]));
    }
    let mut remarks: Vec<String> = outcome.results.iter().flat_map(|results| results.stamps()).collect();
    remarks.dedup();
    Ok(CodeRun { cells: results, remarks })
}

/// Constants by which a gradient may be wrong, and what to say of each.
const FACTORS: [(f64, &str); 3] = [
    (-1.0, "each number has the wrong sign"),
    (0.5, "each number is half of the right one"),
    (2.0, "each number is twice the right one"),
];

/// The share of right cases, and the first wrong one.
fn judge_gradients(loss: Loss, cases: &[Case], found: &[f64]) -> CodeResult {
    let mut right = 0;
    let mut told = Vec::new();
    // Constants between what was returned and what is right, on all cases so far.
    let mut factors = FACTORS.to_vec();
    let mut rest = found;
    for case in cases {
        let (own, behind) = rest.split_at(case.scores.len());
        rest = behind;
        let expected = loss.gradient(&case.scores, &case.grades);
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= NEAR * b.abs().max(1.0);
        factors.retain(|(factor, _)| own.iter().zip(&expected).all(|(a, b)| is_near((a, &(factor * b)))));
        if own.iter().zip(&expected).all(is_near) {
            right += 1;
        } else if told.is_empty() {
            told = vec![
                format!("for the scores {} and the grades {}", shown(&case.scores), shown(&case.grades)),
                format!("{} returned {}", loss.name(), shown(own)),
            ];
            match finite_differences(loss, &case.scores, &case.grades) {
                Some(slopes) => told.push(format!("finite differences of the loss are {}", shown(&slopes))),
                None => told.push(format!("the pairs with their weights give {}", shown(&expected))),
            }
        }
    }
    if let Some((_, what)) = factors.first() {
        told.push((*what).to_owned());
    }
    if right < cases.len() {
        told.insert(0, format!("{right} of {} queries are right", cases.len()));
    }
    CodeResult { share: f64::from(right as u32) / cases.len() as f64, told, help: Help::Hint }
}

fn judge_ranker(test: &[MadeQuery], scores: &[f64]) -> Result<CodeResult, LabError> {
    let mut sum = 0.0;
    let mut rest = scores;
    for query in test {
        let (own, behind) = rest.split_at(query.grades.len());
        rest = behind;
        sum += value(MEASURE, &query.grades, own)?.unwrap_or(0.0);
    }
    let mean = sum / test.len() as f64;
    if mean >= LEAST_V2 {
        return Ok(CodeResult { share: 1.0, told: Vec::new(), help: Help::Hint });
    }
    let told = format!("the trained ranker has a mean V2 of nDCG@5 of {mean:.3}; a random order has 0");
    Ok(CodeResult { share: 0.0, told: vec![format!("{told}, and {LEAST_V2} is asked")], help: Help::Hint })
}

/// All points, or none: a ranker keeps the rules, or it does not.
fn judge_rules(numbers: &[f64]) -> CodeResult {
    let told = kit::broken_rules(kit::fits(), numbers);
    CodeResult { share: if told.is_empty() { 1.0 } else { 0.0 }, told, help: Help::Told }
}

fn shown(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:.5}")).collect();
    format!("[{}]", numbers.join(", "))
}
