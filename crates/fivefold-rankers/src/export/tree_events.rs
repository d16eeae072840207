//! Walks a tree from its root down without recursion, so that trees of any depth can be written.

use fivefold_trees::{Node, Tree};

/// A step of the walk.
pub(super) enum Event {
    /// A node, by its number, with its depth. Its left side, `Between`, its right side and `End`
    /// follow.
    Node(usize, Node, usize),
    /// The left side of a node is done.
    Between,
    /// A node is done.
    End,
    /// A leaf, by its number.
    Leaf(usize),
}

/// Calls `meet` for every step of the walk through `tree`.
pub(super) fn walk(tree: &Tree, mut meet: impl FnMut(Event)) {
    enum Rest {
        Child(i32, usize),
        Say(Event),
    }
    let nodes: Vec<Node> = tree.nodes().collect();
    let mut rest = vec![Rest::Child(if nodes.is_empty() { !0 } else { 0 }, 0)];
    while let Some(next) = rest.pop() {
        match next {
            Rest::Say(event) => meet(event),
            Rest::Child(child, _) if child < 0 => meet(Event::Leaf(!child as usize)),
            Rest::Child(child, depth) => {
                let node = nodes[child as usize];
                meet(Event::Node(child as usize, node, depth));
                rest.extend([
                    Rest::Say(Event::End),
                    Rest::Child(node.right, depth + 1),
                    Rest::Say(Event::Between),
                    Rest::Child(node.left, depth + 1),
                ]);
            }
        }
    }
}
