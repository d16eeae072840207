//! The measures of fivefold for the page of `fivefold playground`.
//!
//! The page holds this library as WebAssembly. It writes a question as JSON ([`question`]) into the
//! memory of the library, calls it ([`memory`]), and reads the answer as JSON ([`answer`]). All
//! numbers come from `fivefold-metrics`, so they are those of the program, to the bit: this
//! library only picks measures and writes JSON, and JSON holds a 64-bit number exactly.
//!
//! `page/` has the page itself, and the script `build` puts both into one file.

pub mod answer;
pub mod dialects;
pub mod list;
pub mod memory;
pub mod question;
pub mod random;
pub mod table;
pub mod ties;
