//! The output of trec_eval, byte for byte: `name topic value` a line, with tabs.
//!
//! The measures and their order are those of `trec_eval -m all_trec` and `-m official`. Version
//! 9.0.8 compares scores as 32-bit floats; version 10 compares them in full, rounds levels of recall
//! in another way, and adds `rbp`, `rbp_resid` and `unj`. Topics stand in the order of their ids as
//! bytes. A value that is undefined counts as 0, as in trec_eval, and is counted on standard error.

use std::fmt::Write;
use std::path::Path;

use fivefold_base::Assessment;
use fivefold_base::words::{counted, which};
use fivefold_core::Seed;
use fivefold_data::trec::{Joined, JoinedTopic, Qrels, QrelsTopic, read_run};
use fivefold_metrics::conventions::{MissingTopics, Scores};
use fivefold_metrics::mean::{GEOMETRIC_FLOOR, geometric_mean};
use fivefold_metrics::{Conventions, Evaluator, MeasureSpec, Scratch, spelling};
use rayon::prelude::*;

use super::systems::labelled;
use crate::problem::Problem;
use crate::screen::{Screen, tell};

/// A version of trec_eval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// 9.0.8, as pytrec_eval wraps it.
    V9,
    /// 10.0.
    V10,
}

/// A line of the output.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    name: String,
    what: What,
}

/// What a line shows.
#[derive(Debug, Clone, PartialEq)]
enum What {
    RunTag,
    Topics,
    Count(Count),
    /// The grades of this many documents of a topic, from the first.
    Grades(usize),
    Value(MeasureSpec),
    /// The geometric mean over topics.
    Geometric(MeasureSpec),
    Experimental(Experimental),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Count {
    Retrieved,
    Relevant,
    RelevantRetrieved,
    OthersRetrieved,
}

/// Measures that trec_eval calls experimental, and that have no other name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Experimental {
    G,
    NdcgAtRelevant,
    NdcgAtLevels,
}

/// Number of grades in `relstring`.
const GRADES: usize = 10;
const CUTOFFS: [usize; 9] = [5, 10, 15, 20, 30, 100, 200, 500, 1000];
/// Number of lines of `-m official`.
const OFFICIAL: usize = 30;

/// The lines of `-m all_trec`, in their order.
fn all_lines(program: Program) -> Vec<Line> {
    let rounding = if program == Program::V10 { "rounding=v10" } else { "rounding=v9" };
    let value = |name: &str, ours: &str| -> Option<Line> {
        Some(Line { name: name.to_owned(), what: What::Value(ours.parse().ok()?) })
    };
    let geometric = |name: &str, ours: &str| -> Option<Line> {
        Some(Line { name: name.to_owned(), what: What::Geometric(ours.parse().ok()?) })
    };
    let special = |name: &str, what: What| Some(Line { name: name.to_owned(), what });
    let at = |name: &str, ours: &str, cutoffs: &[usize]| -> Vec<Option<Line>> {
        cutoffs.iter().map(|k| value(&format!("{name}_{k}"), &format!("{ours}@{k}"))).collect()
    };
    let mut lines = vec![
        special("runid", What::RunTag),
        special("num_q", What::Topics),
        special("num_ret", What::Count(Count::Retrieved)),
        special("num_rel", What::Count(Count::Relevant)),
        special("num_rel_ret", What::Count(Count::RelevantRetrieved)),
        value("map", "ap"),
        geometric("gm_map", "ap"),
        value("Rprec", "rprec"),
        value("bpref", "bpref"),
        value("recip_rank", "rr"),
    ];
    let levels = (0..=10).map(|tenth| format!("{}.{}0", tenth / 10, tenth % 10));
    lines.extend(levels.map(|x| value(&format!("iprec_at_recall_{x}"), &format!("iprec(x={x},{rounding})"))));
    lines.extend(at("P", "p", &CUTOFFS));
    lines.push(special("relstring", What::Grades(GRADES)));
    lines.extend(at("recall", "recall", &CUTOFFS));
    lines.extend([value("infAP", "infap"), geometric("gm_bpref", "bpref")]);
    let multiples = (1..=10).map(|fifth| format!("{}.{}0", fifth / 5, fifth % 5 * 2));
    lines.extend(multiples.map(|x| value(&format!("Rprec_mult_{x}"), &format!("rprec(x={x})"))));
    lines.extend([
        value("utility", "utility"),
        value("11pt_avg", &format!("iprec11({rounding})")),
        value("binG", "bing"),
        special("G", What::Experimental(Experimental::G)),
        value("ndcg", "ndcg"),
        special("ndcg_rel", What::Experimental(Experimental::NdcgAtRelevant)),
        special("Rndcg", What::Experimental(Experimental::NdcgAtLevels)),
    ]);
    lines.extend(at("ndcg_cut", "ndcg", &CUTOFFS));
    lines.extend(at("map_cut", "ap", &CUTOFFS));
    lines.extend(at("relative_P", "relp", &CUTOFFS));
    lines.extend(at("success", "success", &[1, 5, 10]));
    lines.extend([
        value("set_P", "set_p"),
        value("set_relative_P", "set_relp"),
        value("set_recall", "set_recall"),
        value("set_map", "set_ap"),
        value("set_F", "set_f"),
        special("num_nonrel_judged_ret", What::Count(Count::OthersRetrieved)),
    ]);
    if program == Program::V10 {
        lines.extend([value("rbp", "rbp(p=0.9)"), value("rbp_resid", "rbp_resid")]);
        lines.extend(at("unj", "unj", &[5, 10, 20]));
    }
    lines.into_iter().flatten().collect()
}

