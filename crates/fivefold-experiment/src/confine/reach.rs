//! The places that a confined program reaches, and the gaps of the kernel. Confines a thread by
//! Landlock.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fivefold_results::config::CommandLine;
use fivefold_results::freedom::Freedom;
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
use super::landlock;

/// The freedoms that this system cannot take from a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lacks(pub(crate) Vec<Freedom>);

impl Lacks {
    /// The gaps of the kernel of this system.
    pub(crate) fn of_this_system() -> Self {
        #[cfg(target_os = "linux")]
        return Lacks(landlock::lacks());
        #[cfg(not(target_os = "linux"))]
        Lacks::all()
    }

    /// The gaps of a system that confines nothing.
    pub(crate) fn all() -> Self {
        Lacks(Freedom::UNKEPT.to_vec())
    }

    /// The freedoms of a command on this system.
    pub(crate) fn free(&self, command: &CommandLine) -> Vec<Freedom> {
        if !command.confine {
            return Freedom::UNKEPT.to_vec();
        }
        let allowed = [(Freedom::Network, command.network), (Freedom::Shared, !command.write.is_empty())];
        let allowed = allowed.into_iter().filter(|(_, allowed)| *allowed).map(|(freedom, _)| freedom);
        self.0.iter().copied().chain(allowed).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The places that a program reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reach {
    /// Files and folders that the program reads and executes.
    pub read: Vec<PathBuf>,
    /// Files and folders that the program may also write.
    pub write: Vec<PathBuf>,
    pub network: bool,
}

/// Confines this thread, and all processes that it starts from now on, to `reach` and a folder.
///
/// # Errors
/// If the system cannot confine the thread.
pub(crate) fn confine(reach: &Reach, folder: &std::path::Path) -> Result<(), String> {
    #[cfg(target_os = "linux")]
    return landlock::confine(reach, folder);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (reach, folder);
        Err("this system cannot".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(more: &str) -> CommandLine {
        toml::from_str(&format!("argv = [\"a\", \"{{test}}\", \"{{scores}}\"]\n{more}")).unwrap()
    }

    #[test]
    fn what_is_not_kept_or_was_allowed_is_a_freedom() {
        use Freedom::{Files, Network, Shared, Truncation};
        let (whole, old) = (Lacks(Vec::new()), Lacks(vec![Truncation, Network]));
        for (more, on_whole, on_old) in [
            ("", vec![], vec![Truncation, Network]),
            ("read = [\"/a\"]", vec![], vec![Truncation, Network]),
            ("network = true", vec![Network], vec![Truncation, Network]),
            ("write = [\"/dev/shm\"]", vec![Shared], vec![Truncation, Network, Shared]),
            ("confine = false", vec![Files, Truncation, Network], vec![Files, Truncation, Network]),
        ] {
            assert_eq!((whole.free(&command(more)), old.free(&command(more))), (on_whole, on_old), "{more}");
        }
        assert_eq!(Lacks::all().free(&command("")), [Files, Truncation, Network]);
    }
}
