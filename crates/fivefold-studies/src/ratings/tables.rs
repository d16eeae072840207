//! Tables of correlations, differences, items left out, raters, and pairs against people.

use fivefold_analysis::{Cell, Table};
use fivefold_base::rounding::levels;
use fivefold_base::words::counted;
use fivefold_stats::{Coefficient, CorrelationLevel, RatingScale, SystemMean, count_pairs};

use super::Ratings;
use super::computed::{Computed, Found};
use super::input::Input;
use crate::study::{Findings, StudyError};

/// The most rows of the table of differences.
const SHOWN_DIFFERENCES: usize = 80;

/// Adds the tables about ratings.
pub(super) fn add(
    study: &Ratings,
    input: &Input,
    computed: &Computed,
    findings: &mut Findings,
) -> Result<(), StudyError> {
    if input.dimensions.is_empty() {
        return Ok(());
    }
    let notes = |first: Vec<String>| [first, input.notes.clone()].concat();
    for level in study.levels()? {
        let table = correlations(study, input, computed, level)?;
        findings.tables.push(table.with_notes(notes(vec![level_in_words(level).to_owned()])));
    }
    findings.tables.extend(differences(study, input, computed, &notes)?);
    if let Some(table) = left_out(study, input, computed)? {
        let what = "items are left out if all systems have one rating, or one score under the measure";
        findings.tables.push(table.with_notes(notes(vec![what.to_owned()])));
    }
    findings.tables.push(against_people(input, computed)?.with_notes(notes(vec![
        "pairs: pairs of systems with different mean ratings and different mean scores; ties: pairs with equal means \
         of either kind; pairs.csv names the pairs that a measure orders against people"
            .to_owned(),
    ])));
    let units = counted(input.ratings.systems.len() * input.ratings.items.len(), "pair");
    findings.tables.push(raters(input, computed).with_notes(notes(vec![format!(
        "alpha: Krippendorff's alpha, 1 if raters agree and 0 if they agree as by chance, over all {units} of \
         system and item \
         of the files"
    )])));
    Ok(())
}

/// What the points of a level are.
pub(super) fn level_in_words(level: CorrelationLevel) -> &'static str {
    match level {
        CorrelationLevel::System => "system level: the mean scores of the systems against their mean ratings",
        CorrelationLevel::Item => "item level: scores against ratings within each item; the mean over items",
        CorrelationLevel::Pooled => "pooled: all scores against all ratings, whatever the item",
    }
}

/// The correlations at a level: a row for each measure and coefficient, a column for each dimension.
fn correlations(
    study: &Ratings,
    input: &Input,
    computed: &Computed,
    level: CorrelationLevel,
) -> Result<Table, StudyError> {
    let mut rows = Vec::new();
    for (number, measure) in input.measures.iter().enumerate() {
        for coefficient in study.coefficients()? {
            let mut row = vec![Cell::text(&measure.name), Cell::text(coefficient.title())];
            for dimension in 0..input.dimensions.len() {
                let found = computed.one(dimension, level, coefficient, number);
                row.push(Cell::number_or_na(found.and_then(|found| found.correlated.value), 3));
            }
            rows.push(row);
        }
    }
    let heads = ["measure", "coefficient"].into_iter().chain(input.dimensions.iter().map(|own| own.name.as_str()));
    let (id, title) = match level {
        CorrelationLevel::System => ("correlations-system", "Agreement with people, system level"),
        CorrelationLevel::Item => ("correlations-item", "Agreement with people, item level"),
        CorrelationLevel::Pooled => ("correlations-pooled", "Agreement with people, pooled"),
    };
    Ok(Table::new(id, title, heads, 2).with_rows(rows))
}

/// The differences to the original measure.
fn differences(
    study: &Ratings,
    input: &Input,
    computed: &Computed,
    notes: &impl Fn(Vec<String>) -> Vec<String>,
) -> Result<Option<Table>, StudyError> {
    let all: Vec<&Found> = computed.found.iter().filter(|found| found.difference.is_some()).collect();
    if all.is_empty() {
        return Ok(None);
    }
    let row = |found: &&Found| {
        let (original, _, difference) = found.difference.as_ref()?;
        let [low, high] = difference.interval.map_or([None; 2], |(low, high)| [Some(low), Some(high)]);
        let p = |p: Option<f64>| p.map_or_else(Cell::na, Cell::PValue);
        Some(vec![
            Cell::text(&input.measures[found.measure].name),
            Cell::text(&input.measures[*original].name),
            Cell::text(&input.dimensions[found.dimension].name),
            Cell::text(found.level.name()),
            Cell::text(found.coefficient.name()),
            Cell::number_or_na(difference.difference, 3),
            Cell::number_or_na(low, 3),
            Cell::number_or_na(high, 3),
            p(difference.p),
            p(difference.williams.map(|williams| williams.p)),
            Cell::number_or_na(found.pai(), 1),
        ])
    };
    let columns = [
        "measure",
        "against",
        "dimension",
        "level",
        "coefficient",
        "difference",
        "low",
        "high",
        "p",
        "Williams' p",
        "PAI",
    ];
    let systems = input.scores.systems.len();
    let pairs = (systems * systems.saturating_sub(1) / 2).max(1);
    let mut first = vec![
        format!(
            "low, high: {} % percentile interval of {} of the items, the same items for both measures",
            study.confidence(),
            counted(study.draws, "bootstrap sample")
        ),
        format!(
            "p: {} of Deutsch, Dror & Roth (2021): {} of the measures' standardised scores, two-sided, uncorrected",
            study.exchange()?.published(),
            counted(study.draws, "random exchange")
        ),
        "Williams' p: two-sided, for Pearson's r and Spearman's rho of systems or pooled scores, which the test \
         takes for \
         independent"
            .to_owned(),
        format!(
            "PAI: difference / |correlation of the original| x 100, or difference x 100 if that is 0 (Feng \
             2023, Eq. 8.1). PAI says \
             nothing near 0: one pair of {systems} systems that changes its order moves tau by {:.4}",
            2.0 / pairs as f64
        ),
    ];
    if all.len() > SHOWN_DIFFERENCES {
        first.insert(0, format!("{SHOWN_DIFFERENCES} of {} differences are shown; differences.csv has all", all.len()));
    }
    let left_out = all.iter().filter_map(|found| found.difference.as_ref()).map(|(_, _, own)| study.draws - own.draws);
    if let Some(most) = left_out.max().filter(|most| *most > 0) {
        first
            .push(format!("up to {most} samples of a difference had no correlation, and are left out of its interval"));
    }
    let rows = all.iter().take(SHOWN_DIFFERENCES).filter_map(row).collect();
    let table = Table::new("differences", "Differences to the original measure", columns, 5).with_rows(rows);
    Ok(Some(table.with_notes(notes(first))))
}

