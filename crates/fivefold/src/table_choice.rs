//! `--tables`: which tables are printed below the overview.

use fivefold_analysis::Table;

use crate::problem::Problem;

/// Tables that are printed besides the overview.
#[derive(clap::Args, Default)]
pub(crate) struct TableArgs {
    /// Print these tables, too: `all`, or numbers of the paper's tables and beginnings of ids, such
    /// as 7,9
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tables: Vec<String>,
}

impl TableArgs {
    /// The tables that were asked for, in the order of all.
    ///
    /// # Errors
    /// A number or an id that no table has.
    pub(crate) fn choose(&self, tables: &[Table]) -> miette::Result<Vec<Table>> {
        if self.tables.iter().any(|wanted| wanted == "all") {
            return Ok(tables.to_vec());
        }
        if let Some(unknown) = self.tables.iter().find(|wanted| !tables.iter().any(|table| is(table, wanted))) {
            return Err(Problem::unknown("table", unknown, tables.iter().map(|table| table.id.as_str())).into());
        }
        Ok(tables.iter().filter(|table| self.tables.iter().any(|wanted| is(table, wanted))).cloned().collect())
    }
}

/// Whether a table is meant by a number or by the beginning of its id.
fn is(table: &Table, wanted: &str) -> bool {
    match wanted.parse::<u32>() {
        Ok(number) => table.id.starts_with(&format!("table-{number:02}-")),
        Err(_) => !wanted.is_empty() && table.id.starts_with(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(list: &[&str]) -> Result<Vec<String>, String> {
        let tables = ["table-03-ndcg-mean", "table-13-ndcg-tau", "scores-ap"].map(|id| Table::new(id, id, ["a"], 1));
        let args = TableArgs { tables: list.iter().map(|&word| word.to_owned()).collect() };
        let chosen = args.choose(&tables).map_err(|error| error.to_string())?;
        Ok(chosen.into_iter().map(|table| table.id).collect())
    }

    #[test]
    fn tables_are_chosen_by_number_and_by_the_beginning_of_the_id() {
        assert_eq!(chosen(&[]).unwrap(), [""; 0]);
        assert_eq!(chosen(&["3"]).unwrap(), ["table-03-ndcg-mean"]);
        assert_eq!(chosen(&["scores", "13"]).unwrap(), ["table-13-ndcg-tau", "scores-ap"]);
        assert_eq!(chosen(&["3", "all"]).unwrap().len(), 3);
        assert!(chosen(&["1"]).unwrap_err().contains("table `1`"));
    }
}
