//! Where a new crate gets fivefold from: a checkout, a git repository or a version in the registry.
//! Which it is follows from the text of `--fivefold`, or else from where this program stands.

use std::fmt;
use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};

use super::git_address::{GitAddress, quoted};
use crate::problem::Problem;

/// What is in every checkout of fivefold and in no other folder.
const MARK: &str = "crates/fivefold-core/Cargo.toml";

/// The version of this program.
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the dependencies come from.
#[derive(Debug, PartialEq)]
pub(super) enum Origin {
    /// The folder of the workspace.
    Checkout(PathBuf),
    /// A repository that holds the workspace.
    Git(GitAddress),
    /// A requirement on the version, as cargo reads it, for the registry.
    Version(String),
}

impl Origin {
    /// The keys of a dependency on one of our crates in `Cargo.toml`.
    pub(super) fn keys(&self, package: &str) -> String {
        match self {
            Origin::Checkout(folder) => {
                format!("path = {}", quoted(&folder.join("crates").join(package).display().to_string()))
            }
            Origin::Git(address) => address.keys(),
            Origin::Version(version) => format!("version = {}", quoted(version)),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Checkout(folder) => write!(f, "the checkout {}", folder.display()),
            Origin::Git(address) => address.fmt(f),
            Origin::Version(version) => write!(f, "version {version} of the registry"),
        }
    }
}

/// An origin, and in words why it is this one.
pub(super) struct Choice {
    pub(super) origin: Origin,
    pub(super) why: String,
}

/// Takes what was asked for, or else what fits where this program stands.
pub(super) fn choose(asked: Option<&str>) -> miette::Result<Choice> {
    match asked {
        Some(asked) => {
            let origin = parse(asked)?;
            let why = other_version(&origin).unwrap_or_else(|| "--fivefold asks for this source".to_owned());
            Ok(Choice { origin, why })
        }
        None => {
            let here = std::env::current_dir().unwrap_or_default();
            let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(""));
            Ok(without_option(&here, built_from))
        }
    }
}

/// A remark on a requirement that this program itself does not meet: its template need not fit what
/// cargo then takes.
fn other_version(origin: &Origin) -> Option<String> {
    let Origin::Version(text) = origin else { return None };
    let (requirement, own) = (VersionReq::parse(text).ok()?, Version::parse(OWN_VERSION).ok()?);
    let remark = || format!("--fivefold asks for it, but the template is from this program, version {OWN_VERSION}");
    (!requirement.matches(&own)).then(remark)
}

/// The checkout around a folder, or the one that this program was built from, or the version of
/// this program.
fn without_option(here: &Path, built_from: &Path) -> Choice {
    if let Some(around) = here.ancestors().find(|folder| is_checkout(folder)) {
        return Choice {
            origin: Origin::Checkout(around.to_owned()),
            why: "the current folder is inside this checkout".to_owned(),
        };
    }
    let version = Origin::Version(OWN_VERSION.to_owned());
    if !is_checkout(built_from) {
        return Choice {
            origin: version,
            why: "this program has this version and was not built from a checkout".to_owned(),
        };
    }
    // What `cargo install --git` leaves there is gone when cargo next cleans up.
    if built_from.components().any(|part| part.as_os_str() == "checkouts") && !built_from.join(".git").is_dir() {
        let why = "this program has this version, and cargo may delete its copy of the checkout".to_owned();
        return Choice { origin: version, why };
    }
    Choice {
        origin: Origin::Checkout(built_from.to_owned()),
        why: "this program was built from this checkout".to_owned(),
    }
}

fn is_checkout(folder: &Path) -> bool {
    folder.join(MARK).is_file()
}

fn parse(asked: &str) -> miette::Result<Origin> {
    let folder = Path::new(asked);
    if is_checkout(folder) {
        let absolute = folder.canonicalize().map_err(|error| Problem::file("find", folder, error))?;
        return Ok(Origin::Checkout(absolute));
    }
    if GitAddress::is_meant(asked) {
        return Ok(Origin::Git(GitAddress::parse(asked)?));
    }
    if folder.exists() {
        return Err(no_checkout(folder).into());
    }
    let trimmed = asked.trim();
    match VersionReq::parse(trimmed) {
        Ok(_) if !trimmed.is_empty() => Ok(Origin::Version(trimmed.to_owned())),
        Ok(_) => Err(unknown(asked).into()),
        Err(error) if starts_as_version(trimmed) => Err(no_version(trimmed, &error).into()),
        Err(_) => Err(unknown(asked).into()),
    }
}

fn starts_as_version(text: &str) -> bool {
    let text = text.trim_start_matches(['=', '^', '~', '<', '>', ' ']);
    text.strip_prefix('v').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
}

fn no_version(text: &str, error: &semver::Error) -> Problem {
    let without = text.replacen('v', "", 1);
    let help = match VersionReq::parse(&without) {
        Ok(_) if text.contains('v') => {
            format!("did you mean `{without}`? A tag is a part of a git address: ADDRESS?tag={text}")
        }
        _ => "versions are written as in Cargo.toml: 0.1, 0.1.0, =0.1.0 or \">=0.1, <0.3\"".to_owned(),
    };
    Problem::new(format!("`{text}` is no version: {error}")).help(help)
}

