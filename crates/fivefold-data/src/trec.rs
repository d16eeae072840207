//! TREC qrels and runs.
//!
//! - Qrels: `topic iteration document grade`, one judgement a line. The grade is a whole number and
//!   may be negative.
//! - Runs: `topic Q0 document rank score tag`, one retrieved document a line; text after the tag is
//!   ignored.
//!
//! Rules for both formats:
//! - Spaces and tabs separate fields. Outside comments, other blanks, control characters and
//!   invisible characters are errors, because some programs separate fields there.
//! - CRLF, blank lines and a byte order mark are allowed.
//! - A line that starts with `#` is a comment. Elsewhere, `#` is part of an id.
//! - The lines of a topic need not stand together. A topic has the place of its first line.
//! - `.gz`, `.zst` and members of a `.zip` are decompressed on the way.
//!
//! Policies, each counted in [`Qrels::remarks`] and [`Run::remarks`]:
//! - A document that stands twice under a topic is treated by [`Duplicates`]. The default is an
//!   error, as in trec_eval.
//! - A negative grade is kept. The document counts as not relevant and not judged, as in trec_eval
//!   ([`Judgement::grade`]).
//! - The rank column orders nothing, as in trec_eval. A run is ordered by score, and documents of
//!   equal score by the tie policy of the evaluation. Topics whose ranks contradict the scores are
//!   counted.
//!
//! [`Joined`] treats topics and documents that only the run or only the qrels have. Cost: one pass
//! over the text, and a table of each topic's documents by id.

mod document_id;
mod error;
mod gathered;
mod hashed;
mod join;
mod judged;
pub(crate) mod qrels;
pub(crate) mod run;
mod subtopics;
pub(crate) mod topics;

use std::fmt;
use std::path::Path;

use fivefold_base::words::{counted, which};
use serde::{Deserialize, Serialize};

pub use document_id::DocumentId;
pub use error::{TrecError, TrecErrorKind};
pub use hashed::HashedDocuments;
pub use join::{Joined, JoinedTopic, Matched, some_shared};
pub use judged::JudgedDocuments;
pub use qrels::{Judgement, Qrels, QrelsTopic, read_qrels};
pub use run::{Retrieved, Run, RunTopic, read_run};
pub use subtopics::{SubtopicQrels, SubtopicsOfDocument, SubtopicsOfTopic, read_subtopic_qrels};

use crate::text::{TextLine, TextLines, UsualLine};

/// The treatment of a document that stands twice under one topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    /// The second line is an error, as in trec_eval.
    #[default]
    Error,
    /// The first line counts.
    First,
    /// The last line counts, as in programs that put lines into a dictionary (pytrec_eval, ranx).
    Last,
    /// The highest grade or score counts.
    Highest,
}

impl Duplicates {
    /// All policies, in the order in which help lists them.
    pub const ALL: [Duplicates; 4] = [Duplicates::Error, Duplicates::First, Duplicates::Last, Duplicates::Highest];

    /// The policy's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Duplicates::Error => "error",
            Duplicates::First => "first",
            Duplicates::Last => "last",
            Duplicates::Highest => "highest",
        }
    }

    /// The policy in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Duplicates::Error => "the second line is an error, as in trec_eval",
            Duplicates::First => "the first line counts",
            Duplicates::Last => {
                "the last line counts, as in programs that put lines into a dictionary (pytrec_eval, ranx)"
            }
            Duplicates::Highest => "the highest grade or score counts",
        }
    }

    /// Whether a later value replaces an earlier value; `None` if the later value is an error.
    fn replaces<T: PartialOrd>(self, earlier: T, later: T) -> Option<bool> {
        match self {
            Duplicates::Error => None,
            Duplicates::First => Some(false),
            Duplicates::Last => Some(true),
            Duplicates::Highest => Some(later > earlier),
        }
    }
}

impl fmt::Display for Duplicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The remarks with a count above 0, one line each.
fn remarks<const N: usize>(counts: [(usize, String); N]) -> Vec<String> {
    counts.into_iter().filter(|(count, _)| *count > 0).map(|(_, remark)| remark).collect()
}

