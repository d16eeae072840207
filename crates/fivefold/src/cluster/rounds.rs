//! What comes next in a submission, and how it is handed in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fivefold_core::Registry;
use fivefold_experiment::job::bytes_alone;
use fivefold_experiment::{JobState, Plan, job_states};
use fivefold_results::log::RunLog;
use fivefold_results::store::{Status, Store};

use crate::cluster::chunks::{Array, Asked, Chunk, Limits, Piece, arrays, chunks};
use crate::cluster::costs::{Sized, estimate, pilot};
use crate::cluster::notes::{Verdict, verdict};
use crate::cluster::slurm::{self, Queue, Script, When};
use crate::cluster::submission::{Settings, Submission};
use crate::cluster::table::{Kind, Row, Task};
use crate::screen::tell;

/// How many times a job gets twice the time or memory.
const MOST_DOUBLED: usize = 3;
/// How many times a job is handed in. A lost node is not the job's fault, but a job that crashes its
/// task each time must end.
const MOST_TRIES: usize = 20;
/// The seconds of a task that reads the data or evaluates, beside the time for the data.
const COLLECT_SECONDS: u64 = 1800;
/// Bytes of data a second, to read and to evaluate: slower than any machine of today.
const COLLECT_RATE: u64 = 2 << 20;
/// Memory for tables and the program, beside the data and the values.
const EVALUATION: u64 = 1 << 30;

/// What is known of a job when a round is planned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    pub(crate) sized: Sized,
    pub(crate) stage: usize,
    pub(crate) bytes: u64,
    /// Whether the results folder has the result.
    pub(crate) done: bool,
    /// Whether the job failed by itself.
    pub(crate) failed: bool,
    /// The rows of the jobs on whose results the job depends.
    pub(crate) needs: Vec<usize>,
    /// What became of the task that had the job last. `None` if there was none.
    pub(crate) verdict: Option<Verdict>,
}

/// The jobs of the plan of a submission. `table` has a row for each of them, in the same order.
pub(crate) struct Round<'r> {
    pub(crate) known: &'r [Known],
    pub(crate) rows: &'r [Row],
    /// CPU seconds of jobs that were done.
    pub(crate) measured: &'r BTreeMap<String, f64>,
    /// Seconds of a chunk.
    pub(crate) length: f64,
    /// Limits that the user asked for.
    pub(crate) asked: Asked,
}