/// The lines that the user asks for: `all_trec`, `official`, names of lines (`P_10`), of families
/// (`P`, `P.5,7`), or any measure of ours.
fn lines(asked: &[String], program: Program, conventions: &Conventions) -> miette::Result<Vec<Line>> {
    let all = all_lines(program);
    let mut lines = Vec::new();
    for value in asked {
        // The commas of `P.5,10` separate cutoffs.
        let family = value.split_once('.').and_then(|(stem, numbers)| {
            let first = all.iter().find(|line| family_of(&line.name) == stem)?;
            Some((stem, first, numbers))
        });
        if let Some((stem, first, numbers)) = family {
            lines.extend(of_family(stem, first, numbers, program)?);
            continue;
        }
        for name in crate::measure_list::split(value) {
            match name {
                "all_trec" => lines.extend(all.iter().cloned()),
                "official" => lines.extend(all.iter().take(OFFICIAL).cloned()),
                name => lines.extend(named(name, &all, conventions)?),
            }
        }
    }
    Ok(lines)
}

/// The lines of `P.5,10` or `Rprec_mult.0.5`, by rising numbers; `first` is a line of the family.
fn of_family(stem: &str, first: &Line, numbers: &str, program: Program) -> miette::Result<Vec<Line>> {
    let wrong = |number: &str| -> miette::Report {
        Problem::new(format!("`{number}` behind `{stem}.` is not a number that it takes")).into()
    };
    let parse = |number: &str| -> miette::Result<f64> { number.parse().map_err(|_| wrong(number)) };
    let mut numbers = numbers.split(',').map(parse).collect::<miette::Result<Vec<f64>>>()?;
    numbers.sort_by(f64::total_cmp);
    let line = |number: f64| -> miette::Result<Line> {
        let count = (number >= 1.0 && number.fract() == 0.0).then_some(number as usize);
        let (shown, what) = match (&first.what, count) {
            (What::Grades(_), Some(count)) => (count.to_string(), What::Grades(count)),
            (What::Value(spec), Some(k)) if spec.cutoff().is_some() => (k.to_string(), What::Value(spec.at(Some(k)))),
            (What::Value(spec), _) if spec.cutoff().is_none() => {
                let name = spec.entry().name;
                let rounding = if name == "iprec" && program == Program::V10 { ",rounding=v10" } else { "" };
                let spec = format!("{name}(x={number}{rounding})").parse().map_err(Problem::from)?;
                (format!("{number:.2}"), What::Value(spec))
            }
            _ => return Err(wrong(&number.to_string())),
        };
        Ok(Line { name: format!("{stem}_{shown}"), what })
    };
    numbers.into_iter().map(line).collect()
}

fn named(name: &str, all: &[Line], conventions: &Conventions) -> miette::Result<Vec<Line>> {
    let exactly: Vec<Line> = all.iter().filter(|line| line.name == name).cloned().collect();
    let family = || all.iter().filter(|line| family_of(&line.name) == name).cloned().collect::<Vec<_>>();
    let known = if exactly.is_empty() { family() } else { exactly };
    if !known.is_empty() {
        return Ok(known);
    }
    let spec = spelling::read(name, conventions).map_err(Problem::from)?.spec;
    Ok(vec![Line { name: name.to_owned(), what: What::Value(spec) }])
}

