//! A paper's conclusions, tried on a run of fivefold. By the rule beside it, a conclusion holds,
//! does not hold, or cannot be told.

use fivefold_analysis::p_value::p_value;
use fivefold_analysis::table::{Cell, Table};
use fivefold_base::words::counted;
use fivefold_stats::{kendall_tau_b, paired_t};

use super::published::{DerivedColumn, ScoreBlock, Statistic, original};
use super::reproduce::{DerivedPair, Method};

/// The level of the tests in the rules.
const ALPHA: f64 = 0.05;

/// Whether a conclusion holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The run shows the same.
    Holds,
    /// The run shows the opposite.
    DoesNot,
    /// The run shows neither.
    CannotTell,
}

impl Answer {
    /// All answers.
    pub const ALL: [Answer; 3] = [Answer::Holds, Answer::DoesNot, Answer::CannotTell];

    /// The answer in words.
    pub fn title(self) -> &'static str {
        match self {
            Answer::Holds => "holds",
            Answer::DoesNot => "does not",
            Answer::CannotTell => "cannot tell",
        }
    }
}

/// One conclusion.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// The kind of conclusion; a name in the list of rules.
    pub what: &'static str,
    /// The data set.
    pub dataset: String,
    /// The measure.
    pub measure: String,
    /// The query set, or the sets that are compared.
    pub queries: String,
    /// The paper's value.
    pub paper: String,
    /// The value in our run.
    pub ours: String,
    /// Whether the conclusion holds.
    pub answer: Answer,
}

const WINNER: &str = "same winner";
const ORDER: &str = "same order";
const POWER: &str = "more significant pairs";
const PAD: &str = "PAD goes up";
const SWAPS: &str = "swap rate not worse";

/// The kinds of conclusions, each with the rule that decides.
const RULES: [(&str, &str); 5] = [
    (
        WINNER,
        "Holds: the paper's best method has our highest score (mean over cutoffs, common methods). Does not: our best \
            method is significantly better than the paper's (paired t, p < .05). Cannot tell: our best method is \
            another method, but not significantly better",
    ),
    (
        ORDER,
        "tau-b of our scores and the paper's. Holds: a tau this high has a chance of at most .05 among random orders \
            (exact). Does not: tau is 0 or less. Cannot tell: between the two",
    ),
    (
        POWER,
        "on uninformative queries. holds: more under the UE version than under the original measure, in our run; does not: as many or fewer",
    ),
    (
        PAD,
        "holds: higher under the UE version than under the original measure, in our run; does not: as high or lower; cannot tell: \
         negative scores make it no percentage",
    ),
    (SWAPS, "holds: at most as high under the UE version as under the original measure, in our run; does not: higher"),
];

/// Conclusions about one measure: whether the same method wins, and whether the order is the same.
pub(super) fn of_order(block: &ScoreBlock, methods: &[Method], dataset: &str) -> Vec<Conclusion> {
    let conclusion = |what, paper: String, ours: String, answer| Conclusion {
        what,
        dataset: dataset.to_owned(),
        measure: block.metric.clone(),
        queries: DerivedColumn::All.title().to_owned(),
        paper,
        ours,
        answer,
    };
    if methods.len() < 2 {
        let few = || format!("{} in both", counted(methods.len(), "method"));
        let none = |what| conclusion(what, "n/a".to_owned(), few(), Answer::CannotTell);
        return vec![none(WINNER), none(ORDER)];
    }
    let best = |score: fn(&Method) -> f64| {
        methods.iter().reduce(|best, other| if score(other) > score(best) { other } else { best })
    };
    let (Some(theirs), Some(own)) = (best(|method| method.paper), best(|method| method.ours)) else {
        return Vec::new();
    };
    let answer = if own.name == theirs.name {
        Answer::Holds
    } else if significantly_better(own, theirs) {
        Answer::DoesNot
    } else {
        Answer::CannotTell
    };
    let shown = |method: &Method, score: f64| format!("{} {score:.4}", method.name);
    let ours = match own.name == theirs.name {
        true => shown(own, own.ours),
        false => format!("{}; {}", shown(own, own.ours), shown(theirs, theirs.ours)),
    };
    let winner = conclusion(WINNER, shown(theirs, theirs.paper), ours, answer);

    let (paper, own): (Vec<f64>, Vec<f64>) = methods.iter().map(|method| (method.paper, method.ours)).unzip();
    let tau = kendall_tau_b(&paper, &own).ok().flatten();
    let (ours, answer) = match tau {
        None => ("no order".to_owned(), Answer::CannotTell),
        Some(tau) => {
            let chance = chance_of_tau(methods.len(), tau);
            let answer = match tau {
                _ if chance <= ALPHA => Answer::Holds,
                tau if tau <= 0.0 => Answer::DoesNot,
                _ => Answer::CannotTell,
            };
            (format!("tau {tau:.3}, chance {}", p_value(chance)), answer)
        }
    };
    vec![winner, conclusion(ORDER, format!("{} methods", methods.len()), ours, answer)]
}

