//! `submission.tsv`: a line for each job of a submission, and `tasks.tsv`: a line for each job array.

use std::path::Path;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::problem::Problem;

/// A job of a submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) stage: usize,
    /// The round that the job was handed in with last. 0: not yet.
    pub(crate) round: usize,
    /// Its chunk within the round, from 0.
    pub(crate) chunk: usize,
    /// How many times the job was handed in.
    pub(crate) tries: usize,
    /// How many times its time or memory was doubled.
    pub(crate) doubled: usize,
    pub(crate) job: String,
    pub(crate) key: String,
    /// Estimated seconds of CPU time.
    pub(crate) seconds: f64,
    /// Estimated bytes, data included.
    pub(crate) bytes: u64,
    /// The limits of its chunk.
    pub(crate) time_limit: u64,
    pub(crate) memory_limit: u64,
}

/// What was handed to the scheduler under one id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) round: usize,
    pub(crate) kind: Kind,
    /// The first chunk of an array: task `i` of the array does chunk `first + i`. Of a collector: how
    /// many times its limits were doubled.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// The scheduler's id.
    pub(crate) id: String,
}

impl Task {
    /// What no other task of a submission is called.
    pub(crate) fn word(&self) -> String {
        let &Task { round, first, .. } = self;
        match self.kind {
            Kind::Warm => "warm".to_owned(),
            Kind::Array => format!("{round}-{first}"),
            Kind::Collect if first == 0 => format!("{round}-collect"),
            Kind::Collect => format!("{round}-collect{first}"),
        }
    }
}

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Reads the data into the cache.
    Warm,
    /// Does jobs.
    Array,
    /// Hands in the next round, or evaluates.
    Collect,
}

impl Kind {
    /// What a task of this kind does, in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Warm => "reads the data",
            Kind::Array => "jobs",
            Kind::Collect => "collects",
        }
    }
}

/// Reads a table. Empty if the file does not exist.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> miette::Result<Vec<T>> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|error| Problem::file("read", path, error))?,
    };
    let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(&*text);
    let rows = reader.deserialize().collect::<Result<Vec<T>, _>>();
    rows.map_err(|error| Problem::new(format!("{} is damaged: {error}", path.display())).into())
}

/// The text of a table.
pub(crate) fn text<T: Serialize>(rows: &[T]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(Vec::new());
    for row in rows {
        // Writing into memory cannot fail, and every row has plain fields.
        let _ = writer.serialize(row);
    }
    writer.into_inner().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let row = Row {
            stage: 1,
            round: 2,
            chunk: 3,
            tries: 1,
            doubled: 0,
            job: "a/fold1/x y".to_owned(),
            key: "ab".to_owned(),
            seconds: 1.5,
            bytes: 7,
            time_limit: 600,
            memory_limit: 9,
        };
        let task = Task { round: 2, kind: Kind::Array, first: 0, count: 4, id: "17".to_owned() };
        std::fs::write(folder.path().join("rows"), text(std::slice::from_ref(&row))).unwrap();
        std::fs::write(folder.path().join("tasks"), text(std::slice::from_ref(&task))).unwrap();
        assert_eq!(read::<Row>(&folder.path().join("rows")).unwrap(), [row]);
        assert_eq!(read::<Task>(&folder.path().join("tasks")).unwrap(), [task]);
        assert_eq!(read::<Task>(&folder.path().join("none")).unwrap(), []);
        std::fs::write(folder.path().join("tasks"), "round\tkind\n1\tnone\n").unwrap();
        assert!(read::<Task>(&folder.path().join("tasks")).unwrap_err().to_string().contains("is damaged"));
    }
}
