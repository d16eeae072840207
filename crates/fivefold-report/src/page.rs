//! The common parts of all figures: a title above the drawing, a description of it, fonts, greys and
//! axes.
//!
//! Text stays text and coordinates are whole pixels, so the bytes are the same on every machine.

use fivefold_base::words::wrapped;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::ReportError;
use crate::figure::Figure;
use crate::names::escape;

/// A part of the page for a drawing.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The result of a drawing function.
pub(crate) type Drawn = Result<(), Box<dyn std::error::Error>>;

pub(crate) const TEXT: RGBColor = RGBColor(34, 34, 34);
pub(crate) const GRID: RGBColor = RGBColor(224, 224, 224);
pub(crate) const FONT: &str = "sans-serif";
/// Size of small print: tick labels, notes, legends.
pub(crate) const SMALL: i32 = 15;

const MARGIN: u32 = 16;
/// Pixels from line to line of a title, and average pixels of a character, rounded up.
const TITLE_LINE: (u32, u32) = (26, 12);
/// Pixels from line to line of small print, and average pixels of a character, rounded up.
pub(crate) const SMALL_LINE: (u32, u32) = (17, 7);

/// The SVG of a figure. The drawing has the size `body` in pixels (width, height).
pub(crate) fn page(
    figure: &Figure,
    body: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    let malformed = |message| ReportError::Malformed { id: figure.id.clone(), message };
    draw_page(figure, body, draw, &mut svg).map_err(|error| malformed(error.to_string()))?;
    let (start, drawing) = svg.split_once('\n').ok_or_else(|| malformed("the drawing is empty".to_owned()))?;
    Ok(format!("{start}\n{}{drawing}", description(figure)))
}

/// Title and notes as text that programs read and that nobody sees: a paper has them in its caption.
fn description(figure: &Figure) -> String {
    let notes: String = figure.notes.iter().map(|note| format!("\n{}", escape(note))).collect();
    format!("<title>{}</title>\n<desc>{notes}\n</desc>\n", escape(&figure.title))
}

fn draw_page(
    figure: &Figure,
    (width, body_height): (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Drawn,
    out: &mut String,
) -> Drawn {
    let title = fitted([&figure.title], width, TITLE_LINE.1);
    let title_height = pixels(title.len(), TITLE_LINE.0) + MARGIN;
    let height = title_height + body_height;

    let root = SVGBackend::with_string(out, (width, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(title_height);
    let centred = Pos::new(HPos::Center, VPos::Top);
    let style = (FONT, 22).into_font().style(FontStyle::Bold).color(&TEXT).pos(centred);
    for (line, y) in title.iter().zip((MARGIN..).step_by(TITLE_LINE.0 as usize)) {
        head.draw_text(line, &style, (pixel(width / 2), pixel(y)))?;
    }
    draw(&body)?;
    root.present()?;
    Ok(())
}

/// The common style of axes and grid.
pub(crate) fn style_mesh<'a, 'b, X, Y, DB>(mesh: &mut MeshStyle<'a, 'b, X, Y, DB>)
where
    X: Ranged,
    Y: Ranged,
    DB: DrawingBackend,
{
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(TEXT)
        .axis_desc_style((FONT, 17).into_font().color(&TEXT))
        .label_style((FONT, SMALL).into_font().color(&TEXT));
}

/// `count` times `each` pixels.
pub(crate) fn pixels(count: usize, each: u32) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(each)
}

/// A size as a coordinate.
pub(crate) fn pixel(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Wraps texts into lines that fit into a figure of `width` pixels.
fn fitted<'a>(texts: impl IntoIterator<Item = &'a String>, width: u32, character: u32) -> Vec<String> {
    let characters = (width.saturating_sub(2 * MARGIN) / character).try_into().unwrap_or(u16::MAX);
    texts.into_iter().flat_map(|text| wrapped(text, "", characters)).collect()
}
