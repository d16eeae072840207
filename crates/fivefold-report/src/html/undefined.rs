//! The error for an unknown name in a template: the name, its place, and the known names.

use std::error::Error as _;

use fivefold_base::words::nearest;
use minijinja::{Error, ErrorKind};
use serde_json::Value;

use super::page::Page;

/// The error in words. `None` if the error is of another kind.
pub(super) fn undefined(error: &Error, page: &Page) -> Option<String> {
    // What an included template says is the source of what the including one says.
    let mut error = error;
    while let Some(inner) = error.source().and_then(|source| source.downcast_ref::<Error>()) {
        error = inner;
    }
    let (source, range) = (error.template_source()?, error.range()?);
    if error.kind() != ErrorKind::UndefinedError {
        return None;
    }
    let before = source.get(..range.start)?;
    let given = Given { page: serde_json::to_value(page).ok()?, before };
    // Of a filter it is what stands before it that is not defined.
    let path = match before.trim_end().strip_suffix('|') {
        Some(filtered) => paths(filtered).last()?,
        None => paths(source.get(range)?).find(|path| given.value(path).is_none())?,
    };
    let (owner, known) = given.names_beside(path)?;
    let name = path.rsplit('.').next().unwrap_or(path);
    let near = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    let place = format!("{}:{}", error.name()?, error.line()?);
    Some(format!("{place}: there is no `{path}`; {near}{owner} has {}", known.join(", ")))
}

/// The names with dots in an expression.
fn paths(expression: &str) -> impl Iterator<Item = &str> {
    let parts = expression.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    parts.filter(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// The names that a template can use at a place.
struct Given<'t> {
    page: Value,
    /// The text of the template before the place.
    before: &'t str,
}

impl Given<'_> {
    /// The value of a name with dots, as far as the template's text tells it.
    fn value(&self, path: &str) -> Option<&Value> {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let start = match self.looped(first) {
            Some(list) => self.value(list)?.get(0)?,
            None => self.page.get(first)?,
        };
        rest.map_or(Some(start), |rest| rest.split('.').try_fold(start, |value, name| value.get(name)))
    }

    /// The list of the loop that defines a name before the place.
    fn looped(&self, name: &str) -> Option<&str> {
        let words: Vec<&str> = self.before.split_whitespace().collect();
        let of = |words: &[&'_ str]| words[0] == "for" && words[1] == name && words[2] == "in";
        words.windows(4).rev().find(|words| of(words)).map(|words| words[3])
    }

    /// The owner of the last name of a path, and the names that the owner has. If the owner is not
    /// known, the names of the page.
    fn names_beside(&self, path: &str) -> Option<(String, Vec<&str>)> {
        let owner = path.rsplit_once('.').map(|(owner, _)| owner);
        let fields = owner.and_then(|owner| Some((format!("`{owner}`"), self.value(owner)?.as_object()?)));
        let (owner, fields) = fields.or_else(|| Some(("a page".to_owned(), self.page.as_object()?)))?;
        Some((owner, fields.keys().map(String::as_str).collect()))
    }
}
