//! Statistics that compare rankers: plain slices in, numbers out; nothing here knows what a query or a measure is.
//!
//! Undefined values never come in: the caller drops or replaces them, pair by pair, under a policy that it names. A NaN
//! or an infinity in an argument is an error and never a quiet result; a number that does not exist for good data says
//! why ([`Undefined`]).
//!
//! To test: put the values into a [`Family`], take a [`Test`] from [`TESTS`], give its run to a [`Correction`] from
//! [`CORRECTIONS`].
//!
//! ```
//! use fivefold_stats::{Family, TestOptions, correction, test};
//!
//! let (a, b, c) = ([0.5, 0.7, 0.4, 0.9], [0.4, 0.5, 0.4, 0.6], [0.1, 0.3, 0.2, 0.2]);
//! let family = Family::of_systems(&[&a, &b, &c])?;
//! let run = (test("permutation")?.run)(&family, &TestOptions::default())?;
//! let adjusted = correction("holm")?.adjust(&run)?;
//! assert_eq!(run.outcomes[1].test?.p, 0.125);
//! assert_eq!(adjusted[1], Some(0.375));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! One concept a file:
//!
//! | module | what |
//! |---|---|
//! | [`family`] | the comparisons that are tested together |
//! | [`paired`] | the tests, one file each |
//! | [`outcome`] | what a test says of a comparison |
//! | [`corrections`] | Bonferroni, Holm, Benjamini-Hochberg, max-T |
//! | [`effect`] | effect sizes |
//! | [`paired_t`] | paired two-sided Student t-test of two slices |
//! | [`moments`] | count, mean and variance in one pass, the base of the tests |
//! | [`order`] | concordant, discordant and tied pairs of two score lists |
//! | [`kendall`] | Kendall's tau-b between two orders |
//! | [`swap`] | swap rate between two orders |
//! | [`mod@pad`] | percentage absolute differences |
//! | [`significance`] | discriminative power, conflicts of two measures, achieved significance levels |
//! | [`agreement`](mod@agreement) | whether two evaluations lead to the same conclusions |
//! | [`tau_ap`](mod@tau_ap), [`weighted_tau`](mod@weighted_tau) | rank correlations in which the top counts most |
//! | [`swap_method`](mod@swap_method) | the difference that stands on other queries |
//! | [`power`] | queries that a difference needs |
//! | [`friedman`](mod@friedman) | average ranks and critical difference |
//! | [`studentised_range`] | its distribution |
//! | [`normal`] | the standard normal distribution |
//! | [`two_sample`] | t-test of independent samples |
//! | [`winning`] | winning numbers over data sets |

pub mod agreement;
pub mod corrections;
mod distribution;
pub mod effect;
pub mod error;
pub mod family;
pub mod friedman;
pub mod kendall;
pub mod moments;
pub mod normal;
pub mod order;
pub mod outcome;
pub mod pad;
pub mod paired;
pub mod paired_t;
pub mod power;
mod quadrature;
mod resample;
pub mod significance;
pub mod studentised_range;
pub mod swap;
pub mod swap_method;
pub mod tau_ap;
pub mod two_sample;
pub mod weighted_tau;
pub mod winning;

pub use agreement::{Agreement, Conclusions, agreement};
pub use corrections::{CORRECTIONS, Correction, Factor, correction};
pub use error::{StatsError, Undefined, UnknownName};
pub use family::{Comparison, Family};
pub use friedman::{Friedman, FriedmanMethod, cliques, critical_difference, friedman};
pub use kendall::kendall_tau_b;
pub use moments::Moments;
pub use order::{PairCounts, count_pairs};
pub use outcome::{Interval, MaxT, Method, Outcome, Significance, TestRun};
pub use pad::{Pad, PadDenominator, pad};
pub use paired::{TESTS, Test, test};
pub use paired_t::{PairedT, paired_t_test};
pub use power::{paired_t_power, queries_needed};
pub use resample::{MOST_DRAWS, TestOptions};
pub use significance::{AslCurve, ConflictFlaw, asl_curve, check_conflicts, conflicts, discriminative_power};
pub use studentised_range::{studentised_range_below, studentised_range_quantile};
pub use swap::swap_rate;
pub use swap_method::{SwapBin, SwapCurve, SwapOptions, swap_method};
pub use tau_ap::tau_ap;
pub use two_sample::{TwoSampleT, Variances, two_sample_t_test};
pub use weighted_tau::weighted_tau;
pub use winning::{WinningNumber, winning_numbers};
