//! The overview as text: means in a table, differences to the best drawn beside it where the line
//! has room.

use fivefold_analysis::compared::PairedDifference;
use fivefold_base::rounding::ROUNDING;
use fivefold_base::words::{counted, list, wrapped};

use super::matrix::{Row, ScoreCell, ScoreMatrix, Standing, span};
use super::{MeasureAgreement, Overview, without_nought};
use crate::terminal::{BOLD, DIM, RESET, Style};

/// Rows of a data set at most.
const ROWS: usize = 8;
/// The width of the column of names, at least.
const NAMES: usize = 6;
/// Columns of text of the drawn differences, at least and at most; below [`WIDE`] there are none.
const PLOT: (usize, usize) = (14, 40);
const WIDE: usize = 80;
/// Columns of text that a measure's mean takes with its mark and a blank.
const GAP: usize = 2;

/// What the UE versions are, in a sentence.
const VERSIONS: &str = "V1 = A/U x A/(A+E), V2 = (A-E)/(U-E); A value, U upper bound, E random order";

/// The overview in a style.
pub(super) fn text(overview: &Overview, style: Style) -> String {
    let width = usize::from(style.width).saturating_sub(1).max(20);
    let mut lines: Vec<String> = Vec::new();
    for warning in overview.stamps.iter().chain(&overview.warnings) {
        lines.extend(wrapped_at(warning, "! ", "  ", width));
    }
    for finding in &overview.short_findings {
        lines.extend(wrapped_at(finding, "• ", "  ", width));
    }
    let blocks: Vec<Block<'_>> = overview.matrices.iter().map(|own| Block::new(own, &overview.noun, width)).collect();
    for block in &blocks {
        lines.push(String::new());
        lines.extend(block.lines(style.color));
    }
    let agreements = of_agreements(&overview.agreements, width);
    if !agreements.is_empty() {
        lines.push(String::new());
        lines.extend(agreements);
    }
    lines.push(String::new());
    lines.extend(wrapped_at(&legend(overview, &blocks), "", "  ", width));
    if overview.has_versions {
        lines.extend(wrapped_at(VERSIONS, "", "  ", width));
    }
    lines.extend(wrapped_at(&overview.short_rules().join("; "), "", "  ", width));
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A text in lines of `width`: `first` begins the first one, `rest` the others.
fn wrapped_at(text: &str, first: &str, rest: &str, width: usize) -> Vec<String> {
    let room = u16::try_from(width.saturating_sub(rest.chars().count()).max(10)).unwrap_or(u16::MAX);
    let lines = wrapped(text, "", room);
    lines.iter().enumerate().map(|(i, line)| format!("{}{line}", if i == 0 { first } else { rest })).collect()
}

/// The columns of a matrix that a line has room for.
struct Layout {
    names: usize,
    /// Width of each column of means.
    cells: Vec<usize>,
    /// Columns shown.
    shown: usize,
    groups: usize,
    /// Width of the drawn differences; 0: none.
    plot: usize,
}

impl Layout {
    fn new(matrix: &ScoreMatrix, rows: &[Row], names: usize, width: usize) -> Layout {
        let cells: Vec<usize> = (0..matrix.columns.len())
            .map(|column| {
                let means = rows.iter().map(|row| mean(&row.cells[column]).chars().count()).max().unwrap_or(0);
                (means + 1).max(matrix.columns[column].name.short.chars().count()) + 1
            })
            .collect();
        let mut used = names + GAP;
        let shown = cells.iter().take_while(|&&cell| {
            used += cell;
            used <= width + 1
        });
        let shown = shown.count().max(1);
        let used = names + GAP + cells[..shown].iter().sum::<usize>();
        let bars = rows.iter().flat_map(|row| row.groups.iter()).max().map_or(0, |most| most + 1);
        let groups = if bars > 0 { bars.max("groups".len()) + 1 } else { 0 };
        let left = width.saturating_sub(used + groups);
        let plot = if width + 1 >= WIDE && left >= PLOT.0 && rows.len() > 1 { left.min(PLOT.1) } else { 0 };
        let fits = used + groups <= width;
        Layout { names, cells, shown, groups: if fits { groups } else { 0 }, plot }
    }
}

/// A data set's table.
struct Block<'o> {
    matrix: &'o ScoreMatrix,
    /// The rows that are shown.
    rows: &'o [Row],
    noun: &'o str,
    width: usize,
    layout: Layout,
}

