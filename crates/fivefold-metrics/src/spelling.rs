//! Measures as users of other programs write them: `P_10`, `map_cut_100`, `nDCG@10`, `AP(rel=2)`,
//! `ndcg_burges@10`, `NDCG:top=5`.
//!
//! [`read`] takes any spelling. Our own names come first, in capitals too. A name of another program
//! stands for the number of that program: parameters in which its conventions differ from the
//! conventions in force are written out (`map_cut_10` is `ap(denominator=relevant)@10` where AP is
//! divided by k). The order of equal scores, the threshold of relevance and undefined values belong
//! to the dialect, never to a name. [`Reading::note`] says what was understood.

use fivefold_base::words::{list, nearest};

use crate::conventions::Conventions;
use crate::dialect::dialect;
use crate::error::MeasureError;
use crate::measures::all_measures;
use crate::spec::{MeasureSpec, Version};

/// A measure as it was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The measure.
    pub spec: MeasureSpec,
    /// What was understood, and the program whose spelling it is; `None` if the name is ours.
    pub note: Option<String>,
}

/// Reads a measure in any spelling.
///
/// ```
/// use fivefold_metrics::dialect;
/// use fivefold_metrics::spelling::read;
///
/// let paper = dialect("paper")?.conventions();
/// assert_eq!(read("P_10", &paper)?.spec.to_string(), "p@10");
/// assert_eq!(read("ndcg_cut_10", &paper)?.spec.to_string(), "ndcg(gain=linear)@10");
/// assert_eq!(read("ndcg_cut_10", &dialect("trec_eval")?.conventions())?.spec.to_string(), "ndcg@10");
/// assert_eq!(read("P_10", &paper)?.note.unwrap(), "`P_10` is read as `p@10` (trec_eval)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A name that no program has, with the measures that it may mean; a parameter or cutoff that the
/// measure does not take.
pub fn read(text: &str, in_force: &Conventions) -> Result<Reading, MeasureError> {
    let text = text.trim();
    let strict = match text.parse::<MeasureSpec>() {
        Ok(spec) => return Ok(Reading { spec, note: None }),
        Err(error) => error,
    };
    if let Some((plain, version)) = without_version(text) {
        let Reading { spec, note } = read(&plain, in_force)?;
        let spec = spec.with_version(version);
        spec.check()?;
        let note = note.map(|note| format!("{note}, in {version}"));
        return Ok(Reading { spec, note });
    }
    let Some(parts) = Parts::of(text) else { return Err(strict) };
    if parts.name == "Accuracy" && parts.number.is_some() {
        return Err(MeasureError::Syntax { text: text.to_owned(), problem: PAIRS_AT_A_CUTOFF.to_owned() });
    }
    match parts.alias() {
        Some(alias) => alias.read(text, &parts, in_force),
        None if is_ours(&parts.name) => Err(strict),
        None if is_ours(&parts.name.to_lowercase()) => {
            let spec = parts.spelled(&parts.name.to_lowercase())?.parse::<MeasureSpec>()?;
            let note = parts.params.iter().any(|(name, _)| name == "rel");
            let note = note.then(|| format!("`{text}` is read as `{spec}`"));
            Ok(Reading { spec, note })
        }
        None => Err(strict),
    }
}

/// The parts of a list of measures, between commas that are not within parentheses.
///
/// ```
/// use fivefold_metrics::spelling::split;
///
/// assert_eq!(split("ap(threshold=2,ties=orders)@5, rr").collect::<Vec<_>>(), ["ap(threshold=2,ties=orders)@5", "rr"]);
/// ```
pub fn split(value: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let separator = move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    };
    value.split(separator).map(str::trim)
}

/// A name without `.v1` or `.v2`, and this version: `P_10.v2`, `nDCG.v2@10`.
fn without_version(text: &str) -> Option<(String, Version)> {
    [(".v1", Version::V1), (".v2", Version::V2)].into_iter().find_map(|(word, version)| {
        let (before, after) = text.split_once(word)?;
        let ends = after.is_empty() || after.starts_with(['@', '(']);
        ends.then(|| (format!("{before}{after}"), version))
    })
}

