//! One line for each folder.

use fivefold_base::printable::no_formula;

use super::points;
use crate::class::Class;
use crate::error::LabError;
use crate::grade::State;

/// The class as CSV. After the columns `folder,student,lab,points,of,bonus,bonus_of,empty,problem,remarks`,
/// each cell has a column with its points. `points` are without the bonus. A folder that cannot be graded has
/// a problem and no points.
///
/// # Errors
/// Never on a healthy machine: the text is written into memory.
pub fn csv(class: &Class) -> Result<String, LabError> {
    let mut names: Vec<&str> = Vec::new();
    for cell in class.graded.iter().flat_map(|one| &one.cells) {
        if !names.contains(&cell.name.as_str()) {
            names.push(&cell.name);
        }
    }
    let head = ["folder", "student", "lab", "points", "of", "bonus", "bonus_of", "empty", "problem", "remarks"];
    let mut rows: Vec<Vec<String>> = vec![head.iter().chain(&names).map(|name| (*name).to_owned()).collect()];
    for one in &class.graded {
        let empty = one.cells.iter().filter(|cell| cell.state == State::Empty).count();
        let mut row = vec![
            no_formula(&one.folder).into_owned(),
            no_formula(&one.student).into_owned(),
            no_formula(&one.lab).into_owned(),
            points(one.points),
            points(one.most),
            points(one.bonus),
            points(one.most_bonus),
            empty.to_string(),
            String::new(),
            no_formula(&one.remarks.join("; ")).into_owned(),
        ];
        for name in &names {
            let cell = one.cells.iter().find(|cell| cell.name == *name);
            row.push(cell.map_or_else(String::new, |cell| points(cell.points)));
        }
        rows.push(row);
    }
    for failed in &class.failed {
        let mut row = vec![String::new(); head.len() + names.len()];
        row[0] = no_formula(&failed.folder).into_owned();
        row[8] = no_formula(&failed.problem).into_owned();
        rows.push(row);
    }
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let written = rows.iter().try_for_each(|row| writer.write_record(row));
    written.map_err(|error| LabError::Other(error.to_string()))?;
    let bytes = writer.into_inner().map_err(|error| LabError::Other(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| LabError::Other(error.to_string()))
}
