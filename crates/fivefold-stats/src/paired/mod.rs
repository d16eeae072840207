//! The tests of paired differences, one file each, and the list of them.
//!
//! A test takes a [`Family`] and gives an [`Outcome`] for each of its comparisons. To add a test,
//! write a file with a [`Test`], and its line in [`TESTS`].

pub mod bootstrap;
pub mod permutation;
pub mod sign;
pub mod student;
pub mod tukey;
pub mod wilcoxon;

use crate::error::{StatsError, UnknownName};
use crate::family::Family;
use crate::outcome::{Outcome, TestRun};
use crate::resample::TestOptions;

/// An entry of the list of tests.
///
/// ```
/// use fivefold_stats::test;
///
/// let wilcoxon = test("wilcoxon")?;
/// assert!(!wilcoxon.corrects_itself);
/// // Ranks 1, 2 and 3, all of one sign: 2 of 8 are as extreme.
/// assert_eq!(wilcoxon.of_pair(&[0.5, 0.75, 0.75], &[0.375, 0.25, 0.5])?.test?.p, 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// The name by which an experiment file or an option asks for the test.
    pub name: &'static str,
    /// The name in a sentence.
    pub title: &'static str,
    /// A short description, in a line.
    pub summary: &'static str,
    /// The publication.
    pub source: &'static str,
    /// Whether the test draws at random if it cannot count.
    pub draws: bool,
    /// Whether the test corrects its p-values for all pairs of systems of a group; then no other
    /// correction is allowed.
    pub corrects_itself: bool,
    /// Whether the paper's tables use this test, so that they show its p-values.
    pub of_the_paper: bool,
    /// Whether the test gives its own intervals of differences; otherwise they are Student's.
    pub own_intervals: bool,
    pub(crate) run: fn(&Family<'_>, &TestOptions) -> Result<TestRun, StatsError>,
}

impl Test {
    /// Tests the comparisons of a family.
    ///
    /// ```
    /// use fivefold_stats::{Family, TestOptions, test};
    ///
    /// let family = Family::of_pair(&[0.5, 0.7, 0.4, 0.9], &[0.4, 0.5, 0.4, 0.6])?;
    /// let run = test("wilcoxon")?.run(&family, &TestOptions::default())?;
    /// assert_eq!(run.outcomes[0].test?.p, 0.25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Options out of range, or too many queries to resample.
    pub fn run(&self, family: &Family<'_>, options: &TestOptions) -> Result<TestRun, StatsError> {
        (self.run)(family, options)
    }

    /// Tests whether two systems differ, with the default options. Their values stand query by
    /// query.
    ///
    /// ```
    /// use fivefold_stats::test;
    ///
    /// let outcome = test("permutation")?.of_pair(&[0.5, 0.7, 0.4, 0.9], &[0.4, 0.5, 0.3, 0.6])?;
    /// assert_eq!(outcome.test?.p, 0.125);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Slices of different lengths, or values that are not finite.
    pub fn of_pair(&self, a: &[f64], b: &[f64]) -> Result<Outcome, StatsError> {
        let run = self.run(&Family::of_pair(a, b)?, &TestOptions::default())?;
        // A family of one pair has one comparison.
        Ok(run.outcomes[0].clone())
    }
}

/// All tests.
///
/// ```
/// use fivefold_stats::TESTS;
///
/// let drawn: Vec<&str> = TESTS.iter().filter(|test| test.draws).map(|test| test.name).collect();
/// assert_eq!(drawn, ["permutation", "bootstrap", "tukey-hsd"]);
/// ```
pub const TESTS: &[Test] =
    &[student::TEST, wilcoxon::TEST, wilcoxon::PRATT, sign::TEST, permutation::TEST, bootstrap::TEST, tukey::TEST];

