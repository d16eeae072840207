//! The numbers of a student: made again and again, until they show what they are for.

use fivefold_base::Seed;
use fivefold_metrics::{Evaluator, Scratch, dialect};
use fivefold_stats::corrections::{bonferroni, holm};
use fivefold_stats::{PairedT, paired_t, test};

use super::{ALPHA, attempt};
use crate::error::LabError;

/// The number of random rankers, without the baseline.
pub(super) const RANDOM_RANKERS: usize = 20;
/// Topics of each table of random rankers.
const TOPICS: usize = 50;
/// The highest grade of a document.
const HIGHEST_GRADE: u8 = 3;
/// The most tries to make data. A few are enough.
const TRIES: u64 = 10_000;

/// The numbers of a student.
pub(super) struct Data {
    /// Values of A and of B on eight topics, in hundredths.
    pub(super) eight: [Vec<f64>; 2],
    /// An effect size, in hundredths.
    pub(super) effect: f64,
    /// Pairs of systems with their p-values, in a random order.
    pub(super) family: Vec<(String, f64)>,
    /// Random rankers and a random baseline.
    pub(super) random: Rankers,
    /// The same on other topics.
    pub(super) fresh: Rankers,
}

/// Values per topic of a baseline and of random rankers, with four decimals.
pub(super) struct Rankers {
    /// The first topic's number.
    first: usize,
    /// `[system][topic]`; the baseline is the first system.
    values: Vec<Vec<f64>>,
}

impl Data {
    pub(super) fn new(seed: Seed) -> Result<Self, LabError> {
        let (random, fresh) = rankers(seed)?;
        let mut rng = seed.derive("effect").rng();
        let effect = (25 + rng.below(31)) as f64 / 100.0;
        Ok(Data { eight: eight(seed)?, effect, family: family(seed), random, fresh })
    }

    /// The eight topics as a table of the worksheet.
    pub(super) fn eight_table(&self) -> String {
        let mut text = String::from("| topic | A | B |\n|---|---|---|");
        for (topic, (a, b)) in self.eight[0].iter().zip(&self.eight[1]).enumerate() {
            text.push_str(&format!("\n| t{} | {a:.2} | {b:.2} |", topic + 1));
        }
        text
    }

    /// The eight topics as CSV.
    pub(super) fn eight_csv(&self) -> String {
        let rows = self.eight[0].iter().zip(&self.eight[1]).enumerate();
        let lines = rows.map(|(topic, (a, b))| format!("t{},{a:.2},{b:.2}\n", topic + 1));
        std::iter::once("topic,A,B\n".to_owned()).chain(lines).collect()
    }

    /// The family of p-values as a table of the worksheet.
    pub(super) fn family_table(&self) -> String {
        let mut text = String::from("| pair | p |\n|---|---|");
        self.family.iter().for_each(|(pair, p)| text.push_str(&format!("\n| {pair} | {p} |")));
        text
    }
}

/// Values of A and B. The permutation test is worth doing: its p-value is neither tiny nor near 1,
/// and the two tests do not agree to three decimals.
fn eight(seed: Seed) -> Result<[Vec<f64>; 2], LabError> {
    for number in 0..TRIES {
        let mut rng = attempt(seed, "eight", number).rng();
        let mut values = [Vec::new(), Vec::new()];
        for _ in 0..8 {
            let b = 25 + rng.below(40) as i64;
            let difference = rng.below(37) as i64 - 10;
            values[0].push((b + difference) as f64 / 100.0);
            values[1].push(b as f64 / 100.0);
        }
        let t = paired_t(&values[0], &values[1])?;
        let permutation = test("permutation").map_err(|error| LabError::Other(error.to_string()))?;
        let outcome = permutation.of_pair(&values[0], &values[1])?;
        let Ok(found) = outcome.test else { continue };
        let no_difference = values[0].iter().zip(&values[1]).any(|(a, b)| a == b);
        // Not within a sign vector of the level, where a slip would change no verdict.
        let near = (found.p - ALPHA).abs() < 0.012;
        if t.difference > 0.0
            && !no_difference
            && !near
            && (0.015..0.2).contains(&found.p)
            && (found.p - t.p).abs() > 0.004
        {
            return Ok(values);
        }
    }
    Err(LabError::Other("no numbers for eight topics were found".to_owned()))
}

/// P-values of the six pairs of four systems: four are below .05, one of them by Bonferroni, two by
/// Holm. The fourth product of Holm is below the third, so it is raised.
fn family(seed: Seed) -> Vec<(String, f64)> {
    let mut rng = seed.derive("family").rng();
    // Ten thousandths, from the first to the last of each range.
    let ranges = [(5, 80), (86, 98), (300, 345), (360, 399), (700, 1900), (2500, 8000)];
    let p_values = ranges.map(|(first, last)| (first + rng.below(last - first + 1)) as f64 / 10_000.0);
    let pairs = ["a-b", "a-c", "a-d", "b-c", "b-d", "c-d"];
    let mut places: Vec<usize> = (0..pairs.len()).collect();
    rng.shuffle(&mut places);
    pairs.iter().zip(places).map(|(pair, place)| ((*pair).to_owned(), p_values[place])).collect()
}

