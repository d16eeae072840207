//! The contract of every built-in ranker.

mod cases;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fivefold_core::conformance::data::signal_in_order;
use fivefold_core::conformance::{Case, check, check_golden, violations};
use fivefold_core::{Checkpoints, FitContext, Progress, RankerEntry, Seed};
use fivefold_rankers::{LambdaMart, RANKERS};

use cases::{AS_SHIPPED, CASES, changes};

#[test]
fn every_ranker_keeps_the_contract() {
    check(RANKERS, &CASES.concat());
}

/// The key of a job names a built-in ranker by its VERSION, so `golden_models.txt` fixes the models
/// of each version.
#[test]
fn no_model_changes_without_its_version() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_models.txt");
    check_golden(RANKERS, &[&CASES.concat()[..], AS_SHIPPED].concat(), Path::new(file));
}

/// With `ties = "input"` a model depends on the order of rows, as documented, and the rule about
/// order finds it.
#[test]
fn ties_in_file_order_break_the_rule_about_order() {
    const CHANGES: &[(&str, &str, bool)] = &{
        let mut changes = changes("false", "'widths'", "'by-hessian'", ("'quantised'", false), true);
        changes[4] = ("ties", "'drawn'", true);
        changes
    };
    let params = "ties = 'input'\nleaves = 8\ntrees = 30";
    let case = Case { name: "lambdamart", params, changes: CHANGES, refused: &[], learns: true };
    let found = violations(&[RankerEntry::of::<LambdaMart>()], &[case]);
    let rules: Vec<&str> = found.iter().map(|violation| violation.rule.name).collect();
    assert_eq!(rules, ["training order"], "{found:#?}");
}

/// Rankers of rounds: of a fit that was stopped in its middle, only the rest is done.
#[test]
fn rankers_of_rounds_go_on_where_they_were() {
    let of_rounds = [
        "adarank",
        "coordinate-ascent",
        "lambdamart",
        "lambdarank",
        "listnet",
        "mart",
        "random-forest",
        "rankboost",
        "ranknet",
    ];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for name in of_rounds {
        let case = CASES.concat().into_iter().find(|case| case.name == name).unwrap();
        let entry = RANKERS.iter().find(|entry| entry.name == name).unwrap();
        let ranker = entry.parse(toml::de::DeTable::parse(case.params).unwrap()).unwrap();
        let data = signal_in_order(40, 1);
        let steps = |stop_at: u64, kept: &Kept| {
            let stop = StopAt { steps: AtomicU64::new(0), at: stop_at, flag: AtomicBool::new(false) };
            let cx = FitContext::new(Seed::new(7)).with_progress(&stop).with_cancellation(&stop.flag);
            let ended = pool.install(|| ranker.fit(&data, &cx.with_checkpoints(kept)));
            assert_eq!(ended.is_err(), stop_at < u64::MAX, "{name}");
            stop.steps.into_inner()
        };
        let whole = steps(u64::MAX, &Kept::default());
        let kept = Kept::default();
        // Setting up may take steps, too: as many in both fits.
        let half = steps(whole - whole / 4, &kept);
        let rest = steps(u64::MAX, &kept);
        assert!(rest < whole - whole / 8, "{name}: {half} steps, then {rest} of {whole}");
    }
}

/// Keeps the state in memory.
#[derive(Default)]
struct Kept(Mutex<Option<Vec<u8>>>);

impl Checkpoints for Kept {
    fn load(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap().clone()
    }
    fn is_due(&self) -> bool {
        false
    }
    fn save(&self, state: &[u8]) {
        *self.0.lock().unwrap() = Some(state.to_vec());
    }
}

/// Counts steps, and raises a flag at one of them.
struct StopAt {
    steps: AtomicU64,
    at: u64,
    flag: AtomicBool,
}

impl Progress for StopAt {
    fn step(&self, _: u64, _: u64) {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        self.flag.store(steps >= self.at, Ordering::Relaxed);
    }
}
