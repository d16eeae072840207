//! The output of trec_eval, byte for byte: `name topic value` a line, with tabs.
//!
//! The measures and their order are those of `trec_eval -m all_trec` and `-m official`. Version
//! 9.0.8 compares scores as 32-bit floats; version 10 compares them in full, rounds levels of recall
//! in another way, and adds `rbp`, `rbp_resid` and `unj`. Topics stand in the order of their ids as
//! bytes, which is that of the caller. A value that is undefined counts as 0, as in trec_eval, and
//! is counted.
//!
//! Cost: a ranking is looked at once by each measure, for all its cutoffs. A topic's pool is prepared
//! once for all runs.

mod experimental;
mod lines;
mod text;

use fivefold_base::Assessment;
use fivefold_core::Seed;
use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::evaluator::Pool;
use fivefold_metrics::mean::{GEOMETRIC_FLOOR, geometric_mean};
use fivefold_metrics::{Conventions, Evaluator, MeasureError, MeasureSpec, Scratch};

use experimental::{Gains, IdealGains};
use lines::{Count, What};
pub use lines::{Line, Program, lines};
use text::{Labels, Starts};

/// Makes the output of runs.
pub struct Printer {
    lines: Vec<Line>,
    labels: Labels,
    evaluator: Evaluator,
    threshold: u8,
    only_judged: bool,
    per_topic: bool,
    depth: Option<usize>,
}

/// A topic's judged documents.
pub struct JudgedTopic {
    starts: Starts,
    /// Number of relevant documents.
    relevant: usize,
    ideal: IdealGains,
    pool: Pool,
}

/// The output of a run, to which topics are added in the order of their ids.
pub struct RunOutput<'a> {
    printer: &'a Printer,
    text: &'a mut Vec<u8>,
    /// For each line, the sum over the topics.
    sums: Vec<f64>,
    /// For each line of a geometric mean, the values of the topics.
    values: Vec<Vec<f64>>,
    topics: usize,
    undefined: usize,
    scratch: Scratch,
    columns: Vec<f64>,
}

impl Printer {
    /// A printer of these lines. `per_topic` prints the values of each topic too; `depth` is how many
    /// documents of a topic count, from the first (`None`: all).
    ///
    /// # Errors
    /// If a measure does not fit the conventions or the highest grade.
    pub fn new(
        lines: Vec<Line>,
        conventions: &Conventions,
        max_grade: u8,
        per_topic: bool,
        depth: Option<usize>,
    ) -> Result<Self, MeasureError> {
        let specs = lines.iter().filter_map(|line| match &line.what {
            What::Value(spec) | What::Geometric(spec) => Some(spec.clone()),
            _ => None,
        });
        let specs: Vec<MeasureSpec> = specs.collect();
        Ok(Printer {
            labels: Labels::new(lines.iter().map(|line| line.name.as_str())),
            evaluator: Evaluator::new(&specs, conventions, max_grade, Seed::new(0))?,
            threshold: conventions.threshold,
            only_judged: conventions.unjudged == Unjudged::Removed,
            lines,
            per_topic,
            depth,
        })
    }

    /// Prepares a topic.
    ///
    /// # Errors
    /// If a grade is above the highest grade.
    pub fn topic(&self, id: &str, grades: Vec<u8>) -> Result<JudgedTopic, MeasureError> {
        let (starts, pool) = (self.labels.of_topic(id), self.evaluator.pool(id, &grades)?);
        let relevant = grades.iter().filter(|&&grade| grade >= self.threshold).count();
        Ok(JudgedTopic { starts, relevant, ideal: IdealGains::new(&grades, self.threshold), pool })
    }

    /// The output of a run, so far without topics; about `topics` will be added. The output stands in
    /// `text`, in place of the old text. It is UTF-8.
    pub fn run<'a>(&'a self, topics: usize, text: &'a mut Vec<u8>) -> RunOutput<'a> {
        /// About how many bytes a line has.
        const LINE: usize = 40;
        text.clear();
        text.reserve(if self.per_topic { topics + 1 } else { 1 } * self.lines.len() * LINE);
        RunOutput {
            printer: self,
            text,
            sums: vec![0.0; self.lines.len()],
            values: vec![Vec::new(); self.lines.len()],
            topics: 0,
            undefined: 0,
            scratch: Scratch::default(),
            columns: vec![0.0; self.evaluator.names().len()],
        }
    }

