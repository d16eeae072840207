//! Lab 5: is A better than B?
//!
//! A permutation test by hand on eight topics, the power of the t-test, corrections over a family,
//! and twenty random rankers, some of which look better than a random baseline. What is right comes
//! from `fivefold_stats`.

mod data;

use fivefold_base::Seed;
use fivefold_stats::Moments;
use fivefold_stats::corrections::{bonferroni, holm};
use fivefold_stats::{PairedT, paired_t, paired_t_power, queries_needed, test};

use self::data::{Data, RANDOM_RANKERS};
use crate::error::LabError;
use crate::explained::number;
use crate::lab::{About, Answer, Cell, File, Handout, Lab, Section, fill};
use crate::student::Student;

/// Lab 5.
#[derive(Debug, Clone, Copy)]
pub struct IsABetter;

const ABOUT: About = About {
    number: 5,
    name: "is-a-better",
    title: "Is A better than B?",
    minutes: 90,
    learns: "test by permutation and by t, plan the number of topics, correct for many comparisons",
    version: 2,
};

/// The level of all tests of the lab.
const ALPHA: f64 = 0.05;
/// The power that a plan aims at.
const POWER: f64 = 0.8;

impl IsABetter {
    fn data(student: &Student) -> Result<Data, LabError> {
        Data::new(student.seed(ABOUT.name, ABOUT.version))
    }
}

impl Lab for IsABetter {
    fn about(&self) -> About {
        ABOUT
    }

    fn handout(&self, student: &Student) -> Result<Handout, LabError> {
        let data = IsABetter::data(student)?;
        let effect = format!("{:.2}", data.effect);
        let texts = [
            ("student", student.id()),
            ("eight", &data.eight_table()),
            ("effect", &effect),
            ("family", &data.family_table()),
        ];
        let section = |name: &str, title: &str| Section { name: name.to_owned(), title: title.to_owned() };
        Ok(Handout {
            worksheet: fill(include_str!("worksheet.md"), &texts)?,
            files: vec![
                File::data("eight.csv", data.eight_csv()),
                File::data("random.csv", data.random.csv()),
                File::data("fresh.csv", data.fresh.csv()),
                File::data("tools.py", include_str!("tools.py")),
                File::stub("solve.py", include_str!("solve.py")),
            ],
            sections: vec![
                section("eight", "Part 1: eight topics"),
                section("power", "Part 2: how many topics?"),
                section("family", "Part 3: six comparisons"),
                section("random", "Part 4: twenty random rankers"),
            ],
        })
    }

    fn cells(&self, student: &Student) -> Result<Vec<Cell>, LabError> {
        let data = IsABetter::data(student)?;
        let mut cells = eight(&data)?;
        cells.extend(power(data.effect)?);
        cells.extend(family(&data));
        cells.extend(random(&data)?);
        Ok(cells)
    }

    fn key(&self) -> &'static str {
        include_str!("key.toml")
    }
}

fn real(name: &str, asks: &str, value: f64) -> Cell {
    Cell::new(name, asks, Answer::Number(Some(value)))
}

/// A p-value of which a student may have looked at one side alone.
fn two_sided(name: &str, asks: &str, p: f64) -> Cell {
    real(name, asks, p).with_slip(p / 2.0, "half of the right value, the p-value of one side: take both sides")
}