/// A path that is there and is no checkout: says which one may be meant.
fn no_checkout(path: &Path) -> Problem {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let help = if let Some(around) = absolute.ancestors().skip(1).find(|folder| is_checkout(folder)) {
        format!("did you mean {}, the checkout around this folder?", around.display())
    } else if absolute.join("HEAD").is_file() && absolute.join("objects").is_dir() {
        format!("the folder is a git repository without files: give its address, file://{}", absolute.display())
    } else {
        "give the folder with fivefold's README.md".to_owned()
    };
    Problem::new(format!("{} is not a checkout of fivefold: the folder has no {MARK}", path.display())).help(help)
}

/// What is neither there, nor an address, nor a version.
fn unknown(asked: &str) -> Problem {
    let host = asked.split('/').next().unwrap_or_default();
    let names_host = host.contains('.') && host.starts_with(|c: char| c.is_ascii_alphanumeric()) && asked.contains('/');
    let near = if names_host { format!("did you mean https://{asked}? ") } else { String::new() };
    Problem::new(format!("`{asked}` is neither a checkout of fivefold, nor a git address, nor a version")).help(format!(
        "{near}give the folder of a checkout, an address such as https://HOST/OWNER/NAME?tag=v0.1.0, or a version such as 0.1"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkout() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("crates/fivefold-core")).unwrap();
        std::fs::write(folder.path().join(MARK), "").unwrap();
        folder
    }

    #[test]
    fn a_place_is_a_checkout_an_address_or_a_version() {
        let folder = checkout();
        let path = folder.path().to_str().unwrap();
        assert_eq!(parse(path).unwrap(), Origin::Checkout(folder.path().canonicalize().unwrap()));
        assert!(matches!(parse("https://host/owner/fivefold"), Ok(Origin::Git(_))));
        for version in ["0.1", "=0.1.0", "0.1.0-rc.1", ">=0.1, <0.3", "*"] {
            assert_eq!(parse(version).unwrap(), Origin::Version(version.to_owned()));
        }
    }

    #[test]
    fn without_the_option_it_is_the_nearest_checkout_or_the_version() {
        let (here, built_from) = (checkout(), checkout());
        let (inside, nowhere) = (here.path().join("a/b"), Path::new("/no/such/folder"));
        let chosen = |here: &Path, built_from: &Path| without_option(here, built_from).origin;
        assert_eq!(chosen(&inside, built_from.path()), Origin::Checkout(here.path().to_owned()));
        assert_eq!(chosen(nowhere, built_from.path()), Origin::Checkout(built_from.path().to_owned()));
        assert_eq!(chosen(nowhere, nowhere), Origin::Version(OWN_VERSION.to_owned()));
    }

    #[test]
    fn a_copy_that_cargo_made_for_an_installation_is_not_taken() {
        let home = tempfile::tempdir().unwrap();
        let copy = home.path().join("git/checkouts/fivefold-0a1b/2c3d");
        std::fs::create_dir_all(copy.join("crates/fivefold-core")).unwrap();
        std::fs::write(copy.join(MARK), "").unwrap();
        let choice = without_option(Path::new("/no/such/folder"), &copy);
        assert_eq!(choice.origin, Origin::Version(OWN_VERSION.to_owned()));
        assert!(choice.why.contains("may delete its copy"), "{}", choice.why);
    }

    #[test]
    fn a_version_that_this_program_does_not_meet_is_remarked() {
        assert_eq!(choose(Some(OWN_VERSION)).unwrap().why, "--fivefold asks for this source");
        let why = choose(Some("99.1")).unwrap().why;
        assert!(why.contains(&format!("from this program, version {OWN_VERSION}")), "{why}");
    }

    #[test]
    fn what_is_no_origin_teaches() {
        let (empty, around, bare) = (tempfile::tempdir().unwrap(), checkout(), tempfile::tempdir().unwrap());
        std::fs::write(bare.path().join("HEAD"), "").unwrap();
        std::fs::create_dir(bare.path().join("objects")).unwrap();
        let inside = around.path().join("crates");
        for (asked, what) in [
            (empty.path().to_str().unwrap(), "the folder has no crates/fivefold-core/Cargo.toml"),
            (inside.to_str().unwrap(), "the checkout around this folder?"),
            (bare.path().to_str().unwrap(), "give its address, file:///"),
            ("v0.1.0", "did you mean `0.1.0`?"),
            ("0.1.0.0", "`0.1.0.0` is no version: "),
            (">=0.1 <0.3", "versions are written as in Cargo.toml"),
            ("no-such-folder", "neither a checkout of fivefold, nor a git address, nor a version"),
            ("host.org/owner/fivefold", "did you mean https://host.org/owner/fivefold?"),
            ("", "neither a checkout"),
        ] {
            let problem = parse(asked).unwrap_err();
            let told = format!("{problem}; {}", problem.help().map_or(String::new(), |help| help.to_string()));
            assert!(told.contains(what), "{asked}: {told}");
        }
    }
}