impl Round<'_> {
    /// The jobs to hand in next: those of the earliest stage with open jobs. None if no job is left.
    pub(crate) fn next(&self) -> Vec<Array> {
        let open = self.open();
        let Some(stage) = open.iter().map(|&row| self.known[row].stage).min() else { return Vec::new() };
        let own: Vec<usize> = open.into_iter().filter(|&row| self.known[row].stage == stage).collect();
        arrays(chunks(&self.pieces(&own), self.length, self.asked))
    }

    /// The rows of the jobs that are to be handed in, now or later. If a job that another one needs was
    /// given up, the other one is left too.
    fn open(&self) -> Vec<usize> {
        let mut by_stage: Vec<usize> = (0..self.known.len()).collect();
        by_stage.sort_by_key(|&row| self.known[row].stage);
        let mut is_open = vec![false; self.known.len()];
        for row in by_stage {
            let has_ended = |&need: &usize| self.known[need].done || self.known[need].failed || is_open[need];
            is_open[row] = self.may_run(row) && self.known[row].needs.iter().all(has_ended);
        }
        (0..self.known.len()).filter(|&row| is_open[row]).collect()
    }

    /// Whether a job has no result yet and was not given up.
    fn may_run(&self, row: usize) -> bool {
        let known = &self.known[row];
        let is_wanted = match known.verdict {
            None | Some(Verdict::Again) => self.rows[row].tries < MOST_TRIES,
            Some(Verdict::Longer | Verdict::Larger) => self.rows[row].doubled < MOST_DOUBLED,
            Some(Verdict::Active | Verdict::Cancelled | Verdict::Refused) => false,
        };
        !known.done && !known.failed && is_wanted
    }

    /// The estimated seconds of each job, guessed from the size where nothing was measured.
    pub(crate) fn seconds(&self) -> Vec<f64> {
        let sized: Vec<Sized> = self.known.iter().map(|known| known.sized.clone()).collect();
        let estimates = estimate(&sized, self.measured);
        sized.iter().zip(estimates).map(|(job, estimate)| estimate.unwrap_or_else(|| job.guess())).collect()
    }

    /// Whether the time of an open job is a guess, because its ranker was never measured.
    fn is_guessed(&self) -> bool {
        let sized: Vec<Sized> = self.known.iter().map(|known| known.sized.clone()).collect();
        estimate(&sized, self.measured).iter().zip(self.known).any(|(own, known)| own.is_none() && !known.done)
    }

    /// The jobs of a round. If many jobs were never measured, only a pilot of them.
    fn pieces(&self, open: &[usize]) -> Vec<Piece> {
        let sized: Vec<Sized> = open.iter().map(|&row| self.known[row].sized.clone()).collect();
        let all: Vec<Sized> = self.known.iter().map(|known| known.sized.clone()).collect();
        let of_all = estimate(&all, self.measured);
        let estimates: Vec<Option<f64>> = open.iter().map(|&row| of_all[row]).collect();
        let guessed: f64 =
            sized.iter().zip(&estimates).filter(|(_, own)| own.is_none()).map(|(job, _)| job.guess()).sum();
        let piece = |&row: &usize| {
            let seconds = of_all[row].unwrap_or_else(|| self.known[row].sized.guess());
            let (dataset, bytes) = (self.known[row].sized.dataset, self.known[row].bytes);
            Piece { row, dataset, seconds, bytes, again: self.again(row) }
        };
        if guessed > self.length {
            let measured = open.iter().zip(&estimates).filter(|(_, own)| own.is_some()).map(|(row, _)| *row);
            let rows: Vec<usize> =
                pilot(&sized, &estimates).into_iter().map(|place| open[place]).chain(measured).collect();
            return rows.iter().map(piece).collect();
        }
        open.iter().map(piece).collect()
    }

    /// The limits that a job needs when it is handed in again.
    fn again(&self, row: usize) -> Option<Limits> {
        let old = &self.rows[row];
        let verdict = self.known[row].verdict.filter(|_| old.tries > 0)?;
        let (time, memory) = match verdict {
            Verdict::Longer => (2, 1),
            Verdict::Larger => (1, 2),
            Verdict::Again | Verdict::Active | Verdict::Cancelled | Verdict::Refused => (1, 1),
        };
        Some(Limits { seconds: old.time_limit.saturating_mul(time), bytes: old.memory_limit.saturating_mul(memory) })
    }
}

/// What tells whether a job is done.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Look {
    /// Its record, with the key of its row. Tasks look so: the evaluation reads all files once more.
    Records,
    /// All its files, whose hashes are checked. A user's `submit` and `resubmit` look so.
    Files,
}

impl Look {
    fn done(self, plan: &Plan<'_>, rows: &[Row], results: &Path) -> miette::Result<Vec<bool>> {
        if let Look::Files = self {
            return Ok(job_states(plan, results)?.into_iter().map(|state| state == JobState::Done).collect());
        }
        let store = Store::new(results);
        // A record that cannot be read is none: its job is done once more.
        let is_done = |row: &Row| {
            let record = store.record(&row.job).ok().flatten();
            record.is_some_and(|record| record.status == Status::Done && record.key == row.key)
        };
        Ok(rows.iter().map(is_done).collect())
    }
}

/// The state of a submission: its plan beside its table.
pub(crate) struct State {
    pub(crate) rows: Vec<Row>,
    pub(crate) known: Vec<Known>,
    pub(crate) measured: BTreeMap<String, f64>,
}

