//! Words that were renamed: keys of settings, parameters, kinds, commands. The old word keeps
//! working.
//!
//! Each layer has one list of its renamed words. The layer replaces old words in its input before
//! it reads the input.

/// A word that was renamed.
///
/// ```
/// use fivefold_base::renamed::{Renamed, new_name};
/// const RENAMED: &[Renamed] = &[Renamed::new("profile", "dialect")];
/// assert_eq!(new_name(RENAMED, "profile"), "dialect");
/// assert_eq!(new_name(RENAMED, "seed"), "seed");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renamed {
    /// The word until now.
    pub old: &'static str,
    /// The word from now on.
    pub new: &'static str,
}

impl Renamed {
    /// A renaming: `old` is now called `new`.
    pub const fn new(old: &'static str, new: &'static str) -> Self {
        Renamed { old, new }
    }

    /// The note for a user who wrote the old word.
    ///
    /// ```
    /// let renamed = fivefold_base::renamed::Renamed::new("profile", "dialect");
    /// assert_eq!(renamed.note(), "`profile` is now called `dialect`; the old word still works");
    /// ```
    pub fn note(&self) -> String {
        format!("`{}` is now called `{}`; the old word still works", self.old, self.new)
    }
}

/// The entry whose old name is `word`.
pub fn find<'r>(renamed: &'r [Renamed], word: &str) -> Option<&'r Renamed> {
    renamed.iter().find(|renamed| renamed.old == word)
}

/// Returns the new name of an old word, and any other word as it is.
pub fn new_name<'w>(renamed: &[Renamed], word: &'w str) -> &'w str {
    find(renamed, word).map_or(word, |renamed| renamed.new)
}
