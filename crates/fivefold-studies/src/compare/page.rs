//! The data of the study's page beside tables and figures, in the same form as for a run.

use std::collections::BTreeSet;

use fivefold_analysis::compared::{Compared, SystemMean};
use fivefold_analysis::page::{PageDataset, PagePart, PageQuery, PageTest, PageValues, leading, sample};
use fivefold_analysis::{DifferenceTest, PageData};
use fivefold_base::words::{counted, list, which};
use fivefold_data::per_query::MissingQuery;
use fivefold_metrics::{Undefined, Version};

use super::Compare;
use super::diagrams::main_column;
use super::scores::{Column, ScoredMeasure, Scores, differences_across};
use super::tables::how_found;
use super::tested::Found;
use crate::study::{StudyError, conventions, facts as study_facts};
use crate::systems::SystemsConfig;

/// The page's data.
pub(super) fn data(study: &Compare, all: &[(&Scores, Vec<Found>)]) -> Result<PageData, StudyError> {
    let difference = study.difference_test()?;
    let conventions = conventions(&study.dialect, &study.conventions)?;
    let compared: Vec<Vec<Compared>> = all
        .iter()
        .map(|(scores, found)| {
            scores.measures.iter().zip(found).map(|(m, found)| of_measure(study, &difference, m, found)).collect()
        })
        .collect();
    let shown: Vec<Vec<usize>> = all
        .iter()
        .zip(&compared)
        .map(|((scores, _), own)| leading(&own.iter().collect::<Vec<_>>(), scores.baseline))
        .collect();
    let cells = all.iter().zip(&shown).map(|((scores, _), shown)| scores.measures.len() * shown.len() * scores.queries);
    let cells = cells.sum();
    let datasets = all.iter().zip(compared).zip(shown).map(|(((scores, _), compared), shown)| {
        let queries = sample(scores.queries, cells);
        let (class_sets, class_of) = class_sets(scores);
        let values = |measure: &ScoredMeasure| {
            let column = &measure.columns[main_column(measure)];
            let of = |&system: &usize| queries.iter().map(|&query| defined(column, system, query)).collect();
            PageValues {
                measure: column.name.clone(),
                classes: queries.iter().filter_map(|&query| class_of.get(query).copied()).collect(),
                expected: None,
                values: shown.iter().map(of).collect(),
            }
        };
        PageDataset {
            name: scores.label.clone(),
            systems: scores.systems.clone(),
            failed: Vec::new(),
            compared,
            baseline: scores.baseline,
            remarks: remarks(scores, conventions.undefined),
            queries: scores.queries,
            sample: queries.iter().map(|&q| PageQuery { id: scores.query_ids[q].clone(), facts: None }).collect(),
            classes: scores.classes.iter().map(|class| class.name.clone()).collect(),
            class_sets,
            values: scores.measures.iter().map(values).collect(),
            shown,
        }
    });
    let of_all: Vec<&Scores> = all.iter().map(|(scores, _)| *scores).collect();
    // Differences between the sources of one data set are told at this data set. So only several
    // data sets are compared here.
    let across = differences_across(&of_all).filter(|_| of_all.len() > 1);
    let tested = || all.iter().flat_map(|(_, found)| found).map(|found| &found.tested);
    let words = difference.in_words(&how_found(tested()));
    Ok(PageData {
        noun: "system".to_owned(),
        facts: of_all.iter().map(|scores| facts(scores)).collect(),
        findings: across
            .into_iter()
            .map(|warning| PagePart { heading: None, sentences: vec![format!("{warning}.")] })
            .collect(),
        datasets: datasets.collect(),
        conventions: conventions_of(&of_all),
        methods: methods(study, &words, &study.intervals(tested()), &of_all)?,
        test: Some(PageTest { words, alpha: difference.alpha }),
        used: used(study, &of_all),
    })
}

