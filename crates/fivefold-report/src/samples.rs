//! Tables, histograms and charts for the golden tests of every output form.

use fivefold_analysis::chart::{Axis, Chart, Point, ReferenceLine, Series, SeriesKind};
use fivefold_analysis::compared::{PairedDifference, SystemMean};
use fivefold_analysis::page::{PageDataset, PageTest};
use fivefold_analysis::tables::{ExpectedHistogram, Panel};
use fivefold_analysis::{Cell, Compared, PageData, Table};

/// A table with every kind of cell, and with labels that are hostile to some form.
pub(crate) fn every_cell() -> Table {
    Table {
        id: "table-00-sample".into(),
        title: "Table 0: 100% of the cells & kinds".into(),
        columns: ["method", "data_set", "ndcg.v2@10", "AP | ties", "queries"].map(String::from).to_vec(),
        label_columns: 2,
        rows: vec![
            vec![
                Cell::text("LMART"),
                Cell::text("mq2008"),
                Cell::number(0.1 + 0.2, 3),
                Cell::number(-12.345678901234567, 2),
                Cell::Count(784),
            ],
            vec![
                Cell::text("=cmd|' /C calc'!A0"),
                Cell::text("a, \"b\" #1"),
                Cell::number(-0.0001, 3),
                Cell::number(1e-12, 2),
                Cell::Count(0),
            ],
            vec![Cell::text("[x]*_{y}$^~\\"), Cell::text("-1"), Cell::na(), Cell::number(1.0, 2), Cell::Count(1)],
            vec![
                Cell::text("Käthe <b>"),
                Cell::text("@home"),
                Cell::missing("FAILED"),
                Cell::number(0.785, 2),
                Cell::Count(12),
            ],
        ],
        notes: vec![
            "dialect paper: gain exp2, ties average, undefined zero".into(),
            "784 queries, 1 undefined; 5% & more: see `n/a`".into(),
        ],
        marks: None,
    }
}

/// A table with columns but no rows.
pub(crate) fn empty() -> Table {
    Table { rows: Vec::new(), notes: Vec::new(), title: "Nothing to show".into(), ..every_cell() }
}

/// A table with more rows than fit on a page.
pub(crate) fn long() -> Table {
    let row = |number: u64| vec![Cell::text(format!("query {number}")), Cell::Count(number)];
    Table::new("long", "Table of many rows", ["query", "count"], 1)
        .with_rows((1..=31).map(row).collect())
        .with_notes(vec!["made".into()])
}

/// Eight methods under three measures at five cutoffs, as the widest table of the paper.
pub(crate) fn wide() -> Table {
    let measures = ["ndcg", "ndcg.v1", "ndcg.v2"].map(|measure| [5, 10, 15, 20, 30].map(|k| format!("{measure}@{k}")));
    let methods = ["ARank", "LNet", "RNet", "RBoost", "LMART", "CAscent", "RF", "Linear regression"];
    let row = |method: usize| {
        let scores = (0..15).map(|column| Cell::number(0.3 + method as f64 / 20.0 - f64::from(column) / 10.0, 3));
        std::iter::once(Cell::text(methods[method])).chain(scores).collect()
    };
    Table {
        id: "table-03-scores".into(),
        title: "Table 3: mean nDCG, original and UE-normalised, of eight methods".into(),
        columns: std::iter::once("method".to_owned()).chain(measures.into_iter().flatten()).collect(),
        label_columns: 1,
        rows: (0..methods.len()).map(row).collect(),
        notes: vec![
            "dialect paper: gain exp2, discount log2, ties average, undefined zero, AP denominator cutoff, collection \
             value over all queries"
                .into(),
            "1000 queries, 220 undefined".into(),
        ],
        marks: None,
    }
}

/// Three systems under a measure at a single cutoff, with the p-values of a-b, a-c and b-c.
pub(crate) fn compared(measure: &str, means: [f64; 3], p_values: [Option<f64>; 3]) -> Compared {
    Compared {
        family: measure.to_owned(),
        measure: measure.to_owned(),
        cutoffs: vec!["@10".to_owned()],
        systems: vec![0, 1, 2],
        means: means.map(|mean| vec![SystemMean { mean: Some(mean), ends: None }]).to_vec(),
        p_values: p_values.map(|p| vec![p]).to_vec(),
        differences: Vec::new(),
        against_means: Vec::new(),
        too_few_draws: None,
    }
}

/// The page data of three systems, without their queries.
pub(crate) fn three_systems(compared: Vec<Compared>) -> PageDataset {
    PageDataset {
        name: "d".to_owned(),
        systems: ["a", "b", "c"].map(str::to_owned).to_vec(),
        failed: Vec::new(),
        compared,
        baseline: None,
        remarks: Vec::new(),
        shown: vec![0, 1, 2],
        queries: 9,
        sample: Vec::new(),
        classes: Vec::new(),
        class_sets: Vec::new(),
        values: Vec::new(),
    }
}

/// Expected nDCG of 1220 queries in twenty bins. Some bins are empty, and some have a single query.
pub(crate) fn histogram() -> ExpectedHistogram {
    let panels = [
        ("mean over cutoffs", [0, 0, 0, 0, 2, 5, 20, 46, 77, 105, 111, 108, 94, 74, 56, 41, 23, 12, 5, 1]),
        ("@5", [20, 0, 0, 0, 3, 9, 28, 61, 96, 110, 104, 92, 80, 63, 51, 40, 14, 2, 6, 1]),
        ("@10", [0, 0, 0, 0, 0, 1, 12, 30, 58, 101, 118, 125, 107, 84, 61, 42, 22, 12, 5, 2]),
    ];
    let panel =
        |(label, counts): (&str, [u64; 20])| Panel { label: label.into(), counts: counts.into(), undefined: 220 };
    ExpectedHistogram {
        dataset: "mq2007 & co".into(),
        measure: "ndcg".into(),
        figure: Some(2),
        queries: 1220,
        panels: panels.map(panel).into(),
    }
}

