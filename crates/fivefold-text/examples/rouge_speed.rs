//! Measures how long ROUGE takes over SummEval (12 systems, 100 documents, 11 references): the least
//! CPU time of some repeats, on one thread, from texts in memory to all values.
//!
//! `FIVEFOLD_DATA=... cargo run --release -p fivefold-text --example rouge_speed [REPEATS]`. The
//! program prints a line for each case:
//! - ROUGE-1, ROUGE-2 and ROUGE-L for first, mean and max; E of ROUGE-1 and ROUGE-2 exact under both
//!   models for first and mean; with and without stems;
//! - ROUGE-L for first and mean with E of 200 draws, both models, with and without stems;
//! - the same with max.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use fivefold_text::{Corpus, Document, Seed, TextMeasure, evaluate};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let repeats: usize = std::env::args().nth(1).map_or(Ok(5), |repeats| repeats.parse())?;
    let folder = std::env::var("FIVEFOLD_DATA")?;
    let corpus = read(&Path::new(&folder).join("text/summeval/model_output_annotations"))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (case, metrics, references, draws) in [
        ("A and exact E of ROUGE-1 and ROUGE-2", &["rouge1", "rouge2"][..], &["first", "mean"][..], 2),
        ("A of ROUGE-L, E of 200 draws", &["rougeL"], &["first", "mean"], 200),
        ("A of ROUGE-L, E of 1000 draws", &["rougeL"], &["first", "mean"], 1000),
        ("A of all with max, E of 200 draws", &["rouge1", "rouge2", "rougeL"], &["max"], 200),
    ] {
        let mut measures: Vec<TextMeasure> = Vec::new();
        for metric in metrics {
            for of in references {
                for model in ["unigram", "sample"] {
                    for stemmer in ["porter", "none"] {
                        let name = format!("{metric}(references={of},model={model},stemmer={stemmer},draws={draws})");
                        measures.push(name.parse()?);
                    }
                }
            }
        }
        let mut least = f64::INFINITY;
        for _ in 0..repeats {
            let start = cpu_time();
            pool.install(|| evaluate(&corpus, &measures, Seed::new(7)))?;
            least = least.min((cpu_time() - start).as_secs_f64());
        }
        println!("{case}: {} measures in {least:.2} CPU seconds", measures.len());
    }
    Ok(())
}

/// The CPU time of this process; where the system does not tell it, the time of the clock.
fn cpu_time() -> Duration {
    #[cfg(unix)]
    if let Ok(usage) = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF) {
        use nix::sys::time::TimeValLike as _;
        let spent = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        return Duration::from_micros(spent.unsigned_abs());
    }
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

fn read(folder: &Path) -> Result<Corpus, Box<dyn Error>> {
    let mut corpus = Corpus::default();
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    for path in paths {
        corpus.systems.push(path.display().to_string());
        for (place, line) in fs::read_to_string(&path)?.lines().enumerate() {
            let row: Value = serde_json::from_str(line)?;
            let text = |value: &Value| value.as_str().map(str::to_owned);
            if corpus.documents.len() == place {
                let references = row["references"].as_array().into_iter().flatten().filter_map(text).collect();
                let (id, source) = (place.to_string(), text(&row["text"]));
                corpus.documents.push(Document { id, source, references, candidates: Vec::new() });
            }
            corpus.documents[place].candidates.push(text(&row["decoded"]));
        }
    }
    Ok(corpus)
}
