//! A table of what each method cost: CPU time and memory of its jobs, from the log beside a results
//! folder.
//!
//! Costs differ from run to run, so they are no results: a run's own page and tables are the same
//! bytes without them.

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::{counted, which};
use fivefold_results::log::RunLog;
use fivefold_results::manifest::{CandidateFacts, JobFacts, Manifest};

const MEBIBYTE: f64 = (1 << 20) as f64;

/// What each method of a run cost on each data set.
pub fn times(manifest: &Manifest, log: &RunLog) -> Table {
    let experiment = &manifest.experiment;
    let datasets: Vec<&str> = experiment.datasets.iter().map(|dataset| dataset.label.as_str()).collect();
    let methods: Vec<&str> = experiment.rankers.iter().map(|ranker| ranker.label.as_str()).collect();
    let jobs: Vec<&JobFacts> = manifest.all_jobs().collect();
    let mut table = table(&datasets, &methods, &jobs, log);
    table.notes.extend(search_note(manifest, log));
    table
}

/// The share of the searches for parameters. `None` if no ranker was tuned.
fn search_note(manifest: &Manifest, log: &RunLog) -> Option<String> {
    let seconds = |candidate: &CandidateFacts| log.jobs.get(&candidate.job.id).copied();
    let all: f64 = manifest.candidates.iter().filter_map(seconds).sum();
    let count = manifest.candidates.len();
    (count > 0)
        .then(|| format!("of the jobs, {} of searches for parameters took {all:.1} s", counted(count, "candidate")))
}

fn table(datasets: &[&str], methods: &[&str], jobs: &[&JobFacts], log: &RunLog) -> Table {
    let rows = datasets.iter().enumerate().flat_map(|(dataset, label)| {
        methods.iter().enumerate().map(move |(ranker, method)| {
            let is_own = |job: &&JobFacts| (job.dataset, job.ranker) == (dataset, ranker);
            let own: Vec<&JobFacts> = jobs.iter().copied().filter(is_own).collect();
            let seconds: Vec<f64> = own.iter().filter_map(|job| log.jobs.get(&job.id).copied()).collect();
            let bytes = own.iter().filter_map(|job| log.bytes.get(&job.id)).max();
            let of_seconds = |value: f64| if seconds.is_empty() { Cell::na() } else { Cell::number(value, 2) };
            vec![
                Cell::text(*label),
                Cell::text(*method),
                Cell::Count(seconds.len() as u64),
                of_seconds(seconds.iter().sum()),
                of_seconds(seconds.iter().copied().fold(0.0, f64::max)),
                bytes.map_or_else(Cell::na, |&bytes| Cell::number(bytes as f64 / MEBIBYTE, 1)),
            ]
        })
    });
    let columns = ["data set", "method", "jobs", "CPU s", "longest job, s", "memory, MiB"];
    Table::new("times", "CPU time and memory of each method", columns, 2)
        .with_rows(rows.collect())
        .with_notes(notes(jobs, log))
}

fn notes(jobs: &[&JobFacts], log: &RunLog) -> Vec<String> {
    let unknown = jobs.iter().filter(|job| !log.jobs.contains_key(&job.id)).count();
    let mut notes = vec![
        "CPU time: of the job's own work in all threads, when the job was last done; reading and normalising are shared \
         and not counted"
            .to_owned(),
        "memory: the largest estimate for a job beside the data, by which the run decides how many jobs run at a time"
            .to_owned(),
        format!("the last run took {:.1} s on the clock with {}, on {}", log.seconds, counted(log.threads, "thread"), log.machine),
    ];
    if unknown > 0 {
        let are = which(unknown, "is", "are");
        notes.push(format!(
            "{} {are} not in the log: an earlier version did {}, or the log was removed",
            counted(unknown, "job"),
            which(unknown, "it", "them")
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use fivefold_results::store::Status;

    use super::*;

    fn job(id: &str, ranker: usize) -> JobFacts {
        JobFacts {
            id: id.to_owned(),
            dataset: 0,
            ranker,
            repeat: 0,
            key: String::new(),
            status: Status::Done,
            error: None,
            unconfined: Vec::new(),
            warnings: Vec::new(),
            chosen: None,
        }
    }

    #[test]
    fn jobs_are_added_up_by_data_set_and_method() {
        let jobs = [job("d/fold1/a", 0), job("d/fold2/a", 0), job("d/fold1/b", 1)];
        let mut log = RunLog::default();
        log.jobs = [("d/fold1/a".to_owned(), 1.5), ("d/fold2/a".to_owned(), 2.0)].into();
        log.bytes = [("d/fold1/a".to_owned(), 3 << 20), ("d/fold2/a".to_owned(), 1 << 20)].into();
        let table = table(&["d"], &["a", "b"], &jobs.iter().collect::<Vec<_>>(), &log);
        let expected = [Cell::Count(2), Cell::number(3.5, 2), Cell::number(2.0, 2), Cell::number(3.0, 1)];
        assert_eq!(table.rows[0][2..], expected);
        assert_eq!(table.rows[1][2..], [Cell::Count(0), Cell::na(), Cell::na(), Cell::na()]);
        assert!(table.notes[3].starts_with("1 job is not in the log"), "{:?}", table.notes);
    }
}
