//! p-values of all pairs of systems as a coloured square. A cell is blue if the system of its row
//! is better, and orange if the system of its column is better. The smaller the p-value, the deeper
//! the colour. A cell is grey if the systems are not told apart.

use fivefold_analysis::diagram::{PairOfSystems, Pairs};
use fivefold_analysis::p_value::p_in_short;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::csv;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::names::Names;
use crate::page::{Area, Drawn, FONT, SMALL, SMALL_LINE, TEXT, page, pixel, pixels};

/// Colours for p-values below alpha, below a tenth of alpha, and below a hundredth of alpha.
const BETTER: [RGBColor; 3] = [RGBColor(190, 219, 238), RGBColor(112, 173, 214), RGBColor(30, 122, 181)];
const WORSE: [RGBColor; 3] = [RGBColor(248, 214, 190), RGBColor(236, 160, 108), RGBColor(206, 92, 12)];
const ALIKE: RGBColor = RGBColor(236, 236, 236);
const FRAME: RGBColor = RGBColor(255, 255, 255);
/// The most systems for which a square holds its p-value, and the most systems for squares of
/// middle size.
const WITH_NUMBERS: usize = 12;
const MIDDLE: usize = 24;
/// Pixels of the numbers above the columns, and pixels of the legend.
const ABOVE: u32 = 24;
const LEGEND: u32 = 3 * LEGEND_LINE + 32;
const LEGEND_LINE: u32 = 22;
/// Pixels of the number beside a name.
const NUMBER: i32 = 32;
/// The most characters of a name.
const FIT: usize = 40;
/// Pixels that the legend needs.
const LEAST_WIDTH: u32 = 640;

/// The figure of p-values.
///
/// # Errors
/// [`ReportError::Malformed`] if a number is not finite, or if the number of rows or columns is not
/// the number of systems.
pub(crate) fn pairs_figure(pairs: &Pairs) -> Result<Figure, ReportError> {
    let malformed = |message: &str| ReportError::Malformed { id: pairs.id.clone(), message: message.to_owned() };
    let count = pairs.systems.len();
    if pairs.cells.len() != count || pairs.cells.iter().any(|row| row.len() != count) {
        return Err(malformed("there is not one row and one column a system"));
    }
    if pairs.cells.iter().flatten().flatten().any(|cell| !cell.p.is_finite() || !cell.difference.is_finite()) {
        return Err(malformed("a p-value or difference is not finite"));
    }
    let mut figure = Figure {
        id: pairs.id.clone(),
        title: pairs.title.clone(),
        notes: pairs.notes.clone(),
        shows_pairs: true,
        svg: String::new(),
        csv: String::new(),
    };
    figure.csv = pairs_csv(pairs, &figure);
    let square = pixels(count, side(count));
    let names = Names::fitted(&pairs.systems, FIT);
    let size = ((names_width(&names) + square + 20).max(LEAST_WIDTH), ABOVE + square + LEGEND);
    let svg = page(&figure, size, |area| draw(pairs, &names, area))?;
    figure.svg = names.titled(svg, |system| names.shown(system).to_owned());
    Ok(figure)
}

/// The p-values as CSV, a line for each pair, after the title and the notes as comments.
fn pairs_csv(pairs: &Pairs, figure: &Figure) -> String {
    let mut out = csv::comments(&figure.title, &figure.notes);
    csv::push_record(&mut out, ["first", "second", "difference", "p"].map(str::to_owned).into_iter());
    for (row, cells) in pairs.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().skip(row + 1) {
            let names = [row, column].map(|system| csv::text_field(&pairs.systems[system]));
            let numbers = cell.map_or_else(Default::default, |cell| [cell.difference.to_string(), cell.p.to_string()]);
            csv::push_record(&mut out, names.into_iter().chain(numbers));
        }
    }
    out
}

/// Pixels of a square.
fn side(count: usize) -> u32 {
    if count <= WITH_NUMBERS {
        46
    } else if count <= MIDDLE {
        24
    } else {
        18
    }
}

fn names_width(names: &Names<'_>) -> u32 {
    pixels(names.widest(), SMALL_LINE.1 + 1) + 16 + NUMBER.unsigned_abs()
}

fn colour(cell: PairOfSystems, alpha: f64) -> RGBColor {
    let depth = [alpha, alpha / 10.0, alpha / 100.0].iter().filter(|&&level| cell.p < level).count();
    match depth {
        0 => ALIKE,
        depth if cell.difference >= 0.0 => BETTER[depth - 1],
        depth => WORSE[depth - 1],
    }
}

