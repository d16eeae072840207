//! A replay as tables.

use fivefold_analysis::table::{Cell, Table};

use super::{CheckedCell, Misprint, Replay, Statistic, Verdict};

const NOTES: [&str; 3] = [
    "method scores are means over the printed cutoffs; a cell is equal when it differs by less than one unit of its last printed digit, cut off or rounded",
    "within rounding: some scores that would be printed so, cut off or rounded, give the cell",
    "cells that rest on per-query values cannot be recomputed. Tau and swap rates are tested against the values that \
        are possible with so many methods, and conflicts against the discriminative powers",
];

impl Replay {
    /// The replay as tables: counts of verdicts, the cells that differ or are impossible, suspected
    /// misprints, then all cells.
    pub fn tables(&self) -> Vec<Table> {
        let wrong = |cell: &&CheckedCell| {
            matches!(cell.verdict, Verdict::Differs | Verdict::Impossible) || !cell.remark.is_empty()
        };
        let mut summary = self.summary();
        summary.notes = NOTES.iter().map(|&note| note.to_owned()).collect();
        vec![
            summary,
            cell_table(
                "replay-not-following",
                "Printed cells that do not follow, or only if close scores change places",
                self.cells.iter().filter(wrong),
            ),
            misprint_table(&self.misprints),
            cell_table("replay-cells", "Every printed cell of the derived tables", self.cells.iter()),
        ]
    }

    fn summary(&self) -> Table {
        let count = |statistic: Option<Statistic>, verdict: Verdict| {
            let counted = |c: &&CheckedCell| statistic.is_none_or(|s| c.statistic == s) && c.verdict == verdict;
            Cell::count(self.cells.iter().filter(counted).count())
        };
        let row = |label: &str, statistic: Option<Statistic>| {
            let counts = Verdict::ALL.iter().map(|&verdict| count(statistic, verdict));
            std::iter::once(Cell::text(label)).chain(counts).collect()
        };
        let statistics = Statistic::ALL.iter().map(|&statistic| row(statistic.title(), Some(statistic)));
        let columns = std::iter::once("statistic").chain(Verdict::ALL.map(Verdict::title));
        Table::new("replay-summary", "Printed cells by verdict", columns, 1)
            .with_rows(statistics.chain([row("together", None)]).collect())
    }
}

fn cell_table<'a>(id: &str, title: &str, cells: impl Iterator<Item = &'a CheckedCell> + Clone) -> Table {
    let columns = ["table", "statistic", "data set", "measure", "queries", "verdict", "printed", "computed"];
    let row = |cell: &CheckedCell| {
        vec![
            Cell::text(cell.table.to_string()),
            Cell::text(cell.statistic.title()),
            Cell::text(&cell.dataset),
            Cell::text(&cell.metric),
            Cell::text(cell.column.title()),
            Cell::text(cell.verdict.title()),
            number(cell.statistic, cell.printed),
            cell.computed.map_or_else(Cell::na, |value| number(cell.statistic, value)),
        ]
    };
    Table::new(id, title, columns, 6)
        .with_rows(cells.clone().map(row).collect())
        .with_notes(cells.filter(|cell| !cell.remark.is_empty()).map(remark).collect())
}

fn remark(cell: &CheckedCell) -> String {
    let CheckedCell { table, dataset, metric, column, remark, .. } = cell;
    format!("table {table}, {dataset}, {metric}, {}: {remark}", column.title())
}

fn misprint_table(misprints: &[Misprint]) -> Table {
    let columns = ["data set", "measure", "method", "cutoff", "printed", "suggested", "repairs", "breaks"];
    let cells = |cells: &[CheckedCell]| {
        let name = |c: &CheckedCell| format!("table {} {} {}", c.table, c.metric, c.column.title());
        Cell::text(cells.iter().map(name).collect::<Vec<_>>().join("; "))
    };
    let row = |misprint: &Misprint| {
        vec![
            Cell::text(&misprint.dataset),
            Cell::text(&misprint.metric),
            Cell::text(&misprint.method),
            Cell::Count(misprint.cutoff.into()),
            Cell::number(misprint.printed, 4),
            Cell::number(misprint.moved, 4),
            cells(&misprint.repairs),
            cells(&misprint.breaks),
        ]
    };
    let note = "suspected: outside the range of its neighbours, and inside with the point moved by one place";
    Table::new("replay-misprints", "Printed scores whose decimal point may have slipped", columns, 3)
        .with_rows(misprints.iter().map(row).collect())
        .with_notes(vec![note.to_owned()])
}

pub(super) fn number(statistic: Statistic, value: f64) -> Cell {
    match statistic {
        Statistic::Conflicts | Statistic::DiscriminativePower => Cell::Count(value as u64),
        Statistic::PadPercent => Cell::number(value, 2),
        _ => Cell::number(value, 3),
    }
}

#[cfg(test)]
mod tests {
    use crate::replay::{FENG_KARMAKER_2023_DERIVED, FENG_KARMAKER_2023_SCORES, replay};
    use fivefold_analysis::table::Cell;

    #[test]
    fn tables_are_rectangular_and_the_counts_add_up() {
        let replay = replay(FENG_KARMAKER_2023_SCORES, FENG_KARMAKER_2023_DERIVED).unwrap();
        let tables = replay.tables();
        for table in &tables {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.id);
        }
        let counts: u64 = tables[0].rows.last().unwrap()[1..]
            .iter()
            .map(|cell| match cell {
                Cell::Count(count) => *count,
                _ => 0,
            })
            .sum();
        assert_eq!(counts as usize, replay.cells.len());
        let parity = "table 8, mslr-web30k, ndcg.v2, uninformative: the number of conflicts, 46, is even, but the difference of the \
                      discriminative powers, 45, is odd (powers 33 and 78 in table 9)";
        assert!(tables[1].notes.contains(&parity.to_owned()), "{:#?}", tables[1].notes);
        assert_eq!(
            tables[1].rows.len(),
            2 + 4 + 4,
            "two swap rates follow within rounding, four PAD cells differ, four are impossible"
        );
    }
}
