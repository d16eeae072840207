//! A *freedom* is an access that nothing kept the program of a `command` from, such as the network.
//! A line about each freedom stands under every table.

use serde::{Deserialize, Serialize};

use crate::config::{Experiment, ScoreSource};

/// The first words of every stamp.
pub const STAMP: &str = "UNCONFINED";

/// An act that a program was not kept from. By this act the program could read test grades or alter
/// results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Freedom {
    /// Read and write any file of its user.
    Files,
    /// Cut off any file of its user, without opening the file (before Linux 6.2).
    Truncation,
    /// Use the network: TCP (before Linux 6.7, or by `network`).
    Network,
    /// Write to places that other jobs of the same ranker read (by `write`).
    Shared,
}

impl Freedom {
    /// All freedoms of a program that nothing confines.
    pub const UNKEPT: [Freedom; 3] = [Freedom::Files, Freedom::Truncation, Freedom::Network];

    /// The freedom in words, after "could".
    pub fn words(self) -> &'static str {
        match self {
            Freedom::Files => "read and write all that its user may, data, other folds and results included",
            Freedom::Truncation => "cut off all files of its user",
            Freedom::Network => "use the network",
            Freedom::Shared => "write to places that its jobs share",
        }
    }
}

/// The line that stands under every table for a ranker whose program had freedoms. `None` if the
/// program had no freedom.
pub fn stamp(experiment: &Experiment, ranker: usize, free: &[Freedom]) -> Option<String> {
    let config = experiment.rankers.get(ranker)?;
    let ScoreSource::Command(command) = &config.source else { return None };
    let chosen = |freedom: Freedom| match freedom {
        _ if !command.confine => Some("`confine = false`"),
        Freedom::Network if command.network => Some("`network = true`"),
        Freedom::Shared => Some("`write`"),
        _ => None,
    };
    // A program that may open all files needs no other freedom, so only this one is named.
    let told = if free.contains(&Freedom::Files) { &[Freedom::Files][..] } else { free };
    let words = told.iter().map(|&freedom| {
        format!(
            "{} ({})",
            freedom.words(),
            chosen(freedom).unwrap_or("the operating system of the run could not confine the program")
        )
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("{STAMP}: ranker {} could {}", config.label, words.join(" and ")))
}