/// The notes of all data sets: those that they share once, others with the label of the data set.
/// The counts of documents that are not judged, one a run, become one range.
fn conventions_of(all: &[&Scores]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut unjudged: Vec<usize> = Vec::new();
    for scores in all {
        for note in &scores.notes {
            if let Some(&count) = scores.unjudged.get(note) {
                unjudged.push(count);
                continue;
            }
            let shared = all.iter().all(|other| other.notes.contains(note));
            let line = if shared { note.clone() } else { format!("{}{note}", labelled(scores)) };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    if let (Some(least), Some(most)) = (unjudged.iter().min(), unjudged.iter().max()) {
        let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let removed = all.iter().any(|scores| {
            scores
                .computed
                .iter()
                .any(|own| own.conventions.unjudged == fivefold_metrics::conventions::Unjudged::Removed)
        });
        let so = if removed { "are removed" } else { "have grade 0" };
        lines.push(format!("{range} retrieved documents of a run are not judged and {so}"));
    }
    lines
}

/// A value; `None` if the value was undefined and a policy replaced it.
fn defined(column: &Column, system: usize, query: usize) -> Option<f64> {
    (!column.undefined[system][query]).then(|| column.values[system][query])
}

/// Sentences that a reader of the numbers must know.
fn remarks(scores: &Scores, policy: Undefined) -> Vec<String> {
    let warnings = scores.warnings.iter().map(|warning| format!("{warning}."));
    warnings.chain(undefined(scores, policy)).collect()
}

/// A sentence on the number of queries with an undefined value, and on the policy.
fn undefined(scores: &Scores, policy: Undefined) -> Option<String> {
    let without = scores.undefined;
    let (all, then) = match policy {
        Undefined::Skip => (scores.queries + without, format!("and {} left out", which(without, "is", "are"))),
        policy => (scores.queries, format!("which counts as {policy}")),
    };
    let have = which(without, "has", "have");
    (without > 0).then(|| {
        let of = counted(all, "query");
        format!("{without} of {of} {have} an undefined value, as without a relevant document, {then}.")
    })
}

/// The systems under a measure, with the results of the tests.
pub(super) fn of_measure(
    study: &Compare,
    difference: &DifferenceTest,
    measure: &ScoredMeasure,
    found: &Found,
) -> Compared {
    let systems = measure.columns.first().map_or(0, |column| column.values.len());
    let of_system = |system: usize| {
        measure.columns.iter().map(|column| SystemMean::of(&column.values[system], 1.0 - study.alpha)).collect()
    };
    let cutoff =
        |name: &str| name.strip_prefix(&measure.name).filter(|rest| rest.starts_with('@')).unwrap_or("mean").to_owned();
    let mut compared = Compared::untested(
        measure.spec.as_ref().map_or_else(|| measure.name.clone(), |spec| spec.base().at(None).to_string()),
        measure.name.clone(),
        measure.columns.iter().map(|column| cutoff(&column.name)).collect(),
        (0..systems).collect(),
        (0..systems).map(of_system).collect(),
    );
    compared.put(difference, &found.tested.run, &found.tested.p_values);
    compared
}

/// The sets of classes that some query has together, and each query's place among the sets. Empty
/// if there are no classes.
fn class_sets(scores: &Scores) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    if scores.classes.is_empty() {
        return (sets, Vec::new());
    }
    let place = |query: usize| {
        let is_in = |class: &usize| scores.classes[*class].queries.binary_search(&query).is_ok();
        let own: Vec<usize> = (0..scores.classes.len()).filter(is_in).collect();
        sets.iter().position(|other| *other == own).unwrap_or_else(|| {
            sets.push(own);
            sets.len() - 1
        })
    };
    let of_queries = (0..scores.queries).map(place).collect();
    (sets, of_queries)
}

fn labelled(scores: &Scores) -> String {
    if scores.label.is_empty() { String::new() } else { format!("{}: ", scores.label) }
}

fn facts(scores: &Scores) -> String {
    let measures: Vec<String> = scores.measures.iter().map(with_cutoffs).collect();
    labelled(scores) + &study_facts(scores.systems.len(), scores.queries, &measures)
}

/// The measure with its cutoffs: `ap`, `ndcg@10`, `ndcg at 5, 10 and 20`.
fn with_cutoffs(measure: &ScoredMeasure) -> String {
    let cutoffs: Option<Vec<&str>> =
        measure.columns.iter().map(|column| column.name.strip_prefix(&measure.name)?.strip_prefix('@')).collect();
    match (measure.columns.as_slice(), cutoffs) {
        ([only], _) => only.name.clone(),
        (_, Some(cutoffs)) => format!("{} at {}", measure.name, list(&cutoffs)),
        (several, None) => list(&several.iter().map(|column| column.name.as_str()).collect::<Vec<_>>()),
    }
}

fn methods(study: &Compare, test: &str, intervals: &str, all: &[&Scores]) -> Result<Vec<String>, StudyError> {
    let compared: Vec<String> = all.iter().map(|scores| facts(scores)).collect();
    let policies: Vec<String> =
        all.iter().map(|scores| format!("{}{}", labelled(scores), scores.notes.join("; "))).collect();
    let pairs = match &study.against {
        Some(baseline) => format!("Each system was compared with {baseline}."),
        None => "All pairs of systems were compared.".to_owned(),
    };
    let mut paragraphs = vec![
        format!("We compared systems by their values per query, joined by query. {}.", compared.join("; ")),
        format!("Conventions and policies: {}. {}", policies.join(". "), rules(study)?),
        format!(
            "{pairs} Test of differences: {test}. Intervals over queries at {} %: of means by Student's t, of differences by {intervals}.",
            study.confidence()
        ),
        format!(
            "Queries needed: for a power of {} at level {} (paired t). Swap method: {} random halves of the queries. Average ranks: \
             Friedman's test with Nemenyi's critical difference.",
            study.power, study.alpha, study.trials
        ),
    ];
    if all.iter().any(|scores| scores.measures.len() > 1) {
        paragraphs.push(
            "Orders of systems under two measures were compared by Kendall's tau-b, tau-AP and weighted tau of the means over cutoffs."
                .to_owned(),
        );
    }
    Ok(paragraphs)
}

/// Sentences on the treatment of undefined and missing values.
fn rules(study: &Compare) -> Result<String, StudyError> {
    let undefined = match conventions(&study.dialect, &study.conventions)?.undefined {
        Undefined::Skip => "A query with an undefined value is left out for all systems".to_owned(),
        policy => format!("An undefined value counts as {policy}"),
    };
    let sources = study.dataset.iter().map(|dataset| &dataset.systems).chain([&study.systems]);
    let missing: BTreeSet<&str> = sources
        .filter(|source| !source.has_rankings() && **source != SystemsConfig::default())
        .map(|source| match source.missing_queries {
            MissingQuery::Error => "an error",
            MissingQuery::Drop => "left out for all systems",
            MissingQuery::Zero => "counted as 0",
        })
        .collect();
    let missing: Vec<&str> = missing.into_iter().collect();
    Ok(match missing.as_slice() {
        [] => format!("{undefined}."),
        policies => format!("{undefined}; a query that a system lacks is {}.", policies.join(" or ")),
    })
}

fn used(study: &Compare, all: &[&Scores]) -> BTreeSet<String> {
    let mut used = BTreeSet::from([format!("test:{}", study.test), format!("correction:{}", study.correction)]);
    let mut add = |names: &[&str]| used.extend(names.iter().map(|name| format!("method:{name}")));
    add(&["t-interval", "friedman", "swap-method", "significance-levels"]);
    if all.len() > 1 {
        add(&["winning-numbers"]);
    }
    if all.iter().any(|scores| scores.measures.len() > 1) {
        add(&["tau", "tau-ap", "weighted-tau"]);
        if study.against.is_none() {
            add(&["agreement"]);
        }
    }
    if study.classes.sets.is_some() {
        add(&["ue"]);
    }
    let sources = study.dataset.iter().map(|dataset| &dataset.systems).chain([&study.systems]);
    let collections = sources.filter_map(|systems| systems.dataset.as_ref()?.name.as_ref());
    used.extend(collections.map(|name| format!("dataset:{name}")));
    used.extend(all.iter().flat_map(|own| &own.computed).map(|own| format!("ties:{}", own.conventions.ties)));
    for spec in all.iter().flat_map(|scores| &scores.measures).filter_map(|measure| measure.spec.as_ref()) {
        used.insert(format!("measure:{}", spec.entry().name));
        if spec.version() != Version::Original {
            used.insert("method:ue".to_owned());
        }
    }
    used
}