/// `accuracy@k` of papers on dense retrieval is `success@k`.
const PAIRS_AT_A_CUTOFF: &str = "`Accuracy@k` of ir_measures compares pairs within the first k documents, which is not \
    computed here; `auc` compares all pairs, `success@k` asks for a relevant document among the first k";

fn is_ours(name: &str) -> bool {
    all_measures().any(|entry| entry.name == name)
}

/// How another program writes the number behind a name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    /// There is none.
    None,
    /// A cutoff: `P_10`, `R@100`.
    Cutoff,
    /// A cutoff, or nothing: `map_cut_10`, `mrr`, `mrr@10`.
    Optional,
    /// Behind a colon: `NDCG:top=5`.
    Colon,
    /// The value of this parameter: `Rprec_mult_0.20`, `rbp.95`.
    Param(&'static str),
}

/// A name of another program.
struct Alias {
    program: &'static str,
    /// The dialect whose conventions the name follows; empty: the conventions in force.
    dialect: &'static str,
    names: &'static [&'static str],
    ours: &'static str,
    number: Number,
    /// What a reader of the note should know.
    remark: &'static str,
}

const fn alias(program: &'static str, names: &'static [&'static str], ours: &'static str, number: Number) -> Alias {
    Alias { program, dialect: program, names, ours, number, remark: "" }
}

const fn of_ndeval(names: &'static [&'static str], ours: &'static str, number: Number) -> Alias {
    Alias { dialect: "", ..alias("ndeval", names, ours, number) }
}

