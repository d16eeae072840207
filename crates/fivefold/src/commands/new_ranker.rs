//! `fivefold new-ranker`: writes a crate as a start for a ranker.
//!
//! The template is the workspace member `examples/new-ranker`, which is built and tested like every
//! other member. The command replaces its names and the place of its dependencies.

mod git_address;
mod origin;

use std::path::{Path, PathBuf};

use fivefold_core::Registry;

use self::origin::Origin;
use crate::exit::Exit;
use crate::files;
use crate::problem::Problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold new-ranker my-ranker
  fivefold new-ranker my-ranker --out ~/src/my-ranker --fivefold ~/src/fivefold
  fivefold new-ranker my-ranker --fivefold 'https://HOST/OWNER/fivefold?tag=v0.1.0'
  fivefold new-ranker my-ranker --fivefold =0.1.0

A git address is written as in Cargo.lock: ADDRESS (the newest commit of its main branch), ADDRESS?branch=NAME,
ADDRESS?tag=NAME, ADDRESS?rev=REV or ADDRESS#REV. A git address begins with https://, ssh://, file:// or git@HOST:. A \
version is written as in Cargo.toml.

Then, in the new folder:
  cargo test                              the ranker keeps the rules of all rankers
  cargo run --release -- run experiment.toml
  cargo bench

The new program has every command of fivefold, and your ranker beside the built-in rankers.")]
pub(crate) struct Args {
    /// The ranker's name: lowercase words joined by hyphens
    name: String,
    /// The folder to make [default: NAME]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where the crate gets fivefold from: the folder of a checkout, a git address, or a version
    /// [default: the checkout around this folder, else this program's checkout, else its version]
    #[arg(long, value_name = "WHERE", value_hint = clap::ValueHint::DirPath)]
    fivefold: Option<String>,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let names = Names::new(&self.name, registry)?;
        let choice = origin::choose(self.fivefold.as_deref())?;
        let folder = self.out.unwrap_or_else(|| PathBuf::from(&self.name));
        if folder.exists() {
            let problem = Problem::new(format!("{} already exists and was not changed", folder.display()));
            return Err(problem.help("choose another folder with --out, or another name").into());
        }
        if let Err(error) = write(&folder, &names, &choice.origin) {
            // Half a crate is useless, and would stand in the way of the next try.
            let _ = std::fs::remove_dir_all(&folder);
            return Err(error);
        }
        screen.line(format_args!("{}: a crate with ranker `{}`", folder.display(), names.kebab));
        screen.line(format_args!("The crate takes fivefold from {}: {}. Try there", choice.origin, choice.why));
        screen.line(format_args!("  cargo test"));
        screen.line(format_args!("  cargo run --release -- run experiment.toml"));
        Ok(Exit::Done)
    }
}

/// Makes the folder, which must not exist yet, and writes the crate into it.
fn write(folder: &Path, names: &Names, origin: &Origin) -> miette::Result<()> {
    for (path, text) in TEMPLATE {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Problem::file("make the folder", parent, error))?;
        }
        let mut text = filled(text, names, origin);
        if path.ends_with("Cargo.toml") {
            text.push_str(STANDS_ALONE);
        }
        files::write(&path, text.as_bytes())?;
    }
    Ok(())
}

/// The files of the crate, still with the names and the dependencies of the workspace member.
const TEMPLATE: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("../../template/manifest.toml")),
    ("build.rs", include_str!("../../template/build.rs")),
    ("src/lib.rs", include_str!("../../template/src/lib.rs")),
    ("src/main.rs", include_str!("../../template/src/main.rs")),
    ("tests/conformance.rs", include_str!("../../template/tests/conformance.rs")),
    ("benches/fit.rs", include_str!("../../template/benches/fit.rs")),
    ("experiment.toml", include_str!("../../template/experiment.toml")),
    (".gitignore", "/target\n/runs\n"),
];

/// A text in `Cargo.toml`. With it, cargo does not take the crate for a member of a workspace
/// around it.
const STANDS_ALONE: &str =
    "\n# Stands alone. Delete this line and the next to make it a member of a workspace.\n[workspace]\n";

/// A ranker's name in the three spellings that its crate needs.
struct Names {
    /// `my-ranker`: the name of the package, the ranker and the program.
    kebab: String,
    /// `my_ranker`: the name of the library.
    snake: String,
    /// `MyRanker`: the name of the type.
    camel: String,
}

/// Names that Rust or the code of the crate already uses.
const RESERVED: &str = "
    abstract alloc as async await become box break const continue core crate do dyn else enum extern false final
    fivefold fivefold-core fn for gen if impl in let loop macro match mod move mut override priv proc-macro pub
    ref return self serde static std struct super test trait true try type typeof unsafe unsized use virtual
    where while yield";

