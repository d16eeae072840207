//! The tables of real data: the scores of eight systems on MQ2008. The expected figures are from
//! scipy, for the same per-query values.

use std::path::Path;

use fivefold_analysis::{Cell, Table};
use fivefold_core::Registry;
use fivefold_experiment::{RunOptions, run};
use fivefold_results::{Experiment, Results};

/// The figures of the table whose id begins with `id`, row by row, without labels.
fn figures(tables: &[Table], id: &str) -> Vec<Vec<f64>> {
    let table = tables.iter().find(|table| table.id.starts_with(id)).unwrap_or_else(|| panic!("no table {id}"));
    let figure = |cell: &Cell| match cell {
        Cell::Number { value, .. } => *value,
        Cell::Count(count) => *count as f64,
        other => panic!("{id}: {other:?}"),
    };
    table.rows.iter().map(|row| row[table.label_columns..].iter().map(figure).collect()).collect()
}

/// The expected figures are from `per_query.csv` and `queries.csv` of the run, with empty fields
/// read as 0. `x[s][v][r]` holds the values of ranker r under version v in query set s, with a row
/// for each query and a column for each cutoff:
///
/// ```python
/// d = real - expected; d[abs(d) <= 1e-12] = 0           # mean over rankers and cutoffs; mean E/U over cutoffs
/// sets = {'all': arange(784), 'uninformative': argsort(abs(d), kind='stable')[:300],
///         'ideal': argsort(-d, kind='stable')[:300]}
/// m[s][v] = [x[s][v][r].mean() for r in rankers]
/// tau = stats.kendalltau(m[s][''], m[s][v]).statistic
/// p = [stats.ttest_rel(x[s][v][a][:, k], x[s][v][b][:, k]).pvalue for a, b in combinations(rankers, 2) for k in range(5)]
/// power = sum(p < .05); conflicts = sum((p_original < .05) != (p < .05))
/// pad = mean([abs(a - b) / max(a, b) * 100 for a, b in combinations(m[s][v], 2)])
/// swaps = sum((a1 - a2) * (b1 - b2) < 0 over pairs of rankers, a uninformative, b ideal)
/// ```
#[test]
fn statistics_of_eight_systems_agree_with_scipy() {
    if std::env::var_os("FIVEFOLD_DATA").is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
        return;
    }
    let registry = Registry::default();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/mq2008-systems.toml");
    let experiment = Experiment::load(&path, &registry).unwrap();
    let folder = tempfile::tempdir().unwrap();
    run(&experiment, &registry, &RunOptions::new(folder.path())).unwrap();
    let tables = Results::load(folder.path()).unwrap().tables().unwrap();

    let check = |id: &str, expected: &[[f64; 3]], unit: f64| {
        let found = figures(&tables, id);
        assert_eq!(found.len(), expected.len(), "{id}");
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected / unit).abs() < 1e-9 * (1.0 + expected.abs()), "{id}: {found} for {expected}");
        }
    };
    // The columns are all, uninformative and ideal. Tau is given as the number of pairs in the same
    // order, minus the number of pairs in opposite orders.
    check("table-07", &[[28.0, 26.0, 26.0], [24.0, 26.0, 24.0]], 28.0);
    check("table-08", &[[0.0, 4.0, 2.0], [2.0, 12.0, 5.0]], 1.0);
    check("table-09", &[[78.0, 16.0, 74.0], [78.0, 14.0, 76.0], [76.0, 16.0, 73.0]], 1.0);
    check(
        "table-10",
        &[
            [2.364071164869095, 2.7689695405424817, 3.018536165199552],
            [3.2365410444647265, 4.112451113328078, 3.9368195249615736],
            [8.018480471681533, -822.1878198706265, 7.099507316750365],
        ],
        1.0,
    );
    check("table-19", &[[28.0, 26.0, 28.0], [24.0, 22.0, 26.0]], 28.0);
    check("table-20", &[[0.0, 0.0, 1.0], [27.0, 1.0, 5.0]], 1.0);
    check("table-21", &[[100.0, 0.0, 102.0], [100.0, 0.0, 101.0], [77.0, 1.0, 103.0]], 1.0);
    check(
        "table-22",
        &[
            [4.037243020375434, 3.1415679388768107, 4.0842642373690135],
            [5.066655760778075, 4.661216525473473, 5.102543253796164],
            [11.263560629069042, -5.417886772516691, 7.194960024505595],
        ],
        1.0,
    );
    for (id, swaps) in [("table-12", [11.0, 11.0, 14.0]), ("table-24", [17.0, 18.0, 17.0])] {
        let rates: Vec<f64> = figures(&tables, id).concat();
        assert_eq!(rates, swaps.map(|swaps| swaps / 28.0), "{id}");
    }
}
