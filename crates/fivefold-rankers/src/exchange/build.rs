//! Puts a tree together from the root down.

use fivefold_trees::{Node, Tree, TreeError};

/// The place of a node or leaf: its parent node, and whether it is the left child; `None` for the
/// root.
pub(super) type Place = Option<(usize, bool)>;

/// The question of an inner node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    pub feature: u32,
    pub threshold: f32,
    pub missing_left: bool,
    pub gain: f64,
}

/// A tree in the making.
#[derive(Debug, Default)]
pub(super) struct Builder {
    nodes: Vec<Node>,
    values: Vec<f64>,
}

impl Builder {
    /// Adds an inner node and gives the places of its left and right child.
    pub fn node(&mut self, place: Place, cut: Cut) -> [Place; 2] {
        let Cut { feature, threshold, missing_left, gain } = cut;
        let number = self.nodes.len();
        self.nodes.push(Node { feature, threshold, missing_left, left: 0, right: 0, gain });
        self.hang(place, number as i32);
        [Some((number, true)), Some((number, false))]
    }

    /// Adds a leaf.
    pub fn leaf(&mut self, place: Place, value: f64) {
        self.hang(place, !(self.values.len() as i32));
        self.values.push(value);
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.values.len()
    }

    /// The tree, if every place was filled.
    pub fn finish(self) -> Result<Tree, TreeError> {
        Tree::new(&self.nodes, self.values)
    }

    fn hang(&mut self, place: Place, child: i32) {
        match place {
            Some((above, true)) => self.nodes[above].left = child,
            Some((above, false)) => self.nodes[above].right = child,
            None => {}
        }
    }
}
