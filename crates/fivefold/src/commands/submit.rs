//! `fivefold submit`: hands the jobs of an experiment to a scheduler.

use std::path::PathBuf;

use fivefold_base::words::counted;
use fivefold_core::Registry;
use fivefold_data::input;
use fivefold_experiment::run::check_plan;
use fivefold_experiment::{JobFilter, Plan};
use fivefold_results::config::TimeLimit;
use fivefold_results::manifest::FORMAT;

use crate::cluster::rounds::{Look, Prepared, State, array_scripts, collector, hand_in, hand_in_one, warm_script};
use crate::cluster::shell;
use crate::cluster::slurm::{Queue, When, check_template, limits_of};
use crate::cluster::submission::{Engine, Settings, Submission, Wishes};
use crate::cluster::table;
use crate::estimate::about;
use crate::exit::Exit;
use crate::experiment::ExperimentArgs;
use crate::outputs::ReplaceArgs;
use crate::problem::{self, Problem};
use crate::screen::{Screen, tell};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold submit my.toml --engine slurm
  fivefold submit my.toml --engine slurm --chunk 1h -- --partition=short --account=mine
  fivefold submit my.toml --engine slurm --dry-run     the scripts, and what would be handed in
  fivefold submit my.toml --engine shell               scripts for GNU parallel or another scheduler
  fivefold submit my.toml --engine hq                  a script for HyperQueue inside one allocation
  fivefold status runs/my                              how far it is

The experiment, the results, the cache and the program must lie on a file system that all nodes share. \
The results have the same bytes as those of `fivefold run`. A task whose time or memory is not enough \
is handed in again with twice as much, three times at most. A job that fails by itself stands as FAILED.")]
pub(crate) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Where the jobs run
    #[arg(long, value_enum)]
    engine: Engine,
    /// How long a task works, by estimate. A task opens the data once
    #[arg(long, value_name = "TIME", default_value = "15m")]
    chunk: TimeLimit,
    /// Threads of a task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: u16,
    /// The partition, as an option of sbatch
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// Print the scripts, and hand in nothing
    #[arg(long)]
    dry_run: bool,
    /// A script for sbatch with the placeholders {name}, {tasks}, {time}, {memory}, {threads},
    /// {output} and {command}, in place of our own
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// The folder of the submission [default: beside the results folder, with `.submission`]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceArgs,
    /// Options for sbatch. --time=TIME and --mem=SIZE replace the limits by estimate, and are doubled
    /// too if they are not enough
    #[arg(last = true, value_name = "SBATCH OPTIONS")]
    options: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let text = self.experiment.text()?;
        let claim = text.claim(self.replace);
        let experiment = text.experiment(registry)?;
        let results = self.experiment.out(&experiment.name);
        claim.judge(&results, FORMAT, &experiment.name).map_err(problem::report)?;
        let plan = Plan::new(&experiment, &JobFilter::All)?;
        check_plan(&plan)?.iter().for_each(|warning| tell(format_args!("warning: {warning}")));

        let folder = self.folder.clone().unwrap_or_else(|| Submission::beside(&results));
        let folder = std::path::absolute(folder).map_err(problem::report)?;
        let settings = Settings::new(&self.experiment, &experiment.name, self.wishes(&plan)?)?;
        if !self.dry_run {
            refuse_active(&folder)?;
        }
        let mut submission = Submission { folder, settings };
        let mut state = State::of(&submission, &plan, registry, Vec::new(), None, Look::Files)?;
        state.estimate();
        if self.dry_run {
            dry_run(&submission, &state, screen);
            return Ok(Exit::Done);
        }
        submission = Submission::make(submission.folder, submission.settings)?;
        // The folder exists before many tasks ask for it at once.
        fivefold_results::store::Store::new(&results).prepare().map_err(problem::report)?;
        claim.note(&fivefold_results::store::Store::new(&results));
        match submission.settings.engine {
            Engine::Slurm => hand_in_first(&submission, &mut state)?,
            Engine::Shell | Engine::Hq => shell::write(&submission, &mut state)?,
        }
        tell_all(&submission, &state, screen);
        Ok(Exit::Done)
    }

    fn wishes(&self, plan: &Plan<'_>) -> miette::Result<Wishes> {
        let partition = self.partition.iter().map(|name| format!("--partition={name}"));
        let template = match &self.template {
            Some(path) => {
                let text = input::read_text(path, input::MOST_SETTINGS)
                    .map_err(|error| Problem::file("read the template", path, error))?;
                check_template(path, &text)?;
                Some(text)
            }
            None => None,
        };
        let (asked, options) = limits_of(partition.chain(self.options.iter().cloned()).collect())?;
        Ok(Wishes {
            data: plan.data_bytes(),
            values: plan.value_bytes(),
            engine: self.engine,
            chunk: self.chunk.duration().as_secs_f64(),
            threads: self.threads.into(),
            options,
            asked,
            template,
        })
    }
}