impl State {
    /// Looks at the plan, the results folder, the notes and the queue. `rows` is empty for a new
    /// submission.
    ///
    /// # Errors
    /// If a job has another key than its row.
    pub(crate) fn of(
        submission: &Submission,
        plan: &Plan<'_>,
        registry: &Registry,
        old: Vec<Row>,
        queue: Option<&Queue>,
        look: Look,
    ) -> miette::Result<Self> {
        let results = submission.settings.results();
        let rows = if old.is_empty() { new_rows(plan, registry) } else { old };
        check_keys(plan, &rows)?;
        let done = look.done(plan, &rows, &results)?;
        let failed = submission.failed(&rows);
        let tasks = submission.tasks()?;
        let of_chunk = |row: &Row| {
            let notes = submission.notes(row.round, row.chunk).read();
            let place = Submission::place(&tasks, row.round, row.chunk);
            // A controller that was killed may give the id of a task that it forgot to another one.
            let is_own = |queue: &&Queue, task: &Task| queue.named(&submission.name(task)) == Some(&task.id);
            let state =
                place.and_then(|(task, number)| queue.filter(|queue| is_own(queue, task))?.state(&task.id, number));
            verdict(&notes, state, row.memory_limit)
        };
        let mut verdicts: BTreeMap<(usize, usize), Verdict> = BTreeMap::new();
        let places: BTreeMap<&str, usize> =
            plan.jobs.iter().enumerate().map(|(place, job)| (job.id.as_str(), place)).collect();
        let mut known = Vec::with_capacity(rows.len());
        for ((row, job), done) in rows.iter().zip(&plan.jobs).zip(done) {
            let verdict = (row.round > 0 && !done)
                .then(|| *verdicts.entry((row.round, row.chunk)).or_insert_with(|| of_chunk(row)));
            let (sized, failed) = (Sized::of(plan, job), failed.contains(&row.job));
            let needs = job.needs.iter().filter_map(|need| places.get(need.id.as_str()).copied()).collect();
            known.push(Known { sized, stage: job.stage, bytes: row.bytes, done, failed, needs, verdict });
        }
        let measured = RunLog::so_far(&Store::new(&results)).jobs;
        Ok(State { rows, known, measured })
    }

    /// The next round, if there is one.
    pub(crate) fn next(&self, settings: &Settings) -> Vec<Array> {
        self.round(settings.chunk, settings.asked).next()
    }

    fn round(&self, length: f64, asked: Asked) -> Round<'_> {
        Round { known: &self.known, rows: &self.rows, measured: &self.measured, length, asked }
    }

    /// Writes the present estimates into the rows of jobs that are not done.
    pub(crate) fn estimate(&mut self) {
        let seconds = self.round(0.0, Asked::default()).seconds();
        let open = self.rows.iter_mut().zip(&self.known).zip(seconds).filter(|((_, known), _)| !known.done);
        open.for_each(|((row, _), seconds)| row.seconds = seconds);
    }

    /// A round that is in the rows and was not handed in whole: its number and its arrays. `whole` is
    /// the last round that was.
    pub(crate) fn begun(&self, whole: usize) -> Option<(usize, Vec<Array>)> {
        let round = self.rows.iter().map(|row| row.round).max().filter(|&round| round > whole)?;
        let mut chunks: BTreeMap<usize, Chunk> = BTreeMap::new();
        for (place, row) in self.rows.iter().enumerate().filter(|(_, row)| row.round == round) {
            let limits = Limits { seconds: row.time_limit, bytes: row.memory_limit };
            chunks.entry(row.chunk).or_insert(Chunk { rows: Vec::new(), limits }).rows.push(place);
        }
        Some((round, arrays(chunks.into_values().collect())))
    }

    /// Writes a round into the rows.
    pub(crate) fn note(&mut self, round: usize, arrays: &[Array]) {
        for (number, chunk) in arrays.iter().flat_map(|array| &array.chunks).enumerate() {
            for &row in &chunk.rows {
                let doubled = matches!(self.known[row].verdict, Some(Verdict::Longer | Verdict::Larger));
                let row = &mut self.rows[row];
                row.doubled += usize::from(doubled);
                (row.round, row.chunk) = (round, number);
                row.tries += 1;
                (row.time_limit, row.memory_limit) = (chunk.limits.seconds, chunk.limits.bytes);
            }
        }
    }

    /// Forgets how earlier tasks ended, so that all open jobs are handed in again. `failed`: also the
    /// jobs that failed by themselves.
    pub(crate) fn begin_anew(&mut self, failed: bool) {
        for (row, known) in self.rows.iter_mut().zip(&mut self.known) {
            (row.tries, row.doubled) = (row.tries.min(1), 0);
            known.failed &= !failed;
            if matches!(known.verdict, Some(Verdict::Cancelled | Verdict::Refused)) {
                known.verdict = Some(Verdict::Again);
            }
        }
    }

    /// Whether the time of an open job is a guess, because its ranker was never measured.
    pub(crate) fn is_guessed(&self) -> bool {
        self.round(0.0, Asked::default()).is_guessed()
    }

    /// The number of jobs without a result.
    pub(crate) fn missing(&self) -> usize {
        self.known.iter().filter(|known| !known.done).count()
    }
}

