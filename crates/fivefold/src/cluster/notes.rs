//! The events of a chunk, a line each, in `notes/ROUND-CHUNK.tsv`; and what the end of a chunk means
//! for the jobs that it did not do.
//!
//! One task at a time does a chunk, so lines are appended by one process at a time. A line that a
//! full disk or a kill cut short is skipped.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cluster::slurm::State;
use crate::exit::KILLED;

/// An event of a chunk.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Note {
    /// A task began, on this host, under this id of the scheduler.
    Begin { host: String, id: String },
    /// A job ended. `failed`: by itself, with an error in its record.
    Job { id: String, failed: bool },
    /// The highest memory of the task so far, in bytes.
    Peak(u64),
    /// The task ended with this exit code.
    End { code: i32, why: Why },
}

/// Why a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// By itself.
    Own,
    /// Its time limit was near.
    Time,
    /// It was stopped or the folder was busy, and the scheduler begins it again.
    Again,
}

impl Note {
    fn line(&self) -> String {
        let fields = match self {
            Note::Begin { host, id } => format!("begin\t{host}\t{id}"),
            Note::Job { id, failed } => format!("job\t{id}\t{}", if *failed { "failed" } else { "done" }),
            Note::Peak(bytes) => format!("peak\t{bytes}\t"),
            Note::End { code, why } => format!("end\t{code}\t{}", why.word()),
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        format!("{now}\t{fields}\n")
    }

    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[_, event, first, second] = fields.as_slice() else { return None };
        Some(match event {
            "begin" => Note::Begin { host: first.to_owned(), id: second.to_owned() },
            "job" => Note::Job { id: first.to_owned(), failed: second == "failed" },
            "peak" => Note::Peak(first.parse().ok()?),
            "end" => Note::End { code: first.parse().ok()?, why: Why::parse(second)? },
            _ => return None,
        })
    }
}

impl Why {
    fn word(self) -> &'static str {
        match self {
            Why::Own => "own",
            Why::Time => "time",
            Why::Again => "again",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Why::Own, Why::Time, Why::Again].into_iter().find(|why| why.word() == word)
    }
}

/// The notes of a chunk.
#[derive(Debug, Clone)]
pub(crate) struct Notes(PathBuf);

impl Notes {
    pub(crate) fn of(folder: &Path, round: usize, chunk: usize) -> Self {
        Notes(folder.join("notes").join(format!("{round}-{chunk}.tsv")))
    }

    /// Adds a note. An error is returned, but no result depends on a note.
    pub(crate) fn add(&self, note: &Note) -> io::Result<()> {
        if let Some(folder) = self.0.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // A single write, so that lines of two tasks do not mix.
        File::options().append(true).create(true).open(&self.0)?.write_all(note.line().as_bytes())
    }

    /// The notes so far, the oldest first. Whole lines only.
    pub(crate) fn read(&self) -> Vec<Note> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().filter_map(Note::parse).collect()
    }
}

/// What to do about the jobs that a chunk did not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Hand them in again with the same limits.
    Again,
    /// Hand them in again with twice the time.
    Longer,
    /// Hand them in again with twice the memory.
    Larger,
    /// Leave them: a task that waits or runs has them.
    Active,
    /// Leave them: the user took them back.
    Cancelled,
    /// Leave them: the task refused to work, for a reason that it printed.
    Refused,
}

/// The verdict from the notes of a chunk, the state of its task if the scheduler still knows it, and
/// the bytes that the task had.
pub(crate) fn verdict(notes: &[Note], state: Option<&State>, memory: u64) -> Verdict {
    match state.map(|state| state.word.as_str()) {
        _ if state.is_some_and(State::is_active) => return Verdict::Active,
        Some("TIMEOUT" | "DEADLINE") => return Verdict::Longer,
        Some("OUT_OF_MEMORY") => return Verdict::Larger,
        Some("NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED") => return Verdict::Again,
        Some("CANCELLED") => return Verdict::Cancelled,
        _ => {}
    }
    let last = notes.iter().rev().find(|note| matches!(note, Note::Begin { .. } | Note::End { .. }));
    match last {
        Some(Note::End { why: Why::Time, .. }) => Verdict::Longer,
        // The kernel kills what exceeds the memory of its cgroup by SIGKILL. The script lives on.
        Some(Note::End { code, .. }) if *code == i32::from(KILLED) => Verdict::Larger,
        Some(Note::End { code: 2, .. }) => Verdict::Refused,
        // The task and its script ended without a word. Their own record tells whether they were near
        // their memory.
        Some(Note::Begin { .. }) if peak(notes) >= memory / 4 * 3 => Verdict::Larger,
        _ => Verdict::Again,
    }
}