fn passed_over(comments: usize) -> String {
    format!("{} {} passed over", counted(comments, "comment line"), which(comments, "was", "were"))
}

/// Calls `take` for each line.
fn each_line(
    path: &Path,
    lines: &mut TextLines,
    mut take: impl FnMut(TextLine<'_>) -> Result<(), TrecErrorKind>,
) -> Result<(), TrecError> {
    while let Some(line) = lines.next_line().map_err(|error| TrecError::io(path, error))? {
        take(line).map_err(|kind| TrecError::new(path, line.number, kind))?;
    }
    Ok(())
}

/// Takes lines with `N` fields, and makes something whole of them.
trait TakesLines<const N: usize> {
    /// All lines together.
    type Whole;

    /// Takes a usual line. Returns false if it is a line for [`take`](Self::take), which also tells faults.
    fn take_usual(&mut self, line: UsualLine<'_, N>) -> bool;

    /// Takes any line.
    fn take(&mut self, line: TextLine<'_>) -> Result<(), TrecErrorKind>;

    /// The lines together, given how reading ended. A document that stands twice is the fault, if it
    /// stands before a line that cannot be read.
    fn finish(self, path: &Path, read: Result<(), TrecError>, duplicates: Duplicates)
    -> Result<Self::Whole, TrecError>;
}

/// Reads a file of lines with fields.
fn read_fields<const N: usize, R: TakesLines<N> + Default>(
    path: &Path,
    duplicates: Duplicates,
) -> Result<R::Whole, TrecError> {
    let mut reader = R::default();
    let read = each_line_of_fields(path, &mut reader);
    reader.finish(path, read, duplicates)
}

/// Gives each line to a reader: usual lines on a quick way, with the same outcome.
#[inline(always)]
fn each_line_of_fields<const N: usize>(path: &Path, reader: &mut impl TakesLines<N>) -> Result<(), TrecError> {
    let mut lines = TextLines::open(path).map_err(|error| TrecError::io(path, error))?;
    loop {
        while let Some(line) = lines.usual() {
            if !reader.take_usual(line) {
                break;
            }
            lines.pass(line.length());
        }
        let Some(line) = lines.next_line().map_err(|error| TrecError::io(path, error))? else { return Ok(()) };
        reader.take(line).map_err(|kind| TrecError::new(path, line.number, kind))?;
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::text::UTF8_MARK;

    /// A reader that takes each line on the slow way.
    #[derive(Default)]
    struct Slowly<R>(R);

    impl<const N: usize, R: TakesLines<N>> TakesLines<N> for Slowly<R> {
        type Whole = R::Whole;

        fn take_usual(&mut self, _: UsualLine<'_, N>) -> bool {
            false
        }

        fn take(&mut self, line: TextLine<'_>) -> Result<(), TrecErrorKind> {
            self.0.take(line)
        }

        fn finish(
            self,
            path: &Path,
            read: Result<(), TrecError>,
            duplicates: Duplicates,
        ) -> Result<R::Whole, TrecError> {
            self.0.finish(path, read, duplicates)
        }
    }

    fn told<T: Debug>(read: Result<(T, Vec<String>), TrecError>) -> String {
        read.map_or_else(|error| error.to_string(), |(topics, remarks)| format!("{topics:?} {remarks:?}"))
    }

    fn both_ways_of_qrels(path: &Path, duplicates: Duplicates) -> [String; 2] {
        let slow = read_fields::<4, Slowly<qrels::Reader>>(path, duplicates);
        let all = |qrels: Qrels| (qrels.topics.clone(), qrels.remarks());
        [read_qrels(path, duplicates), slow].map(|read| told(read.map(all)))
    }

    fn both_ways_of_runs(path: &Path, duplicates: Duplicates) -> [String; 2] {
        let slow = read_fields::<6, Slowly<run::Reader>>(path, duplicates);
        let all = |run: Run| ((run.topics.clone(), run.tag.clone()), run.remarks());
        [read_run(path, duplicates), slow].map(|read| told(read.map(all)))
    }

    #[test]
    fn usual_lines_are_read_as_other_lines() {
        let mut state = 1_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let prefixes = ["", "FT911-", "clueweb09-en0006-78-", "0123456789abcde-", &"long".repeat(20), "\u{e9}-"];
        let blanks = ["\t", "  ", " \t "];
        let hostile = [
            "1 0 d\n",
            "1 0 d 1 2\n",
            "1 Q0 d 1 nan t\n",
            "1 0 d 31\n",
            "1 0 d x\n",
            "1 Q0 d x 2 t\n",
            "\0\n",
            "a\rb\n",
            "1\u{a0}0 d 1\n",
            "1 Q0 d 1 1e999 t\n",
            "1 0 d 99999999999\n",
            "1 Q0 d 1 2\n",
            "\u{7f}\n",
        ];
        let harmless = ["\n", "# comment\n", "#1 0 d 1\n", "#1 Q0 d 1 2 t\n", " \t\n", "\r\n"];
        let (mut fine, mut faults) = (0, std::collections::HashSet::new());
        for round in 0..120 {
            let is_run = round % 2 == 0;
            let lines = [3, 200, 2500][next(3)];
            // In every third file, lines are all usual, or nearly so.
            let (odd, wrong) = ([usize::MAX, 40, 3][round % 3], [usize::MAX, 2 * lines][next(2)]);
            let rare = |often: usize, next: &mut dyn FnMut(usize) -> usize| often < usize::MAX && next(often) == 0;
            let mut text = if next(8) == 0 { UTF8_MARK.to_owned() } else { String::new() };
            for line in 0..lines {
                if rare(wrong, &mut next) {
                    text += hostile[next(hostile.len())];
                }
                if rare(odd, &mut next) {
                    text += harmless[next(harmless.len())];
                }
                let topic = if rare(odd, &mut next) { next(30) } else { line * 20 / lines };
                let twice = rare(odd, &mut next) && next(30) == 0;
                let number = if twice { line / 2 } else { line };
                let prefix = if rare(odd, &mut next) { next(6) } else { next(3) };
                let document = format!("{}{number}", prefixes[prefix]);
                let fields = if is_run {
                    let decimals = next(18);
                    let score = [
                        format!("{}.{:0decimals$}", next(99), next(65_536)),
                        format!("-{}", next(9)),
                        "1e-3".to_owned(),
                    ];
                    let kind = if rare(odd, &mut next) { next(3) } else { 0 };
                    let (rank, tag) = ([line.to_string(), "+7".to_owned()], ["tag", "a-tag-that-is-long", "t"]);
                    let rank = &rank[usize::from(rare(odd, &mut next))];
                    let tag = tag[if rare(odd, &mut next) { next(3) } else { 0 }];
                    let more = if rare(odd, &mut next) { " more text" } else { "" };
                    vec![
                        topic.to_string(),
                        "Q0".to_owned(),
                        document,
                        rank.clone(),
                        score[kind].clone(),
                        tag.to_owned() + more,
                    ]
                } else {
                    let grade = if rare(odd, &mut next) {
                        ["-2", "+1", "30", "007"][next(4)].to_owned()
                    } else {
                        next(4).to_string()
                    };
                    vec![topic.to_string(), "0".to_owned(), document, grade]
                };
                text += &fields.join(if rare(odd, &mut next) { blanks[next(3)] } else { " " });
                text += if rare(odd, &mut next) { "\r\n" } else { "\n" };
            }
            text.truncate(text.len() - next(2));
            std::fs::write(&path, &text).unwrap();
            let duplicates = Duplicates::ALL[next(4)];
            let [quick, slow] =
                if is_run { both_ways_of_runs(&path, duplicates) } else { both_ways_of_qrels(&path, duplicates) };
            assert!(quick == slow, "{duplicates:?}: {:.300}\n{:.300}\n{text:.2000}", quick, slow);
            match quick.strip_prefix(&path.display().to_string()) {
                Some(fault) => drop(
                    faults.insert(
                        fault
                            .trim_start_matches(|c: char| c == ':' || c.is_ascii_digit())
                            .chars()
                            .take(15)
                            .collect::<String>(),
                    ),
                ),
                None => fine += 1,
            }
        }
        assert!(fine > 40 && faults.len() > 5, "{fine} {faults:?}");
    }
}