/// The name of a family of lines, without the number at the end.
fn family_of(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    stem.strip_suffix('_').filter(|_| stem.len() < name.len()).unwrap_or(name)
}

/// What the output is made of, and how it is shown.
pub(super) struct Settings<'a> {
    pub(super) program: Program,
    pub(super) measures: &'a [String],
    pub(super) conventions: &'a Conventions,
    pub(super) per_query: bool,
    pub(super) max_grade: Option<u8>,
    /// How many documents of a topic count; `None`: all.
    pub(super) depth: Option<usize>,
}

/// Prints the output of each run, one after the other.
pub(super) fn print(
    settings: &Settings<'_>,
    qrels: &Qrels,
    runs: &[String],
    screen: &mut Screen,
) -> miette::Result<()> {
    let lines = lines(settings.measures, settings.program, settings.conventions)?;
    let specs = lines.iter().filter_map(|line| match &line.what {
        What::Value(spec) | What::Geometric(spec) => Some(spec.clone()),
        _ => None,
    });
    let specs: Vec<MeasureSpec> = specs.collect();
    let max_grade = settings.max_grade.unwrap_or_else(|| qrels.max_grade());
    let evaluator = Evaluator::new(&specs, settings.conventions, max_grade, Seed::new(0)).map_err(Problem::from)?;
    let evaluator = evaluator.originals_only();
    let of_run = |(_, path): &(String, String)| one_run(&lines, &evaluator, settings, qrels, Path::new(path));
    let outputs = labelled(runs)?.par_iter().map(of_run).collect::<miette::Result<Vec<(String, usize)>>>()?;
    for (text, _) in &outputs {
        screen.text(text);
    }
    let undefined = outputs.iter().map(|(_, undefined)| undefined).max().copied().unwrap_or(0);
    if undefined > 0 {
        let (topics, have) = (counted(undefined, "topic"), which(undefined, "has", "have"));
        tell(format_args!("note: {topics} {have} undefined values, which count as 0, as in trec_eval"));
    }
    Ok(())
}

/// The numbers of one topic, in the order of the lines; for a geometric mean, the value.
struct OfTopic<'a> {
    id: &'a str,
    numbers: Vec<f64>,
    ranked: Vec<Assessment>,
    undefined: bool,
}

/// The output of a run, and the number of its topics with an undefined value.
fn one_run(
    lines: &[Line],
    evaluator: &Evaluator,
    settings: &Settings<'_>,
    qrels: &Qrels,
    path: &Path,
) -> miette::Result<(String, usize)> {
    let run = read_run(path, qrels.duplicates).map_err(Problem::from)?;
    let joined = Joined::new(qrels, &run);
    let skip = settings.conventions.missing_topics == MissingTopics::Skip;
    let mut scratch = Scratch::default();
    let mut topics = Vec::new();
    for (mut topic, judged) in joined.topics.into_iter().zip(&qrels.topics) {
        if topic.in_run || !skip {
            let ranked = Ranking::of(&mut topic, settings);
            topics.push(of_topic(lines, evaluator, settings, &topic, &ranked, judged, &mut scratch)?);
        }
    }
    topics.sort_by(|one, other| one.id.cmp(other.id));
    let mut text = String::new();
    if settings.per_query {
        topics.iter().for_each(|topic| write_topic(&mut text, lines, topic));
    }
    write_all(&mut text, lines, &topics, &run.tag);
    Ok((text, topics.iter().filter(|topic| topic.undefined).count()))
}

/// The documents of a topic from the first to the last: places in the topic's lists.
struct Ranking {
    order: Vec<usize>,
}

impl Ranking {
    /// Ranks the documents by score, then by id, from high to low, and removes those behind the
    /// depth from the topic.
    fn of(topic: &mut JoinedTopic<'_>, settings: &Settings<'_>) -> Self {
        let compared = |place: usize| match settings.conventions.scores {
            Scores::F64 => topic.scores[place],
            Scores::F32 => f64::from(topic.scores[place] as f32),
        };
        let mut order: Vec<usize> = (0..topic.documents.len()).collect();
        order.sort_by(|&a, &b| {
            compared(b).total_cmp(&compared(a)).then_with(|| topic.documents[b].cmp(topic.documents[a]))
        });
        if settings.conventions.unjudged == fivefold_metrics::conventions::Unjudged::Removed {
            order.retain(|&place| topic.assessments[place].is_judged());
        }
        if let Some(depth) = settings.depth.filter(|&depth| depth < order.len()) {
            order.truncate(depth);
            topic.documents = order.iter().map(|&place| topic.documents[place]).collect();
            topic.scores = order.iter().map(|&place| topic.scores[place]).collect();
            topic.assessments = order.iter().map(|&place| topic.assessments[place]).collect();
            order = (0..depth).collect();
        }
        Ranking { order }
    }
}