impl<'o> Block<'o> {
    fn new(matrix: &'o ScoreMatrix, noun: &'o str, width: usize) -> Self {
        let rows = &matrix.rows[..matrix.rows.len().min(ROWS)];
        let widest = rows.iter().map(|row| row.short.chars().count()).max().unwrap_or(0);
        let layout = Layout::new(matrix, rows, widest.max(noun.len()).max(NAMES), width);
        Block { matrix, rows, noun, width, layout }
    }

    fn lines(&self, color: bool) -> Vec<String> {
        let Block { matrix, rows, noun, width, layout } = self;
        let differences = &matrix.differences()[..rows.len()];
        let scale = Scale::of(differences, layout.plot);
        let mut lines = vec![self.title(color), self.head(scale.as_ref())];
        let drawn = differences.iter().map(|difference| (scale.as_ref(), *difference));
        lines.extend(rows.iter().zip(drawn).map(|(row, drawn)| line(row, drawn, layout, color)));
        let left = matrix.rows.len() - rows.len() + matrix.left_out;
        if left > 0 {
            lines.push(format!("{left} more {noun}{}", if left == 1 { "" } else { "s" }));
        }
        if layout.shown < matrix.columns.len() {
            let more = &matrix.columns[layout.shown..];
            let more: Vec<&str> = more.iter().map(|column| column.name.whole.as_str()).collect();
            lines.extend(wrapped_at(&format!("no room here for {}", list(&more)), "", "  ", *width));
        }
        lines
    }

    /// The data set, a rule as wide as the line, and above the drawn differences what they are.
    fn title(&self, color: bool) -> String {
        let (on, off) = if color { (BOLD, RESET) } else { ("", "") };
        let queries = counted(self.matrix.queries, "query");
        let title = match self.matrix.dataset.as_str() {
            "" => queries,
            name => format!("{name}, {queries}"),
        };
        let best = self.rows.first().filter(|_| self.layout.plot > 0);
        let what = best.map(|best| format!(" {}: difference to {}", self.matrix.columns[0].name.whole, best.short));
        let what = what.unwrap_or_default();
        let room = self.width.saturating_sub(title.chars().count() + what.chars().count() + 1);
        format!("{on}{title}{off} {}{what}", "─".repeat(room))
    }

    fn head(&self, scale: Option<&Scale>) -> String {
        let Layout { names, cells, shown, groups, .. } = &self.layout;
        let mut head = pad(self.noun, names + GAP);
        for (column, &cell) in self.matrix.columns.iter().zip(cells).take(*shown) {
            head += &pad(&column.name.short, cell);
        }
        head += &pad(if *groups > 0 { "groups" } else { "" }, *groups);
        head + &scale.map(Scale::head).unwrap_or_default()
    }
}

fn line(
    row: &Row,
    (scale, difference): (Option<&Scale>, Option<PairedDifference>),
    layout: &Layout,
    color: bool,
) -> String {
    let mut line = pad(&row.short, layout.names + GAP);
    for (cell, &width) in row.cells.iter().zip(&layout.cells).take(layout.shown) {
        let mark = match cell.standing {
            Standing::Best => "*",
            Standing::NotToldApart => "=",
            Standing::Worse => "",
            Standing::Untested => "?",
        };
        let text = pad(&format!("{}{mark}", mean(cell)), width);
        let attribute = match cell.standing {
            Standing::Best => BOLD,
            Standing::Worse => DIM,
            Standing::NotToldApart | Standing::Untested => "",
        };
        line += &if color && !attribute.is_empty() { format!("{attribute}{text}{RESET}") } else { text };
    }
    if layout.groups > 0 {
        let most = row.groups.iter().max().map_or(0, |most| most + 1);
        let bars: String = (0..most).map(|group| if row.groups.contains(&group) { '│' } else { ' ' }).collect();
        line += &pad(&format!(" {bars}"), layout.groups);
    }
    line + &scale.map(|scale| scale.draw(difference, row.cells[0].standing)).unwrap_or_default()
}

