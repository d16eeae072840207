//! A git repository as `new-ranker --fivefold` is given it: `ADDRESS`, `ADDRESS?branch=NAME`,
//! `ADDRESS?tag=NAME`, `ADDRESS?rev=REV` or `ADDRESS#REV`. These are the spellings of `Cargo.lock`,
//! so that a line of it can be pasted. Nothing is fetched here: cargo does that when it builds the
//! crate.

use std::fmt;
use std::path::Path;

use fivefold_base::words::nearest;

use crate::problem::Problem;

/// What cargo can fetch from.
const SCHEMES: [&str; 5] = ["https", "ssh", "file", "http", "git"];

/// The keys that choose a commit, as cargo names them.
const KEYS: [&str; 3] = ["branch", "tag", "rev"];

const SPELLINGS: &str = "write the address alone, or with ?branch=NAME, ?tag=NAME or #REV at its end";

/// An address, and the commit that is asked for if it is not the newest of the main branch.
#[derive(Debug, PartialEq)]
pub(super) struct GitAddress {
    url: String,
    /// One of [`KEYS`], and its value.
    commit: Option<(&'static str, String)>,
}

impl GitAddress {
    /// Whether a text is meant as an address and not as a folder or a version.
    pub(super) fn is_meant(text: &str) -> bool {
        text.contains(":/") || text.starts_with("git+") || scp(text).is_some()
    }

    pub(super) fn parse(text: &str) -> miette::Result<Self> {
        if let Some(odd) = text.chars().find(|c| c.is_whitespace() || c.is_control()) {
            let problem = Problem::new(format!("the git address `{text}` has the character {odd:?}"));
            return Err(problem.help("a git address has no blanks; write %20 for a blank").into());
        }
        let address = text.strip_prefix("git+").unwrap_or(text);
        let (address, commit) = match (address.split_once('?'), address.split_once('#')) {
            (Some(_), Some(_)) => {
                let problem = Problem::new(format!("the git address `{text}` names two commits, by ? and by #"));
                return Err(problem.help(SPELLINGS).into());
            }
            (Some((address, query)), None) => (address, Some(commit(text, query)?)),
            (None, Some((address, rev))) => (address, Some(("rev", named(text, "rev", rev)?))),
            (None, None) => (address, None),
        };
        Ok(GitAddress { url: url(address)?, commit })
    }

    /// The keys of a dependency in `Cargo.toml`.
    pub(super) fn keys(&self) -> String {
        let commit = self.commit.as_ref().map(|(key, value)| format!(", {key} = {}", quoted(value)));
        format!("git = {}{}", quoted(&self.url), commit.unwrap_or_default())
    }
}

impl fmt::Display for GitAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the git repository {}", self.url)?;
        self.commit.as_ref().map_or(Ok(()), |(key, value)| write!(f, ", {key} {value}"))
    }
}

/// A text as TOML.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// `tag=NAME` and its like.
fn commit(text: &str, query: &str) -> miette::Result<(&'static str, String)> {
    let (key, value) = query.split_once('=').unwrap_or((query, ""));
    let Some(known) = KEYS.into_iter().find(|known| *known == key) else {
        let near = nearest(key, KEYS).map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let problem = Problem::new(format!("`{key}` in the git address `{text}` chooses no commit"));
        return Err(problem.help(format!("{near}{SPELLINGS}")).into());
    };
    Ok((known, named(text, known, value)?))
}

/// The name of a branch, tag or revision, which is not empty.
fn named(text: &str, key: &str, value: &str) -> miette::Result<String> {
    if value.is_empty() || value.contains(['&', '?', '#']) {
        return Err(Problem::new(format!("the git address `{text}` does not name a {key}")).help(SPELLINGS).into());
    }
    Ok(value.to_owned())
}

/// `git@host:owner/name`, which cargo takes only as an address of `ssh`: the user and host, and the
/// path.
fn scp(text: &str) -> Option<(&str, &str)> {
    let (host, path) = text.split_once(':')?;
    let (user, name) = host.split_once('@')?;
    let is_word = |word: &str| !word.is_empty() && !word.contains('/');
    (is_word(user) && is_word(name) && !path.starts_with("//")).then_some((host, path))
}

