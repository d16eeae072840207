//! Rules that every ranker must keep, as one function that a test of any crate can call (feature
//! `conformance`).
//!
//! ```no_run
//! use fivefold_core::conformance::{Case, check};
//! # use fivefold_core::RankerEntry;
//! # const RANKERS: &[RankerEntry] = &[];
//!
//! #[test]
//! fn my_ranker_keeps_the_rules() {
//!     // In your crate: &[RankerEntry::of::<MyRanker>()]
//!     check(RANKERS, &[Case {
//!         name: "my-ranker",
//!         params: "rounds = 20",
//!         changes: &[("rounds", "3", true), ("rate", "0.5", true)],
//!         refused: &[("rounds", "0")],
//!         learns: true,
//!     }]);
//! }
//! ```
//! [`RULES`] lists the rules, each with its demand and the way to mend a ranker that breaks it.
//! [`check`] makes rankers through their registry entry, as experiments do, and fits them on small
//! collections of [`data`]. No file is read or written. [`check_golden`] compares models with
//! hashes in a file, for crates whose rankers are known by their version.
//!
//! Cost: about 20 fits a case and one fit a changed parameter, on 480 documents with 6 features.
//! Two more fits are on 2,400 documents. If both the seed and the order of documents alter the
//! scores, 22 further fits follow.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::registry::RankerEntry;

mod blind;
pub mod data;
mod degenerate;
mod fits;
mod golden;
mod isolation;
mod memory;
mod order;
mod parameters;
mod quality;
mod rounds;
mod trial;

pub use golden::{UPDATE, check_golden};
pub use memory::{Measured, check_memory};
use trial::{Fitted, Trial};

/// How the rules try one ranker: parameters that suit small data and, for each parameter, another
/// value.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The ranker's registered name.
    pub name: &'static str,
    /// Parameters, as TOML, that suit small data: 480 documents of 40 queries.
    pub params: &'static str,
    /// For each parameter, in the order of the fields: its name, a changed value as TOML, and
    /// whether the change alters the scores (or makes the fit fail). `false` declares that the
    /// parameter is inert under `params`; the change must then alter nothing.
    pub changes: &'static [(&'static str, &'static str, bool)],
    /// Parameter values, as TOML, that `check` must refuse. The error must name the parameter.
    pub refused: &'static [(&'static str, &'static str)],
    /// Whether the model must rank better than a random order; `false` for controls.
    pub learns: bool,
}

/// Something that every ranker must do.
#[derive(Debug)]
pub struct Rule {
    /// The rule's name, in a word or two.
    pub name: &'static str,
    /// The demand on every ranker, as a sentence.
    pub demand: &'static str,
    /// How to mend a ranker that breaks the rule.
    pub remedy: &'static str,
    /// Tries the ranker. The error says which difference was found, and on which data.
    check: fn(&Trial<'_>) -> Result<(), String>,
}

/// The rules, in the order in which they are checked.
pub const RULES: &[Rule] = &[
    fits::FITS,
    parameters::HELP,
    parameters::REFUSALS,
    parameters::STORED,
    parameters::EFFECTS,
    parameters::SEED_RULE,
    fits::THREADS,
    fits::SAVED,
    fits::IMPORTANCE,
    fits::CANCELLED,
    rounds::CHECKPOINTS,
    order::SCORING_ORDER,
    order::TRAINING_ORDER,
    degenerate::DEGENERATE,
    blind::ONE_GRADE,
    blind::BLIND_VALIDATION,
    quality::LEARNS,
    isolation::ISOLATION,
];

/// A rule that a ranker breaks.
#[derive(Debug)]
pub struct Violation {
    /// The ranker's registered name.
    pub ranker: &'static str,
    /// The parameters of the case.
    pub params: &'static str,
    /// The rule.
    pub rule: &'static Rule,
    /// The difference that was found, and on which data.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params = self.params.replace('\n', ", ");
        let Rule { name, demand, remedy, .. } = self.rule;
        writeln!(f, "ranker `{}` ({params}) breaks the rule \"{name}\": {demand}", self.ranker)?;
        writeln!(f, "  found: {}", self.found)?;
        write!(f, "  to do: {remedy}")
    }
}

/// Fails a test if a ranker breaks a rule. The message names the rule and the data, and tells how
/// to mend the ranker.
///
/// `entries` are rankers (`RankerEntry::of::<MyRanker>()`). Each ranker needs at least one of the
/// `cases`. Rankers of one call are also tried against each other, so give all rankers of a crate
/// in one call.
///
/// # Panics
/// If a rule is broken, or if entries and cases do not fit together.
pub fn check(entries: &[RankerEntry], cases: &[Case]) {
    let violations = violations(entries, cases);
    let texts: Vec<String> = violations.iter().map(Violation::to_string).collect();
    assert!(violations.is_empty(), "rules are broken:\n\n{}\n", texts.join("\n\n"));
}

/// The broken rules, in the order of the cases and of [`RULES`]: [`check`] without the panic.
///
/// # Panics
/// If entries and cases do not fit together.
pub fn violations(entries: &[RankerEntry], cases: &[Case]) -> Vec<Violation> {
    if let Some(case) = cases.iter().find(|case| entries.iter().all(|entry| entry.name != case.name)) {
        panic!("there is a case for `{}`, but no ranker of that name", case.name);
    }
    if let Some(entry) = entries.iter().find(|entry| cases.iter().all(|case| case.name != entry.name)) {
        panic!("ranker `{}` has no case: add a case, with a changed value for each parameter", entry.name);
    }
    let of_entry = |entry: RankerEntry| cases.iter().filter(move |c| c.name == entry.name).map(move |c| (entry, *c));
    let all: Vec<(RankerEntry, Case)> = entries.iter().flat_map(|entry| of_entry(*entry)).collect();
    // Fit all of these models before any other: the rule about isolation compares with them.
    let usual: Vec<Result<Fitted, String>> =
        all.iter().map(|(entry, case)| guarded(|| trial::fit_usual(entry, case.params, trial::SEED))).collect();
    let mut found = Vec::new();
    for ((entry, case), usual) in all.iter().zip(&usual) {
        let trial = Trial { entry, case, all: &all, usual };
        for (number, rule) in RULES.iter().enumerate() {
            let Err(text) = guarded(|| (rule.check)(&trial)) else { continue };
            found.push(Violation { ranker: entry.name, params: case.params, rule, found: text });
            // If a ranker makes no usable model, the other rules cannot be checked.
            if number == 0 {
                break;
            }
        }
    }
    found
}

/// Runs `work`; a panic in it becomes an error.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let message = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without a message")))
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(message)
}