/// A mean with four decimals, without a nought before the point.
fn mean(cell: &ScoreCell) -> String {
    let Some(mean) = cell.mean else { return "n/a".to_owned() };
    without_nought(&format!("{mean:.4}"))
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

fn cut(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// From differences to columns of text.
struct Scale {
    low: f64,
    high: f64,
    width: usize,
}

impl Scale {
    /// `None` where there is no room, or no difference.
    fn of(differences: &[Option<PairedDifference>], width: usize) -> Option<Scale> {
        let (low, high) = span(differences.iter().flatten().copied());
        (width > 0 && low < high).then_some(Scale { low, high, width })
    }

    fn place(&self, value: f64) -> usize {
        let share = (value - self.low) / (self.high - self.low);
        (share * (self.width - 1) as f64).round().clamp(0.0, (self.width - 1) as f64) as usize
    }

    /// The lowest value at the left, 0 where it lies.
    fn head(&self) -> String {
        let low = without_nought(&format!("{:.2}", self.low));
        let zero = self.place(0.0);
        let gap = zero.saturating_sub(low.chars().count());
        if gap == 0 { pad("", zero) + "0" } else { format!("{low}{}0", " ".repeat(gap)) }
    }

    fn draw(&self, difference: Option<PairedDifference>, standing: Standing) -> String {
        let mut drawn = vec![' '; self.width];
        match (difference, standing) {
            (Some(difference), _) => {
                if let Some((low, high)) = difference.ends {
                    drawn[self.place(low)..=self.place(high)].fill('─');
                }
                drawn[self.place(difference.mean)] = if standing == Standing::Worse { '●' } else { '○' };
            }
            (None, Standing::Best) => drawn[self.place(0.0)] = '◆',
            (None, _) => {}
        }
        drawn.into_iter().collect()
    }
}

/// What the marks mean, of those that are there.
fn legend(overview: &Overview, blocks: &[Block<'_>]) -> String {
    let cells = || blocks.iter().flat_map(|block| block.rows).flat_map(|row| &row.cells);
    let has = |wanted: Standing| cells().any(|cell| cell.standing == wanted);
    // The drawn differences, each with its standing under the first measure.
    let drawn = || {
        let plots = blocks.iter().filter(|block| block.layout.plot > 0);
        let rows = plots.flat_map(|block| block.rows.iter().zip(block.matrix.differences()));
        rows.filter_map(|(row, difference)| Some((row.cells[0].standing, (*difference)?)))
    };
    let plotted = [
        (drawn().any(|(standing, _)| standing == Standing::Worse), "● worse"),
        (drawn().any(|(standing, _)| standing != Standing::Worse), "○ not told apart"),
        (drawn().any(|(_, difference)| difference.ends.is_some()), "─ interval"),
    ];
    let plotted: Vec<&str> = plotted.into_iter().filter(|(holds, _)| *holds).map(|(_, part)| part).collect();
    let plotted = plotted.join(", ");
    let groups = format!("│ joins {}s not told apart", overview.noun);
    let parts = [
        (true, "* best"),
        (has(Standing::NotToldApart), "= not told apart from the best"),
        (has(Standing::Worse), "unmarked: significantly worse"),
        (has(Standing::Untested), "? not tested against the best"),
        (blocks.iter().any(|block| block.layout.groups > 0), &groups),
        (!plotted.is_empty(), &plotted),
    ];
    parts.iter().filter(|(holds, _)| *holds).map(|(_, part)| *part).collect::<Vec<_>>().join("; ")
}

/// Matrices of agreement, side by side where there is room.
fn of_agreements(agreements: &[MeasureAgreement], width: usize) -> Vec<String> {
    let Some(first) = agreements.first() else { return Vec::new() };
    let mut lines = wrapped_at(
        &format!("tau of the orders (above the diagonal), conflicting pairs of {} (below)", first.pairs),
        "",
        "  ",
        width,
    );
    let drawn: Vec<Vec<String>> = agreements.iter().map(of_agreement).collect();
    let width_of = |block: &Vec<String>| block.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut rest = drawn.as_slice();
    while let Some((block, others)) = rest.split_first() {
        let mut beside = vec![block];
        let mut used = width_of(block);
        for other in others {
            used += 4 + width_of(other);
            if used > width || other.len() != block.len() {
                break;
            }
            beside.push(other);
        }
        for line in 0..block.len() {
            let cells: Vec<String> = beside.iter().map(|block| pad(&block[line], width_of(block))).collect();
            lines.push(cells.join("    "));
        }
        rest = &rest[beside.len()..];
    }
    lines
}

fn of_agreement(agreement: &MeasureAgreement) -> Vec<String> {
    let names = agreement.measures.iter().map(|measure| measure.whole.chars().count()).max().unwrap_or(0);
    let short: Vec<String> = agreement.measures.iter().map(|measure| cut(&measure.short, 7)).collect();
    let widths: Vec<usize> = short.iter().map(|name| name.chars().count().max(4) + 1).collect();
    let right = |text: &str, width: usize| format!("{}{text}", " ".repeat(width.saturating_sub(text.chars().count())));
    let dataset = Some(&agreement.dataset).filter(|name| !name.is_empty());
    let mut lines: Vec<String> = dataset.map(|name| format!("{} {name}", pad("", names))).into_iter().collect();
    lines
        .push(pad("", names) + &short.iter().zip(&widths).map(|(name, &width)| right(name, width)).collect::<String>());
    for (row, measure) in agreement.measures.iter().enumerate() {
        let cells = (0..short.len()).map(|column| {
            let text = match column.cmp(&row) {
                std::cmp::Ordering::Equal => "·".to_owned(),
                std::cmp::Ordering::Less => agreement.conflicts[row][column].to_string(),
                std::cmp::Ordering::Greater => tau(agreement.taus[row][column]),
            };
            right(&text, widths[column])
        });
        lines.push(pad(&measure.whole, names) + &cells.collect::<String>());
    }
    lines
}

fn tau(tau: Option<f64>) -> String {
    match tau {
        None => "n/a".to_owned(),
        Some(tau) if tau >= 1.0 - ROUNDING => "1".to_owned(),
        Some(tau) => without_nought(&format!("{tau:.2}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn shown(width: u16, color: bool) -> String {
        let overview = Overview::new(&samples::overview(), &[]).unwrap().unwrap();
        text(&overview, Style { color, width })
    }

    #[test]
    fn golden_at_80_columns() {
        insta::assert_snapshot!(shown(80, false));
    }

    #[test]
    fn golden_at_60_columns() {
        insta::assert_snapshot!(shown(60, false));
    }

    #[test]
    fn golden_in_colour() {
        insta::assert_snapshot!(shown(100, true));
    }

    /// On a terminal of 50 lines and 80 columns, two data sets of eight methods under six measures
    /// leave room for a line above the overview and a line below. No line is wider than the terminal.
    #[test]
    fn two_data_sets_fit_a_screen_and_no_line_is_too_wide() {
        assert!(shown(80, false).lines().count() <= 48, "{}", shown(80, false));
        for width in [40, 60, 79, 80, 100, 200] {
            let widest = shown(width, false).lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest < usize::from(width), "{widest} of {width}: {}", shown(width, false));
        }
    }

    /// Where all differences are significant, no mark says that two are not told apart.
    #[test]
    fn the_legend_explains_only_marks_that_occur() {
        let explained = |shown: &str| ["●", "○", "=", "│"].map(|mark| shown.contains(&format!("{mark} ")));
        assert_eq!(explained(&shown(80, false)), [true; 4]);
        let mut data = samples::overview();
        let compared = data.datasets.iter_mut().flat_map(|own| &mut own.compared);
        compared.flat_map(|own| own.p_values.iter_mut().flatten()).for_each(|p| *p = Some(0.001));
        let told = text(&Overview::new(&data, &[]).unwrap().unwrap(), Style { color: false, width: 80 });
        let legend = told.lines().skip_while(|line| !line.starts_with("* best")).collect::<Vec<_>>().join(" ");
        let legend = legend.split("V1 = ").next().unwrap();
        assert_eq!(explained(legend), [true, false, false, false], "{legend}");
    }

    /// Sixteen characters of a long name stay apart, and are the same in the findings and the table.
    #[test]
    fn long_names_are_cut_so_that_they_stay_apart() {
        let mut data = samples::overview();
        for system in data.datasets.iter_mut().flat_map(|own| &mut own.systems) {
            *system = format!("BM25__output_v2_aug_vicuna_7b_4096_100_RANK_GPT_dl19_{system}");
        }
        let shown = |width| text(&Overview::new(&data, &[]).unwrap().unwrap(), Style { color: false, width });
        for width in [40, 60, 80] {
            let widest = shown(width).lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest < usize::from(width), "{widest} of {width}: {}", shown(width));
        }
        insta::assert_snapshot!(shown(80));
    }

    /// The drawn interval reaches the column of 0 exactly where the two are not told apart, but for
    /// the width of a column.
    #[test]
    fn intervals_are_drawn_to_scale() {
        let scale = Scale { low: -0.2, high: 0.0, width: 21 };
        assert_eq!([-0.2, -0.1, 0.0, 0.1].map(|value| scale.place(value)), [0, 10, 20, 20]);
        assert_eq!(scale.head(), "-.20                0");
        assert_eq!(Scale { low: -10.05, high: 0.0, width: 8 }.head(), "-10.05 0");
    }
}
