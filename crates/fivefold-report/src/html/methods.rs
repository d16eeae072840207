//! The paragraphs of a paper's method section: data, methods, measures with every convention,
//! tests, and versions.

use fivefold_analysis::DatasetValues;
use fivefold_analysis::tables::{Analysed, Distance, SetSize};
use fivefold_base::words::{counted, list, which};
use fivefold_data::FeatureNames;
use fivefold_data::normalise::{Normaliser, NormaliserMethod as Formula, Over};
use fivefold_metrics::{FoldMean, Version};
use fivefold_results::config::{QuerySetsConfig, RankerConfig, ScoreSource};
use fivefold_results::manifest::DatasetFacts;
use fivefold_results::{Experiment, Results};

pub(super) fn methods(results: &Results, analysed: &Analysed, test: &str) -> Vec<String> {
    let manifest = &results.manifest;
    let experiment = &manifest.experiment;
    let data: Vec<String> = manifest.datasets.iter().map(|data| format!("{} ({})", data.label, sizes(data))).collect();
    let datasets = &results.evaluation.datasets;
    let worked = |label: &str| {
        let at = |data: &DatasetValues| data.rankers.iter().position(|ranker| ranker == label);
        datasets.iter().any(|data| at(data).is_some_and(|ranker| !data.failed[ranker]))
    };
    let rankers: Vec<&RankerConfig> = experiment.rankers.iter().filter(|ranker| worked(&ranker.label)).collect();
    let conventions = results.notes().join("; ");
    let mut paragraphs = vec![format!(
        "We evaluated {} on {}. {}{}",
        if rankers.is_empty() { "no method".to_owned() } else { labels(&rankers) },
        list(&data),
        match experiment.evaluation.conventions.fold_mean {
            FoldMean::Queries => "The test queries of all folds were taken together.",
            FoldMean::Folds =>
                "A mean is the mean over folds of each fold's mean over queries. Tests and intervals take the queries of all folds.",
        },
        failed(datasets)
    )];
    // The names of the first data set that has names: a choice of features holds on all.
    let named = manifest.datasets.iter().map(|facts| &facts.names).find(|names| !names.is_empty());
    paragraphs.extend(origins(&rankers, named.unwrap_or(&FeatureNames::default())));
    paragraphs.extend(repeats(experiment));
    paragraphs.push(format!("Conventions: {conventions}."));
    paragraphs.extend(query_sets(&experiment.query_sets).filter(|_| !analysed.classes.is_empty()));
    let tests = uncorrected_counts(analysed)
        .map(|counts| format!("; {counts} count uncorrected t-tests at the same level, as Feng and Karmaker (2023)"));
    let ue = if normalised_scores(experiment) {
        " V1 and V2 are the UE normalisation of Feng and Karmaker (2023)."
    } else {
        ""
    };
    paragraphs.extend([
        format!(
            "Test of differences: {test}{}. Intervals are Student's t over queries at 95 %.{ue}",
            tests.unwrap_or_default()
        ),
        format!(
            "All numbers were made with fivefold {} (seed {}); the same experiment file gives the same bytes on any machine \
             and number of threads{}.",
            manifest.version,
            experiment.seed,
            if_programs_do(&rankers)
        ),
    ]);
    paragraphs
}

/// The methods that failed, a sentence for each data set.
fn failed(datasets: &[DatasetValues]) -> String {
    let of = |data: &DatasetValues| {
        let names: Vec<&str> = data
            .rankers
            .iter()
            .zip(&data.failed)
            .filter(|(_, failed)| **failed)
            .map(|(name, _)| name.as_str())
            .collect();
        let are = which(names.len(), "is", "are");
        (!names.is_empty())
            .then(|| format!(" On {}, {} failed and {are} left out of every number.", data.name, list(&names)))
    };
    datasets.iter().filter_map(of).collect()
}

/// The clause that limits the promise of the same bytes, if other programs made scores.
fn if_programs_do(rankers: &[&RankerConfig]) -> String {
    let programs: Vec<&RankerConfig> =
        rankers.iter().copied().filter(|ranker| matches!(ranker.source, ScoreSource::Command(_))).collect();
    match programs.len() {
        0 => String::new(),
        count => {
            let repeat = which(
                count,
                "the program of this method repeats its scores",
                "the programs of these methods repeat their scores",
            );
            format!(", provided that {repeat}: {}", labels(&programs))
        }
    }
}

fn labels(rankers: &[&RankerConfig]) -> String {
    list(&rankers.iter().map(|ranker| ranker.label.as_str()).collect::<Vec<_>>())
}

/// The size of a collection in words.
pub(super) fn sizes(data: &DatasetFacts) -> String {
    let sampled = (data.evaluated_queries < data.test_queries)
        .then(|| format!(" (a sample of {} evaluated)", data.evaluated_queries));
    format!(
        "{}{}, {}, {}, {}, grades 0–{}",
        counted(data.test_queries, "test query"),
        sampled.unwrap_or_default(),
        counted(data.test_documents, "document"),
        counted(data.features, "feature"),
        counted(data.folds.len(), "fold"),
        data.max_grade
    )
}

/// Whether the experiment evaluates a version that the UE normalisation gives.
pub(super) fn normalised_scores(experiment: &Experiment) -> bool {
    experiment.evaluation.measures.iter().any(|measure| measure.version() != Version::Original)
}

