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
    minutes: 85,
    learns: "test by permutation and by t, plan the number of topics, correct for many comparisons",
    version: 1,
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
    Ok(vec![
        real("eight.mean", "mean of A - B", t.difference).with_steps(first),
        real("eight.sd", "standard deviation of A - B", deviation).with_steps(spread),
        real("eight.as-large", "sign vectors with a sum at least as large", (p * vectors).round())
            .with_steps(flips.clone()),
        real("eight.p", "p-value of the permutation test", p).with_steps(flips),
        real("eight.least", "the least p-value that eight topics can have", 2.0 / vectors),
        real("eight.t", "t", t.t).with_steps(statistic.clone()),
        real("eight.t-p", "p-value of the t-test", t.p).with_steps(statistic),
        Cell::new("eight.better", "is A better at .05, by the permutation test? yes or no", Answer::yes_no(p < ALPHA)),
    ])
}

/// Part 2: the power for an effect.
fn power(effect: f64) -> Result<Vec<Cell>, LabError> {
    let needed = |effect: f64| -> Result<f64, LabError> {
        let found = queries_needed(effect, 1.0, ALPHA, POWER)?;
        found.map(|count| count as f64).ok_or_else(|| LabError::Other("the effect is 0".to_owned()))
    };
    Ok(vec![
        real("power.rough", "topics by the rule of thumb", 7.84 / (effect * effect)),
        real("power.eight", "power with 8 topics", paired_t_power(effect, 8, ALPHA)?),
        real("power.fifty", "power with 50 topics", paired_t_power(effect, 50, ALPHA)?),
        real("power.needed", "topics for a power of 0.8", needed(effect)?),
        real("power.half", "topics for a power of 0.8, half the effect", needed(effect / 2.0)?),
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
    let mut cells = vec![
        real("family.none", "significant pairs without a correction", below(&p_values)),
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
    let significant: Vec<String> = (0..RANDOM_RANKERS)
        .filter(|&ranker| p_values[ranker] < ALPHA)
        .map(|ranker| {
            let PairedT { difference, t, p, .. } = tests[ranker];
            let name = data.random.name(ranker);
            format!("{name}: mean difference {}, t = {}, p = {}", number(difference), number(t), number(p))
        })
        .collect();
    let adjusted = bonferroni(&p_values)[best];
    let by_holm = holm(&p_values).iter().filter(|p| **p < ALPHA).count() as f64;
    let lucky = format!("the highest mean has {}", data.random.name(best));
    Ok(vec![
        real("random.expected", "false positives to expect", RANDOM_RANKERS as f64 * ALPHA),
        real("random.any", "probability of at least one, independent tests", any)
            .with_steps(vec![format!("1 - 0.95^20 = {}", number(any))]),
        real("random.count", "rankers with p < .05", significant.len() as f64).with_steps(significant),
        Cell::new("random.best", "the ranker with the highest mean", Answer::word(data.random.name(best))),
        real("random.best-p", "its p-value", p_values[best]).with_steps(vec![lucky.clone()]),
        real("random.bonferroni", "its p-value after Bonferroni", adjusted).with_steps(vec![format!(
            "{} x {RANDOM_RANKERS} = {}",
            number(p_values[best]),
            number(p_values[best] * RANDOM_RANKERS as f64)
        )]),
        real("random.holm", "significant rankers by Holm", by_holm),
        real("random.fresh", "its mean difference on fresh topics", fresh.difference).with_steps(vec![lucky.clone()]),
        real("random.fresh-p", "its p-value on fresh topics", fresh.p).with_steps(vec![lucky]),
        Cell::new("random.better", "is it better than the baseline? yes or no", Answer::yes_no(false)),
    ])
}

/// The seed of one try to make data with a wanted property.
fn attempt(seed: Seed, name: &str, number: u64) -> Seed {
    seed.derive(name).derive_index("try", number)
}
