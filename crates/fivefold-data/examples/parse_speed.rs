//! Speed and memory of the reader, on a file that it makes first.
//!
//! ```text
//! cargo run --release -p fivefold-data --example parse_speed -- make mslr-web30k 2050 made.txt
//! RAYON_NUM_THREADS=1 cargo run --release -p fivefold-data --example parse_speed -- read made.txt
//! ```
//! `read` prints megabytes of text (10^6 bytes, of a compressed file: of the file) for each second of CPU time of the
//! process, and its peak resident memory divided by the size of the matrix (Linux only).

use std::error::Error;
use std::io::BufWriter;
use std::path::Path;

use fivefold_core::Seed;
use fivefold_data::{ReadOptions, made, read_letor, write_letor};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", shape, queries, file] => {
            let data = made::make(made::shape(shape)?, queries.parse()?, Seed::new(1))?;
            Ok(write_letor(&data, &mut BufWriter::new(std::fs::File::create(file)?))?)
        }
        ["read", file] => read(Path::new(file)),
        _ => Err("arguments: make SHAPE QUERIES FILE, or read FILE".into()),
    }
}

fn read(file: &Path) -> Result<(), Box<dyn Error>> {
    let before = cpu_seconds()?;
    let part = read_letor(file, &ReadOptions::default())?;
    let seconds = cpu_seconds()? - before;
    let megabytes = std::fs::metadata(file)?.len() as f64 / 1e6;
    let matrix = (part.data.documents() * part.data.width() * size_of::<f32>()) as f64 / 1e6;
    let peak = peak_megabytes()?;
    println!("{megabytes:.0} MB in {seconds:.2} s of CPU time: {:.0} MB/s", megabytes / seconds);
    println!("peak memory {peak:.0} MB, matrix {matrix:.0} MB: {:.3}", peak / matrix);
    Ok(())
}

/// CPU time of this process so far, user and system, at the usual 100 ticks a second.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |place: usize| after_name.split_whitespace().nth(place).unwrap_or_default().parse::<f64>();
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

fn peak_megabytes() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap_or_default().parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}
