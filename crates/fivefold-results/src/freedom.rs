//! What the program of a `command` was free to do beyond what it was given, and what stands under every table then.

use serde::{Deserialize, Serialize};

use crate::config::{Experiment, Method};

/// What every stamp begins with.
pub const STAMP: &str = "UNCONFINED";

/// Something that a program may do, by which it could come by test grades or alter results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Freedom {
    /// Open any file of its user.
    Files,
    /// Cut off any file of its user, without opening it (before Linux 6.2).
    Truncation,
    /// Use the network: TCP (before Linux 6.7, or by `network`).
    Network,
    /// Write where other jobs of it read (by `write`).
    Shared,
}

impl Freedom {
    /// All that nothing else is kept from.
    pub const UNKEPT: [Freedom; 3] = [Freedom::Files, Freedom::Truncation, Freedom::Network];

    /// What the program could do.
    pub fn words(self) -> &'static str {
        match self {
            Freedom::Files => "read and write all that its user may, data, other folds and results included",
            Freedom::Truncation => "cut off all files of its user",
            Freedom::Network => "use the network",
            Freedom::Shared => "write to places that its jobs share",
        }
    }
}

/// The line that stands under every table for a ranker that was free to do something; `None` if nothing.
pub fn stamp(experiment: &Experiment, ranker: usize, free: &[Freedom]) -> Option<String> {
    let config = experiment.rankers.get(ranker)?;
    let Method::Command(command) = &config.method else { return None };
    let chosen = |freedom: Freedom| match freedom {
        _ if !command.confine => Some("`confine = false`"),
        Freedom::Network if command.network => Some("`network = true`"),
        Freedom::Shared => Some("`write`"),
        _ => None,
    };
    // Whoever opens all files needs no more.
    let told = if free.contains(&Freedom::Files) { &[Freedom::Files][..] } else { free };
    let words = told.iter().map(|&freedom| {
        format!("{} ({})", freedom.words(), chosen(freedom).unwrap_or("its system could not keep it from that"))
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("{STAMP}: ranker {} could {}", config.label, words.join(" and ")))
}
