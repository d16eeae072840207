//! `--memory`: what the data and the jobs at work may take, and what this machine has.

use std::fmt;

/// Units of a size, longer ones that end alike first.
const UNITS: [(&str, u64); 9] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("b", 1),
];

/// How much memory.
#[derive(clap::Args)]
pub(crate) struct MemoryArgs {
    /// Memory for the data and the jobs at work, such as 6GiB: fewer jobs run at a time if need be; no result depends on
    /// it [default: three quarters of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = parse)]
    memory: Option<u64>,
}

impl MemoryArgs {
    /// Bytes; `None` where nothing was asked for and the machine does not tell what it has.
    pub(crate) fn budget(&self) -> Option<u64> {
        self.memory.or_else(|| Some(of_machine()? / 4 * 3))
    }
}

/// A number of bytes in words: `6.0 GiB`.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, size) = match self.0 {
            0..0x10_0000 => ("KiB", 1u64 << 10),
            0x10_0000..0x4000_0000 => ("MiB", 1 << 20),
            _ => ("GiB", 1 << 30),
        };
        write!(f, "{:.1} {unit}", self.0 as f64 / size as f64)
    }
}

/// Reads `6GiB`, `1.5 GB`, `800MiB`.
fn parse(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let Some((number, size)) = UNITS.iter().find_map(|(unit, size)| Some((lower.strip_suffix(unit)?, *size))) else {
        return Err("say how much and in which unit: 6GiB, 800MiB, 4GB".to_owned());
    };
    match number.trim_end().parse::<f64>() {
        Ok(number) if number > 0.0 && number * (size as f64) < u64::MAX as f64 => Ok((number * size as f64) as u64),
        _ => Err(format!("`{}` is no number of bytes above 0", number.trim_end())),
    }
}

/// The machine's memory, or that of the container where it has less (Linux only).
fn of_machine() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.iter().filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    limits.chain(total(&info)).min()
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn total(info: &str) -> Option<u64> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        for (text, bytes) in [
            ("6GiB", 6 << 30),
            ("6 gib", 6 << 30),
            ("1.5KiB", 1536),
            ("4GB", 4_000_000_000),
            ("2.5mb", 2_500_000),
            ("100B", 100),
            ("1TiB", 1 << 40),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "6", "GiB", "-1GiB", "0MB", "nanGB", "infGB", "6G", "6GiBs", "1e30TiB"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_in_words() {
        let words = [100, 1 << 10, 5 << 20, 6 << 30, 3 << 29].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(words, ["0.1 KiB", "1.0 KiB", "5.0 MiB", "6.0 GiB", "1.5 GiB"]);
    }

    #[test]
    fn the_machine_tells_its_memory() {
        let info = "MemTotal:       16384 kB\nMemFree:  3 kB\n";
        assert_eq!(total(info), Some(16 << 20));
        assert_eq!(total("MemFree:  3 kB\n"), None);
        if cfg!(target_os = "linux") {
            assert!(of_machine().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
