//! The cosines of a pair of texts as a figure (Fig. 8.1 of Feng's dissertation, 2023): a row for each
//! token of the candidate, a column for each token of the reference.
//!
//! A dot marks the largest cosine of a row, which P counts. A ring marks the largest cosine of a
//! column, which R counts.

use std::fmt::Write as _;

use crate::error::BertScoreError;
use crate::model::Model;
use crate::score::{Pair, Scores, Special};

/// The pixels of a cell with a number in it, and of one without.
const CELL: [usize; 2] = [40, 17];
/// With more tokens than this in a text, cells hold no numbers.
const NUMBERED: usize = 20;
/// Pixels of a character of a label.
const CHARACTER: f64 = 7.2;
/// The colours of the cosines -1, 0 and 1.
const COLOURS: [[f64; 3]; 3] = [[213.0, 94.0, 0.0], [255.0, 255.0, 255.0], [0.0, 70.0, 130.0]];

/// The figure of a pair of texts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HeatMap {
    /// The scores of the pair, without weights.
    pub scores: Scores,
    /// The figure as SVG.
    pub svg: String,
}

impl HeatMap {
    /// Draws a candidate against a reference. `title` says which texts they are.
    ///
    /// # Errors
    /// A text without tokens; a fault within the library of tensors.
    pub fn new(
        model: &Model,
        [candidate, reference]: [&str; 2],
        layer: Option<usize>,
        special: Special,
        title: &str,
    ) -> Result<Self, BertScoreError> {
        let (candidate, reference) = (model.tokens(candidate)?.ids, model.tokens(reference)?.ids);
        let [own, other] = <[_; 2]>::try_from(model.states(&[&candidate[..], &reference[..]], layer)?)
            .map_err(|_| BertScoreError::new("two texts must have two lists of states"))?;
        let all = own.cosines(&other)?;
        let pair = Pair { cosines: &all, candidate: &candidate, reference: &reference };
        let scores = pair.scores(special, None).ok_or_else(|| {
            BertScoreError::new("a heat map needs tokens in both texts").help("take another document or system")
        })?;
        let ends = usize::from(special == Special::Drop);
        let names = |ids: &[u32]| ids[ends..ids.len() - ends].iter().map(|id| model.token_name(*id)).collect();
        let rows = all.chunks(reference.len()).skip(ends).take(candidate.len() - 2 * ends);
        let figure = Figure {
            title,
            rows: names(&candidate),
            columns: names(&reference),
            cosines: rows.map(|row| row[ends..row.len() - ends].to_vec()).collect(),
            special: ends == 0,
            scores,
        };
        Ok(HeatMap { scores, svg: figure.svg() })
    }
}

struct Figure<'t> {
    title: &'t str,
    rows: Vec<String>,
    columns: Vec<String>,
    /// `[row][column]`
    cosines: Vec<Vec<f32>>,
    /// Whether the first and the last token of each text are special ones.
    special: bool,
    scores: Scores,
}

impl Figure<'_> {
    fn svg(&self) -> String {
        let numbered = self.rows.len().max(self.columns.len()) <= NUMBERED;
        let cell = CELL[usize::from(!numbered)];
        let longest = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let left = (longest(&self.rows) as f64 * CHARACTER) as usize + 44;
        // Names of columns lean to the right.
        let lean = (longest(&self.columns) as f64 * CHARACTER * 0.71) as usize + 8;
        let top = 76 + lean;
        let (wide, high) = (self.columns.len() * cell, self.rows.len() * cell);
        let width = (left + wide + lean.max(24)).max(680);
        let height = top + high + 62;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\" role=\"img\">\n<title>{title}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
             <text x=\"16\" y=\"26\" font-size=\"15\" font-weight=\"bold\">{title}</text>\n\
             <text x=\"16\" y=\"46\">{scores}</text>\n",
            title = escaped(self.title),
            scores = escaped(&format!(
                "BERTScore: P {:.3}, R {:.3}, F1 {:.3}; rows are the candidate, columns the reference",
                self.scores.p, self.scores.r, self.scores.f1
            )),
        );
        self.labels(&mut svg, (left, top), cell);
        self.cells(&mut svg, (left, top), cell, numbered);
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" fill=\"none\" stroke=\"#888\"/>"
        );
        legend(&mut svg, top + high + 20);
        svg.push_str("</svg>\n");
        svg
    }

    fn labels(&self, svg: &mut String, (left, top): (usize, usize), cell: usize) {
        let colour = |place: usize, count: usize| {
            if self.special && (place == 0 || place + 1 == count) { "#888" } else { "#222" }
        };
        for (row, name) in self.rows.iter().enumerate() {
            let y = top + row * cell + cell / 2 + 4;
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\" fill=\"{}\">{}</text>",
                left - 6,
                colour(row, self.rows.len()),
                escaped(name)
            );
        }
        for (column, name) in self.columns.iter().enumerate() {
            let (x, y) = (left + column * cell + cell / 2 + 3, top - 6);
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(-45 {x} {y})\" fill=\"{}\">{}</text>",
                colour(column, self.columns.len()),
                escaped(name)
            );
        }
    }

    fn cells(&self, svg: &mut String, (left, top): (usize, usize), cell: usize, numbered: bool) {
        let best_row: Vec<usize> = self.cosines.iter().map(|row| largest(row.iter().copied())).collect();
        let best_column: Vec<usize> =
            (0..self.columns.len()).map(|column| largest(self.cosines.iter().map(|row| row[column]))).collect();
        for (row, cosines) in self.cosines.iter().enumerate() {
            for (column, &cosine) in cosines.iter().enumerate() {
                let (x, y) = (left + column * cell, top + row * cell);
                let fill = colour(cosine);
                let _ = write!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{cell}\" height=\"{cell}\" fill=\"{fill}\" stroke=\"#eee\" \
                     stroke-width=\"0.5\"><title>{} - {}: {cosine:.3}</title></rect>",
                    escaped(&self.rows[row]),
                    escaped(&self.columns[column])
                );
                let ink = if cosine > 0.5 { "#fff" } else { "#222" };
                if numbered {
                    let _ = write!(
                        svg,
                        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\" fill=\"{ink}\">{}</text>",
                        x + cell / 2,
                        y + cell / 2 + 1,
                        short(cosine)
                    );
                }
                let (cx, cy) = (x + cell / 2, if numbered { y + cell - 9 } else { y + cell / 2 });
                if best_row[row] == column && self.counts(row, self.rows.len()) {
                    let _ = write!(svg, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"2.2\" fill=\"{ink}\"/>");
                }
                if best_column[column] == row && self.counts(column, self.columns.len()) {
                    let _ = write!(svg, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"5\" fill=\"none\" stroke=\"{ink}\"/>");
                }
                svg.push('\n');
            }
        }
    }

    /// Whether a token counts in the means: special ones do not.
    fn counts(&self, place: usize, count: usize) -> bool {
        !self.special || (place > 0 && place + 1 < count)
    }
}