/// All names of other programs. Of two programs with the same name, the first counts.
const ALIASES: &[Alias] = &[
    alias("catboost", &["NDCG"], "ndcg", Number::Colon),
    alias("catboost", &["DCG"], "dcg", Number::Colon),
    alias("catboost", &["MAP"], "ap", Number::Colon),
    alias("catboost", &["MRR"], "rr", Number::Colon),
    alias("trec_eval", &["map"], "ap", Number::None),
    alias("trec_eval", &["map_cut"], "ap", Number::Cutoff),
    alias("trec_eval", &["ndcg_cut"], "ndcg", Number::Cutoff),
    alias("trec_eval", &["P"], "p", Number::Cutoff),
    alias("trec_eval", &["recip_rank"], "rr", Number::None),
    alias("trec_eval", &["recall"], "recall", Number::Cutoff),
    alias("trec_eval", &["success"], "success", Number::Cutoff),
    alias("trec_eval", &["unj"], "unj", Number::Cutoff),
    alias("trec_eval", &["relative_P"], "relp", Number::Cutoff),
    alias("trec_eval", &["Rprec"], "rprec", Number::None),
    alias("trec_eval", &["Rprec_mult"], "rprec", Number::Param("x")),
    alias("trec_eval", &["infAP"], "infap", Number::None),
    alias("trec_eval", &["binG"], "bing", Number::None),
    alias("trec_eval", &["iprec_at_recall"], "iprec", Number::Param("x")),
    alias("trec_eval", &["11pt_avg"], "iprec11", Number::None),
    alias("trec_eval", &["set_P"], "set_p", Number::None),
    alias("trec_eval", &["set_F"], "set_f", Number::None),
    alias("trec_eval", &["set_F"], "set_f", Number::Param("x")),
    alias("trec_eval", &["set_map"], "set_ap", Number::None),
    alias("trec_eval", &["set_relative_P"], "set_relp", Number::None),
    Alias {
        dialect: "",
        remark: "`@` is a level of recall, not a cutoff",
        ..alias("ir_measures", &["IPrec"], "iprec", Number::Param("x"))
    },
    Alias { dialect: "", ..alias("ir_measures", &["SetP"], "set_p", Number::None) },
    Alias { dialect: "", ..alias("ir_measures", &["SetR"], "set_recall", Number::None) },
    Alias { dialect: "", ..alias("ir_measures", &["SetF"], "set_f", Number::None) },
    Alias { dialect: "", ..alias("ir_measures", &["SetAP"], "set_ap", Number::None) },
    Alias { dialect: "", ..alias("ir_measures", &["SetRelP"], "set_relp", Number::None) },
    Alias { dialect: "trec_eval", ..alias("ir_measures", &["nDCG"], "ndcg", Number::Optional) },
    Alias {
        dialect: "trec_eval",
        remark: "papers on dense retrieval often call `success` recall",
        ..alias("ir_measures", &["R"], "recall", Number::Cutoff)
    },
    Alias { dialect: "", ..alias("ir_measures", &["Accuracy"], "auc", Number::None) },
    Alias { dialect: "", ..alias("ir_measures", &["RPrec"], "rprec", Number::None) },
    Alias { dialect: "", ..alias("ir_measures", &["Compat"], "compat", Number::None) },
    of_ndeval(&["alpha-nDCG", "alpha_nDCG"], "alpha_ndcg", Number::Optional),
    of_ndeval(&["alpha-DCG", "alpha_DCG"], "alpha_dcg", Number::Optional),
    of_ndeval(&["ERR-IA", "ERR_IA"], "err_ia", Number::Optional),
    of_ndeval(&["nERR-IA", "nERR_IA"], "nerr_ia", Number::Optional),
    of_ndeval(&["NRBP"], "nrbp", Number::None),
    of_ndeval(&["nNRBP"], "nnrbp", Number::None),
    of_ndeval(&["P-IA", "P_IA"], "p_ia", Number::Cutoff),
    of_ndeval(&["MAP-IA", "AP_IA"], "ap_ia", Number::None),
    of_ndeval(&["strec", "StRecall"], "strec", Number::Cutoff),
    alias("ranx", &["map"], "ap", Number::Optional),
    alias("ranx", &["mrr"], "rr", Number::Optional),
    alias("ranx", &["precision", "pre"], "p", Number::Cutoff),
    alias("ranx", &["precision"], "set_p", Number::None),
    alias("ranx", &["hit_rate", "hit", "hits_rate"], "success", Number::Cutoff),
    alias("ranx", &["ndcg_burges"], "ndcg(gain=exp2)", Number::Optional),
    alias("ranx", &["f1"], "f", Number::Cutoff),
    alias("ranx", &["f1"], "set_f", Number::None),
    alias("ranx", &["r-precision", "r_precision"], "rprec", Number::None),
    Alias { dialect: "", ..alias("ranx", &["rbp"], "rbp(gain=linear)", Number::Param("p")) },
    Alias { dialect: "", ..alias("dense retrieval", &["accuracy", "acc", "top"], "success", Number::Cutoff) },
    alias("catboost", &["PrecisionAt"], "p", Number::Cutoff),
    alias("catboost", &["RecallAt"], "recall", Number::Cutoff),
    Alias { dialect: "", ..alias("catboost", &["QueryAUC"], "auc", Number::None) },
    Alias { dialect: "", ..alias("catboost", &["PFound"], "pfound", Number::Optional) },
];

/// Names of other programs that no measure of ours stands for (`*`: and what follows), each with
/// what to use.
const REFUSED: &[(&str, &str)] = &[
    ("hits", "it is a count of relevant documents; use `p` or `recall` at the same cutoff"),
    ("rbo", "it compares two runs with each other, without judgements: `fivefold rbo`"),
    ("ndcg_rel", "trec_eval calls it experimental; use `ndcg`"),
    ("Rndcg", "trec_eval calls it experimental; use `ndcg`"),
    ("G", "trec_eval calls it experimental; use `bing`"),
    ("gm_map", "it is a geometric mean: use `ap` with `eval --mean geometric`, or `eval --format trec_eval`"),
    ("gm_bpref", "it is a geometric mean: use `bpref` with `eval --mean geometric`, or `eval --format trec_eval`"),
    (
        "prefs_*",
        "it needs preferences between documents in place of qrels, which are not read; `pairacc` compares grades",
    ),
    ("infNDCG", "it needs the sampling stratum of each judgement, which qrels do not have; use `infap`"),
    ("xinfAP", "it needs the sampling stratum of each judgement, which qrels do not have; use `infap`"),
];