impl Names {
    fn new(name: &str, registry: &Registry) -> miette::Result<Self> {
        let word = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        if !name.split('-').all(word) {
            return Err(Problem::new(format!("`{name}` cannot be the name of a ranker"))
                .help("use lowercase words joined by hyphens; a word begins with a letter and has letters and digits")
                .into());
        }
        if registry.find(name).is_some() || registry.find_absent(name).is_some() {
            return Err(Problem::new(format!("there is a ranker `{name}` already")).help("choose another name").into());
        }
        let camel: String = name.split('-').map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect();
        if RESERVED.split_whitespace().any(|word| word == name) || uses_word(&camel) {
            let problem = Problem::new(format!("`{name}` means something else in Rust or in the crate's own code"));
            return Err(problem.help(format!("choose another name, for instance `my-{name}`")).into());
        }
        Ok(Names { kebab: name.to_owned(), snake: name.replace('-', "_"), camel })
    }
}

/// Whether the template's code already contains this type name as a word.
fn uses_word(camel: &str) -> bool {
    let mut code = TEMPLATE.iter().filter(|(path, _)| path.ends_with(".rs"));
    code.any(|(_, text)| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == camel))
}

/// Returns a file of the template with the names and dependencies of the new crate.
fn filled(text: &str, names: &Names, origin: &Origin) -> String {
    let text = text.replace("ExampleRanker", &names.camel).replace("ExampleModel", &format!("{}Model", names.camel));
    let mut text = text.replace("example-ranker", &names.kebab).replace("example_ranker", &names.snake);
    for name in ["fivefold", "fivefold-core", "fivefold-sources"] {
        text = text.replace(&format!("path = \"../../crates/{name}\""), &origin.keys(name));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::git_address::GitAddress;
    use super::*;

    fn refused(name: &str) -> String {
        Names::new(name, &crate::builtin()).err().map(|problem| problem.to_string()).unwrap_or_default()
    }

    #[test]
    fn names_are_spelt_in_three_ways() {
        let names = Names::new("rank-net2", &crate::builtin()).unwrap();
        assert_eq!([names.kebab, names.snake, names.camel], ["rank-net2", "rank_net2", "RankNet2"]);
    }

    #[test]
    fn names_that_would_not_build_are_refused() {
        for name in ["", "My-Ranker", "my_ranker", "-x", "x-", "2x", "über", "a--b", "../x"] {
            assert!(refused(name).contains("cannot be the name"), "{name}: {}", refused(name));
        }
        assert_eq!(refused("linear"), "there is a ranker `linear` already");
        for name in ["type", "core", "ranker", "model", "dataset", "fit-context"] {
            assert!(refused(name).contains("means something else"), "{name}: {}", refused(name));
        }
    }

    #[test]
    fn no_name_of_the_template_is_left() {
        let names = Names::new("my-ranker", &crate::builtin()).unwrap();
        for (path, text) in TEMPLATE {
            let text = filled(text, &names, &Origin::Version("0.1".to_owned()));
            assert!(!text.to_lowercase().contains("example") && !text.contains("../"), "{path}: {text}");
        }
    }

    #[test]
    fn dependencies_are_found_by_path_address_or_version() {
        let names = Names::new("my-ranker", &crate::builtin()).unwrap();
        let manifest = |origin: Origin| -> toml::Table { filled(TEMPLATE[0].1, &names, &origin).parse().unwrap() };
        let found = manifest(Origin::Checkout(PathBuf::from("/a \"b\"")));
        assert_eq!(found["dependencies"]["fivefold"]["path"].as_str(), Some("/a \"b\"/crates/fivefold"));
        assert_eq!(found["dev-dependencies"]["fivefold-core"]["path"].as_str(), Some("/a \"b\"/crates/fivefold-core"));
        let address = GitAddress::parse("https://host/o/fivefold?tag=v1").unwrap();
        let found = manifest(Origin::Git(address));
        for (kind, name) in [("dependencies", "fivefold"), ("build-dependencies", "fivefold-sources")] {
            assert_eq!(found[kind][name]["git"].as_str(), Some("https://host/o/fivefold"));
            assert_eq!(found[kind][name]["tag"].as_str(), Some("v1"));
        }
        assert_eq!(found["dev-dependencies"]["fivefold-core"]["features"][0].as_str(), Some("conformance"));
        let found = manifest(Origin::Version("0.1".to_owned()));
        assert_eq!(found["dependencies"]["fivefold-core"]["version"].as_str(), Some("0.1"));
        assert_eq!(found["package"]["name"].as_str(), Some("my-ranker"));
    }
}