/// A scale of colours, and what the marks say.
fn legend(svg: &mut String, y: usize) {
    const STEPS: usize = 40;
    for step in 0..=STEPS {
        let cosine = step as f32 * 2.0 / STEPS as f32 - 1.0;
        let _ = write!(
            svg,
            "<rect x=\"{}\" y=\"{y}\" width=\"4\" height=\"12\" fill=\"{}\"/>",
            16 + 4 * step,
            colour(cosine)
        );
    }
    let below = y + 27;
    let _ = write!(
        svg,
        "\n<rect x=\"16\" y=\"{y}\" width=\"164\" height=\"12\" fill=\"none\" stroke=\"#888\"/>\n\
         <text x=\"16\" y=\"{below}\">-1</text><text x=\"98\" y=\"{below}\" text-anchor=\"middle\">cosine 0</text>\
         <text x=\"180\" y=\"{below}\" text-anchor=\"end\">1</text>\n"
    );
    let middle = y + 6;
    let _ = writeln!(
        svg,
        "<circle cx=\"214\" cy=\"{middle}\" r=\"2.2\"/><text x=\"226\" y=\"{0}\">largest of a row: counts in P</text>\
         <circle cx=\"430\" cy=\"{middle}\" r=\"5\" fill=\"none\" stroke=\"#222\"/>\
         <text x=\"442\" y=\"{0}\">largest of a column: counts in R</text>",
        middle + 4
    );
}

/// The place of the first largest number.
fn largest(numbers: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (place, number) in numbers.enumerate() {
        if number > best.1 {
            best = (place, number);
        }
    }
    best.0
}

/// The colour of a cosine, between the two nearest colours.
fn colour(cosine: f32) -> String {
    let place = (f64::from(cosine).clamp(-1.0, 1.0) + 1.0).min(1.999_999);
    let (from, part) = (place as usize, place.fract());
    let mix = |channel: usize| COLOURS[from][channel] * (1.0 - part) + COLOURS[from + 1][channel] * part;
    format!("#{:02x}{:02x}{:02x}", mix(0).round() as u8, mix(1).round() as u8, mix(2).round() as u8)
}

/// A cosine in two digits, without the zero before the point.
fn short(cosine: f32) -> String {
    let text = format!("{cosine:.2}");
    let text = if text == "-0.00" { "0.00".to_owned() } else { text };
    text.replacen("0.", ".", 1)
}

fn escaped(text: &str) -> String {
    // Control characters are not allowed in XML, even as entities.
    let text: String = text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_numbers_by_hand() {
        assert_eq!(["#d55e00", "#ffffff", "#004682"], [colour(-1.0), colour(0.0), colour(1.0)]);
        assert_eq!(colour(0.5), "#80a3c1");
        assert_eq!([short(0.456), short(-0.25), short(-0.001), short(1.0)], [".46", "-.25", ".00", "1.00"]);
        assert_eq!(escaped("<a & \"b\"\n"), "&lt;a &amp; &quot;b&quot;?");
    }

    #[test]
    fn largest_cosines_are_marked() {
        let figure = Figure {
            title: "d1",
            rows: ["[CLS]", "a", "[SEP]"].map(str::to_owned).to_vec(),
            columns: ["[CLS]", "b", "c", "[SEP]"].map(str::to_owned).to_vec(),
            cosines: vec![vec![0.9, 0.1, 0.2, 0.3], vec![0.1, 0.8, 0.4, 0.2], vec![0.1, 0.2, 0.9, 0.9]],
            special: true,
            scores: Scores { p: 0.8, r: 0.85, f1: 0.824 },
        };
        let svg = figure.svg();
        // One token of the candidate counts, and two of the reference, each once more in the legend.
        assert_eq!((svg.matches("r=\"2.2\"").count(), svg.matches("r=\"5\"").count()), (2, 3));
        assert!(svg.contains("<title>a - b: 0.800</title>") && svg.contains("P 0.800, R 0.850, F1 0.824"));
    }
}