/// The address as cargo takes it.
fn url(address: &str) -> miette::Result<String> {
    let wrong = |what: &str| Problem::new(format!("`{address}` is no git address: {what}"));
    if let Some((host, path)) = scp(address) {
        let path = path.trim_start_matches('/');
        let url = format!("ssh://{host}/{path}");
        return if path.is_empty() { Err(wrong("no repository is named after the host").into()) } else { Ok(url) };
    }
    let Some((scheme, rest)) = address.split_once("://") else {
        return Err(wrong("it lacks `://`").help("addresses begin as https://, ssh://, file:// or git@host:").into());
    };
    if !SCHEMES.contains(&scheme) {
        let near = nearest(scheme, SCHEMES).map_or(String::new(), |near| format!("did you mean `{near}://{rest}`? "));
        let known = "addresses begin with https, ssh, file, http or git";
        return Err(wrong(&format!("there is no `{scheme}`")).help(format!("{near}{known}")).into());
    }
    if scheme == "file" {
        return match Path::new(rest) {
            path if !path.is_absolute() => Err(wrong("the path of a file address must begin with a slash")
                .help("write three slashes, as in file:///home/me/fivefold")
                .into()),
            path if !path.is_dir() => Err(wrong(&format!("there is no folder {rest}")).into()),
            _ => Ok(address.to_owned()),
        };
    }
    match rest.split_once('/') {
        Some((host, path)) if !host.is_empty() && !path.trim_matches('/').is_empty() => Ok(address.to_owned()),
        _ => Err(wrong("the host or the repository is missing")
            .help("write an address such as https://HOST/OWNER/NAME")
            .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_becomes_keys_of_cargo() {
        for (text, keys) in [
            ("https://host/o/fivefold", r#"git = "https://host/o/fivefold""#),
            ("https://host/o/fivefold.git#0a1b2c", r#"git = "https://host/o/fivefold.git", rev = "0a1b2c""#),
            ("ssh://git@host/o/f?tag=v0.1.0", r#"git = "ssh://git@host/o/f", tag = "v0.1.0""#),
            ("git+https://host/o/f?branch=a/b", r#"git = "https://host/o/f", branch = "a/b""#),
            ("git@host:o/f.git?rev=0a", r#"git = "ssh://git@host/o/f.git", rev = "0a""#),
        ] {
            assert!(GitAddress::is_meant(text), "{text}");
            assert_eq!(GitAddress::parse(text).unwrap().keys(), keys, "{text}");
        }
        for other in ["0.1", "fivefold", "/home/me/fivefold", "../a@b", "C:fivefold"] {
            assert!(!GitAddress::is_meant(other), "{other}");
        }
        let told = GitAddress::parse("https://host/o/f?tag=v1").unwrap().to_string();
        assert_eq!(told, "the git repository https://host/o/f, tag v1");
    }

    #[test]
    fn a_folder_is_an_address_by_its_whole_path() {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("file://{}", folder.path().display());
        assert_eq!(GitAddress::parse(&address).unwrap().keys(), format!("git = {}", quoted(&address)));
    }

    #[test]
    fn typing_errors_in_addresses_teach() {
        for (text, what) in [
            ("htps://host/o/f", "did you mean `https://host/o/f`?"),
            ("https:/host/o/f", "it lacks `://`"),
            ("https://host", "the host or the repository is missing"),
            ("https:///o/f", "the host or the repository is missing"),
            ("https://host/o/f?tga=v1", "did you mean `tag`?"),
            ("https://host/o/f?v1", "`v1` in the git address"),
            ("https://host/o/f?tag=", "does not name a tag"),
            ("https://host/o/f#", "does not name a rev"),
            ("https://host/o/f?tag=a&rev=b", "does not name a tag"),
            ("https://host/o/f?tag=a#b", "names two commits"),
            ("https://host/o f", "has the character ' '"),
            ("file://fivefold", "the path of a file address must begin with a slash"),
            ("file:///no/such/folder", "there is no folder /no/such/folder"),
            ("git@host:", "no repository is named after the host"),
        ] {
            let problem = GitAddress::parse(text).unwrap_err();
            let told = format!("{problem}; {}", problem.help().map_or(String::new(), |help| help.to_string()));
            assert!(told.contains(what), "{text}: {told}");
        }
    }
}
