//! Lists the files of `experiments/` for `src/shipped.rs`, so that a new one is shipped by being
//! there; and says how the program is linked.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// The kinds of experiments with rankers, as `fivefold_results::config::DESIGN_KINDS`. A test compares both
/// by the files.
const DESIGNS: [&str; 3] = ["learning-curve", "ablation", "selection"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=experiments");
    for argument in link_arguments()? {
        println!("cargo:rustc-link-arg-bins={argument}");
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

/// How the program is linked, so that it starts quickly.
fn link_arguments() -> Result<Vec<String>, Box<dyn Error>> {
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}"));
    if target("OS")? != "linux" || target("ENV")? != "gnu" || target("ARCH")? != "x86_64" {
        return Ok(Vec::new());
    }
    // A user's own flag links the program already, at any place.
    if env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.split(',').any(|name| name == "crt-static")) {
        return Ok(Vec::new());
    }
    // A program at a fixed place needs no relocations when it starts: there are 140,000 of them.
    let mut arguments = vec!["-no-pie".to_owned()];
    // Not in the development build, whose tests preload libraries: a program that holds the C library ignores
    // them. Nor in the profile `dist`, which is for a small program: the library would add .9 MB.
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let profile = out.ancestors().nth(3).and_then(Path::file_name);
    if profile.is_some_and(|profile| profile == "release") {
        arguments.extend(static_arguments(&out.join("static"))?.unwrap_or_default());
    }
    Ok(arguments)
}

/// Arguments that put the C library into the program, since the dynamic loader takes a third of a short
/// start. `None` if a small program cannot be linked so: not each system has the library for it.
///
/// The feature `crt-static` of rustc does the same, but only for all crates of a build at once, which fails
/// for procedural macros. So the names of the shared libraries that rustc asks for lead to the static ones.
fn static_arguments(folder: &Path) -> Result<Option<Vec<String>>, Box<dyn Error>> {
    const ARCHIVES: [(&str, &str); 7] = [
        ("gcc_s", "libgcc_eh.a libgcc.a"),
        ("util", "libutil.a"),
        ("rt", "librt.a"),
        ("pthread", "libpthread.a"),
        ("m", "libm.a"),
        ("dl", "libdl.a"),
        ("c", "libc.a libgcc_eh.a libgcc.a"),
    ];
    fs::create_dir_all(folder)?;
    for (name, archives) in ARCHIVES {
        fs::write(folder.join(format!("lib{name}.so")), format!("GROUP({archives})\n"))?;
    }
    let arguments = vec!["-static".to_owned(), format!("-L{}", folder.display())];
    let (source, trial) = (folder.join("trial.rs"), folder.join("trial"));
    fs::write(&source, "fn main() {}\n")?;
    for variable in ["CARGO_ENCODED_RUSTFLAGS", "RUSTC_LINKER"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut rustc = Command::new(env::var("RUSTC")?);
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(["--target".to_owned(), env::var("TARGET")?, "-Clink-arg=-no-pie".to_owned()]);
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    rustc.arg("-o").arg(&trial).arg(&source);
    let runs = |command: &mut Command| {
        command
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let is_native = env::var("HOST")? == env::var("TARGET")?;
    Ok((is_native && runs(&mut rustc) && runs(&mut Command::new(&trial))).then_some(arguments))
}
