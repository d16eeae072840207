//! Places the labels of points.
//!
//! Each label in turn tries eight directions at growing distances. The label takes the first place
//! that meets no other label, no mark and no edge. If no place is free, the label takes the place
//! that meets least. A thin line ties a distant label to its point. Widths of texts are estimates,
//! because they depend on the reader's fonts. Cost: the square of the number of labels.

use super::Pixel;

/// Average pixels of a letter, and pixels of a line of text.
const LETTER: f64 = 7.2;
const HEIGHT: i32 = 13;
/// Distances from a point to its label in pixels. From the second distance on, a line ties the
/// label to the point.
const DISTANCES: [i32; 6] = [8, 20, 34, 50, 70, 95];
/// Directions from a point to its label, the easiest for readers first.
const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1)];
/// The number of places along a line for its label, apart from the first place.
const STEPS: i32 = 12;
/// Half the width of the area that a mark covers.
const MARK: i32 = 5;

/// A rectangle of the drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

/// A label with its place.
#[derive(Debug, PartialEq)]
pub(super) struct Label<'a> {
    pub(super) text: &'a str,
    /// The middle of the label's left edge.
    pub(super) at: Pixel,
    /// The line that ties the label to its point.
    pub(super) leader: Option<[Pixel; 2]>,
}

impl Bounds {
    /// The area that a text covers. `left` and `middle` are the middle of the text's left edge.
    pub(super) fn of_text(text: &str, (left, middle): Pixel) -> Self {
        let top = middle - HEIGHT / 2;
        Bounds { left, top, right: left + width(text), bottom: top + HEIGHT }
    }

    fn of_mark((x, y): Pixel) -> Self {
        Bounds { left: x - MARK, top: y - MARK, right: x + MARK, bottom: y + MARK }
    }

    /// The number of pixels that both rectangles cover.
    fn shared(&self, other: &Bounds) -> i64 {
        let across = self.right.min(other.right) - self.left.max(other.left);
        let down = self.bottom.min(other.bottom) - self.top.max(other.top);
        i64::from(across.max(0)) * i64::from(down.max(0))
    }

    /// Whether a line passes through the rectangle, or so near that the line touches the text.
    fn meets(&self, [(x0, y0), (x1, y1)]: &[Pixel; 2]) -> bool {
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).max(1);
        (0..=steps).any(|step| {
            let (x, y) = (x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps);
            x >= self.left - 2 && x <= self.right + 2 && y >= self.top - 1 && y <= self.bottom + 1
        })
    }

    fn area(&self) -> i64 {
        i64::from(self.right - self.left) * i64::from(self.bottom - self.top)
    }
}

/// The width of a text.
pub(super) fn width(text: &str) -> i32 {
    (text.chars().count() as f64 * LETTER) as i32
}

/// The place along a level line for its label that meets fewest of the drawn lines. Places above
/// the line come first, from the right to the left, and then places below.
pub(super) fn along(text: &str, height: i32, drawn: &[[Pixel; 2]], plot: Bounds, gap: i32) -> Pixel {
    let (left, right) = (plot.left + gap, plot.right - width(text) - gap);
    let places = [-8, 9].into_iter().flat_map(|beside| (0..=STEPS).map(move |step| (step, beside)));
    let place = |(step, beside): (i32, i32)| (right - (right - left).max(0) * step / STEPS, height + beside);
    let met = |at: Pixel| {
        let bounds = Bounds::of_text(text, at);
        let outside = usize::from(bounds.area() > bounds.shared(&plot));
        drawn.iter().filter(|line| bounds.meets(line)).count() + outside * drawn.len()
    };
    // The first of the best.
    places.map(place).min_by_key(|&at| met(at)).unwrap_or((right, height - 8))
}

