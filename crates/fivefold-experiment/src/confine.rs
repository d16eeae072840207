//! Confines a `command` to some places. A command may read its own folder, programs and the system,
//! and the paths that the experiment allows. A confined command never reaches data, cache or
//! results. If an allowed folder holds data, cache or results, its other entries are allowed in its
//! place.
//!
//! The kernel confines the program and all processes that it starts (Landlock, Linux 5.13). The
//! guard of the program ([`crate::worker`]) sets the confinement before the program starts.
//!
//! Some access may stay open, because of the kernel or of the experiment. A gap is called
//! a *freedom*. Through a freedom a program could read test grades or alter the files of other
//! programs. Freedoms are in the job's record and under every table. If a result was made with a
//! freedom that the job would not have now, the job is done again.
//!
//! Not confined: facts about files that need no opening (sizes, times, permissions), UDP, shared
//! memory of System V, and sockets of other programs that have a path (before Linux 7.1).

#[cfg(target_os = "linux")]
mod landlock;
mod places;
mod programs;
pub(crate) mod reach;

use std::collections::BTreeSet;
use std::path::PathBuf;

use fivefold_results::config::{ConfigError, ScoreSource};
use fivefold_results::freedom::Freedom;
use fivefold_results::store::Store;

use crate::plan::Plan;
use places::{Kept, beside};
pub(crate) use programs::OF_USER;
use reach::{Lacks, Reach};

/// How the commands of a run are confined.
pub(crate) struct Confinement {
    /// The places that each ranker reaches. `None` if the ranker is no command, or is not confined
    /// at all.
    reach: Vec<Option<Reach>>,
}

impl Confinement {
    /// The confinement of a run without commands.
    pub(crate) fn none() -> Self {
        Confinement { reach: Vec::new() }
    }

    /// Checks the paths that the experiment allows to its commands. `results` is the future results
    /// folder.
    ///
    /// # Errors
    /// If a path does not exist, or if it holds or is inside data, cache or results.
    pub(crate) fn check(plan: &Plan<'_>, results: Option<&Store>, lacks: &Lacks) -> Result<Self, ConfigError> {
        let kept = Kept::of(plan, results);
        let experiment = plan.experiment;
        let of_ranker = |(index, config): (usize, &fivefold_results::config::RankerConfig)| {
            let ScoreSource::Command(command) = &config.source else { return Ok(None) };
            if !command.confine {
                return Ok(None);
            }
            let refused =
                |message: String| experiment.ranker_error(index, &format!("ranker {} {message}", config.label));
            let mut reach = Reach { network: command.network, ..Reach::default() };
            for (given, to) in [(&command.read, &mut reach.read), (&command.write, &mut reach.write)] {
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
            reach.read.extend(beside(&paths, &kept.paths()));
            reach.write.extend(programs::DEVICES.iter().map(PathBuf::from));
            Ok(Some(reach))
        };
        let reach = experiment.rankers.iter().enumerate().map(of_ranker).collect::<Result<_, _>>()?;
        Ok(Confinement { reach })
    }

    /// The places that a command of this ranker reaches beside its folder. `None` if the command is
    /// not confined.
    pub(crate) fn reach(&self, ranker: usize) -> Option<&Reach> {
        self.reach.get(ranker)?.as_ref()
    }
}
