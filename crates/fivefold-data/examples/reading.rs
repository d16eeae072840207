//! Measures speed and memory of reading a collection, from text and from the cache, each in a
//! process of its own.
//!
//! ```text
//! cargo run --release -p fivefold-data --example reading -- make mslr-web30k 2050 made.txt
//! cargo run --release -p fivefold-data --example reading -- text made.txt 1
//! cargo run --release -p fivefold-data --example reading -- cache made.txt 1 FOLDER     (twice: the first one fills it)
//! cargo run --release -p fivefold-data --example reading -- guards made.txt 1           (leak guards, after the reading)
//! ```
//! The last argument is `--json` for one line of JSON instead of words. Rates are in 10^6 bytes a
//! second, for wall time and for CPU time of the process. The bytes are the text's for `text` (for
//! a compressed file, the file's), and the matrix's for `cache` and `guards`. Peak memory is the
//! resident memory of the process, with the pages of the mapped file, divided by the size of the
//! matrix. The example runs on Linux only. `text` only reads the file; `cache` also cuts the
//! collection into folds and hashes it.

use std::error::Error;
use std::io::BufWriter;
use std::path::Path;
use std::time::Instant;

use fivefold_core::{Dataset, Seed};
use fivefold_data::cache::CacheUse;
use fivefold_data::source::open_cached;
use fivefold_data::{Cache, ReadOptions, Source, read_letor, synthetic, write_letor};
use serde_json::json;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.pop_if(|last| last == "--json").is_some();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["make", shape, queries, file] => {
            let data = synthetic::make(synthetic::shape(shape)?, queries.parse()?, Seed::new(1))?;
            Ok(write_letor(&data, &mut BufWriter::new(std::fs::File::create(file)?))?)
        }
        ["text", file, threads] => measure("text", file, threads, as_json, || {
            let data = read_letor(Path::new(file), &ReadOptions::default())?.data;
            Ok((data, std::fs::metadata(file)?.len()))
        }),
        ["cache", file, threads, folder] => {
            let source = Source { path: Some(file.into()), layout: Some("one-file".to_owned()), ..Source::default() };
            measure("cache", file, threads, as_json, || {
                let opened = open_cached(&source, &[], Some(&Cache::new(folder)))?;
                if !matches!(opened.cache, CacheUse::Read(_)) {
                    return Err(format!("{} (run again to measure)", opened.cache).into());
                }
                let bytes = matrix_bytes(&opened.all);
                Ok((opened.all, bytes))
            })
        }
        ["guards", file, threads] => {
            let source = Source { path: Some(file.into()), layout: Some("one-file".to_owned()), ..Source::default() };
            let opened = open_cached(&source, &[], None)?;
            measure("guards", file, threads, as_json, || {
                if let Some(finding) = opened.leaks().first() {
                    return Err(finding.to_string().into());
                }
                Ok((opened.all.clone(), matrix_bytes(&opened.all)))
            })
        }
        _ => {
            Err("arguments: make SHAPE QUERIES FILE, text FILE THREADS, cache FILE THREADS FOLDER, or guards FILE THREADS; then --json"
                .into())
        }
    }
}

fn matrix_bytes(data: &Dataset) -> u64 {
    (data.documents() * data.width() * size_of::<f32>()) as u64
}

/// Runs `work`, which returns the data and the number of bytes for the rate.
fn measure(
    what: &str,
    file: &str,
    threads: &str,
    as_json: bool,
    work: impl FnOnce() -> Result<(Dataset, u64)> + Send,
) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let (started, before) = (Instant::now(), cpu_seconds()?);
    let (data, bytes) = pool.install(work)?;
    let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds()? - before);
    let (megabytes, matrix) = (bytes as f64 / 1e6, matrix_bytes(&data) as f64 / 1e6);
    let peak = peak_megabytes()?;
    if as_json {
        let facts = json!({
            "what": what, "file": file, "threads": pool.current_num_threads(), "wall": wall, "cpu": cpu,
            "megabytes": megabytes, "per_second": megabytes / wall, "per_cpu_second": megabytes / cpu,
            "matrix": matrix, "peak": peak, "peak_ratio": peak / matrix,
        });
        println!("{facts}");
    } else {
        println!(
            "{megabytes:.0} MB in {wall:.2} s: {:.0} MB/s, {:.0} MB/s of CPU time",
            megabytes / wall,
            megabytes / cpu
        );
        println!("peak memory {peak:.0} MB, matrix {matrix:.0} MB: {:.3}", peak / matrix);
    }
    Ok(())
}

/// CPU time of this process so far (user and system), at the usual 100 ticks a second.
fn cpu_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |place: usize| after_name.split_whitespace().nth(place).unwrap_or_default().parse::<f64>();
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

fn peak_megabytes() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap_or_default().parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}