/// The tables of the page that count uncorrected t-tests. `None` if the page has no such table.
pub(super) fn uncorrected_counts(analysed: &Analysed) -> Option<String> {
    let counts = [("conflicts", "conflicts"), ("discriminative-power", "discriminative powers")];
    let shown: Vec<&str> =
        counts.into_iter().filter(|(kind, _)| analysed.has_table(kind)).map(|(_, words)| words).collect();
    (!shown.is_empty()).then(|| list(&shown))
}

/// Paragraphs on the origin of the scores, a paragraph for each origin.
fn origins(rankers: &[&RankerConfig], names: &FeatureNames) -> Vec<String> {
    let of = |wanted: fn(&ScoreSource) -> bool| -> Vec<&RankerConfig> {
        rankers.iter().copied().filter(|ranker| wanted(&ranker.source)).collect()
    };
    let mut paragraphs = Vec::new();
    let trained = of(|method| matches!(method, ScoreSource::Train { .. }));
    if !trained.is_empty() {
        let each: Vec<String> = trained.iter().map(|ranker| in_words(ranker, names)).collect();
        paragraphs.push(format!(
            "Fitted on the training part of every fold, with the validation part for early stopping and model selection where the \
             method does so: {}.",
            each.join("; ")
        ));
    }
    let programs = of(|method| matches!(method, ScoreSource::Command(_)));
    if !programs.is_empty() {
        paragraphs.push(format!(
            "{}: {}, which {} given the training and validation parts of every fold and the test part without its grades.",
            labels(&programs),
            which(programs.len(), "a program of its own", "programs of their own"),
            which(programs.len(), "was", "were")
        ));
    }
    let files = of(|method| matches!(method, ScoreSource::Scores(_)));
    if !files.is_empty() {
        paragraphs.push(format!("{}: test scores that were made elsewhere, read from files.", labels(&files)));
    }
    for ranker in rankers {
        if let ScoreSource::Fusion(fusion) = &ranker.source {
            let weights = fusion.weights_by.as_ref().map_or_else(String::new, |measure| {
                format!(", with weights learnt by {measure} on the validation part of each fold")
            });
            paragraphs.push(format!(
                "{}: the rankings of {}, combined by {}{weights}.",
                ranker.label,
                list(&fusion.of),
                fusion.method
            ));
        }
    }
    paragraphs
}

/// How often the rankers were fitted, and from which samples.
fn repeats(experiment: &Experiment) -> Option<String> {
    let repeated = (0..experiment.rankers.len()).any(|ranker| experiment.repeats_of(ranker) > 1);
    let sampled = experiment.rankers.iter().any(|ranker| ranker.train_share.is_some());
    let seeds = repeated.then(|| {
        format!(
            "Each method that draws random numbers was fitted with {} on every fold; a query's value is the mean over the seeds.",
            counted(experiment.design.repeats, "seed")
        )
    });
    let samples = sampled
        .then(|| "Samples of the training queries are nested, and all methods learn from the same samples.".to_owned());
    let sentences: Vec<String> = [seeds, samples].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// A ranker with its parameters, the normalisation of its features, and the features that it chooses.
fn in_words(ranker: &RankerConfig, names: &FeatureNames) -> String {
    let mut words = vec![ranker.kind.clone()];
    if let ScoreSource::Train { params: serde_json::Value::Object(params), .. } = &ranker.source {
        let set = params.iter().filter(|(_, value)| !value.is_null());
        words.extend(set.map(|(name, value)| format!("{name} = {}", value.to_string().trim_matches('"'))));
    }
    words.extend(normalised(ranker.normalise).map(str::to_owned));
    words.extend(ranker.train_share.map(|share| format!("a sample of {share} of the training queries")));
    words.extend(ranker.features.as_ref().map(|choice| choice.in_words(names)));
    format!("{} ({})", ranker.label, words.join(", "))
}

fn normalised(normaliser: Normaliser) -> Option<&'static str> {
    Some(match (normaliser.method, normaliser.over) {
        (Formula::None, _) => return None,
        (Formula::MinMax, Over::Query) => "features min-max scaled over each query",
        (Formula::MinMax, Over::Train) => "features min-max scaled over the training part",
        (Formula::ZScore, Over::Query) => "features z-scored over each query",
        (Formula::ZScore, Over::Train) => "features z-scored over the training part",
        (Formula::LogZScore, Over::Query) => "logarithms of features z-scored over each query",
        (Formula::LogZScore, Over::Train) => "logarithms of features z-scored over the training part",
    })
}

/// How the query sets of the tables were chosen.
fn query_sets(sets: &QuerySetsConfig) -> Option<String> {
    let distance = match sets.distance {
        Distance::Absolute => "in absolute value",
        Distance::Signed => "with its sign",
    };
    let of = |size: SetSize, set: &str, which: &str| match size {
        SetSize::Count(0) => None,
        SetSize::Count(size) => Some(format!("{} {which}", counted(size, &format!("{set} query")))),
        SetSize::Quarter => {
            Some(format!("a quarter of the queries with a value, at least 20, as {set} queries {which}"))
        }
    };
    let chosen: Vec<String> = [
        of(sets.uninformative, "uninformative", &format!("with the smallest difference ({distance})")),
        of(sets.ideal, "ideal", "with the largest difference"),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!chosen.is_empty()).then(|| {
        format!(
            "Queries were ordered by a difference: the methods' mean value less the expected value of a random order, both over all \
             cutoffs. The tables use {}. A data set may have its own size for a set, or be too small for a set.",
            list(&chosen)
        )
    })
}