/// Returns places for labels of points, away from all `marks` and from `taken`, and inside the
/// `plot`.
pub(super) fn place<'a>(
    labels: impl Iterator<Item = (&'a str, Pixel)>,
    marks: &[Pixel],
    mut taken: Vec<Bounds>,
    plot: Bounds,
) -> Vec<Label<'a>> {
    let marks = marks.iter().map(|&mark| Bounds::of_mark(mark)).collect::<Vec<_>>();
    let mut placed = Vec::new();
    for (text, point) in labels {
        let mut best: Option<(i64, Bounds, i32)> = None;
        for distance in DISTANCES {
            for direction in DIRECTIONS {
                let bounds = beside(text, point, direction, distance);
                let outside = bounds.area() - bounds.shared(&plot);
                let met = taken.iter().chain(&marks).map(|other| bounds.shared(other)).sum::<i64>() + outside * 4;
                if best.is_none_or(|(least, ..)| met < least) {
                    best = Some((met, bounds, distance));
                }
            }
        }
        let Some((_, bounds, distance)) = best else { continue };
        let middle = (bounds.top + bounds.bottom) / 2;
        // To the nearest edge of the text.
        let end = (point.0.clamp(bounds.left - 1, bounds.right + 1), point.1.clamp(bounds.top, bounds.bottom));
        let leader = (distance > DISTANCES[0]).then_some([point, end]);
        placed.push(Label { text, at: (bounds.left, middle), leader });
        taken.push(bounds);
    }
    placed
}

/// The area that a text covers at this distance and direction from a point.
fn beside(text: &str, (x, y): Pixel, (across, down): (i32, i32), distance: i32) -> Bounds {
    let width = width(text);
    let left = match across {
        0 => x - width / 2,
        1 => x + distance,
        _ => x - distance - width,
    };
    Bounds::of_text(text, (left, y + down * (distance + HEIGHT / 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Bounds = Bounds { left: 0, top: 0, right: 600, bottom: 400 };

    fn bounds(labels: &[Label<'_>]) -> Vec<Bounds> {
        labels.iter().map(|label| Bounds::of_text(label.text, label.at)).collect()
    }

    #[test]
    fn a_lone_label_stands_to_the_right_and_inside() {
        let lone = |point| place([("abcdef", point)].into_iter(), &[point], Vec::new(), PLOT);
        assert_eq!(lone((100, 100)), [Label { text: "abcdef", at: (108, 100), leader: None }]);
        let at_the_edge = bounds(&lone((590, 100)))[0];
        assert!(at_the_edge.right < 590, "{at_the_edge:?}");
    }

    #[test]
    fn the_label_of_a_level_line_keeps_clear_of_curves() {
        let of = |drawn: &[[Pixel; 2]]| along("5 %", 200, drawn, PLOT, 8);
        let free = of(&[]);
        assert_eq!(free, (600 - width("5 %") - 8, 192));
        // A curve that runs just above the line in its right half, as swap rates do: the label goes
        // to the left.
        let curve = [[(0, 0), (300, 190)], [(300, 190), (600, 195)]];
        let moved = of(&curve);
        assert!(moved.0 < 270 && moved.1 == 192, "{moved:?}");
        // One all along it: below.
        assert_eq!(of(&[[(0, 190), (600, 194)]]).1, 209);
    }

    #[test]
    fn labels_of_a_cluster_do_not_meet() {
        let points = (0..16).map(|i| (300 + 9 * (i % 4), 200 + 9 * (i / 4))).collect::<Vec<_>>();
        let labels = place(points.iter().map(|&point| ("ranker", point)), &points, Vec::new(), PLOT);
        let bounds = bounds(&labels);
        for (index, one) in bounds.iter().enumerate() {
            assert_eq!(one.area(), one.shared(&PLOT));
            assert!(bounds[..index].iter().all(|other| one.shared(other) == 0), "{one:?}");
            assert!(points.iter().all(|&mark| one.shared(&Bounds::of_mark(mark)) == 0), "{one:?}");
        }
        assert!(labels.iter().any(|label| label.leader.is_some()));
    }
}