/// The parts of a name in the spelling of some program.
#[derive(Debug, Clone)]
struct Parts {
    name: String,
    /// The cutoff or the value behind the name.
    number: Option<String>,
    params: Vec<(String, String)>,
    /// Whether the parameters stand behind a colon.
    colon: bool,
}

impl Parts {
    /// Takes a name apart: `name@k`, `name_k`, `name.k`, `Name(a=b)@k`, `Name:a=b;c=d`, `name@k-l2`.
    fn of(text: &str) -> Option<Self> {
        let (text, level) = match text.rsplit_once("-l") {
            Some((rest, level)) if level.parse::<u8>().is_ok() => (rest, Some(level)),
            _ => (text, None),
        };
        let mut params: Vec<(String, String)> =
            level.map(|level| ("rel".to_owned(), level.to_owned())).into_iter().collect();
        let (mut number, mut colon) = (None, false);
        let mut name = text.to_owned();
        if let Some((before, after)) = text.split_once('(') {
            let (list, rest) = after.rsplit_once(')')?;
            params.extend(pairs(list, ',')?);
            name = format!("{before}{rest}");
        } else if let Some((before, list)) = text.split_once(':') {
            colon = true;
            params.extend(pairs(list, ';')?);
            name = before.to_owned();
        }
        if let Some((before, after)) = name.clone().split_once('@') {
            (name, number) = (before.to_owned(), Some(after.to_owned()));
        } else if let Some((before, after)) = behind_name(&name) {
            (name, number) = (before, Some(after));
        }
        if let Some(place) = params.iter().position(|(name, _)| ["top", "cutoff"].contains(&name.as_str())) {
            number = Some(params.remove(place).1);
        }
        Some(Parts { name: name.trim().to_owned(), number, params, colon })
    }

    fn alias(&self) -> Option<&'static Alias> {
        let fits = |alias: &&Alias| match alias.number {
            Number::None => self.number.is_none(),
            Number::Optional => true,
            Number::Colon => self.colon,
            Number::Cutoff | Number::Param(_) => self.number.is_some(),
        };
        let same = |alias: &&Alias| alias.names.contains(&self.name.as_str());
        let alike = |alias: &&Alias| alias.names.iter().any(|name| name.eq_ignore_ascii_case(&self.name));
        // `p@5` is ours. `P@5` is ir_measures' and `P_5` trec_eval's: both divide by 5.
        let foreign = |alias: &&Alias| alike(alias) && !is_ours(&self.name.to_lowercase());
        let aliases = || ALIASES.iter().filter(fits);
        aliases().find(same).or_else(|| aliases().find(foreign))
    }

    /// The name in our spelling, with another name of the measure.
    fn spelled(&self, ours: &str) -> Result<String, MeasureError> {
        let (name, given) =
            ours.split_once('(').map_or((ours, ""), |(name, given)| (name, given.trim_end_matches(')')));
        let mut params: Vec<String> = (!given.is_empty()).then(|| given.to_owned()).into_iter().collect();
        for (param, value) in &self.params {
            params.push(param_of_ours(name, param, value)?);
        }
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(",")) };
        let cutoff = self.number.as_ref().map_or_else(String::new, |number| format!("@{number}"));
        Ok(format!("{name}{params}{cutoff}"))
    }
}

/// `a=b,c=d` as pairs.
fn pairs(list: &str, separator: char) -> Option<Vec<(String, String)>> {
    let pair = |item: &str| item.split_once('=').map(|(name, value)| (name.trim().to_owned(), unquoted(value)));
    list.split(separator).filter(|item| !item.trim().is_empty()).map(pair).collect()
}

fn unquoted(value: &str) -> String {
    value.trim().trim_matches(['\'', '"']).to_owned()
}

