//! `--cache`: the folder that keeps collections after they were read once.

use std::ffi::OsString;
use std::path::PathBuf;

use fivefold_data::Cache;
use serde::{Deserialize, Serialize};

/// The environment variable that names the folder.
const VARIABLE: &str = "FIVEFOLD_CACHE";

/// Whether and where to cache.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize)]
pub(crate) struct CacheArgs {
    /// Folder that keeps collections after their text was read once. You may remove the folder at
    /// any time [default: the environment variable FIVEFOLD_CACHE, else the user's cache folder,
    /// for more than 64 MB of text]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Read the text every time, and keep nothing
    #[arg(long)]
    no_cache: bool,
    /// When the features in the cache are checked for damage. `at-once`: when a collection is
    /// opened; a damaged cache is then replaced. `when-used`: when a job first reads them; a damaged
    /// cache then stops the job
    #[arg(long, value_name = "WHEN", default_value = "at-once", conflicts_with = "no_cache")]
    #[serde(default)]
    check_cache: WhenChecked,
}

/// When the features in the cache are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Serialize, Deserialize)]
enum WhenChecked {
    #[default]
    AtOnce,
    WhenUsed,
}

impl CacheArgs {
    /// The same choice for a process that starts in another folder, with other variables.
    pub(crate) fn absolute(&self) -> miette::Result<Self> {
        let folder = self.cache.clone().or_else(|| variable(VARIABLE).map(PathBuf::from)).filter(|_| !self.no_cache);
        let cache = folder.map(|folder| std::path::absolute(folder).map_err(crate::problem::report)).transpose()?;
        Ok(CacheArgs { cache, ..self.clone() })
    }

    /// The words of a command line that make this choice.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = match &self.cache {
            Some(folder) => vec!["--cache".into(), folder.into()],
            None if self.no_cache => vec!["--no-cache".into()],
            None => Vec::new(),
        };
        if self.check_cache == WhenChecked::WhenUsed {
            words.extend(["--check-cache".into(), "when-used".into()]);
        }
        words
    }

    /// The cache; `None` if no cache is to be used.
    pub(crate) fn cache(&self) -> Option<Cache> {
        if self.no_cache {
            return None;
        }
        let cache = match self.cache.clone().or_else(|| variable(VARIABLE).map(PathBuf::from)) {
            Some(folder) => Cache::new(folder),
            None => Cache::new(users_folder(variable)?).if_worthwhile(),
        };
        Some(match self.check_cache {
            WhenChecked::AtOnce => cache,
            WhenChecked::WhenUsed => cache.checked_when_used(),
        })
    }
}

/// The value of an environment variable that is set.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The folder of this program among the user's caches: below `XDG_CACHE_HOME`, else in the usual
/// place of the system.
fn users_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = || variable("HOME").map(PathBuf::from);
    let caches = match variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute()) {
        Some(folder) => folder,
        None if cfg!(target_os = "macos") => home()?.join("Library/Caches"),
        None => home()?.join(".cache"),
    };
    Some(caches.join("fivefold"))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        cache: CacheArgs,
    }

    #[test]
    fn the_words_make_the_same_choice() {
        for words in [vec![], vec!["--no-cache"], vec!["--cache", "/c", "--check-cache", "when-used"]] {
            let line = Line::try_parse_from(["x"].iter().chain(&words)).unwrap();
            assert_eq!(line.cache.words(), words);
            let text = serde_json::to_string(&line.cache).unwrap();
            assert_eq!(serde_json::from_str::<CacheArgs>(&text).unwrap().words(), words);
        }
        assert!(Line::try_parse_from(["x", "--no-cache", "--check-cache", "when-used"]).is_err());
        // A submission of an earlier version.
        let earlier: CacheArgs = serde_json::from_str("{\"cache\":null,\"no_cache\":false}").unwrap();
        assert_eq!(earlier.check_cache, WhenChecked::AtOnce);
    }

    #[test]
    fn the_users_folder_follows_the_xdg_rules() {
        let with = |pairs: &'static [(&str, &str)]| {
            users_folder(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value)))
        };
        assert_eq!(with(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]), Some(PathBuf::from("/c/fivefold")));
        let home = if cfg!(target_os = "macos") { "/h/Library/Caches/fivefold" } else { "/h/.cache/fivefold" };
        // The specification of `XDG_CACHE_HOME` says that a relative path must be ignored.
        assert_eq!(with(&[("XDG_CACHE_HOME", "c"), ("HOME", "/h")]), Some(PathBuf::from(home)));
        assert_eq!(with(&[]), None);
    }
}
