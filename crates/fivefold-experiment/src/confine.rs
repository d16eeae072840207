//! What a `command` can reach: its own folder, programs and the system to read, and what the experiment allows. Never data, cache or
//! results, be they below such a place: then what stands beside them is allowed, one by one.
//!
//! Kept by the kernel (Landlock, Linux 5.13) for the program and all that it starts, and set by the process that guards it
//! ([`crate::worker`]) before it starts. What a kernel, or the experiment, does not keep it from is its *freedom*: through each of these
//! it could come by test grades, or alter what others wrote. It stands in the job's record, and every table says so. A result made
//! with a freedom that the job would not have now is done again.
//!
//! Not kept: what needs no opening of a file (sizes and times of files, permissions), UDP, shared memory of System V, and sockets of
//! other programs that have a path (before Linux 7.1).

#[cfg(target_os = "linux")]
mod kernel;
mod places;
mod programs;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::worker::Worker;
use fivefold_results::config::{CommandLine, ConfigError, Method};
use fivefold_results::freedom::Freedom;
use fivefold_results::store::Store;
use places::{Kept, beside};
pub(crate) use programs::OF_USER;

/// What this system cannot keep a program from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacks(Vec<Freedom>);

impl Lacks {
    /// As the kernel says.
    pub fn of_this_system() -> Self {
        #[cfg(target_os = "linux")]
        return Lacks(kernel::lacks());
        #[cfg(not(target_os = "linux"))]
        Lacks::all()
    }

    /// What a run with this worker cannot keep a program from: without one, there is nobody to confine it.
    pub(crate) fn of(worker: Option<&Worker>) -> Self {
        worker.map_or_else(Lacks::all, Worker::lacks)
    }

    /// Those of a system that confines nothing.
    pub fn all() -> Self {
        Lacks(Freedom::UNKEPT.to_vec())
    }

    /// What a command is free to do on this system.
    pub(crate) fn free(&self, command: &CommandLine) -> Vec<Freedom> {
        if !command.confine {
            return Freedom::UNKEPT.to_vec();
        }
        let allowed = [(Freedom::Network, command.network), (Freedom::Shared, !command.write.is_empty())];
        let allowed = allowed.into_iter().filter(|(_, allowed)| *allowed).map(|(freedom, _)| freedom);
        self.0.iter().copied().chain(allowed).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// All that a program reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Walls {
    /// What it reads and executes.
    pub read: Vec<PathBuf>,
    /// What it may also write.
    pub write: Vec<PathBuf>,
    pub network: bool,
}

/// How the commands of a run are confined.
pub(crate) struct Confinement {
    /// One for each ranker; `None`: it is no command, or not confined at all.
    walls: Vec<Option<Walls>>,
}

impl Confinement {
    /// That of a run without commands.
    pub(crate) fn none() -> Self {
        Confinement { walls: Vec::new() }
    }

    /// Judges all that the experiment allows to its commands; `results`: where the results folder will be.
    ///
    /// # Errors
    /// A path that is not there, or that holds or lies in data, cache or results.
    pub(crate) fn check(plan: &Plan<'_>, results: Option<&Store>, lacks: &Lacks) -> Result<Self, ConfigError> {
        let kept = Kept::of(plan, results);
        let experiment = plan.experiment;
        let of_ranker = |(index, config): (usize, &fivefold_results::config::RankerConfig)| {
            let Method::Command(command) = &config.method else { return Ok(None) };
            if !command.confine {
                return Ok(None);
            }
            let refused =
                |message: String| experiment.ranker_error(index, &format!("ranker {} {message}", config.label));
            let mut walls = Walls { network: command.network, ..Walls::default() };
            for (given, to) in [(&command.read, &mut walls.read), (&command.write, &mut walls.write)] {
                for path in given {
                    to.push(kept.allow(&plan.find(path), path).map_err(refused)?);
                }
            }
            if lacks.0.contains(&Freedom::Files) || !plan.jobs.iter().any(|job| job.ranker == index) {
                return Ok(None);
            }
            let needed = programs::of_command(command, |file| plan.find(file));
            for program in &needed.own {
                kept.apart(program).map_err(|reason| {
                    refused(format!("needs {}, which {reason}; move it, or write `confine = false`", program.display()))
                })?;
            }
            let paths: BTreeSet<PathBuf> = needed.own.into_iter().chain(needed.others).collect();
            walls.read.extend(beside(&paths, &kept.paths()));
            walls.write.extend(programs::DEVICES.iter().map(PathBuf::from));
            Ok(Some(walls))
        };
        let walls = experiment.rankers.iter().enumerate().map(of_ranker).collect::<Result<_, _>>()?;
        Ok(Confinement { walls })
    }

    /// What a command of this ranker reaches beside its folder; `None`: all that its user may.
    pub(crate) fn walls(&self, ranker: usize) -> Option<&Walls> {
        self.walls.get(ranker)?.as_ref()
    }
}

/// Confines this thread, and all that it starts from now on, to `walls` and a folder.
///
/// # Errors
/// If the system does not.
pub(crate) fn confine(walls: &Walls, folder: &std::path::Path) -> Result<(), String> {
    #[cfg(target_os = "linux")]
    return kernel::confine(walls, folder);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (walls, folder);
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
