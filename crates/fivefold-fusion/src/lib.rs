#![doc = include_str!("../README.md")]

mod error;
mod fusion;
mod methods;
mod normalise;
mod ranked;
mod votes;

pub use error::FusionError;
pub use fusion::Fusion;
pub use methods::{METHODS, Method, Parameter, Uses, method};
pub use normalise::{NORMALISERS, Normaliser, normaliser};
pub use ranked::{Placed, Ranked, Ties};
