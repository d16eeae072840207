//! One file a command: its options, its help, what it does.

pub(crate) mod completions;
pub(crate) mod rankers;
