//! Lists the files of `experiments/` for `src/shipped.rs`, so that a new one is shipped by being
//! there; and says how the program is linked.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The kinds of experiments with rankers, as `fivefold_results::config::DESIGN_KINDS`. A test compares both
/// by the files.
const DESIGNS: [&str; 3] = ["learning-curve", "ablation", "selection"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=experiments");
    // A program at a fixed place needs no relocations when it starts: there are 140,000 of them.
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}"));
    if target("OS")? == "linux" && target("ENV")? == "gnu" && target("ARCH")? == "x86_64" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("experiments");
    let files = fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default();
        // A study has a `kind` above its first section, which is none of the kinds of experiments.
        let text = fs::read_to_string(&file)?;
        let kind = text.lines().take_while(|line| !line.starts_with('[')).find_map(|line| line.strip_prefix("kind = "));
        let is_study = kind.is_some_and(|kind| !DESIGNS.contains(&kind.trim_matches('"')));
        list += &format!("    Shipped {{ name: {name:?}, is_study: {is_study}, text: include_str!({file:?}) }},\n");
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("experiments.rs"), list + "]\n")?;
    Ok(())
}