/// Part 1: eight topics.
fn eight(data: &Data) -> Result<Vec<Cell>, LabError> {
    let [a, b] = [&data.eight[0], &data.eight[1]];
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let moments = Moments::of_differences(a, b);
    let t = paired_t(a, b)?;
    let permutation = test("permutation").map_err(|error| LabError::Other(error.to_string()))?.of_pair(a, b)?;
    let p = permutation.test.map_err(|error| LabError::Other(error.to_string()))?.p;
    let vectors = (1u32 << a.len()) as f64;
    let deviation = moments.variance().unwrap_or(f64::NAN).sqrt();

    let shown: Vec<String> = differences.iter().map(|difference| number(*difference)).collect();
    let sum = number(differences.iter().sum());
    let listed = format!("differences A - B: {}", shown.join(", "));
    let first = vec![listed.clone(), format!("sum = {sum}, mean = {sum} / 8 = {}", number(t.difference))];
    let spread = vec![listed, format!("sd = root of (sum of (difference - mean)^2 / 7) = {}", number(deviation))];
    let flips = format!("{} of {vectors} sign vectors have a sum of at least {sum} or at most -{sum}", p * vectors);
    let flips = vec![flips, format!("p = {} / {vectors} = {}", p * vectors, number(p))];
    let statistic = format!("t = {} / ({} / root of 8) = {}", number(t.difference), number(deviation), number(t.t));
    let statistic = vec![statistic, format!("p = {} with {} degrees of freedom", number(t.p), t.degrees)];
    let least = vec![
        "all differences positive: the observed signs and their opposite are as far from 0, no others".to_owned(),
        format!("p = 2 / {vectors} = {}", number(2.0 / vectors)),
    ];
    let verdict = format!("p = {} is {} .05", number(p), if p < ALPHA { "below" } else { "not below" });
    Ok(vec![
        real("eight.mean", "mean of A - B", t.difference).with_steps(first),
        real("eight.sd", "standard deviation of A - B", deviation).with_steps(spread),
        real("eight.as-large", "sign vectors with a sum at least as large", (p * vectors).round())
            .with_steps(flips.clone()),
        real("eight.p", "p-value of the permutation test", p).with_steps(flips),
        real("eight.least", "the least p-value that the permutation test can have on eight topics", 2.0 / vectors)
            .with_steps(least),
        real("eight.t", "t", t.t).with_steps(statistic.clone()),
        two_sided("eight.t-p", "p-value of the t-test", t.p).with_steps(statistic),
        Cell::new("eight.better", "is A better at .05, by the permutation test? yes or no", Answer::yes_no(p < ALPHA))
            .with_steps(vec![verdict]),
    ])
}

/// Part 2: the power for an effect.
fn power(effect: f64) -> Result<Vec<Cell>, LabError> {
    let needed = |effect: f64| -> Result<f64, LabError> {
        let found = queries_needed(effect, 1.0, ALPHA, POWER)?;
        found.map(|count| count as f64).ok_or_else(|| LabError::Other("the effect is 0".to_owned()))
    };
    let line = |effect: f64, topics: usize| -> Result<String, LabError> {
        let power = paired_t_power(effect, topics, ALPHA)?;
        Ok(format!("power({effect}, {topics}) = {}", number(power)))
    };
    // The number before is too small.
    let around = |effect: f64, found: f64| -> Result<Vec<String>, LabError> {
        Ok(vec![line(effect, found as usize - 1)?, line(effect, found as usize)?])
    };
    let (rough, whole, half) = (7.84 / (effect * effect), needed(effect)?, needed(effect / 2.0)?);
    Ok(vec![
        real("power.rough", "topics by the rule of thumb", rough)
            .with_steps(vec![format!("7.84 / {effect}^2 = {}", number(rough))]),
        real("power.eight", "power with 8 topics", paired_t_power(effect, 8, ALPHA)?)
            .with_steps(vec![line(effect, 8)?]),
        real("power.fifty", "power with 50 topics", paired_t_power(effect, 50, ALPHA)?)
            .with_steps(vec![line(effect, 50)?]),
        real("power.needed", "topics for a power of 0.8", whole).with_steps(around(effect, whole)?),
        real("power.half", "topics for a power of 0.8, half the effect", half).with_steps(around(effect / 2.0, half)?),
    ])
}

/// Part 3: a family of six comparisons.
fn family(data: &Data) -> Vec<Cell> {
    let p_values: Vec<f64> = data.family.iter().map(|(_, p)| *p).collect();
    let (by_bonferroni, by_holm) = (bonferroni(&p_values), holm(&p_values));
    let below = |values: &[f64]| values.iter().filter(|p| **p < ALPHA).count() as f64;
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let ladder: Vec<String> = order
        .iter()
        .enumerate()
        .map(|(place, &at)| {
            let (pair, p) = &data.family[at];
            let (factor, product) = (6 - place, (6 - place) as f64 * p);
            format!("{pair}: {p} x {factor} = {}, adjusted {}", number(product), number(by_holm[at]))
        })
        .collect();
    let all: Vec<String> = data
        .family
        .iter()
        .zip(&by_bonferroni)
        .map(|((pair, p), q)| format!("{pair}: {p} x 6 = {}", number(*q)))
        .collect();
    let low = order.iter().map(|&at| &data.family[at]).filter(|(_, p)| *p < ALPHA);
    let low = low.map(|(pair, p)| format!("{pair}: {p} is below .05")).collect();
    let mut cells = vec![
        real("family.none", "significant pairs without a correction", below(&p_values)).with_steps(low),
        real("family.bonferroni", "significant pairs by Bonferroni", below(&by_bonferroni)).with_steps(all),
        real("family.holm", "significant pairs by Holm", below(&by_holm)).with_steps(ladder.clone()),
    ];
    for ((pair, _), adjusted) in data.family.iter().zip(&by_holm) {
        let cell = real(&format!("family.{pair}"), &format!("Holm's p-value of {pair}"), *adjusted);
        cells.push(cell.with_steps(ladder.clone()));
    }
    cells
}