fn new_rows(plan: &Plan<'_>, registry: &Registry) -> Vec<Row> {
    let row = |job: &fivefold_experiment::Job| Row {
        stage: job.stage,
        round: 0,
        chunk: 0,
        tries: 0,
        doubled: 0,
        job: job.id.clone(),
        key: job.key.clone(),
        seconds: 0.0,
        bytes: bytes_alone(plan, job, registry),
        time_limit: 0,
        memory_limit: 0,
    };
    plan.jobs.iter().map(row).collect()
}

/// Refuses a plan that is not the plan of the rows.
fn check_keys(plan: &Plan<'_>, rows: &[Row]) -> miette::Result<()> {
    let planned: BTreeSet<(&str, &str)> = plan.jobs.iter().map(|job| (job.id.as_str(), job.key.as_str())).collect();
    let written: BTreeSet<(&str, &str)> = rows.iter().map(|row| (row.job.as_str(), row.key.as_str())).collect();
    if planned == written {
        return Ok(());
    }
    let jobs: BTreeSet<String> = planned.symmetric_difference(&written).map(|(job, _)| (*job).to_owned()).collect();
    Err(fivefold_experiment::RunError::OtherKeys { jobs: jobs.into_iter().collect() }.into())
}

/// A task to hand in: its file name, its name, its script, and the task without its id.
pub(crate) struct Prepared {
    pub(crate) file: String,
    name: String,
    pub(crate) text: String,
    task: Task,
}

/// The scripts of the arrays of a round.
pub(crate) fn array_scripts(submission: &Submission, round: usize, arrays: &[Array]) -> Vec<Prepared> {
    let mut prepared = Vec::new();
    let mut first = 0;
    for array in arrays {
        let command = format!("chunk {round} $(({first} + ${{SLURM_ARRAY_TASK_ID:-0}}))");
        let count = array.chunks.len();
        let task = Task { round, kind: Kind::Array, first, count, id: String::new() };
        prepared.push(script(submission, task, array.limits, command));
        first += count;
    }
    prepared
}

/// The script that reads the data into the cache.
pub(crate) fn warm_script(submission: &Submission) -> Prepared {
    let task = Task { round: 0, kind: Kind::Warm, first: 0, count: 1, id: String::new() };
    script(submission, task, limits_of_all(submission, [0; 2]), "warm".to_owned())
}

/// The script of the collector of a round.
pub(crate) fn collector(submission: &Submission, round: usize) -> Prepared {
    collector_with(submission, round, [0; 2])
}

/// The same with times that were doubled so often, which says which collector it is, and memory.
fn collector_with(submission: &Submission, round: usize, [times, memory]: [usize; 2]) -> Prepared {
    let task = Task { round, kind: Kind::Collect, first: times, count: 1, id: String::new() };
    script(submission, task, limits_of_all(submission, [times, memory]), format!("collect {round} {times}"))
}

/// The limits of a task that reads all data: time and memory, doubled so many times.
fn limits_of_all(submission: &Submission, [times, memory]: [usize; 2]) -> Limits {
    let data = submission.settings.data;
    let seconds = submission.settings.asked.seconds.unwrap_or(COLLECT_SECONDS + data / COLLECT_RATE);
    let bytes = data.saturating_mul(2).saturating_add(submission.settings.values).saturating_add(EVALUATION);
    Limits { seconds: seconds.saturating_mul(1 << times), bytes: bytes.saturating_mul(1 << memory) }
}

fn script(submission: &Submission, task: Task, limits: Limits, command: String) -> Prepared {
    let settings = &submission.settings;
    let (word, name) = (task.word(), submission.name(&task));
    let script = Script {
        name: name.clone(),
        tasks: task.count,
        limits,
        threads: settings.threads,
        program: &settings.program,
        folder: &submission.folder,
        task: command,
    };
    Prepared { file: format!("scripts/{word}.sh"), name, text: script.text(settings.template.as_deref()), task }
}

