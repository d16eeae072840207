//! Reports for the eye.

use fivefold_base::words::counted;

use super::{GUARD, name_of, points, remarks_on};
use crate::class::Class;
use crate::grade::{Graded, GradedCell, State};

/// The report of one folder: each section in a line, then each cell that is not right with its hint
/// and its steps.
pub fn graded_text(graded: &Graded) -> String {
    let mut text = format!(
        "{}, student {}: {} of {} points{}\n\n",
        graded.title,
        graded.student,
        points(graded.points),
        points(graded.most),
        match graded.most_bonus {
            none if none <= 0.0 => String::new(),
            most => format!(", and {} of {} bonus points", points(graded.bonus), points(most)),
        }
    );
    let width = sections(graded).iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, cells) in sections(graded) {
        let sum = |of: fn(&GradedCell) -> f64| points(cells.iter().map(|cell| of(cell)).sum());
        let marks: Vec<String> = cells.iter().map(|cell| mark(cell)).collect();
        let (have, most) = (sum(|cell| cell.points), sum(|cell| cell.most));
        text.push_str(&format!("{name:width$}  {have:>5} of {most:>3}  {}\n", marks.join("  ").trim_end()));
    }
    let open: Vec<&GradedCell> = graded.cells.iter().filter(|cell| cell.state != State::Right).collect();
    let empty = open.iter().filter(|cell| cell.state == State::Empty).count();
    for cell in open.iter().filter(|cell| cell.state != State::Empty) {
        let given = if cell.given.is_empty() { String::new() } else { format!(", {}", cell.given) };
        text.push_str(&format!("\n{}: {}{given}\n", name_of(cell), cell.state.word()));
        remarks_on(cell).iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    if empty > 0 {
        text.push_str(&format!("\nEmpty: {}\n", counted(empty, "cell")));
    }
    let unreadable = open.iter().filter(|cell| cell.state == State::Unreadable).count();
    if unreadable > 0 {
        text.push_str(&format!("\nCannot be read: {}\n", counted(unreadable, "cell")));
    }
    if !graded.remarks.is_empty() {
        text.push('\n');
    }
    graded.remarks.iter().for_each(|remark| text.push_str(&format!("{remark}\n")));
    if graded.of_program {
        text.push_str(&format!("\n{GUARD}\n"));
    }
    text
}

/// The report of several folders: a line each.
pub fn class_text(class: &Class) -> String {
    let mut rows = vec![["folder", "student", "points", "of", "bonus", "empty"].map(str::to_owned).to_vec()];
    for one in &class.graded {
        let empty = one.cells.iter().filter(|cell| cell.state == State::Empty).count();
        let numbers = [points(one.points), points(one.most), points(one.bonus), empty.to_string()];
        rows.push([one.folder.clone(), one.student.clone()].into_iter().chain(numbers).collect());
    }
    if class.graded.iter().all(|one| one.most_bonus <= 0.0) {
        rows.iter_mut().for_each(|row| drop(row.remove(4)));
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 | 1 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        text.push_str(&format!("{}\n", cells.collect::<Vec<_>>().join("  ")));
    }
    let mut rest = remarks(class);
    rest.extend(class.remarks.iter().cloned());
    if !rest.is_empty() {
        text.push('\n');
    }
    rest.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text.push_str(&format!("\nGraded: {}\n", counted(class.graded.len(), "folder")));
    if !class.failed.is_empty() {
        text.push_str(&format!("Not graded: {}\n", counted(class.failed.len(), "folder")));
        class.failed.iter().for_each(|failed| text.push_str(&format!("  {}\n", failed.problem)));
    }
    if class.graded.iter().any(|one| one.of_program) {
        text.push_str(&format!("{GUARD}\n"));
    }
    text
}

/// Folders that are named with one remark; more of them are counted.
const NAMED: usize = 3;

/// The remarks on folders, each in the order of its first folder. A remark on many folders is one line.
fn remarks(class: &Class) -> Vec<String> {
    let mut folders: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in &class.graded {
        for remark in &one.remarks {
            match folders.iter_mut().find(|(known, _)| known == remark) {
                Some((_, own)) => own.push(&one.folder),
                None => folders.push((remark, vec![&one.folder])),
            }
        }
    }
    let line = |(remark, own): (&str, Vec<&str>)| match own.len() {
        few if few <= NAMED => format!("{}: {remark}", own.join(", ")),
        many => format!("{}: {remark}", counted(many, "folder")),
    };
    folders.into_iter().map(line).collect()
}

/// The cells of each section, in their order. A cell without a section stands alone. The bonus of a
/// section is a section of its own.
fn sections(graded: &Graded) -> Vec<(String, Vec<&GradedCell>)> {
    let mut sections: Vec<(String, Vec<&GradedCell>)> = Vec::new();
    for cell in &graded.cells {
        let section = cell.name.split_once('.').map_or(cell.name.as_str(), |(section, _)| section);
        let name = if cell.bonus { format!("{section} (bonus)") } else { section.to_owned() };
        match sections.last_mut().filter(|(last, _)| *last == name) {
            Some((_, cells)) => cells.push(cell),
            None => sections.push((name, vec![cell])),
        }
    }
    sections
}

/// A cell that is not right, in a word.
fn mark(cell: &GradedCell) -> String {
    let name = cell.name.split_once('.').map_or(cell.name.as_str(), |(_, name)| name);
    match cell.state {
        State::Right => String::new(),
        state => format!("{name} {}", state.word()),
    }
}