    /// Writes a line of a topic.
    fn put(&self, text: &mut Vec<u8>, place: usize, topic: &JudgedTopic, number: f64, ranking: &[Assessment]) {
        let what = &self.lines[place].what;
        if matches!(what, What::RunTag | What::Topics | What::Geometric(_)) {
            return;
        }
        text.extend_from_slice(topic.starts.of_line(place).as_bytes());
        match what {
            What::Grades(count) => text::put_grades(text, ranking, *count),
            What::Count(_) => text::put_count(text, number),
            _ => text::put_value(text, number),
        }
    }
}

impl RunOutput<'_> {
    /// Adds a topic; `ranking` has all documents of the run, from the first to the last.
    ///
    /// # Errors
    /// If the run has more judged documents of a grade than the topic.
    pub fn add(&mut self, topic: &JudgedTopic, mut ranking: Vec<Assessment>) -> Result<(), MeasureError> {
        let Printer { lines, evaluator, threshold, only_judged, per_topic, depth, .. } = self.printer;
        if *only_judged {
            ranking.retain(|document| document.is_judged());
        }
        ranking.truncate(depth.unwrap_or(usize::MAX));
        evaluator.originals(&topic.pool, &ranking, &mut self.scratch, &mut self.columns)?;
        self.topics += 1;
        self.undefined += usize::from(self.columns.iter().any(|value| value.is_nan()));
        let mut gains = None;
        let mut values = self.columns.iter().map(|value| if value.is_nan() { 0.0 } else { *value });
        for (place, line) in lines.iter().enumerate() {
            let number = match &line.what {
                What::RunTag | What::Grades(_) => 0.0,
                What::Topics => 1.0,
                What::Count(count) => count.of(topic, &ranking, *threshold) as f64,
                What::Value(_) | What::Geometric(_) => values.next().unwrap_or(0.0),
                What::Experimental(measure) => {
                    measure.of(&topic.ideal, gains.get_or_insert_with(|| Gains::of(&ranking)))
                }
            };
            self.sums[place] += number;
            if matches!(line.what, What::Geometric(_)) {
                self.values[place].push(number);
            }
            if *per_topic {
                self.printer.put(self.text, place, topic, number, &ranking);
            }
        }
        Ok(())
    }

    /// Ends the output of a run with this tag. Returns the number of topics with an undefined value.
    pub fn finish(self, tag: &str) -> usize {
        let Printer { lines, labels, .. } = self.printer;
        let (text, topics, starts) = (self.text, self.topics, labels.of_topic("all"));
        let mean = |sum: f64| if topics == 0 { 0.0 } else { sum / topics as f64 };
        for (place, line) in lines.iter().enumerate() {
            if matches!(line.what, What::Grades(_)) {
                continue;
            }
            text.extend_from_slice(starts.of_line(place).as_bytes());
            let sum = self.sums[place];
            match &line.what {
                What::RunTag => text.extend(tag.bytes().chain([b'\n'])),
                What::Topics | What::Count(_) => text::put_count(text, sum),
                What::Geometric(_) => {
                    let value = geometric_mean(&self.values[place], GEOMETRIC_FLOOR).value;
                    text::put_value(text, if topics == 0 { 0.0 } else { value });
                }
                _ => text::put_value(text, mean(sum)),
            }
        }
        self.undefined
    }
}

impl Count {
    fn of(self, topic: &JudgedTopic, ranked: &[Assessment], threshold: u8) -> usize {
        let relevant = |document: &&Assessment| document.grade() >= threshold;
        match self {
            Count::Retrieved => ranked.len(),
            Count::Relevant => topic.relevant,
            Count::RelevantRetrieved => ranked.iter().filter(relevant).count(),
            Count::OthersRetrieved => {
                ranked.iter().filter(|document| document.is_judged() && !relevant(document)).count()
            }
        }
    }
}