/// Part 4: random rankers against a random baseline.
fn random(data: &Data) -> Result<Vec<Cell>, LabError> {
    let tests = data.random.tests()?;
    let p_values: Vec<f64> = tests.iter().map(|test| test.p).collect();
    let best = data.random.best();
    let fresh: PairedT = data.fresh.tests()?[best];
    let any = 1.0 - libm::pow(1.0 - ALPHA, RANDOM_RANKERS as f64);
    let told = |ranker: usize, test: &PairedT| {
        let [difference, t, p] = [test.difference, test.t, test.p].map(number);
        format!("{}: mean of ranker - baseline {difference}, t = {t}, p = {p}", data.random.name(ranker))
    };
    let low = (0..RANDOM_RANKERS).filter(|&ranker| p_values[ranker] < ALPHA);
    let significant: Vec<String> = low.map(|ranker| told(ranker, &tests[ranker])).collect();
    let adjusted = bonferroni(&p_values)[best];
    let by_holm = holm(&p_values).iter().filter(|p| **p < ALPHA).count() as f64;
    let lucky = told(best, &tests[best]);
    let on_fresh = told(best, &fresh);
    let means = data.random.highest(3).into_iter().map(|(name, mean)| format!("{name}: mean {}", number(mean)));
    let least = p_values.iter().copied().fold(f64::INFINITY, f64::min);
    let times = least * RANDOM_RANKERS as f64;
    let ladder = format!("the least p-value: {} x {RANDOM_RANKERS} = {}", number(least), number(times));
    Ok(vec![
        real("random.expected", "false positives to expect", RANDOM_RANKERS as f64 * ALPHA)
            .with_steps(vec![format!("{RANDOM_RANKERS} x {ALPHA} = {}", number(RANDOM_RANKERS as f64 * ALPHA))]),
        real("random.any", "probability of at least one, independent tests", any)
            .with_steps(vec![format!("1 - 0.95^20 = {}", number(any))]),
        real("random.count", "rankers with p < .05", significant.len() as f64).with_steps(significant),
        Cell::new("random.best", "the ranker with the highest mean", Answer::word(data.random.name(best)))
            .with_steps(means.collect()),
        two_sided("random.best-p", "its p-value", p_values[best]).with_steps(vec![lucky]),
        real("random.bonferroni", "its p-value after Bonferroni", adjusted).with_steps(vec![format!(
            "{} x {RANDOM_RANKERS} = {}",
            number(p_values[best]),
            number(p_values[best] * RANDOM_RANKERS as f64)
        )]),
        real("random.holm", "significant rankers by Holm", by_holm).with_steps(vec![ladder]),
        real("random.fresh", "mean of ranker - baseline on fresh topics", fresh.difference)
            .with_steps(vec![on_fresh.clone()]),
        two_sided("random.fresh-p", "its p-value on fresh topics", fresh.p).with_steps(vec![on_fresh]),
        Cell::new("random.honest", "a list: the p-values of this ranker that are not too small", honest())
            .with_steps(vec![HONEST_STEP.to_owned()]),
    ])
}

/// What is said of a wrong `random.honest`. `best-p` need not be the least of the twenty p-values: the
/// baseline is the same, but the deviation of the differences is not.
const HONEST_STEP: &str = "best-p belongs to the ranker that was chosen for its mean in random.csv, and does not count \
     this choice; bonferroni pays for it, and fresh-p comes from topics that had no part in it";

/// The p-values that account for the choice of the best of twenty rankers: one is corrected for it, and
/// the other comes from topics that did not choose.
fn honest() -> Answer {
    Answer::Set(["bonferroni", "fresh-p"].map(str::to_owned).to_vec())
}

/// The seed of one try to make data with a wanted property.
fn attempt(seed: Seed, name: &str, number: u64) -> Seed {
    seed.derive(name).derive_index("try", number)
}