fn draw(pairs: &Pairs, names: &Names<'_>, area: &Area<'_>) -> Drawn {
    let count = pairs.systems.len();
    let (left, side) = (pixel(names_width(names)), pixel(side(count)));
    let style = |h: HPos, size: i32| (FONT, size).into_font().color(&TEXT).pos(Pos::new(h, VPos::Center));
    let (numbered, small) = (style(HPos::Center, if side < 24 { 11 } else { 13 }), style(HPos::Center, 13));
    let corner = |system: usize| pixel(pixels(system, 1)) * side;
    for row in 0..count {
        let (x, y) = (left + corner(row) + side / 2, pixel(ABOVE) + corner(row) + side / 2);
        area.draw_text(&(row + 1).to_string(), &numbered, (x, pixel(ABOVE) / 2))?;
        area.draw_text(&(row + 1).to_string(), &numbered, (left - NUMBER / 2, y))?;
        area.draw_text(names.shown(row), &style(HPos::Right, SMALL), (left - NUMBER, y))?;
        for (column, cell) in pairs.cells[row].iter().enumerate() {
            let Some(cell) = *cell else { continue };
            let (x, y) = (left + corner(column), pixel(ABOVE) + corner(row));
            let corners = [(x, y), (x + side, y + side)];
            area.draw(&Rectangle::new(corners, colour(cell, pairs.alpha).filled()))?;
            area.draw(&Rectangle::new(corners, FRAME))?;
            if count <= WITH_NUMBERS {
                let dark = [BETTER[2], WORSE[2]].contains(&colour(cell, pairs.alpha));
                let ink = small.color(if dark { &FRAME } else { &TEXT });
                area.draw_text(&p_in_short(cell.p, pairs.alpha), &ink, (x + side / 2, y + side / 2))?;
            }
        }
    }
    legend(pairs, pixel(ABOVE) + corner(count) + 18, area)
}

/// Draws the meanings of the colours.
fn legend(pairs: &Pairs, top: i32, area: &Area<'_>) -> Drawn {
    let style = (FONT, SMALL).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
    let levels = [1.0, 10.0, 100.0].map(|by| format!("p < {}", pairs.alpha / by));
    for (row, (colours, what)) in [(BETTER, "row better"), (WORSE, "column better")].into_iter().enumerate() {
        let y = top + pixel(LEGEND_LINE) * row as i32;
        area.draw_text(what, &style, (16, y + 8))?;
        for (place, (colour, level)) in colours.iter().zip(&levels).enumerate() {
            let x = 140 + 150 * place as i32;
            area.draw(&Rectangle::new([(x, y), (x + 26, y + 16)], colour.filled()))?;
            area.draw_text(level, &style, (x + 34, y + 8))?;
        }
    }
    let y = top + 2 * pixel(LEGEND_LINE);
    area.draw_text("not told apart", &style, (16, y + 8))?;
    area.draw(&Rectangle::new([(140, y), (166, y + 16)], ALIKE.filled()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Pairs {
        let cell = |difference, p| Some(PairOfSystems { difference, p });
        Pairs {
            id: "p".to_owned(),
            title: "p-values".to_owned(),
            systems: ["a", "b", "c"].map(str::to_owned).to_vec(),
            cells: vec![
                vec![None, cell(0.2, 0.0004), cell(0.1, 0.2)],
                vec![cell(-0.2, 0.0004), None, None],
                vec![cell(-0.1, 0.2), None, None],
            ],
            alpha: 0.05,
            notes: Vec::new(),
        }
    }

    #[test]
    fn each_pair_stands_once_in_the_csv_and_twice_in_the_drawing() {
        let figure = pairs_figure(&sample()).unwrap();
        assert_eq!(figure.csv, "# p-values\nfirst,second,difference,p\na,b,0.2,0.0004\na,c,0.1,0.2\nb,c,,\n");
        // p = .0004 is below .05 / 100 for the row a and the column a.
        let count = |colour: RGBColor| {
            let RGBColor(r, g, b) = colour;
            figure.svg.matches(&format!("#{r:02X}{g:02X}{b:02X}")).count()
        };
        // And one of each in the legend.
        assert_eq!((count(BETTER[2]), count(WORSE[2]), count(BETTER[0])), (2, 2, 1));
        assert_eq!(figure.svg.matches("&lt; .001").count(), 2);
    }

    #[test]
    fn levels_are_below_not_at() {
        let of = |p| colour(PairOfSystems { difference: -1.0, p }, 0.05);
        assert_eq!([of(0.05), of(0.049), of(0.0049)], [ALIKE, WORSE[0], WORSE[1]]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut short = sample();
        short.cells[1].pop();
        assert!(pairs_figure(&short).unwrap_err().to_string().contains("one row and one column"));
        let mut wrong = sample();
        wrong.cells[0][1] = Some(PairOfSystems { difference: f64::NAN, p: 0.5 });
        assert!(pairs_figure(&wrong).unwrap_err().to_string().contains("not finite"));
    }
}
