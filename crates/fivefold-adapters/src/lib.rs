//! Rankers from linfa and smartcore, written as an outside author would write them.
