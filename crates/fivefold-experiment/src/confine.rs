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

mod places;
mod programs;

use std::collections::BTreeSet;
use std::path::PathBuf;

use fivefold_results::config::{ConfigError, Method};
use fivefold_results::freedom::Freedom;
use fivefold_results::store::Store;

use crate::plan::Plan;
use crate::walls::{Lacks, Walls};
use places::{Kept, beside};
pub(crate) use programs::OF_USER;

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