/// Random rankers of which the best has p below .05, though not after a correction, and whose
/// difference is not significant on fresh topics. Each system in turn is tried as the baseline.
fn rankers(seed: Seed) -> Result<(Rankers, Rankers), LabError> {
    for number in 0..TRIES {
        let mut random = Rankers::new(attempt(seed, "random", number), 1)?;
        for _ in 0..=RANDOM_RANKERS {
            if random.is_instructive()? {
                let best = random.best();
                return Ok((random, fresh(seed, best)?));
            }
            random.values.rotate_left(1);
        }
    }
    Err(LabError::Other("no random rankers were found".to_owned()))
}

/// Values on other topics, where the ranker does not differ from the baseline.
fn fresh(seed: Seed, ranker: usize) -> Result<Rankers, LabError> {
    for number in 0..TRIES {
        let fresh = Rankers::new(attempt(seed, "fresh", number), TOPICS + 1)?;
        if fresh.tests()?[ranker].p > 0.1 {
            return Ok(fresh);
        }
    }
    Err(LabError::Other("no fresh topics were found".to_owned()))
}

impl Rankers {
    /// nDCG@5 of random orders of ten documents, on each topic.
    fn new(seed: Seed, first: usize) -> Result<Self, LabError> {
        let conventions = dialect("paper")?.conventions();
        let evaluator = Evaluator::new(&["ndcg@5".parse()?], &conventions, HIGHEST_GRADE, Seed::new(0))?;
        let mut values = vec![Vec::new(); RANDOM_RANKERS + 1];
        let (mut scratch, mut value) = (Scratch::default(), [0.0]);
        let mut rng = seed.rng();
        for topic in 0..TOPICS {
            // Seven of ten documents are not relevant; the others have the grades 1 to 3.
            let mut grades: Vec<u8> = (0..10).map(|_| rng.below(10).saturating_sub(6) as u8).collect();
            grades[0] = grades[0].max(1);
            let judged = evaluator.judge(&format!("t{topic}"), &grades, None)?;
            for system in &mut values {
                let scores: Vec<f64> = (0..10).map(|_| rng.uniform()).collect();
                evaluator.evaluate(&judged, &scores, &mut scratch, &mut value)?;
                system.push((value[0] * 10_000.0).round() / 10_000.0);
            }
        }
        Ok(Rankers { first, values })
    }

    /// Whether the table shows what part 4 is about, by a clear margin.
    fn is_instructive(&self) -> Result<bool, LabError> {
        let p_values: Vec<f64> = self.tests()?.iter().map(|test| test.p).collect();
        let near = p_values.iter().any(|p| (p - ALPHA).abs() < 0.002);
        let after = [bonferroni(&p_values), holm(&p_values)].concat();
        let found = p_values[self.best()] < ALPHA && after.iter().all(|p| *p >= 0.06);
        Ok(found && !near && self.is_best_clear())
    }

    /// The t-test of each ranker against the baseline.
    pub(super) fn tests(&self) -> Result<Vec<PairedT>, LabError> {
        let baseline = &self.values[0];
        Ok(self.values[1..].iter().map(|ranker| paired_t(ranker, baseline)).collect::<Result<_, _>>()?)
    }

    fn means(&self) -> Vec<f64> {
        self.values[1..].iter().map(|ranker| ranker.iter().sum::<f64>() / TOPICS as f64).collect()
    }

    /// The ranker with the highest mean, from 0.
    pub(super) fn best(&self) -> usize {
        let means = self.means();
        (0..RANDOM_RANKERS).max_by(|one, other| means[*one].total_cmp(&means[*other])).unwrap_or(0)
    }

    /// The rankers with the highest means, the highest first.
    pub(super) fn highest(&self, count: usize) -> Vec<(String, f64)> {
        let mut means: Vec<(usize, f64)> = self.means().into_iter().enumerate().collect();
        means.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        means.into_iter().take(count).map(|(ranker, mean)| (self.name(ranker), mean)).collect()
    }

    /// Whether no other ranker has nearly the mean of the best.
    fn is_best_clear(&self) -> bool {
        let mut means = self.means();
        means.sort_by(|one, other| other.total_cmp(one));
        means[0] - means[1] > 0.002
    }

    /// The name of a ranker, counted from 0.
    pub(super) fn name(&self, ranker: usize) -> String {
        format!("r{:02}", ranker + 1)
    }

    /// A row for each topic, a column for each system.
    pub(super) fn csv(&self) -> String {
        let names: Vec<String> = (0..RANDOM_RANKERS).map(|ranker| self.name(ranker)).collect();
        let mut text = format!("topic,baseline,{}\n", names.join(","));
        for topic in 0..TOPICS {
            let values: Vec<String> = self.values.iter().map(|system| format!("{:.4}", system[topic])).collect();
            text.push_str(&format!("t{},{}\n", self.first + topic, values.join(",")));
        }
        text
    }
}