fn of_topic<'a>(
    lines: &[Line],
    evaluator: &Evaluator,
    settings: &Settings<'_>,
    topic: &JoinedTopic<'a>,
    ranking: &Ranking,
    judged: &QrelsTopic,
    scratch: &mut Scratch,
) -> miette::Result<OfTopic<'a>> {
    let pool = judged.grades();
    let ranked: Vec<Assessment> = ranking.order.iter().map(|&place| topic.assessments[place]).collect();
    let of_pool =
        evaluator.judge_pool(topic.id, &pool, &topic.assessments, Some(&topic.documents)).map_err(Problem::from)?;
    let mut values = vec![0.0; evaluator.names().len()];
    evaluator.evaluate(&of_pool, &topic.scores, scratch, &mut values).map_err(Problem::from)?;
    let undefined = values.iter().any(|value| value.is_nan());
    let mut values = values.into_iter().map(|value| if value.is_nan() { 0.0 } else { value });
    let threshold = settings.conventions.threshold;
    let number = |line: &Line| match &line.what {
        What::RunTag | What::Grades(_) => 0.0,
        What::Topics => 1.0,
        What::Count(count) => count.of(&pool, &ranked, threshold) as f64,
        What::Value(_) | What::Geometric(_) => values.next().unwrap_or(0.0),
        What::Experimental(measure) => measure.of(&pool, &ranked, threshold),
    };
    let numbers = lines.iter().map(number).collect();
    Ok(OfTopic { id: topic.id, numbers, ranked, undefined })
}

impl Count {
    fn of(self, pool: &[u8], ranked: &[Assessment], threshold: u8) -> usize {
        let relevant = |document: &&Assessment| document.grade() >= threshold;
        match self {
            Count::Retrieved => ranked.len(),
            Count::Relevant => pool.iter().filter(|&&grade| grade >= threshold).count(),
            Count::RelevantRetrieved => ranked.iter().filter(relevant).count(),
            Count::OthersRetrieved => {
                ranked.iter().filter(|document| document.is_judged() && !relevant(document)).count()
            }
        }
    }
}

impl Experimental {
    /// The value of a topic; 0 without a relevant document. The gain is the grade.
    fn of(self, pool: &[u8], ranked: &[Assessment], threshold: u8) -> f64 {
        let mut ideal: Vec<f64> = pool.iter().map(|&grade| f64::from(grade)).collect();
        ideal.sort_by(|a, b| b.total_cmp(a));
        ideal.retain(|&gain| gain > 0.0);
        let gains: Vec<f64> = ranked.iter().map(|document| f64::from(document.grade())).collect();
        if ideal.is_empty() {
            return 0.0;
        }
        match self {
            Experimental::G => g(&gains, &ideal),
            Experimental::NdcgAtRelevant => ndcg_at_relevant(&gains, &ideal),
            Experimental::NdcgAtLevels if pool.iter().all(|&grade| grade < threshold) => 0.0,
            Experimental::NdcgAtLevels => ndcg_at_levels(&gains, &ideal),
        }
    }
}

/// Gain of each document, divided by log2 of 2 and the gain that an ideal order has more so far (at
/// least 1 a rank), over all gain.
fn g(gains: &[f64], ideal: &[f64]) -> f64 {
    let (mut found, mut possible, mut sum) = (0.0, 0.0, 0.0);
    for (place, &gain) in gains.iter().enumerate() {
        found += gain;
        possible += ideal.get(place).copied().unwrap_or(0.0).max(1.0);
        if gain > 0.0 {
            sum += gain / libm::log2(2.0 + possible - found);
        }
    }
    sum / ideal.iter().sum::<f64>()
}

/// The running DCG of gains, one more than there are gains.
fn running_dcg(gains: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for (place, &gain) in gains.iter().enumerate() {
        sums.push(sums[place] + if gain > 0.0 { gain / libm::log2(place as f64 + 2.0) } else { 0.0 });
    }
    sums
}

