//! The built-in rankers, one file each.