/// Hands in a round that is in the rows, after the tasks with the ids `after`. What was handed in
/// before is left, so that a round may be handed in again.
pub(crate) fn hand_in(
    submission: &Submission,
    round: usize,
    arrays: &[Array],
    after: Vec<String>,
    queue: &Queue,
) -> miette::Result<()> {
    let when = When::Ended(after);
    let mut ids = Vec::new();
    for prepared in array_scripts(submission, round, arrays) {
        ids.push(hand_in_one(submission, prepared, &when, queue)?);
    }
    let id = hand_in_one(submission, collector(submission, round), &When::Ended(ids), queue)?;
    hand_in_successor(submission, round, 1, id, queue);
    Ok(())
}

/// Hands in the successor of a collector with the id `of`. It collects in its place if the collector
/// is killed or reaches a limit. It has twice the time, and twice the memory if a node has so much.
pub(crate) fn hand_in_successor(submission: &Submission, round: usize, doubled: usize, of: String, queue: &Queue) {
    if doubled > MOST_DOUBLED {
        return;
    }
    let when = When::Failed(of);
    let mut refusals = Vec::new();
    for memory in (0..=doubled).rev() {
        match hand_in_one(submission, collector_with(submission, round, [doubled, memory]), &when, queue) {
            Ok(_) => return,
            Err(error) => refusals.push(error),
        }
    }
    if let Some(error) = refusals.first() {
        tell(format_args!("warning: the collector of round {round} has no successor: {error}"));
    }
}