/// Twelve curves with bands on a logarithmic axis. The curves converge to limits.
pub(crate) fn curves() -> Chart {
    let limit = |curve: u32| 0.55 + 0.03 * f64::from(curve * 5 % 12);
    let point = |curve: u32, step: i32| {
        let n = 100.0 * 2f64.powi(step);
        let y = limit(curve) - (1.0 + f64::from(curve % 3)) / n.sqrt();
        Point { band: Some((y - 0.3 / n.sqrt(), y + 0.3 / n.sqrt())), ..Point::new(n, y) }
    };
    let series = (0..12).map(|curve| Series {
        name: (30 * curve).to_string(),
        kind: SeriesKind::Line,
        points: (0..8).map(|step| point(curve, step)).collect(),
    });
    let lines = [0, 4].map(|curve| ReferenceLine {
        label: "limit".into(),
        y: limit(curve),
        series: (curve == 4).then(|| "120".to_owned()),
    });
    Chart {
        id: "figure-03-curves".into(),
        title: "Figure 3: nDCG against the number of documents & its limits".into(),
        x: Axis::log("documents n"),
        y: Axis::linear("mean nDCG"),
        series: series.collect(),
        lines: lines.into(),
        notes: vec!["bands: lowest to highest of 10 trials".into(), "ndcg: gain=exp2, discount=power:0.5".into()],
    }
}

/// Labelled points of two groups. Many points are close together.
pub(crate) fn scatter() -> Chart {
    let point = |group: u32, index: u32| {
        let x = 0.4 + 0.013 * f64::from(index * 7 % 19) + 0.01 * f64::from(group);
        let y = 0.2 + 0.6 * x + 0.004 * f64::from(index * 5 % 11);
        Point { label: Some(format!("system{group}__run-{index}")), ..Point::new(x, y) }
    };
    let series = (0..2).map(|group| Series {
        name: format!("group {group}"),
        kind: SeriesKind::Points,
        points: (0..19).map(|index| point(group, index)).collect(),
    });
    let lines = vec![ReferenceLine { label: "random order".into(), y: 0.45, series: None }];
    Chart {
        id: "scatter".into(),
        title: "nDCG@10 against NRG".into(),
        x: Axis::linear("nDCG@10"),
        y: Axis::linear("NRG"),
        series: series.collect(),
        lines,
        notes: Vec::new(),
    }
}

/// Eight methods under ndcg and ap in three versions on two data sets, as quickstart has.
/// Differences of more than .02 are significant, and intervals are as long as that.
pub(crate) fn overview() -> PageData {
    let methods = ["AdaRank", "CA", "L2LR", "LMART", "ListNet", "RF", "RankBoost", "RankNet"];
    let strength = [0.47, 0.57, 0.53, 0.61, 0.56, 0.58, 0.545, 0.595];
    let measure = |family: &str, version: &str, scale: f64| {
        let mean = |system: usize| strength[system] * scale - f64::from(u8::from(version == ".v2")) * 0.1;
        let mut compared = Compared::untested(
            family.to_owned(),
            format!("{family}{version}"),
            ["@5", "@10", "@20"].map(str::to_owned).to_vec(),
            (0..8).collect(),
            (0..8).map(|system| vec![SystemMean { mean: Some(mean(system)), ends: None }; 3]).collect(),
        );
        for a in 0..8 {
            for b in a + 1..8 {
                let (pair, difference) = (compared.pair(a, b).unwrap(), mean(a) - mean(b));
                compared.p_values[pair] = vec![Some(if difference.abs() > 0.02 { 0.001 } else { 0.4 }); 3];
                let ends = Some((difference - 0.02, difference + 0.02));
                compared.differences[pair] = Some(PairedDifference { mean: difference, ends });
            }
        }
        compared
    };
    let dataset = |name: &str, scale: f64, without: usize| {
        let families = [("ndcg", scale), ("ap", scale * 0.7)];
        let compared = families.iter().flat_map(|&(family, scale)| {
            [("", 1.0), (".v1", 0.8), (".v2", 0.5)].map(|(version, by)| measure(family, version, scale * by))
        });
        PageDataset {
            name: name.to_owned(),
            systems: methods.map(str::to_owned).to_vec(),
            shown: (0..8).collect(),
            queries: 300,
            remarks: vec![format!(
                "{without} of 300 queries have no relevant document; their undefined values are counted as zero."
            )],
            ..three_systems(compared.collect())
        }
    };
    PageData {
        noun: "method".to_owned(),
        datasets: vec![dataset("made-MSLR", 1.0, 16), dataset("made-MQ2007", 0.93, 88)],
        test: Some(PageTest {
            words: "paired two-sided t-test over queries, p < 0.05 after Holm's correction over all comparisons of a \
                    measure (pairs at every cutoff)"
                .into(),
            alpha: 0.05,
        }),
        conventions: [
            "dialect: paper",
            "ndcg: gain=exp2, discount=log2, short_list=cut",
            "ap: denominator=cutoff, upper=cutoff, expected=independent, threshold=1",
            "ties: average; undefined values: zero; mean over: queries",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..PageData::default()
    }
}