/// The highest memory that a chunk noted, 0 if none, since its task began last.
fn peak(notes: &[Note]) -> u64 {
    let of_last = notes.iter().rev().take_while(|note| !matches!(note, Note::Begin { .. }));
    of_last.filter_map(|note| if let Note::Peak(bytes) = note { Some(*bytes) } else { None }).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin() -> Note {
        Note::Begin { host: "n1".to_owned(), id: "7".to_owned() }
    }

    #[test]
    fn notes_are_read_as_they_were_written_without_a_line_that_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::of(folder.path(), 2, 13);
        assert_eq!(notes.read(), []);
        let all = [
            begin(),
            Note::Job { id: "a/fold1/r".to_owned(), failed: false },
            Note::Job { id: "a/fold2/r".to_owned(), failed: true },
            Note::Peak(77),
            Note::End { code: 143, why: Why::Time },
            Note::End { code: 75, why: Why::Again },
            Note::End { code: 0, why: Why::Own },
        ];
        all.iter().for_each(|note| notes.add(note).unwrap());
        std::fs::OpenOptions::new().append(true).open(&notes.0).unwrap().write_all(b"12\tjob\ta/fo").unwrap();
        assert_eq!(notes.read(), all);
    }

    fn told(word: &str) -> State {
        State { word: word.to_owned(), node: String::new(), reason: String::new() }
    }

    #[test]
    fn the_scheduler_knows_best_why_a_task_ended() {
        for (state, verdict_of) in [
            ("TIMEOUT", Verdict::Longer),
            ("OUT_OF_MEMORY", Verdict::Larger),
            ("NODE_FAIL", Verdict::Again),
            ("CANCELLED", Verdict::Cancelled),
            ("PENDING", Verdict::Active),
            ("RUNNING", Verdict::Active),
            ("COMPLETING", Verdict::Active),
        ] {
            assert_eq!(verdict(&[begin(), Note::Peak(100)], Some(&told(state)), 100), verdict_of, "{state}");
        }
    }

    #[test]
    fn without_the_scheduler_the_notes_tell() {
        let failed = told("FAILED");
        let end = |code, why| [begin(), Note::Peak(1), Note::End { code, why }];
        assert_eq!(verdict(&[], None, 100), Verdict::Again, "it never began");
        assert_eq!(verdict(&end(137, Why::Own), Some(&failed), 100), Verdict::Larger);
        assert_eq!(verdict(&end(75, Why::Time), None, 100), Verdict::Longer);
        assert_eq!(verdict(&end(75, Why::Again), None, 100), Verdict::Again);
        assert_eq!(verdict(&end(139, Why::Own), Some(&failed), 100), Verdict::Again);
        assert_eq!(verdict(&end(2, Why::Own), Some(&failed), 100), Verdict::Refused);
    }

    /// Slurm has forgotten the task, or says no more than that it failed.
    #[test]
    fn what_ended_without_a_word_was_killed_for_memory_only_if_it_was_near_its_memory() {
        for state in [None, Some(&told("FAILED"))] {
            assert_eq!(verdict(&[begin()], state, 100), Verdict::Again);
            assert_eq!(verdict(&[begin(), Note::Peak(60)], state, 100), Verdict::Again);
            assert_eq!(verdict(&[begin(), Note::Peak(60), Note::Peak(80)], state, 100), Verdict::Larger);
            assert_eq!(verdict(&[begin(), Note::Peak(80), begin()], state, 100), Verdict::Again, "it began again");
        }
    }
}
