//! `t`: the paired two-sided Student t-test of [`paired_t`](crate::paired_t()), over a family.

use crate::error::{StatsError, Undefined};
use crate::family::Family;
use crate::outcome::{Outcome, PValueMethod, Significance, TestRun, by_mean};
use crate::paired::Test;
use crate::paired_t::of_moments;
use crate::resample::TestOptions;

/// The entry in the list of tests.
pub const TEST: Test = Test {
    name: "t",
    title: "paired two-sided t-test",
    summary: "paired two-sided Student t-test of the mean difference",
    source: "Student, \"The probable error of a mean\", Biometrika 6, 1908",
    draws: false,
    corrects_itself: false,
    of_the_paper: true,
    own_intervals: true,
    run,
};

fn run(family: &Family<'_>, options: &TestOptions) -> Result<TestRun, StatsError> {
    let confidence = options.checked_confidence()?;
    let mut outcomes = Vec::with_capacity(family.comparisons().len());
    for &comparison in family.comparisons() {
        let (a, b) = family.values(comparison);
        let moments = family.moments(comparison);
        let test = match of_moments(&moments, a, b) {
            Ok(found) => {
                let (method, used, favours) = (PValueMethod::Exact, family.queries(), by_mean(&moments));
                Ok(Significance { statistic: found.t, p: found.p, method, used, favours })
            }
            Err(StatsError::TooFew { found, needed }) => Err(Undefined::TooFewQueries { found, needed }),
            Err(error) => return Err(error),
        };
        outcomes.push(Outcome::new(family, comparison, &moments, confidence, test));
    }
    Ok(TestRun { outcomes, max_t: None, corrected: TEST.corrects_itself })
}
