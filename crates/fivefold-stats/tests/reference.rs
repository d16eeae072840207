//! Compares with values of scipy, statsmodels and plain enumeration, made by `reference.py` beside
//! this file.

#![allow(clippy::unwrap_used)]

use fivefold_base::Seed;
use fivefold_stats::{
    Family, Moments, Outcome, PValueMethod, TestOptions, Variances, critical_difference, friedman, kendall_tau_b,
    paired_t_power, queries_needed, studentised_range_below, studentised_range_quantile, tau_ap, test,
    two_sample_t_test, weighted_tau,
};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("reference.json")).unwrap()
}

fn number(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap_or_else(|| panic!("no number {key}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn cases<'a>(all: &'a Value, key: &str) -> &'a [Value] {
    let cases = all[key].as_array().unwrap();
    assert!(!cases.is_empty());
    cases
}

fn systems(case: &Value) -> Vec<Vec<f64>> {
    case["systems"].as_array().unwrap().iter().map(numbers).collect()
}

fn slices(systems: &[Vec<f64>]) -> Vec<&[f64]> {
    systems.iter().map(Vec::as_slice).collect()
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * (1e-3 + expected.abs()), "{what}: {found} for {expected}");
}

/// Asserts that a sampled probability lies within four standard errors of the expected value, or of
/// another sampled value.
#[track_caller]
fn close_sampled(found: f64, draws: usize, expected: f64, other_draws: Option<usize>, what: &str) {
    let share = expected.max(1.0 / draws as f64);
    let error = (share * (1.0 - share) * (1.0 / draws as f64 + other_draws.map_or(0.0, |n| 1.0 / n as f64))).sqrt();
    // The 1 / draws allows for p = (1 + hits) / (1 + draws), which is not hits / draws.
    assert!((found - expected).abs() <= 4.0 * error + 1.0 / draws as f64, "{what}: {found} for {expected} +- {error}");
}

fn run(name: &str, a: &[f64], b: &[f64], options: &TestOptions) -> Outcome {
    let run = test(name).unwrap().run(&Family::of_pair(a, b).unwrap(), options).unwrap();
    run.outcomes.into_iter().next().unwrap()
}

#[test]
fn tests_of_one_comparison() {
    for case in cases(&reference(), "pairs") {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let what = format!("{} queries", a.len());
        let options = TestOptions { confidence: 0.9, draws: 50_000, seed: Seed::new(11) };

        let t = run("t", &a, &b, &options);
        close(t.test.unwrap().statistic, number(case, "t"), 1e-11, &what);
        close(t.test.unwrap().p, number(case, "t_p"), 1e-9, &what);
        close(t.difference, number(case, "difference"), 1e-12, &what);
        close(t.effect.unwrap(), number(case, "dz"), 1e-11, &what);
        close(t.interval.unwrap().low, number(case, "low"), 1e-9, &what);
        close(t.interval.unwrap().high, number(case, "high"), 1e-9, &what);
        let moments = Moments::of_differences(&a, &b);
        close(fivefold_stats::effect::hedges_g(&moments).unwrap(), number(case, "g"), 1e-10, &what);
        close(fivefold_stats::effect::cliffs_delta(&a, &b).unwrap(), number(case, "cliff"), 1e-12, &what);
        close(fivefold_stats::effect::superiority(&a, &b).unwrap(), number(case, "superiority"), 1e-12, &what);

        let wilcoxon = run("wilcoxon", &a, &b, &options).test.unwrap();
        close(wilcoxon.statistic, number(case, "wilcoxon"), 1e-12, &what);
        close(wilcoxon.p, number(case, "wilcoxon_p"), 1e-13, &what);
        assert_eq!(wilcoxon.method == PValueMethod::Exact, wilcoxon.used <= 50);

        let sign = run("sign", &a, &b, &options).test.unwrap();
        assert_eq!((sign.statistic, sign.used as f64), (number(case, "sign_k"), number(case, "sign_m")));
        close(sign.p, number(case, "sign_p"), 1e-10, &what);

        if !case["permutation_p"].is_null() {
            let permutation = run("permutation", &a, &b, &options).test.unwrap();
            assert_eq!(permutation.method, PValueMethod::Exact);
            close(permutation.p, number(case, "permutation_p"), 1e-12, &what);
        }
        if !case["bootstrap_p"].is_null() {
            let bootstrap = run("bootstrap", &a, &b, &options).test.unwrap();
            let draws = number(case, "bootstrap_draws") as usize;
            close_sampled(bootstrap.p, options.draws, number(case, "bootstrap_p"), Some(draws), &what);
        }
    }
}

#[test]
fn tukey_hsd_over_all_orders() {
    let all = reference();
    let systems = systems(&all["tukey"]);
    let options = TestOptions { draws: 100_000, ..TestOptions::default() };
    let run = test("tukey-hsd").unwrap().run(&Family::of_systems(&slices(&systems)).unwrap(), &options).unwrap();
    for (outcome, p) in run.outcomes.iter().zip(numbers(&all["tukey"]["p"])) {
        close_sampled(outcome.test.unwrap().p, options.draws, p, None, "tukey");
    }
}

#[test]
fn max_t_over_all_signs() {
    let all = reference();
    let systems = systems(&all["max_t"]);
    let family = Family::of_systems(&slices(&systems)).unwrap();
    let run = test("permutation").unwrap().run(&family, &TestOptions::default()).unwrap();
    let adjusted = fivefold_stats::correction("maxt").unwrap().adjust(&run).unwrap();
    for (found, p) in adjusted.iter().zip(numbers(&all["max_t"]["p"])) {
        close(found.unwrap(), p, 1e-12, "max-T");
    }
}

#[test]
fn corrections() {
    use fivefold_stats::corrections::{benjamini_hochberg, bonferroni, holm};
    for case in cases(&reference(), "corrections") {
        let p = numbers(&case["p"]);
        for (name, found) in [("bonferroni", bonferroni(&p)), ("holm", holm(&p)), ("bh", benjamini_hochberg(&p))] {
            for (found, expected) in found.iter().zip(numbers(&case[name])) {
                close(*found, expected, 1e-13, name);
            }
        }
    }
}

#[test]
fn two_sample_t_tests() {
    for case in cases(&reference(), "two_sample") {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        for (name, variances) in [("pooled", Variances::Pooled), ("welch", Variances::Welch)] {
            let (found, expected) = (two_sample_t_test(&a, &b, variances).unwrap(), numbers(&case[name]));
            close(found.t, expected[0], 1e-11, name);
            close(found.degrees, expected[1], 1e-11, name);
            close(found.p, expected[2], 1e-9, name);
        }
    }
}

#[test]
fn friedman_and_nemenyi() {
    for case in cases(&reference(), "friedman") {
        let systems = systems(case);
        let found = friedman(&slices(&systems)).unwrap();
        close(found.chi_square, number(case, "chi_square"), 1e-11, "chi-square");
        close(found.chi_square_p, number(case, "p"), 1e-9, "p of chi-square");
        close(found.f, number(case, "f"), 1e-10, "F");
        close(found.f_p, number(case, "f_p"), 1e-9, "p of F");
        for (rank, expected) in found.average_ranks.iter().zip(numbers(&case["ranks"])) {
            close(*rank, expected, 1e-12, "average rank");
        }
        let difference = critical_difference(systems.len(), systems[0].len(), 0.05).unwrap();
        close(difference, number(case, "cd"), 1e-8, "critical difference");
    }
}

#[test]
fn studentised_range() {
    for case in cases(&reference(), "studentised_range") {
        let (q, k, p) = (number(case, "q"), number(case, "k") as usize, number(case, "p"));
        let degrees = case["degrees"].as_f64();
        let found = studentised_range_below(q, k, degrees);
        assert!((found - p).abs() < 1e-9, "{k} means, {degrees:?} degrees, q {q}: {found} for {p}");
        if degrees.is_none() {
            let quantile = studentised_range_quantile(found, k, degrees);
            close(quantile, q, 1e-7, "quantile");
        }
    }
}

#[test]
fn power() {
    let all = reference();
    for case in cases(&all, "power") {
        let (dz, n) = (number(case, "dz"), number(case, "n") as usize);
        close(paired_t_power(dz, n, 0.05).unwrap(), number(case, "power"), 1e-8, &format!("d_z {dz}, {n} queries"));
    }
    for case in cases(&all, "queries_needed") {
        let found = queries_needed(number(case, "dz"), 1.0, number(case, "alpha"), number(case, "power"));
        assert_eq!(found.unwrap(), Some(number(case, "n") as usize));
    }
}

#[test]
fn rank_correlations() {
    for case in cases(&reference(), "correlations") {
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        close(kendall_tau_b(&x, &y).unwrap().unwrap(), number(case, "tau_b"), 1e-13, "tau-b");
        close(weighted_tau(&x, &y).unwrap().unwrap(), number(case, "weighted_tau"), 1e-12, "weighted tau");
        if !case["tau_ap"].is_null() {
            close(tau_ap(&x, &y).unwrap().unwrap(), number(case, "tau_ap"), 1e-13, "tau-AP");
        }
    }
}
