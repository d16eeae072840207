//! RankLib's trees.
//!
//! ```text
//! <ensemble>
//!     <tree id="1" weight="0.1">
//!         <split>
//!             <feature> 39 </feature>
//!             <threshold> 0.75 </threshold>
//!             <split pos="left"> ... </split>       x_39 <= .75
//!             <split pos="right">
//!                 <output> 0.25 </output>
//! ```
//! Feature values, thresholds and weights are single precision. The score is the sum of weight
//! times output. The file has no gains: each cut counts as 1, so that a feature's importance is the
//! number of its cuts.
//!
//! Trees of any depth are read without recursion.

use std::fmt::Write as _;
use std::str::FromStr;

use fivefold_base::printable::shown;
use fivefold_trees::Tree;
use roxmltree::{Document, Node};

use super::{Columns, ImportError};
use crate::exchange::build::{Builder, Cut};

/// An element that we put around the ensembles; no file has an element with this name.
const WRAPPER: &str = "fivefold-ensembles";

/// The trees of each ensemble, in the order of the file. Leaf values are multiplied by the tree's
/// weight.
pub(super) fn read(text: &str, columns: Columns) -> Result<Vec<Vec<Tree>>, ImportError> {
    // A forest has several roots. Header lines become empty, so that lines keep their numbers.
    let mut xml = String::with_capacity(text.len() + 2 * WRAPPER.len() + 6);
    let _ = write!(xml, "<{WRAPPER}>");
    for line in text.lines() {
        xml.push_str(if line.trim_start().starts_with("##") { "" } else { line });
        xml.push('\n');
    }
    let _ = write!(xml, "</{WRAPPER}>");
    let document = Document::parse(&xml).map_err(|error| {
        let line = error.pos().row.min(text.lines().count().max(1) as u32);
        ImportError::new(line as usize, malformed(&error))
    })?;
    let reader = Reader { document: &document, columns };
    reader
        .children(document.root_element())?
        .into_iter()
        .map(|ensemble| {
            reader.expect(ensemble, "ensemble")?;
            reader.children(ensemble)?.into_iter().map(|tree| reader.tree(tree)).collect()
        })
        .collect()
}

/// The error in the XML, without a mention of the wrapper.
fn malformed(error: &roxmltree::Error) -> String {
    if let roxmltree::Error::UnexpectedCloseTag(open, found, _) = error {
        return match (shown(open), shown(found)) {
            (open, _) if found == WRAPPER => format!("the file ends within `<{open}>`: the file is not complete"),
            (_, found) if open == WRAPPER => format!("`</{found}>` closes nothing that was opened"),
            (open, found) => format!("`</{found}>` stands where `<{open}>` must be closed"),
        };
    }
    let text = error.to_string();
    // The error gives the place separately, so it is cut off here.
    let what = text.rsplit_once(" at ").map_or(text.as_str(), |(what, _)| what);
    format!("no well-formed XML: {what}")
}

struct Reader<'a> {
    document: &'a Document<'a>,
    columns: Columns,
}

impl<'a> Reader<'a> {
    /// An error at a node. Finding the line takes a pass over the text.
    fn error(&self, node: Node<'_, '_>, what: impl Into<String>) -> ImportError {
        ImportError::new(self.document.text_pos_at(node.range().start).row as usize, what)
    }

    fn expect(&self, node: Node<'a, 'a>, name: &str) -> Result<(), ImportError> {
        if node.has_tag_name(name) {
            return Ok(());
        }
        let found = shown(node.tag_name().name());
        Err(self.error(node, format!("expected `<{name}>`, found `<{found}>`")))
    }

    /// The elements in an element that holds elements only.
    fn children(&self, node: Node<'a, 'a>) -> Result<Vec<Node<'a, 'a>>, ImportError> {
        let text = |child: &Node<'_, '_>| child.text().is_some_and(|text| !text.trim().is_empty());
        if let Some(stray) = node.children().find(|child| child.is_text() && text(child)) {
            let what = format!("expected an element, found `{}`", shown(stray.text().unwrap_or_default().trim()));
            return Err(self.error(stray, what));
        }
        Ok(node.children().filter(Node::is_element).collect())
    }

    fn number<T: FromStr>(&self, node: Node<'a, 'a>, text: Option<&str>) -> Result<T, ImportError> {
        let text = text.unwrap_or_default().trim();
        text.parse().map_err(|_| self.error(node, format!("expected a number, found `{}`", shown(text))))
    }

    fn tree(&self, tree: Node<'a, 'a>) -> Result<Tree, ImportError> {
        self.expect(tree, "tree")?;
        let weight: f32 = self.number(tree, tree.attribute("weight"))?;
        let [root] = self.children(tree)?[..] else {
            return Err(self.error(tree, "a `<tree>` must hold one `<split>`"));
        };
        let mut builder = Builder::default();
        let mut open = vec![(None, root)];
        while let Some((place, split)) = open.pop() {
            self.expect(split, "split")?;
            match self.children(split)?[..] {
                [output] if output.has_tag_name("output") => {
                    builder.leaf(place, self.number::<f64>(output, output.text())? * f64::from(weight));
                }
                [feature, threshold, left, right] => {
                    let cut = self.cut(feature, threshold)?;
                    let places = builder.node(place, cut);
                    // The left side is read first.
                    for (place, child, side) in [(places[1], right, "right"), (places[0], left, "left")] {
                        if child.attribute("pos").is_some_and(|pos| pos != side) {
                            return Err(self.error(child, format!("the {side} `<split>` must have pos=\"{side}\"")));
                        }
                        open.push((place, child));
                    }
                }
                _ => {
                    let what = "a `<split>` must hold `<output>`, or `<feature>`, `<threshold>` and two `<split>`s";
                    return Err(self.error(split, what));
                }
            }
        }
        builder.finish().map_err(|error| self.error(tree, error.to_string()))
    }

    fn cut(&self, feature: Node<'a, 'a>, threshold: Node<'a, 'a>) -> Result<Cut, ImportError> {
        self.expect(feature, "feature")?;
        self.expect(threshold, "threshold")?;
        let id = self.number(feature, feature.text())?;
        let value: f32 = self.number(threshold, threshold.text())?;
        if !value.is_finite() {
            return Err(self.error(threshold, format!("`{value}` is no threshold of a feature")));
        }
        let feature = self.columns.feature(id).map_err(|what| self.error(feature, what))?;
        Ok(Cut { feature, threshold: value, missing_left: 0.0 <= value, gain: 1.0 })
    }
}