/// Whether the mean of a method is significantly higher than the mean of another.
fn significantly_better(one: &Method, other: &Method) -> bool {
    let both = one.values.iter().zip(&other.values).filter(|(a, b)| !a.is_nan() && !b.is_nan());
    let (a, b): (Vec<f64>, Vec<f64>) = both.unzip();
    paired_t(&a, &b).is_ok_and(|test| test.difference > 0.0 && test.p < ALPHA)
}

/// The share of all orders of n items (n!, without ties) whose tau with a given order is at least
/// `tau`. These orders have at most (1 - tau) n (n-1) / 4 inversions.
fn chance_of_tau(n: usize, tau: f64) -> f64 {
    // The shares of orders by their number of inversions (Mahonian numbers). Each step adds an
    // item.
    let mut shares = vec![1.0];
    for items in 2..=n {
        let mut next = vec![0.0; shares.len() + items - 1];
        for (inversions, share) in shares.iter().enumerate() {
            (0..items).for_each(|more| next[inversions + more] += share / items as f64);
        }
        shares = next;
    }
    let most = ((1.0 - tau) * (n * n.saturating_sub(1)) as f64 / 4.0 + 1e-9).floor() as usize;
    shares.iter().take(most + 1).sum::<f64>().min(1.0)
}

/// Conclusions about the changes by UE versions, from the derived figures.
pub(super) fn of_figures(pairs: &[DerivedPair]) -> Vec<Conclusion> {
    let mut found = Vec::new();
    for version in pairs {
        let Some(base) = original(&version.measure) else { continue };
        let Some(what) = rule_of(version) else { continue };
        let is_base = |pair: &&DerivedPair| {
            let same_place = pair.published == version.published && pair.column == version.column;
            pair.statistic == version.statistic && pair.measure == base && same_place
        };
        let Some(original) = pairs.iter().find(is_base) else { continue };
        found.push(Conclusion {
            what,
            dataset: version.dataset.clone(),
            measure: version.measure.clone(),
            queries: match version.column {
                DerivedColumn::Value => version.statistic.title().trim_start_matches("swap rate ").to_owned(),
                column => column.title().to_owned(),
            },
            paper: change(version.statistic, Some(original.paper), Some(version.paper)),
            ours: change(version.statistic, original.ours, version.ours),
            answer: judge(what, original.ours, version.ours),
        });
    }
    // Conclusions are sorted by kind, in the order of the rules.
    found.sort_by_key(|conclusion| RULES.iter().position(|(what, _)| *what == conclusion.what));
    found
}

/// The conclusion that a figure is about.
fn rule_of(pair: &DerivedPair) -> Option<&'static str> {
    match (pair.statistic, pair.column) {
        (Statistic::DiscriminativePower, DerivedColumn::Uninformative) => Some(POWER),
        (Statistic::PadPercent, _) => Some(PAD),
        (
            Statistic::SwapRateAcrossDatasets
            | Statistic::SwapRateUninformativeVsIdeal
            | Statistic::SwapRateBroadVsFocused
            | Statistic::SwapRateLeftVsRight,
            _,
        ) => Some(SWAPS),
        _ => None,
    }
}

fn judge(what: &str, original: Option<f64>, version: Option<f64>) -> Answer {
    let (Some(original), Some(version)) = (original, version) else { return Answer::CannotTell };
    let percentages = |values: [f64; 2]| values.iter().all(|value| (0.0..=100.0).contains(value));
    let holds = match what {
        PAD if !percentages([original, version]) => return Answer::CannotTell,
        SWAPS => version <= original,
        _ => version > original,
    };
    if holds { Answer::Holds } else { Answer::DoesNot }
}

/// A change in words: `33 → 78`.
fn change(statistic: Statistic, from: Option<f64>, to: Option<f64>) -> String {
    let shown = |value: Option<f64>| match value {
        Some(value) if statistic == Statistic::DiscriminativePower => format!("{value}"),
        Some(value) => format!("{value:.3}"),
        None => "n/a".to_owned(),
    };
    format!("{} → {}", shown(from), shown(to))
}