/// The test with this name.
///
/// ```
/// use fivefold_stats::test;
///
/// assert_eq!(test("sign")?.of_pair(&[3.0, 2.0], &[1.0, 1.0])?.test?.p, 0.5);
/// assert!(test("wilcoxn").unwrap_err().to_string().contains("did you mean \"wilcoxon\"?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Unknown name; the message suggests the nearest name.
pub fn test(name: &str) -> Result<&'static Test, UnknownName> {
    let names: Vec<&'static str> = TESTS.iter().map(|test| test.name).collect();
    TESTS.iter().find(|test| test.name == name).ok_or_else(|| UnknownName::new("test", name, &names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Significance;

    fn significance(test: &Test, a: &[f64], b: &[f64], draws: usize) -> Significance {
        let options = TestOptions { draws, ..TestOptions::default() };
        test.run(&Family::of_pair(a, b).unwrap(), &options).unwrap().outcomes[0].test.unwrap()
    }

    #[test]
    fn names_are_unique_and_found_and_a_wrong_one_gets_a_hint() {
        for entry in TESTS {
            assert_eq!(test(entry.name).unwrap().summary, entry.summary);
        }
        let error = test("permutaton").unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown test \"permutaton\"; did you mean \"permutation\"? (there are t, wilcoxon, wilcoxon-pratt, sign, \
             permutation, bootstrap, tukey-hsd)"
        );
    }

    #[test]
    fn entries_say_whose_their_intervals_are() {
        let values: Vec<f64> = (0..30).map(|i| f64::from(i % 7) / 3.0).collect();
        let other: Vec<f64> = (0..30).map(|i| f64::from(i % 5) / 3.0).collect();
        for test in TESTS {
            let family = Family::of_systems(&[&values, &other]).unwrap();
            let run = test.run(&family, &TestOptions::default()).unwrap();
            let of_student = run.outcomes[0].interval.unwrap().method == student::TEST.name;
            assert_eq!(test.own_intervals, !of_student || test.of_the_paper, "{}", test.name);
        }
    }

    /// Two systems that differ by rounding alone do not differ, also if their values were summed in
    /// another order.
    #[test]
    fn two_systems_that_only_rounding_parts_do_not_differ_in_any_test() {
        let sum = |terms: [f64; 3]| terms.iter().sum::<f64>();
        let one: Vec<f64> = (0..30).map(|i| sum([0.1, 0.7, f64::from(i % 7) / 10.0])).collect();
        let other: Vec<f64> = (0..30).map(|i| sum([f64::from(i % 7) / 10.0, 0.7, 0.1])).collect();
        assert!(one.iter().zip(&other).filter(|(a, b)| a != b).count() > 10);
        for test in TESTS {
            assert_eq!(significance(test, &one, &other, 999).p, 1.0, "{}", test.name);
        }
        assert_eq!(crate::effect::superiority(&one, &other).unwrap(), 0.5);
        assert_eq!(crate::effect::cliffs_delta(&one, &other).unwrap(), 0.0);
    }

    #[test]
    fn two_identical_systems_do_not_differ_in_any_test() {
        let same: Vec<f64> = (0..30).map(|i| f64::from(i % 7) / 3.0).collect();
        let other: Vec<f64> = (0..30).map(|i| f64::from(i % 5) / 3.0).collect();
        for test in TESTS {
            let family = Family::of_systems(&[&other, &same, &same]).unwrap();
            let run = test.run(&family, &TestOptions::default()).unwrap();
            let (outcome, found) = (&run.outcomes[2], run.outcomes[2].test.unwrap());
            assert_eq!((outcome.difference, found.p), (0.0, 1.0), "{}", test.name);
            assert_eq!(outcome.effect, Err(crate::Undefined::NoSpread));
            let interval = outcome.interval.unwrap();
            assert!(interval.low <= 0.0 && interval.high >= 0.0);
            if let Some(max_t) = &run.max_t {
                assert_eq!(max_t.p_values[2], 1.0);
            }
        }
    }

    #[test]
    fn thirty_large_differences_are_never_impossible() {
        let a: Vec<f64> = (0..30).map(|i| 0.5 + f64::from(i) / 100.0).collect();
        for name in ["permutation", "bootstrap", "tukey-hsd"] {
            assert_eq!(significance(test(name).unwrap(), &a, &[0.0; 30], 999).p, 0.001, "{name}");
        }
        assert_eq!(significance(&permutation::TEST, &[1.0; 30], &[0.0; 30], 999).p, 0.001);
        assert_eq!(significance(&bootstrap::TEST, &[1.0; 30], &[0.0; 30], 999).p, 0.001);
    }

    /// A difference of .2 on every query, up to the last bits.
    #[test]
    fn one_gap_on_all_queries_is_one_gap() {
        let b: Vec<f64> = (0..30).map(|i| f64::from(i) / 10.0).collect();
        let a: Vec<f64> = b.iter().map(|b| b + 0.2).collect();
        assert!(a.iter().zip(&b).any(|(a, b)| a - b != 0.2));
        for (name, p) in [("t", 0.0), ("permutation", 0.001), ("bootstrap", 0.001)] {
            assert_eq!(significance(test(name).unwrap(), &a, &b, 999).p, p, "{name}");
        }
        let family = Family::of_pair(&a, &b).unwrap();
        let run = student::TEST.run(&family, &TestOptions::default()).unwrap();
        assert_eq!(run.outcomes[0].effect, Err(crate::Undefined::NoSpread));
    }

    /// scipy #26082 and #17667: differences that are equal in decimals tie, however close the
    /// values are. By hand: if one of 8 equal differences has the other sign, p = 2 (1 + 8) / 256.
    /// The values `dec5` and `latency` are 1, 1, 1, -1, 2, 2, -2, 3 units of the last decimal.
    #[test]
    fn equal_differences_of_close_values_tie() {
        let parse = |text: &str| -> Vec<f64> { text.split(' ').map(|value| value.parse().unwrap()).collect() };
        let tie4 = (
            parse("0.9995 0.9985 0.9975 0.9965 0.9955 0.9945 0.9935 0.5000"),
            parse("0.9994 0.9984 0.9974 0.9964 0.9954 0.9944 0.9934 0.5001"),
        );
        let tie5 = (
            parse("0.57079 0.44845 0.92071 0.34926 0.52324 0.37302 0.61192 0.72877"),
            parse("0.57078 0.44844 0.92070 0.34925 0.52323 0.37301 0.61191 0.72878"),
        );
        let dec5 = (
            parse("0.70001 0.70008 0.70015 0.70020 0.70030 0.70037 0.70040 0.70052"),
            parse("0.70000 0.70007 0.70014 0.70021 0.70028 0.70035 0.70042 0.70049"),
        );
        let latency = (
            parse("10000.4 10001.1 10001.8 10002.3 10003.3 10004.0 10004.3 10005.5"),
            parse("10000.3 10001.0 10001.7 10002.4 10003.1 10003.8 10004.5 10005.2"),
        );
        for (name, p, (a, b)) in [
            ("tie4", 18.0 / 256.0, &tie4),
            ("tie5", 18.0 / 256.0, &tie5),
            ("dec5", 62.0 / 256.0, &dec5),
            ("latency", 62.0 / 256.0, &latency),
        ] {
            for test in ["wilcoxon", "permutation"] {
                let found = significance(super::test(test).unwrap(), a, b, 1_000).p;
                assert_eq!(found, p, "{name} {test}");
                assert_eq!(significance(super::test(test).unwrap(), b, a, 1_000).p, p, "{name} {test}, exchanged");
            }
        }
        assert_eq!(significance(&sign::TEST, &tie5.0, &tie5.1, 1).p, 18.0 / 256.0);
        let found = significance(&tukey::TEST, &tie5.0, &tie5.1, 100_000).p;
        assert!((found - 18.0 / 256.0).abs() < 4.0 * (0.0703f64 * 0.93 / 100_000.0).sqrt(), "{found}");
    }

    /// Values with 1 to 8 decimals give the same result as the whole numbers that they stand for,
    /// which floating point holds exactly: p-values, intervals, effect sizes, ranks and swaps. The
    /// values have offsets of up to a hundred million times their differences.
    #[test]
    fn decimals_are_tested_as_the_whole_numbers_that_they_are() {
        let mut rng = fivefold_base::Seed::new(26_082).rng();
        for trial in 0..60 {
            let decimals = 1 + trial % 8;
            let offset = 10i64.pow(rng.next_u64() as u32 % 9);
            let queries = 6 + (rng.next_u64() % 30) as usize;
            let whole: Vec<Vec<i64>> = (0..3)
                .map(|_| {
                    (0..queries).map(|query| offset + query as i64 * offset / 7 + (rng.next_u64() % 4) as i64).collect()
                })
                .collect();
            let parsed = |exponent: i32| -> Vec<Vec<f64>> {
                let of = |value: &i64| format!("{value}e{exponent}").parse().unwrap();
                whole.iter().map(|values| values.iter().map(of).collect()).collect()
            };
            let (exact, decimal) = (parsed(0), parsed(-decimals));
            let family = |systems: &[Vec<f64>]| -> Vec<TestRun> {
                let systems: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
                let family = Family::of_systems(&systems).unwrap();
                TESTS.iter().map(|test| test.run(&family, &TestOptions::default()).unwrap()).collect()
            };
            for ((test, one), other) in TESTS.iter().zip(family(&exact)).zip(family(&decimal)) {
                let what = format!("{}, {decimals} decimals, offset {offset}, {whole:?}", test.name);
                for (one, other) in one.outcomes.iter().zip(&other.outcomes) {
                    let (p, q) = (one.test.unwrap(), other.test.unwrap());
                    // In a t-test, the rounding of the values alters p a little, but not which
                    // differences count as equal.
                    let most = if test.name == "t" { 1e-3 } else { 0.0 };
                    assert!((p.p - q.p).abs() <= most, "{} for {}: {what}", q.p, p.p);
                    assert_eq!((p.used, p.favours), (q.used, q.favours), "{what}");
                    assert_eq!(one.effect.is_err(), other.effect.is_err(), "{what}");
                }
                let joint = |run: &TestRun| run.max_t.as_ref().map(|joint| joint.p_values.clone());
                assert_eq!(joint(&one), joint(&other), "{what}");
            }
            let of = |systems: &[Vec<f64>]| {
                let systems: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
                let ranks = crate::friedman(&systems).unwrap().average_ranks;
                let effects = [
                    crate::effect::superiority(systems[0], systems[1]),
                    crate::effect::cliffs_delta(systems[0], systems[1]),
                ];
                (ranks, effects)
            };
            assert_eq!(of(&exact), of(&decimal));
            let swaps = |systems: &[Vec<f64>], width: f64| {
                let systems: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
                let options = crate::SwapOptions { width, trials: 100, ..crate::SwapOptions::default() };
                let curve = &crate::swap_method(&Family::of_systems(&systems).unwrap(), &options).unwrap()[0];
                curve.bins.iter().map(|bin| (bin.comparisons, bin.swaps)).collect::<Vec<_>>()
            };
            // With this width, no mean of a half lies on the edge of a bin.
            let width = 0.0137;
            assert_eq!(swaps(&exact, width), swaps(&decimal, width * 10f64.powi(-decimals)));
        }
    }

    #[test]
    fn exchanged_systems_give_the_same_p() {
        let a: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 11) / 10.0).collect();
        let b: Vec<f64> = (0..40).map(|i| f64::from(i * 5 % 13) / 12.0).collect();
        for test in TESTS {
            let (forth, back) = (significance(test, &a, &b, 200), significance(test, &b, &a, 200));
            assert!((forth.p - back.p).abs() < 1e-12, "{}", test.name);
        }
    }

    /// The outcomes of a group do not depend on the other groups, although the sums are made
    /// together.
    #[test]
    fn groups_are_tested_as_if_alone() {
        let column = |number: usize| (0..70).map(move |q| ((q * (3 + number) + number * number) % 17) as f64 / 16.0);
        let columns: Vec<Vec<f64>> = (0..15).map(|number| column(number).collect()).collect();
        let groups: Vec<Vec<&[f64]>> = columns.chunks(5).map(|g| g.iter().map(Vec::as_slice).collect()).collect();
        let together = Family::of_groups(groups.clone()).unwrap();
        for test in TESTS {
            let run = test.run(&together, &TestOptions::default()).unwrap();
            for (number, group) in groups.iter().enumerate() {
                let alone = test.run(&Family::of_systems(group).unwrap(), &TestOptions::default()).unwrap();
                for (one, other) in alone.outcomes.iter().zip(&run.outcomes[10 * number..]) {
                    assert_eq!((one.test, one.interval), (other.test, other.interval), "{}", test.name);
                }
            }
        }
    }

    #[test]
    fn the_seed_alone_decides() {
        let a: Vec<f64> = (0..100).map(|i| f64::from(i * 7 % 11) / 10.0).collect();
        let b: Vec<f64> = (0..100).map(|i| f64::from(i * 5 % 13) / 12.0 + 0.05).collect();
        let family = Family::of_systems(&[&a, &b]).unwrap();
        for name in ["permutation", "bootstrap", "tukey-hsd"] {
            let with = |seed| {
                let seed = fivefold_base::Seed::new(seed);
                test(name).unwrap().run(&family, &TestOptions { seed, draws: 3_000, ..TestOptions::default() }).unwrap()
            };
            assert_eq!(with(1), with(1), "{name}");
            assert_ne!(with(1), with(2), "{name}");
        }
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let family = Family::of_pair(&[0.0; 30], &[0.0; 30]).unwrap();
        for test in TESTS {
            let bad = TestOptions { confidence: 95.0, ..TestOptions::default() };
            assert!(test.run(&family, &bad).is_err(), "{}", test.name);
        }
        for name in ["permutation", "bootstrap", "tukey-hsd"] {
            let none = TestOptions { draws: 0, ..TestOptions::default() };
            let error = test(name).unwrap().run(&family, &none).unwrap_err();
            assert_eq!(error.to_string(), "the number of draws is 0, but must be from 1 to 10000000");
        }
    }

    #[test]
    fn one_query_tests_nothing_and_says_so() {
        let family = Family::of_pair(&[1.0], &[0.0]).unwrap();
        for test in TESTS {
            let outcome = &test.run(&family, &TestOptions::default()).unwrap().outcomes[0];
            match outcome.test {
                Ok(found) => assert_eq!(found.p, 1.0, "{}", test.name),
                Err(reason) => assert_eq!(reason.to_string(), "1 query, 2 needed"),
            }
        }
    }
}
