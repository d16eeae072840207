//! The tests of paired differences, one file each, and the list of them.
//!
//! A test is given a [`Family`] and says of each of its comparisons what an [`Outcome`](crate::Outcome) holds. To add one:
//! a file with a [`Test`], and its line in [`TESTS`].

pub mod bootstrap;
pub mod permutation;
pub mod sign;
pub mod student;
pub mod tukey;
pub mod wilcoxon;

use crate::error::{StatsError, UnknownName};
use crate::family::Family;
use crate::outcome::TestRun;
use crate::resample::TestOptions;

/// An entry of the list of tests.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is called in a sentence.
    pub title: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether it draws at random where it cannot count.
    pub draws: bool,
    /// Runs it.
    ///
    /// # Errors
    /// Options out of range, or too many queries to resample.
    pub run: fn(&Family<'_>, &TestOptions) -> Result<TestRun, StatsError>,
}

/// All tests.
pub const TESTS: &[Test] =
    &[student::TEST, wilcoxon::TEST, sign::TEST, permutation::TEST, bootstrap::TEST, tukey::TEST];

/// The test of a name.
///
/// # Errors
/// If there is none; the nearest name is in the message.
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
        (test.run)(&Family::of_pair(a, b).unwrap(), &options).unwrap().outcomes[0].test.unwrap()
    }

    #[test]
    fn names_are_unique_and_found_and_a_wrong_one_gets_a_hint() {
        for entry in TESTS {
            assert_eq!(test(entry.name).unwrap().summary, entry.summary);
        }
        let error = test("permutaton").unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown test \"permutaton\", did you mean \"permutation\"?; there are t, wilcoxon, sign, permutation, \
             bootstrap, tukey-hsd"
        );
    }

    /// Also where their values were summed in another order.
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
            let run = (test.run)(&family, &TestOptions::default()).unwrap();
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

    /// .2 on every query, but for the last bits.
    #[test]
    fn one_gap_on_all_queries_is_one_gap() {
        let b: Vec<f64> = (0..30).map(|i| f64::from(i) / 10.0).collect();
        let a: Vec<f64> = b.iter().map(|b| b + 0.2).collect();
        assert!(a.iter().zip(&b).any(|(a, b)| a - b != 0.2));
        for (name, p) in [("t", 0.0), ("permutation", 0.001), ("bootstrap", 0.001)] {
            assert_eq!(significance(test(name).unwrap(), &a, &b, 999).p, p, "{name}");
        }
        let family = Family::of_pair(&a, &b).unwrap();
        let run = (student::TEST.run)(&family, &TestOptions::default()).unwrap();
        assert_eq!(run.outcomes[0].effect, Err(crate::Undefined::NoSpread));
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

    /// A group's outcomes do not depend on what stands beside it, though the sums are made together.
    #[test]
    fn groups_are_tested_as_if_alone() {
        let column = |number: usize| (0..70).map(move |q| ((q * (3 + number) + number * number) % 17) as f64 / 16.0);
        let columns: Vec<Vec<f64>> = (0..15).map(|number| column(number).collect()).collect();
        let groups: Vec<Vec<&[f64]>> = columns.chunks(5).map(|g| g.iter().map(Vec::as_slice).collect()).collect();
        let together = Family::of_groups(groups.clone()).unwrap();
        for test in TESTS {
            let run = (test.run)(&together, &TestOptions::default()).unwrap();
            for (number, group) in groups.iter().enumerate() {
                let alone = (test.run)(&Family::of_systems(group).unwrap(), &TestOptions::default()).unwrap();
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
                let seed = fivefold_core::Seed::new(seed);
                (test(name).unwrap().run)(&family, &TestOptions { seed, draws: 3_000, ..TestOptions::default() })
                    .unwrap()
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
            assert!((test.run)(&family, &bad).is_err(), "{}", test.name);
        }
        for name in ["permutation", "bootstrap", "tukey-hsd"] {
            let none = TestOptions { draws: 0, ..TestOptions::default() };
            let error = (test(name).unwrap().run)(&family, &none).unwrap_err();
            assert_eq!(error.to_string(), "the number of draws is 0, but must be from 1 to 10000000");
        }
    }

    #[test]
    fn one_query_tests_nothing_and_says_so() {
        let family = Family::of_pair(&[1.0], &[0.0]).unwrap();
        for test in TESTS {
            let outcome = &(test.run)(&family, &TestOptions::default()).unwrap().outcomes[0];
            match outcome.test {
                Ok(found) => assert_eq!(found.p, 1.0, "{}", test.name),
                Err(reason) => assert_eq!(reason.to_string(), "1 query, 2 needed"),
            }
        }
    }
}
