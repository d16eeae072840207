//! What a reader sees first: who is best, by how much, what can be told apart, and where measures
//! disagree.
//!
//! Everything is at one cutoff: that of a measure's [main
//! column](fivefold_analysis::Compared::main_cutoff). Rows go by the mean under the first measure.
//! The terminal and the page show the same overview.

mod agreement;
mod copies;
mod findings;
mod matrix;
mod remarks;
mod screen;
mod terminal;
mod worked;

use std::collections::BTreeSet;

use fivefold_analysis::PageData;
use fivefold_analysis::page::PageDataset;
use fivefold_base::words::{counted, list};
use fivefold_metrics::StandardErrors;

use crate::error::ReportError;
use crate::names::Names;
use crate::terminal::Style;

pub(crate) use agreement::MeasureAgreement;
use matrix::ScoreMatrix;
pub(crate) use screen::FirstScreen;

/// Characters of a system's name in a terminal, at most.
const NAMES: usize = 16;

/// The overview of compared systems.
///
/// ```
/// use fivefold_analysis::compared::SystemMean;
/// use fivefold_analysis::page::{PageDataset, PageTest};
/// use fivefold_analysis::{Compared, PageData};
/// use fivefold_report::{Overview, Style};
///
/// let means = [[0.4, 0.6], [0.3, 0.5]].map(|values| vec![SystemMean::of(&values, 0.95)]);
/// let (systems, cutoffs) = (vec![0, 1], vec!["@10".to_owned()]);
/// let ndcg = Compared::untested("ndcg".to_owned(), "ndcg".to_owned(), cutoffs, systems, means.to_vec());
/// let mut dataset = PageDataset::default();
/// dataset.systems = vec!["A".to_owned(), "B".to_owned()];
/// dataset.shown = vec![0, 1];
/// dataset.queries = 2;
/// dataset.compared = vec![ndcg];
/// let mut data = PageData::default();
/// data.noun = "system".to_owned();
/// data.datasets = vec![dataset];
/// data.test = Some(PageTest { words: "no test".to_owned(), alpha: 0.05 });
///
/// let text = Overview::new(&data, &[])?.unwrap().text(Style::plain());
/// assert!(text.contains("A is best under ndcg@10."));
/// // B was not tested against A.
/// assert!(text.contains(".5000*") && text.contains(".4000?"));
/// # Ok::<(), fivefold_report::ReportError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Overview {
    /// What is compared is called so: `method`, `system`.
    noun: String,
    /// What was compared on what, in a line: `2 data sets, 8 methods, 6 measures @10`.
    facts: String,
    /// The stamps of a run. A page shows its stamps itself.
    stamps: Vec<String>,
    /// What failed or limits every number, before the findings.
    warnings: Vec<String>,
    /// Three to five sentences that do not repeat each other.
    findings: Vec<String>,
    /// The same sentences with names that a terminal has room for.
    short_findings: Vec<String>,
    /// The means, one matrix a data set.
    matrices: Vec<ScoreMatrix>,
    /// Where measures agree on the order and on significant pairs, one a data set with several
    /// measures.
    agreements: Vec<MeasureAgreement>,
    /// Whether there are UE versions, which want a word.
    has_versions: bool,
    /// The UE versions worked out on a query, if a query shows both.
    worked: Option<String>,
    /// The test in words.
    test: String,
    /// The conventions of the values.
    conventions: Vec<String>,
    /// The conventions that a dialect's name does not tell.
    beyond_dialect: Vec<String>,
    /// What is to be known of the data sets.
    remarks: Vec<String>,
}

impl Overview {
    /// The overview of a page's data, with the stamps of a run (leak guards that were overridden,
    /// programs that ran unconfined); `None` if no systems were compared.
    ///
    /// # Errors
    /// Means that have no order.
    pub fn new(data: &PageData, stamps: &[String]) -> Result<Option<Overview>, ReportError> {
        let Some(test) = &data.test else { return Ok(None) };
        // Where every system failed there is nothing to compare, which the warnings say.
        let has_systems = |own: &&PageDataset| own.compared.first().is_some_and(|first| !first.systems.is_empty());
        let compared: Vec<&PageDataset> = data.datasets.iter().filter(has_systems).collect();
        let agreements =
            compared.iter().map(|own| MeasureAgreement::new(own, test.alpha)).collect::<Result<Vec<_>, _>>()?;
        let whole: Vec<Vec<String>> = compared.iter().map(|own| own.systems.clone()).collect();
        let short = short_names(&whole);
        Ok(Some(Overview {
            noun: data.noun.clone(),
            facts: facts(&compared, &data.noun),
            stamps: stamps.to_vec(),
            warnings: warnings(data),
            findings: findings::findings(&compared, &whole, &data.noun, test.alpha),
            short_findings: findings::findings(&compared, &short, &data.noun, test.alpha),
            matrices: compared
                .iter()
                .zip(&short)
                .map(|(own, short)| ScoreMatrix::new(own, short, test.alpha))
                .collect(),
            agreements: agreements.into_iter().flatten().collect(),
            has_versions: compared.iter().flat_map(|own| &own.compared).any(|own| own.measure != own.family),
            worked: worked::query(&compared),
            test: test.words.clone(),
            conventions: data.conventions.clone(),
            beyond_dialect: beyond_dialect(data),
            remarks: remarks::merged(&compared),
        }))
    }