/// nDCG at each relevant document, on average; for one that was not retrieved, DCG of the whole
/// list over that of the whole ideal order.
fn ndcg_at_relevant(gains: &[f64], ideal: &[f64]) -> f64 {
    let (dcg, best) = (running_dcg(gains), running_dcg(ideal));
    let ndcg = |rank: usize| dcg[rank] / best[rank.min(ideal.len())];
    let found: Vec<usize> = (1..=gains.len()).filter(|&rank| gains[rank - 1] > 0.0).collect();
    let missed = (ideal.len() - found.len()) as f64;
    let sum = found.iter().map(|&rank| ndcg(rank)).sum::<f64>() + missed * dcg[gains.len()] / best[ideal.len()];
    sum / ideal.len() as f64
}

/// nDCG at the ranks behind which the ideal order has a lower gain, and at the end of a list that
/// is longer by two, on average.
fn ndcg_at_levels(gains: &[f64], ideal: &[f64]) -> f64 {
    let (dcg, best) = (running_dcg(gains), running_dcg(ideal));
    let falls = (1..=ideal.len()).filter(|&rank| ideal.get(rank) != Some(&ideal[rank - 1]));
    let mut values: Vec<f64> = falls.map(|rank| dcg[rank.min(gains.len())] / best[rank]).collect();
    if gains.len() > ideal.len() + 1 {
        values.push(dcg[gains.len()] / best[ideal.len()]);
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// The grades of the first documents, a character each.
fn first_grades(ranked: &[Assessment], count: usize) -> String {
    let grade = |document: &Assessment| match document {
        Assessment::Judged(grade) if *grade < 10 => char::from(b'0' + grade),
        Assessment::Judged(_) => '>',
        Assessment::Pooled => '.',
        Assessment::Unjudged => '-',
    };
    ranked.iter().take(count).map(grade).collect()
}

fn write_topic(text: &mut String, lines: &[Line], topic: &OfTopic<'_>) {
    for (line, &number) in lines.iter().zip(&topic.numbers) {
        match &line.what {
            What::RunTag | What::Topics | What::Geometric(_) => {}
            What::Grades(count) => {
                put(text, &line.name, topic.id, format_args!("'{}'", first_grades(&topic.ranked, *count)));
            }
            What::Count(_) => put(text, &line.name, topic.id, format_args!("{number:.0}")),
            What::Value(_) | What::Experimental(_) => put(text, &line.name, topic.id, format_args!("{number:6.4}")),
        }
    }
}

fn write_all(text: &mut String, lines: &[Line], topics: &[OfTopic<'_>], tag: &str) {
    for (place, line) in lines.iter().enumerate() {
        let numbers = || topics.iter().map(|topic| topic.numbers[place]);
        let sum = || numbers().sum::<f64>();
        let mean = |sum: f64| if topics.is_empty() { 0.0 } else { sum / topics.len() as f64 };
        match &line.what {
            What::Grades(_) => {}
            What::RunTag => put(text, &line.name, "all", format_args!("{tag}")),
            What::Topics | What::Count(_) => put(text, &line.name, "all", format_args!("{:.0}", sum())),
            What::Value(_) | What::Experimental(_) => put(text, &line.name, "all", format_args!("{:6.4}", mean(sum()))),
            What::Geometric(_) => {
                let values: Vec<f64> = numbers().collect();
                let value = geometric_mean(&values, GEOMETRIC_FLOOR).value;
                put(text, &line.name, "all", format_args!("{:6.4}", if values.is_empty() { 0.0 } else { value }));
            }
        }
    }
}

fn put(text: &mut String, name: &str, topic: &str, value: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{name:<22}\t{topic}\t{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_are_made_and_official_is_their_beginning() {
        assert_eq!(all_lines(Program::V9).len(), 95);
        let conventions = fivefold_metrics::dialect("trec_eval").unwrap().conventions();
        let names = |asked: &[&str]| -> Vec<String> {
            let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
            lines(&asked, Program::V9, &conventions).unwrap().into_iter().map(|line| line.name).collect()
        };
        assert_eq!(names(&["official"]).last().unwrap(), "P_1000");
        assert_eq!(names(&["official"]).len(), OFFICIAL);
        assert_eq!(names(&["success", "map,P_10"]), ["success_1", "success_5", "success_10", "map", "P_10"]);
        assert_eq!(names(&["P.7,3"]), ["P_3", "P_7"]);
        assert_eq!(
            names(&["Rprec_mult.5.0,0.2", "relstring.20"]),
            ["Rprec_mult_0.20", "Rprec_mult_5.00", "relstring_20"]
        );
        let wrong = lines(&["P.0".to_owned()], Program::V9, &conventions).unwrap_err().to_string();
        assert!(wrong.contains("`0` behind `P.`"), "{wrong}");
    }
}