/// Writes a script and gives it to the scheduler, unless the scheduler has it. Returns the id.
pub(crate) fn hand_in_one(
    submission: &Submission,
    prepared: Prepared,
    when: &When,
    queue: &Queue,
) -> miette::Result<String> {
    let Prepared { file, name, text, task } = prepared;
    let is_same = |other: &Task| (other.round, other.kind, other.first) == (task.round, task.kind, task.first);
    if let Some(known) = submission.tasks()?.into_iter().find(is_same) {
        return Ok(known.id);
    }
    submission.write(&file, text.as_bytes())?;
    let id = match queue.named(&name) {
        Some(id) => id.to_owned(),
        None => slurm::hand_in(&submission.folder.join(&file), &name, &submission.settings.options, when)?,
    };
    submission.add_task(Task { id: id.clone(), ..task })?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(id: &str, stage: usize) -> Known {
        let sized = Sized { id: id.to_owned(), dataset: 0, ranker: 0, size: 100.0 };
        Known { sized, stage, bytes: 1 << 20, done: false, failed: false, needs: Vec::new(), verdict: None }
    }

    fn row(known: &Known) -> Row {
        Row {
            stage: known.stage,
            round: 0,
            chunk: 0,
            tries: 0,
            doubled: 0,
            job: known.sized.id.clone(),
            key: String::new(),
            seconds: 0.0,
            bytes: known.bytes,
            time_limit: 0,
            memory_limit: 0,
        }
    }

    fn state(known: Vec<Known>) -> State {
        State { rows: known.iter().map(row).collect(), known, measured: BTreeMap::new() }
    }

    fn next(state: &State) -> Vec<Array> {
        state.round(60.0, Asked::default()).next()
    }

    fn rows(arrays: &[Array]) -> Vec<usize> {
        let mut rows: Vec<usize> =
            arrays.iter().flat_map(|array| &array.chunks).flat_map(|chunk| chunk.rows.clone()).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn a_stage_begins_when_no_job_of_the_stage_before_is_left() {
        let mut state = state(vec![known("a", 0), known("b", 0), known("c", 1)]);
        assert_eq!(rows(&next(&state)), [0, 1]);
        state.known[0].done = true;
        assert_eq!(rows(&next(&state)), [1]);
        state.known[1].failed = true;
        assert_eq!(rows(&next(&state)), [2], "a job that failed by itself is not tried again");
        state.known[2].done = true;
        assert_eq!(next(&state), []);
        assert_eq!(state.missing(), 1);
    }

    #[test]
    fn time_or_memory_is_doubled_three_times_at_most() {
        let mut state = state(vec![known("a", 0)]);
        let mut limits = Vec::new();
        for (round, verdict) in (1..).zip([Verdict::Longer, Verdict::Larger, Verdict::Longer, Verdict::Longer]) {
            let arrays = next(&state);
            limits.push((arrays[0].limits.seconds, arrays[0].limits.bytes));
            state.note(round, &arrays);
            state.known[0].verdict = Some(verdict);
        }
        let (time, memory) = limits[0];
        let expected = [(time, memory), (2 * time, memory), (2 * time, 2 * memory), (4 * time, 2 * memory)];
        assert_eq!(limits, expected);
        assert_eq!(next(&state), [], "handed in once, and three times again");
    }

    /// A lost node is nobody's fault, but a task that crashes each time must end.
    #[test]
    fn a_job_is_handed_in_again_and_again_but_not_for_ever() {
        let mut state = state(vec![known("a", 0)]);
        let mut rounds = 0;
        loop {
            let arrays = next(&state);
            if arrays.is_empty() {
                break;
            }
            rounds += 1;
            state.note(rounds, &arrays);
            state.known[0].verdict = Some(Verdict::Again);
        }
        assert_eq!((rounds, state.rows[0].doubled), (MOST_TRIES, 0));
        state.begin_anew(false);
        assert_eq!(rows(&next(&state)), [0], "the user may hand it in again");
    }

    #[test]
    fn a_job_whose_needs_were_given_up_is_left() {
        let mut state = state(vec![known("a", 0), known("b", 0), known("of a", 1), known("of b", 1), known("last", 2)]);
        (state.known[2].needs, state.known[3].needs, state.known[4].needs) = (vec![0], vec![1], vec![2]);
        state.known[0].verdict = Some(Verdict::Cancelled);
        state.known[1].failed = true;
        assert_eq!(rows(&next(&state)), [3], "a need that failed has ended");
        state.known[3].done = true;
        assert_eq!(next(&state), []);
    }

    /// A task that is killed while it hands in leaves a round in the rows, which is then handed in as
    /// it was planned.
    #[test]
    fn a_round_that_was_begun_is_found_in_the_rows() {
        let mut jobs: Vec<Known> = (0..40).map(|number| known(&format!("job {number}"), 0)).collect();
        for (number, job) in jobs.iter_mut().enumerate() {
            job.sized.dataset = number % 3;
            job.bytes = (1 << 28) * (1 + number as u64 % 5);
        }
        let mut state = state(jobs);
        assert_eq!(state.begun(0), None);
        let arrays = state.round(1e-3, Asked::default()).next();
        assert!(arrays.len() > 1 && arrays.iter().any(|array| array.chunks.len() > 1));
        state.note(1, &arrays);
        assert_eq!(state.begun(0), Some((1, arrays)));
        assert_eq!(state.begun(1), None);
    }

    #[test]
    fn what_a_task_has_the_user_took_back_or_a_task_refused_is_left() {
        for verdict in [Verdict::Active, Verdict::Cancelled, Verdict::Refused] {
            let mut state = state(vec![known("a", 0), known("b", 0)]);
            state.known[0].verdict = Some(verdict);
            assert_eq!(rows(&next(&state)), [1]);
        }
    }

    /// Jobs of unknown cost on large data: one fold of each ranker is measured first.
    #[test]
    fn a_pilot_comes_first_if_the_jobs_may_be_long() {
        let mut jobs: Vec<Known> = ["a1", "b1", "a2", "b2"].map(|id| known(id, 0)).into();
        for (number, job) in jobs.iter_mut().enumerate() {
            (job.sized.ranker, job.sized.size) = (number % 2, 1e9);
        }
        let mut state = state(jobs);
        assert_eq!(rows(&next(&state)), [0, 1]);
        state.measured = BTreeMap::from([("a1".to_owned(), 5.0), ("b1".to_owned(), 50.0)]);
        (state.known[0].done, state.known[1].done) = (true, true);
        let arrays = next(&state);
        assert_eq!(rows(&arrays), [2, 3]);
        state.estimate();
        assert_eq!((state.rows[2].seconds, state.rows[3].seconds), (5.0, 50.0));
        for job in &mut state.known {
            job.sized.size = 1.0;
        }
        state.measured.clear();
        assert_eq!(rows(&next(&state)), [2, 3], "short jobs need no pilot");
    }
}
