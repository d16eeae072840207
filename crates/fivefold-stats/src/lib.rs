//! Statistics that compare rankers: plain slices in, numbers out; nothing here knows what a query or a measure is.
//!
//! Undefined values never come in: the caller drops or replaces them, pair by pair, under a policy that it names. A NaN
//! or an infinity in an argument is an error and never a quiet result.
//!
//! One concept a file:
//!
//! | module | what |
//! |---|---|
//! | [`paired_t`] | paired two-sided Student t-test |
//! | [`moments`] | count, mean and variance in one pass, the base of the tests |
//! | [`order`] | concordant, discordant and tied pairs of two score lists |
//! | [`kendall`] | Kendall's tau-b between two orders |
//! | [`swap`] | swap rate between two orders |
//! | [`mod@pad`] | percentage absolute differences |
//! | [`significance`] | discriminative power and conflicts of two measures |

pub mod error;
pub mod kendall;
pub mod moments;
pub mod order;
pub mod pad;
pub mod paired_t;
pub mod significance;
pub mod swap;

pub use error::StatsError;
pub use kendall::kendall_tau_b;
pub use moments::Moments;
pub use order::{PairCounts, count_pairs};
pub use pad::{Pad, PadDenominator, pad};
pub use paired_t::{PairedT, paired_t_test};
pub use significance::{conflicts, discriminative_power};
pub use swap::swap_rate;