/// Refuses to hand in an experiment whose tasks of an earlier submission wait or run.
fn refuse_active(folder: &std::path::Path) -> miette::Result<()> {
    let tasks: Vec<table::Task> = table::read(&folder.join("tasks.tsv"))?;
    if tasks.is_empty() {
        return Ok(());
    }
    let queue = Queue::must_answer()?;
    let active = tasks.iter().filter(|task| queue.is_active(&task.id)).count();
    if active == 0 {
        return Ok(());
    }
    let what =
        format!("the experiment is handed in already: {} of {} wait or run", counted(active, "task"), folder.display());
    Err(Problem::new(what).help("`fivefold status` shows the tasks, and `fivefold cancel` takes them back").into())
}

/// Hands in the task that reads the data, and the first round.
fn hand_in_first(submission: &Submission, state: &mut State) -> miette::Result<()> {
    let queue = Queue::default();
    let arrays = state.next(&submission.settings);
    submission.claim(1, &queue)?;
    state.note(1, &arrays);
    submission.write_rows(&state.rows)?;
    let warm = hand_in_one(submission, warm_script(submission), &When::Ended(Vec::new()), &queue)?;
    hand_in(submission, 1, &arrays, vec![warm], &queue)
}

fn dry_run(submission: &Submission, state: &State, screen: &mut Screen) {
    let arrays = state.next(&submission.settings);
    let mut prepared = array_scripts(submission, 1, &arrays);
    prepared.insert(0, warm_script(submission));
    prepared.push(collector(submission, 1));
    for Prepared { file, text, .. } in prepared {
        screen.line(format_args!("==> {file}"));
        screen.line(text);
    }
    let chunks: usize = arrays.iter().map(|array| array.chunks.len()).sum();
    screen.line(format_args!(
        "would be handed in: {} in {} for the first round; {} in all, {}",
        counted(arrays.iter().flat_map(|array| &array.chunks).map(|chunk| chunk.rows.len()).sum(), "job"),
        counted(chunks, "task"),
        counted(state.missing(), "open job"),
        work_in_words(state)
    ));
}

/// The estimated time of the open jobs.
fn work_in_words(state: &State) -> String {
    let open = state.rows.iter().zip(&state.known).filter(|(_, known)| !known.done);
    let all = about(std::time::Duration::from_secs_f64(open.map(|(row, _)| row.seconds).sum()));
    match state.is_guessed() {
        true => format!("at most about {all} of work, as rankers were never measured here"),
        false => format!("about {all} of work"),
    }
}

fn tell_all(submission: &Submission, state: &State, screen: &mut Screen) {
    let folder = submission.folder.display();
    let verb = match submission.settings.engine {
        Engine::Slurm => "handed in",
        Engine::Shell | Engine::Hq => "written",
    };
    screen.line(format_args!(
        "{verb}: {}, {} done already, {}, in {folder}",
        counted(state.rows.len(), "job"),
        state.rows.len() - state.missing(),
        work_in_words(state)
    ));
    match submission.settings.engine {
        Engine::Slurm => screen.line(format_args!("how far it is: fivefold status {folder}")),
        Engine::Shell => screen.line(format_args!("to do the jobs, 4 tasks at a time: bash {folder}/run.sh 4")),
        Engine::Hq => screen.line(format_args!("to do the jobs, inside an allocation: python3 {folder}/hq.py")),
    }
}