/// The conclusions as tables: counts, then every conclusion.
pub(super) fn tables(conclusions: &[Conclusion]) -> Vec<Table> {
    let count = |what: &str, answer: Answer| {
        let counted = conclusions.iter().filter(|c| c.what == what && c.answer == answer).count();
        Cell::count(counted)
    };
    let summary = RULES.iter().filter(|(what, _)| conclusions.iter().any(|c| c.what == *what)).map(|(what, _)| {
        std::iter::once(Cell::text(what)).chain(Answer::ALL.iter().map(|&answer| count(what, answer))).collect()
    });
    let row = |c: &Conclusion| {
        let mut cells =
            vec![Cell::text(c.what), Cell::text(&c.dataset), Cell::text(&c.measure), Cell::text(&c.queries)];
        cells.extend([Cell::text(&c.paper), Cell::text(&c.ours), Cell::text(c.answer.title())]);
        cells
    };
    let summary_columns = ["conclusion", "holds", "does not", "cannot tell"];
    let columns = ["conclusion", "data set", "measure", "queries", "paper", "ours", "verdict"];
    vec![
        Table::new("reproduce-summary", "The paper's conclusions in our run", summary_columns, 1)
            .with_rows(summary.collect())
            .with_notes(RULES.iter().map(|(what, rule)| format!("{what}: {rule}")).collect()),
        Table::new("reproduce-conclusions", "Conclusion by conclusion; original → UE version", columns, 7)
            .with_rows(conclusions.iter().map(row).collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of n items, by brute force.
    fn orders(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let insert = |order: Vec<usize>| {
            (0..n).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, n - 1);
                longer
            })
        };
        orders(n - 1).into_iter().flat_map(insert).collect()
    }

    #[test]
    fn chances_are_those_of_all_orders() {
        for n in 2..=6 {
            let reference: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let taus: Vec<f64> = orders(n)
                .iter()
                .map(|order| {
                    let scores: Vec<f64> = order.iter().map(|&i| i as f64).collect();
                    kendall_tau_b(&reference, &scores).unwrap().unwrap()
                })
                .collect();
            for &tau in &taus {
                let share = taus.iter().filter(|&&other| other >= tau - 1e-12).count() as f64 / taus.len() as f64;
                assert!((chance_of_tau(n, tau) - share).abs() < 1e-12, "{n} {tau}");
            }
        }
    }

    fn method(name: &str, paper: f64, values: &[f64]) -> Method {
        let ours = values.iter().sum::<f64>() / values.len() as f64;
        Method { name: name.to_owned(), paper, ours, values: values.to_vec() }
    }

    fn block() -> ScoreBlock {
        ScoreBlock {
            table: 3,
            dataset: "d".to_owned(),
            metric: "ndcg".to_owned(),
            cutoffs: vec![5],
            methods: Vec::new(),
            scores: Vec::new(),
            decimals: 3,
        }
    }

    #[test]
    fn another_winner_counts_only_if_it_is_significant() {
        let verdict = |methods: &[Method]| of_order(&block(), methods, "d")[0].answer;
        let weak = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3];
        let noisy = [0.9, 0.0, 0.4, 0.0, 0.1, 0.3];
        let strong = weak.map(|value| value + 0.5 + value / 10.0);
        assert_eq!(verdict(&[method("A", 0.9, &strong), method("B", 0.1, &weak)]), Answer::Holds);
        assert_eq!(verdict(&[method("A", 0.1, &strong), method("B", 0.9, &weak)]), Answer::DoesNot);
        assert_eq!(verdict(&[method("A", 0.1, &noisy), method("B", 0.9, &weak)]), Answer::CannotTell);
        assert_eq!(verdict(&[method("A", 0.1, &noisy)]), Answer::CannotTell);
    }

    #[test]
    fn orders_are_alike_only_beyond_chance() {
        let verdict = |order: &[f64]| {
            let methods: Vec<Method> =
                order.iter().enumerate().map(|(i, &own)| method(&i.to_string(), i as f64, &[own, own])).collect();
            of_order(&block(), &methods, "d")[1].answer
        };
        // With three items, even the same order has a chance of 1/6; with four items, of 1/24.
        assert_eq!(verdict(&[1.0, 2.0, 3.0]), Answer::CannotTell);
        assert_eq!(verdict(&[1.0, 2.0, 3.0, 4.0]), Answer::Holds);
        assert_eq!(verdict(&[4.0, 3.0, 2.0, 1.0]), Answer::DoesNot);
        assert_eq!(verdict(&[1.0, 3.0, 2.0, 4.0]), Answer::CannotTell);
    }

    #[test]
    fn figures_are_judged_by_their_rules() {
        assert_eq!(judge(POWER, Some(33.0), Some(78.0)), Answer::Holds);
        assert_eq!(judge(POWER, Some(33.0), Some(33.0)), Answer::DoesNot);
        assert_eq!(judge(SWAPS, Some(0.107), Some(0.107)), Answer::Holds);
        assert_eq!(judge(SWAPS, Some(0.107), Some(0.143)), Answer::DoesNot);
        assert_eq!(judge(PAD, Some(30.0), Some(60.0)), Answer::Holds);
        assert_eq!(judge(PAD, Some(30.0), Some(-60.0)), Answer::CannotTell);
        assert_eq!(judge(PAD, None, Some(60.0)), Answer::CannotTell);
        assert_eq!(change(Statistic::DiscriminativePower, Some(0.0), Some(78.0)), "0 → 78");
        assert_eq!(change(Statistic::PadPercent, None, Some(1.0)), "n/a → 1.000");
    }
}