/// The name and the number of `P_10`, `P.10`, `Rprec_mult_0.20`, `rbp.95`, `iprec_at_recall_0.10`,
/// `set_F.2`.
fn behind_name(text: &str) -> Option<(String, String)> {
    if let Some((name, value)) = text.split_once('.').filter(|(_, value)| value.parse::<f64>().is_ok()) {
        let takes_value = |alias: &&Alias| matches!(alias.number, Number::Param(_)) && alias.names.contains(&name);
        match ALIASES.iter().find(takes_value).map(|alias| alias.program) {
            // ranx writes the digits of p alone, trec_eval the whole parameter.
            Some("ranx") => return Some((name.to_owned(), format!("0.{value}"))),
            Some(_) => return Some((name.to_owned(), value.to_owned())),
            None => {}
        }
    }
    let start = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (name, number) = text.split_at(start);
    match number.strip_prefix('.') {
        Some(digits) if !digits.is_empty() && !digits.contains('.') => Some((name.to_owned(), digits.to_owned())),
        _ => {
            let name = name.strip_suffix('_')?;
            number.parse::<f64>().is_ok().then(|| (name.to_owned(), number.to_owned()))
        }
    }
}

/// `parameter=value` in our words.
fn param_of_ours(measure: &str, param: &str, value: &str) -> Result<String, MeasureError> {
    let refuse = |problem: &str| {
        Err(MeasureError::Syntax { text: format!("{param}={value}"), problem: format!("{problem}, in `{measure}`") })
    };
    let value = value.strip_suffix('.').unwrap_or(value);
    match (param, value) {
        ("rel", _) => Ok(format!("threshold={value}")),
        // Relevant is what lies above the border.
        ("border", _) => match value.parse::<f64>() {
            Ok(border) if border >= 0.0 => Ok(format!("threshold={}", border.floor() + 1.0)),
            _ => refuse("the border is a number of at least 0"),
        },
        // trec_eval's and ir_measures' beta of F is the square of beta.
        ("beta", _) if measure == "set_f" => Ok(format!("x={value}")),
        ("max_rel", _) => Ok(format!("max_grade={value}")),
        ("dcg", "log2") | ("type", "Base") => Ok("gain=linear".to_owned()),
        ("dcg", "exp-log2") | ("type", "Exp") => Ok("gain=exp2".to_owned()),
        ("gains", _) => refuse("gains by grade cannot be given; choose gain=linear or gain=exp2"),
        ("judged_only", _) => {
            refuse("unjudged documents are removed for all measures at once: the convention unjudged = \"removed\"")
        }
        (param, value) => Ok(format!("{param}={value}")),
    }
}

impl Alias {
    fn read(&self, text: &str, parts: &Parts, in_force: &Conventions) -> Result<Reading, MeasureError> {
        let mut parts = parts.clone();
        if let Number::Param(param) = self.number {
            parts.params.extend(parts.number.take().map(|value| (param.to_owned(), value)));
        }
        let spec = parts.spelled(self.ours)?.parse::<MeasureSpec>()?;
        let spec = match self.dialect {
            "" => spec,
            name => spec.pinned(&dialect(name)?.conventions(), in_force)?,
        };
        let remark = if self.remark.is_empty() { String::new() } else { format!("; {}", self.remark) };
        let note = Some(format!("`{text}` is read as `{spec}` ({}){remark}", self.program));
        Ok(Reading { spec, note })
    }
}

/// The help for an unknown name: a name that no measure stands for, a name of another program, or
/// measures whose names or descriptions are alike.
pub(crate) fn help(name: &str) -> String {
    let refused = |refused: &str| match refused.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => refused.eq_ignore_ascii_case(name),
    };
    if let Some((_, instead)) = REFUSED.iter().find(|(name, _)| refused(name)) {
        return format!("`{name}` is not computed: {instead}");
    }
    let aliases = || ALIASES.iter().flat_map(|alias| alias.names.iter().map(move |&theirs| (theirs, alias)));
    if let Some((theirs, alias)) = aliases().find(|(theirs, _)| theirs.eq_ignore_ascii_case(name)) {
        return format!("`{theirs}` of {} is `{}` here", alias.program, alias.ours);
    }
    let meant = by_meaning(name);
    let names = || all_measures().map(|entry| entry.name);
    match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if !meant.is_empty() => format!("did you mean {}?", list(&meant)),
        None => match nearest(name, aliases().map(|(theirs, _)| theirs)) {
            Some(near) => match aliases().find(|(theirs, _)| *theirs == near) {
                Some((_, alias)) => format!("did you mean `{}` (`{near}` of {})?", alias.ours, alias.program),
                None => String::new(),
            },
            None => format!("known names: {}", names().collect::<Vec<_>>().join(", ")),
        },
    }
}

