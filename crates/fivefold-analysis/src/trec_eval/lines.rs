//! The lines of trec_eval's output: those of `-m all_trec` and `-m official`, and lines of one's own.

use fivefold_metrics::{Conventions, MeasureError, MeasureSpec, spelling};

use super::experimental::Experimental;

/// A version of trec_eval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// 9.0.8, as pytrec_eval wraps it.
    V9,
    /// 10.0.
    V10,
}

/// A line of the output.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub(super) name: String,
    pub(super) what: What,
}

/// What a line shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
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
pub(super) enum Count {
    Retrieved,
    Relevant,
    RelevantRetrieved,
    OthersRetrieved,
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
///
/// # Errors
/// A name that trec_eval and we do not have, or a number that the measure does not take.
pub fn lines(asked: &[String], program: Program, conventions: &Conventions) -> Result<Vec<Line>, MeasureError> {
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
        for name in spelling::split(value) {
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
fn of_family(stem: &str, first: &Line, numbers: &str, program: Program) -> Result<Vec<Line>, MeasureError> {
    if let Some(line) = of_parameters(stem, numbers, program)? {
        return Ok(vec![line]);
    }
    let wrong = |number: &str| MeasureError::Syntax {
        text: format!("{stem}.{numbers}"),
        problem: format!("`{number}` behind `{stem}.` is not a number that it takes"),
    };
    let parse = |number: &str| -> Result<f64, MeasureError> { number.parse().map_err(|_| wrong(number)) };
    let mut levels = numbers.split(',').map(parse).collect::<Result<Vec<f64>, MeasureError>>()?;
    levels.sort_by(f64::total_cmp);
    let line = |number: f64| -> Result<Line, MeasureError> {
        let count = (number >= 1.0 && number.fract() == 0.0).then_some(number as usize);
        let (shown, what) = match (&first.what, count) {
            (What::Grades(_), Some(count)) => (count.to_string(), What::Grades(count)),
            (What::Value(spec), Some(k)) if spec.cutoff().is_some() => (k.to_string(), What::Value(spec.at(Some(k)))),
            (What::Value(spec), _) if spec.cutoff().is_none() => {
                let name = spec.entry().name;
                let rounding = if name == "iprec" && program == Program::V10 { ",rounding=v10" } else { "" };
                let spec = format!("{name}(x={number}{rounding})").parse()?;
                (format!("{number:.2}"), What::Value(spec))
            }
            _ => return Err(wrong(&number.to_string())),
        };
        Ok(Line { name: format!("{stem}_{shown}"), what })
    };
    levels.into_iter().map(line).collect()
}

/// The line of a measure with parameters of its own: `utility.2,-1,0,0`, `11pt_avg..25,.5,.75`,
/// `ndcg.1=3,2=9`. Its name has them as they were given.
fn of_parameters(stem: &str, given: &str, program: Program) -> Result<Option<Line>, MeasureError> {
    let spec = match stem {
        "utility" => {
            let mut numbers = given.split(',');
            let named = ["a", "b", "c", "d"].iter().map(|name| Some(format!("{name}={}", numbers.next()?)));
            let named = named.collect::<Option<Vec<String>>>().filter(|_| numbers.next().is_none());
            // Without -N, trec_eval's collection has 0 documents.
            named.map(|named| format!("utility({},docs=0)", named.join(",")))
        }
        "11pt_avg" => {
            let rounding = if program == Program::V10 { ",rounding=v10" } else { "" };
            Some(format!("iprec11(levels={}{rounding})", given.replace(',', "/")))
        }
        "ndcg" => Some(format!("ndcg(gain={})", given.replace('=', ":").replace(',', "/"))),
        _ => return Ok(None),
    };
    let wrong = || MeasureError::Syntax {
        text: format!("{stem}.{given}"),
        problem: "utility takes four numbers, as in utility.1,-1,0,0".to_owned(),
    };
    let spec = spec.ok_or_else(wrong)?.parse()?;
    Ok(Some(Line { name: format!("{stem}_{given}"), what: What::Value(spec) }))
}

fn named(name: &str, all: &[Line], conventions: &Conventions) -> Result<Vec<Line>, MeasureError> {
    let exactly: Vec<Line> = all.iter().filter(|line| line.name == name).cloned().collect();
    let family = || all.iter().filter(|line| family_of(&line.name) == name).cloned().collect::<Vec<_>>();
    let known = if exactly.is_empty() { family() } else { exactly };
    if !known.is_empty() {
        return Ok(known);
    }
    let spec = spelling::read(name, conventions)?.spec;
    Ok(vec![Line { name: name.to_owned(), what: What::Value(spec) }])
}

/// The name of a family of lines, without the number at the end.
fn family_of(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    stem.strip_suffix('_').filter(|_| stem.len() < name.len()).unwrap_or(name)
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
