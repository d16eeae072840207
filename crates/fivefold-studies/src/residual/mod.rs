//! Normalised residual gain.
pub mod gain;
pub mod utility;