    /// What was compared on what, in a line.
    pub fn facts(&self) -> &str {
        &self.facts
    }

    /// The agreement of the measures, one matrix a data set with several measures.
    pub(crate) fn agreements(&self) -> &[MeasureAgreement] {
        &self.agreements
    }

    /// The test, all conventions, and what is to be known of the data sets.
    fn rules(&self) -> Vec<String> {
        std::iter::once(&self.test).chain(&self.conventions).chain(&self.remarks).cloned().collect()
    }

    /// The same as [`rules`](Self::rules), where the name of a dialect stands for its conventions.
    fn short_rules(&self) -> Vec<String> {
        std::iter::once(&self.test).chain(&self.beyond_dialect).chain(&self.remarks).cloned().collect()
    }

    /// The overview as text in the style of a terminal.
    pub fn text(&self, style: Style) -> String {
        terminal::text(self, style)
    }
}

/// `2 data sets, 8 methods, 6 measures @10`.
fn facts(datasets: &[&PageDataset], noun: &str) -> String {
    let range = |counts: Vec<usize>, noun: &str| {
        let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
        if least == most { counted(most, noun) } else { format!("{least} to {}", counted(most, noun)) }
    };
    let systems = range(datasets.iter().map(|own| own.systems.len() - own.failed.len()).collect(), noun);
    let measures = range(datasets.iter().map(|own| own.compared.len()).collect(), "measure");
    let cutoff = one_cutoff(datasets).map(|cutoff| format!(" {cutoff}")).unwrap_or_default();
    match datasets {
        [only] => format!("{}, {systems}, {measures}{cutoff}", counted(only.queries, "query")),
        several => format!("{}, {systems}, {measures}{cutoff}", counted(several.len(), "data set")),
    }
}

/// The names of each data set's systems, shortened to [`NAMES`] characters so that they stay apart.
/// A name is the same in all data sets.
fn short_names(whole: &[Vec<String>]) -> Vec<Vec<String>> {
    let all = whole.concat();
    let names = Names::fitted(&all, NAMES);
    let mut shown = (0..all.len()).map(|system| names.shown(system).to_owned());
    whole.iter().map(|own| shown.by_ref().take(own.len()).collect()).collect()
}

/// A number without the nought before its point: `.5` for `0.5`, `-.5` for `-0.5`.
fn without_nought(number: &str) -> String {
    let (minus, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let digits = digits.strip_prefix('0').filter(|rest| rest.starts_with('.')).unwrap_or(digits);
    format!("{minus}{digits}")
}

/// The cutoff that all measures are shown at, if it is one and the same: `@10`.
fn one_cutoff<'d>(datasets: &[&'d PageDataset]) -> Option<&'d str> {
    let mut cutoffs = datasets.iter().flat_map(|own| &own.compared).map(|own| own.cutoffs[own.main_cutoff()].as_str());
    let first = cutoffs.next()?;
    (first.starts_with('@') && cutoffs.all(|cutoff| cutoff == first)).then_some(first)
}

/// Failed systems, too few draws, and what a study warns of.
fn warnings(data: &PageData) -> Vec<String> {
    let mut warnings = Vec::new();
    for dataset in data.datasets.iter().filter(|dataset| !dataset.failed.is_empty()) {
        let names: Vec<&str> = dataset.failed.iter().map(|&system| dataset.systems[system].as_str()).collect();
        let on = dataset.on();
        warnings.push(format!("FAILED{on} and left out of every number{on}: {}.", list(&names)));
    }
    let compared = data.datasets.iter().flat_map(|dataset| &dataset.compared);
    for why in compared.filter_map(|own| own.too_few_draws.as_ref()).map(|why| format!("{why}.")) {
        if !warnings.contains(&why) {
            warnings.push(why);
        }
    }
    warnings.extend(data.findings.iter().filter(|part| part.heading.is_none()).flat_map(|part| part.sentences.clone()));
    warnings
}

/// The conventions of the values, and standard errors. If they name a dialect, and how values
/// depart from it, then the lines on conventions of measures and on ties follow from this name and
/// are left out.
fn beyond_dialect(data: &PageData) -> Vec<String> {
    if !data.conventions.iter().any(|line| line.starts_with("dialect: ")) {
        return data.conventions.clone();
    }
    let families = data.datasets.iter().flat_map(|own| &own.compared).map(|own| own.family.as_str());
    let subjects: BTreeSet<&str> = families.chain(["ties"]).collect();
    let follows = |line: &&String| {
        let is_of_subject = line.split_once(": ").is_some_and(|(subject, _)| subjects.contains(subject));
        is_of_subject && !StandardErrors::has_line(line)
    };
    data.conventions.iter().filter(|line| !follows(line)).cloned().collect()
}