/// Measures whose summaries have the words of a name, at most three.
fn by_meaning(name: &str) -> Vec<String> {
    const SHORTEST: usize = 4;
    const MOST: usize = 3;
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    }
    let words: Vec<&str> = spaced.split_whitespace().filter(|word| word.len() >= SHORTEST).collect();
    let shared = |summary: &str| words.iter().filter(|word| summary.to_lowercase().contains(**word)).count();
    let best = all_measures().map(|entry| shared(entry.summary)).max().unwrap_or(0);
    let found = all_measures().filter(|entry| best > 0 && shared(entry.summary) == best);
    found.take(MOST).map(|entry| format!("`{}` ({})", entry.name, entry.summary)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> Conventions {
        dialect("paper").unwrap().conventions()
    }

    fn as_read(text: &str) -> String {
        read(text, &paper()).map_or_else(|error| panic!("{text}: {error}"), |reading| reading.spec.to_string())
    }

    #[test]
    fn names_of_other_programs_are_read_as_ours() {
        for (theirs, ours) in [
            ("map", "ap"),
            ("MAP", "ap"),
            ("map_cut_100", "ap(denominator=relevant)@100"),
            ("map_cut.100", "ap(denominator=relevant)@100"),
            ("ndcg_cut_10", "ndcg(gain=linear)@10"),
            ("P_10", "p@10"),
            ("P.10", "p@10"),
            ("recip_rank", "rr"),
            ("recall_100", "recall@100"),
            ("success_1", "success@1"),
            ("relative_P_5", "relp@5"),
            ("Rprec", "rprec"),
            ("Rprec_mult_0.20", "rprec(x=0.2)"),
            ("infAP", "infap"),
            ("iprec_at_recall_0.50", "iprec(x=0.5)"),
            ("IPrec@0.5", "iprec(x=0.5)"),
            ("11pt_avg", "iprec11"),
            ("set_F", "set_f"),
            ("SetF(beta=2.)", "set_f(x=2)"),
            ("precision", "set_p"),
            ("f1", "set_f"),
            ("nDCG@10", "ndcg(gain=linear)@10"),
            ("nDCG(dcg='exp-log2')@10", "ndcg(gain=exp2)@10"),
            ("R@100", "recall@100"),
            ("AP(rel=2)@100", "ap(threshold=2)@100"),
            ("P(rel=2)@5", "p(threshold=2)@5"),
            ("Success@5", "success@5"),
            ("RBP(p=0.8,rel=1)", "rbp(p=0.8,threshold=1)"),
            ("Bpref", "bpref"),
            ("precision@10", "p@10"),
            ("hit@10", "success@10"),
            ("hit_rate@10", "success@10"),
            ("mrr@10", "rr@10"),
            ("MRR@10", "rr@10"),
            ("ndcg_burges@10", "ndcg(gain=exp2)@10"),
            ("f1@10", "f@10"),
            ("r-precision", "rprec"),
            ("rbp.95", "rbp(p=0.95,gain=linear)"),
            ("precision@10-l2", "p(threshold=2)@10"),
            ("NDCG:top=5", "ndcg(gain=linear)@5"),
            ("NDCG:top=5;type=Exp", "ndcg(gain=exp2)@5"),
            ("MAP:top=5", "ap(denominator=min)@5"),
            ("PrecisionAt:top=5", "p(denominator=list)@5"),
            ("QueryAUC", "auc"),
            ("NDCG@10", "ndcg@10"),
            ("AP@100", "ap@100"),
            ("RR", "rr"),
            ("ERR@20", "err@20"),
            ("accuracy@20", "success@20"),
            ("PrecisionAt:top=5;border=1", "p(denominator=list,threshold=2)@5"),
            ("MAP:border=0.5", "ap(threshold=1)"),
            ("set_F.2", "set_f(x=2)"),
            ("P_10.v2", "p.v2@10"),
            ("nDCG.v2@10", "ndcg.v2(gain=linear)@10"),
            ("AP(rel=2).v1@10", "ap.v1(threshold=2)@10"),
            ("alpha-nDCG@20", "alpha_ndcg@20"),
            ("ERR_IA@10", "err_ia@10"),
            ("NRBP", "nrbp"),
            ("MAP-IA", "ap_ia"),
            ("StRecall@5", "strec@5"),
            ("Compat(p=0.8)", "compat(p=0.8)"),
            ("set_F.0.5", "set_f(x=0.5)"),
            ("Rprec_mult.0.2", "rprec(x=0.2)"),
            ("iprec_at_recall.0.5", "iprec(x=0.5)"),
        ] {
            assert_eq!(as_read(theirs), ours, "{theirs}");
        }
    }

    /// ir_measures and papers on dense retrieval give one name to two measures.
    #[test]
    fn a_name_of_two_measures_is_refused() {
        let error = read("Accuracy@10", &paper()).unwrap_err().to_string();
        assert!(error.contains("pairs within the first k") && error.contains("success@k"), "{error}");
    }

    #[test]
    fn every_name_stands_for_a_measure() {
        for alias in ALIASES {
            for name in alias.names {
                let number = match alias.number {
                    Number::None => "",
                    Number::Colon => ":top=10",
                    // `recall@10` is ours, `recall_10` is not.
                    Number::Cutoff if is_ours(name) => "_10",
                    Number::Cutoff | Number::Optional => "@10",
                    Number::Param(_) => "_0.5",
                };
                let reading = read(&format!("{name}{number}"), &paper());
                assert!(reading.is_ok_and(|reading| reading.note.is_some()), "{name}{number}");
            }
        }
    }

    #[test]
    fn a_name_of_another_program_keeps_the_number_of_that_program() {
        let under = |name: &str| {
            let conventions = dialect(name).unwrap().conventions();
            ["map_cut_10", "ndcg_cut_10", "P_10"].map(|text| read(text, &conventions).unwrap().spec.to_string())
        };
        assert_eq!(under("trec_eval"), ["ap@10", "ndcg@10", "p@10"]);
        let letor = ["ap@10", "ndcg(gain=linear,discount=log2,short_list=cut)@10", "p@10"];
        assert_eq!(under("letor4"), letor);
        assert_eq!(under("ranklib")[2], "p(denominator=cutoff)@10");
    }

    #[test]
    fn notes_say_what_was_understood() {
        let note = |text: &str| read(text, &paper()).unwrap().note;
        assert_eq!(note("ndcg@10"), None);
        assert_eq!(note("NDCG@10"), None);
        assert_eq!(note("P_10").unwrap(), "`P_10` is read as `p@10` (trec_eval)");
        let of_recall =
            "`R@5` is read as `recall@5` (ir_measures); papers on dense retrieval often call `success` recall";
        assert_eq!(note("R@5").unwrap(), of_recall);
    }

    #[test]
    fn unknown_names_suggest_by_meaning() {
        let error = |text: &str| read(text, &paper()).unwrap_err().to_string();
        assert_eq!(error("ndgc@5"), "unknown measure `ndgc`; did you mean `ndcg`?");
        assert!(error("averagePrecision").contains("`ap` (average precision)"), "{}", error("averagePrecision"));
        assert!(error("reciprocal_rank").contains("`rr`"), "{}", error("reciprocal_rank"));
        assert!(error("hits@10").contains("use `p` or `recall`"), "{}", error("hits@10"));
        assert!(error("nDCG(gains={0:0})@10").contains("gains by grade"), "{}", error("nDCG(gains={0:0})@10"));
        assert!(error("P(judged_only=True)@10").contains("unjudged = \"removed\""));
        assert!(error("zzz").contains("known names: ndcg"));
        // Names of other programs, asked of the strict reader.
        let strict = "R@100".parse::<MeasureSpec>().unwrap_err().to_string();
        assert_eq!(strict, "unknown measure `R`; `R` of ir_measures is `recall` here");
    }
}
