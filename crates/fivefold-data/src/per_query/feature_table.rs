//! Tells a table of features from a table of values per query: both are CSV.

use super::formats::number;

/// The number of rows that are examined.
const LOOKED_AT: usize = 20;
/// The least number of columns of numbers beside a column of ids.
const NUMBERS: usize = 3;
/// Names of a column of grades.
const GRADES: [&str; 6] = ["grade", "label", "relevance", "rel", "judgement", "judgment"];
/// Names of a column of queries.
const QUERIES: [&str; 8] = ["query", "query_id", "queryid", "qid", "q_id", "topic", "topic_id", "topicid"];

/// Says why a table looks like one of features: it has a column of queries, one of whole grades and
/// one of other numbers, or it has several columns of numbers and a column of ids. `None` for any
/// other table. The rows are those below the head.
pub(super) fn looks_like_features<'t>(head: &[&str], rows: impl Iterator<Item = Vec<&'t str>>) -> Option<String> {
    let rows: Vec<Vec<&str>> = rows.filter(|row| row.len() == head.len()).take(LOOKED_AT).collect();
    if rows.is_empty() {
        return None;
    }
    let all = |column: usize, holds: fn(&str) -> bool| rows.iter().all(|row| holds(row[column]));
    let numbers = |column: &usize| all(*column, |cell| cell.is_empty() || number(cell));
    let called = |names: &[&str]| head.iter().position(|name| names.contains(&name.to_ascii_lowercase().as_str()));
    if let (Some(query), Some(grade)) = (called(&QUERIES), called(&GRADES)) {
        let other = |column: &usize| ![query, grade].contains(column) && !head[*column].is_empty() && numbers(column);
        if all(grade, is_grade) && (0..head.len()).any(|column| other(&column)) {
            return Some(format!("it has the columns `{}` and `{}`", head[query], head[grade]));
        }
    }
    // The first column may hold the ids of queries.
    let ids = (1..head.len()).find(|&column| all(column, begins_with_letter) && differ(&rows, column))?;
    let several = (0..head.len()).filter(numbers).count() >= NUMBERS;
    several.then(|| format!("its column `{}` holds ids such as `{}`", head[ids], rows[0][ids].escape_debug()))
}

fn is_grade(cell: &str) -> bool {
    fast_float2::parse::<f64, _>(cell).is_ok_and(|grade| grade.fract() == 0.0 && (0.0..=30.0).contains(&grade))
}

/// Whether a cell begins as an id does. Words for an undefined value are no ids.
fn begins_with_letter(cell: &str) -> bool {
    cell.starts_with(char::is_alphabetic) && !number(cell)
}

/// Whether a column has several cells, all different.
fn differ(rows: &[Vec<&str>], column: usize) -> bool {
    let mut cells: Vec<&str> = rows.iter().map(|row| row[column]).collect();
    cells.sort_unstable();
    cells.len() > 2 && cells.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str) -> Option<String> {
        let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        looks_like_features(&rows.next().unwrap(), rows)
    }

    #[test]
    fn features_are_told_from_values() {
        let by_names = |names: &str| Some(format!("it has the columns {names}"));
        assert_eq!(why("query,grade,bm25\ntea,2,1.5\ntea,0,"), by_names("`query` and `grade`"));
        // With the index of pandas, and grades as floats.
        assert_eq!(why(",Label,doc,QID,bm25\n0,2.0,d1,7,1.5\n1,0.0,d2,7,0.5"), by_names("`QID` and `Label`"));
        let by_ids = why("q,doc,a,b\n1,d35_1,1,2\n1,d35_2,1,2\n2,d35_3,4,5").unwrap();
        assert_eq!(by_ids, "its column `doc` holds ids such as `d35_1`");
    }

    #[test]
    fn values_are_no_features() {
        for text in [
            "query,a,b\n1,0.5,0.25\n2,0.1,1\n3,1,0",
            // A system that is called as grades are.
            "query,label,b\n1,0.5,0.25\n2,0.1,1\n3,1,0",
            // Judgements alone.
            "query,grade\n1,2\n1,0",
            // Values that are undefined, and systems in a column.
            "query,a,b,c\n1,nan,0.5,1\n2,nan,1,1\n3,nan,1,1",
            "query,engine,ndcg,ap,p\n1,bm25,0.5,1,1\n2,bm25,1,1,1\n3,bm25,1,1,1",
            "query,grade,bm25",
        ] {
            assert_eq!(why(text), None, "{text}");
        }
    }
}