/// The items that the item level leaves out.
fn left_out(study: &Ratings, input: &Input, computed: &Computed) -> Result<Option<Table>, StudyError> {
    if !study.levels()?.contains(&CorrelationLevel::Item) {
        return Ok(None);
    }
    let Some(&coefficient) = study.coefficients()?.first() else { return Ok(None) };
    let row = |(number, name): (usize, &str)| {
        let count = |dimension: usize| {
            let found = computed.one(dimension, CorrelationLevel::Item, coefficient, number);
            found.map_or_else(Cell::na, |found| Cell::count(found.correlated.left_out))
        };
        std::iter::once(Cell::text(name)).chain((0..input.dimensions.len()).map(count)).collect()
    };
    let rows = input.measures.iter().map(|measure| measure.name.as_str()).enumerate().map(row).collect();
    let heads = std::iter::once("measure").chain(input.dimensions.iter().map(|own| own.name.as_str()));
    Ok(Some(Table::new("items-left-out", "Items without a correlation", heads, 1).with_rows(rows)))
}

/// How many pairs of systems a measure orders with and against people.
fn against_people(input: &Input, computed: &Computed) -> Result<Table, StudyError> {
    let mut rows = Vec::new();
    for (number, measure) in input.measures.iter().enumerate() {
        for (dimension, means) in input.dimensions.iter().zip(&computed.means) {
            let (scores, ratings): (Vec<f64>, Vec<f64>) =
                means[number].iter().map(|own| (own.score, own.rating)).unzip();
            let counts = count_pairs(&scores, &ratings)?;
            let ordered = counts.concordant + counts.discordant;
            let share = (ordered > 0).then(|| counts.discordant as f64 / ordered as f64);
            rows.push(vec![
                Cell::text(&measure.name),
                Cell::text(&dimension.name),
                Cell::count(ordered),
                Cell::count(counts.discordant),
                Cell::number_or_na(share, 3),
                Cell::count(counts.pairs - ordered),
            ]);
        }
    }
    let columns = ["measure", "dimension", "pairs", "against people", "share", "ties"];
    Ok(Table::new("pairs-against-people", "Pairs of systems in the opposite order", columns, 2).with_rows(rows))
}

/// The pairs of systems that a measure orders against people, the system with the higher rating
/// first.
pub(super) fn opposite(means: &[SystemMean]) -> Vec<(SystemMean, SystemMean)> {
    let scores = levels(&means.iter().map(|own| own.score).collect::<Vec<_>>());
    let ratings = levels(&means.iter().map(|own| own.rating).collect::<Vec<_>>());
    let mut pairs = Vec::new();
    for a in 0..means.len() {
        for b in 0..means.len() {
            if ratings[a] > ratings[b] && scores[a] < scores[b] {
                pairs.push((means[a], means[b]));
            }
        }
    }
    pairs
}

/// The agreement of the raters with each other.
fn raters(input: &Input, computed: &Computed) -> Table {
    let row = |(dimension, alphas): (&super::input::Dimension, &[Option<f64>; 3])| {
        let own = input.ratings.all.iter().filter(|rating| rating.dimension == dimension.place).count();
        let mut row = vec![Cell::text(&dimension.name), Cell::count(input.ratings.raters.len()), Cell::count(own)];
        row.extend(alphas.iter().map(|alpha| Cell::number_or_na(*alpha, 3)));
        row
    };
    let rows = input.dimensions.iter().zip(&computed.alphas).map(row).collect();
    let scales = RatingScale::ALL.map(|scale| format!("{} alpha", scale.name()));
    let columns = ["dimension", "raters", "ratings"].map(str::to_owned).into_iter().chain(scales);
    Table::new("raters", "Agreement of the raters", columns, 1).with_rows(rows)
}

/// The first coefficient of the settings, which charts and words are about.
pub(super) fn main_coefficient(study: &Ratings) -> Result<Coefficient, StudyError> {
    Ok(study.coefficients()?.first().copied().unwrap_or(Coefficient::Kendall))
}
