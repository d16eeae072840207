//! Reads TOML tables and keeps the place of every key and value.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::error::Fault;

/// A table of the file that is read one key at a time.
#[derive(Default)]
pub struct Section<'i> {
    span: Range<usize>,
    table: DeTable<'i>,
}

impl<'i> Section<'i> {
    /// Makes a section of a value. An error, which calls the value `what`, if it is not a table.
    pub fn new(value: Spanned<DeValue<'i>>, what: &str) -> Result<Self, Fault> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Ok(Section { span, table }),
            other => Err(Fault::new(format!("{what} must be a table, not {}", article(other.type_str())), span)),
        }
    }

    pub fn of_table(table: Spanned<DeTable<'i>>) -> Self {
        Section { span: table.span(), table: table.into_inner() }
    }

    /// The place of the table.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The place of the value of `key`. If `key` is absent, the place of the table.
    pub fn span_of(&self, key: &str) -> Range<usize> {
        self.table.get(key).map_or_else(|| self.span(), Spanned::span)
    }

    /// The place of the value of the first of `keys` that is present.
    pub fn first_span(&self, keys: &[&str]) -> Option<Range<usize>> {
        keys.iter().find_map(|key| self.table.get(*key)).map(Spanned::span)
    }

    /// Whether `key` is present.
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Removes the value of `key`.
    pub fn take(&mut self, key: &str) -> Option<Spanned<DeValue<'i>>> {
        self.table.remove(key)
    }

    /// Removes and reads the value of `key`. `None` if `key` is absent.
    pub fn read<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, Fault> {
        self.take(key).map(read).transpose()
    }

    /// Removes and reads the value of `key`. An error if `key` is absent.
    pub fn require<T: DeserializeOwned>(&mut self, key: &str, what: &str) -> Result<(T, Range<usize>), Fault> {
        match self.take(key) {
            Some(value) => {
                let span = value.span();
                Ok((read(value)?, span))
            }
            None => {
                Err(Fault::new(format!("{what} has no `{key}`"), self.span()).label(format!("needs `{key} = ...`")))
            }
        }
    }

    /// Removes the tables of the array `key` (`[[key]]`).
    pub fn tables(&mut self, key: &str) -> Result<Vec<Section<'i>>, Fault> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => items.into_iter().map(|item| Section::new(item, &format!("`{key}`"))).collect(),
            _ => Err(Fault::new(format!("`{key}` must be written as `[[{key}]]`, once for each"), span)),
        }
    }

    /// Returns an error if a key is left. The error suggests the nearest of `known`.
    pub fn finish(self, known: &[&str]) -> Result<(), Fault> {
        match self.table.iter().next() {
            Some((key, _)) => Err(Fault::unknown("key", key.get_ref(), key.span(), known.iter().copied())),
            None => Ok(()),
        }
    }

    /// The keys that are left, with their places.
    pub fn keys(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        self.table.iter().map(|(key, _)| (key.get_ref().as_ref(), key.span()))
    }

    /// The rest of the table, for reading as one value.
    pub fn into_value(self) -> Spanned<DeValue<'i>> {
        Spanned::new(self.span, DeValue::Table(self.table))
    }

    /// The rest of the table, for other code to read.
    pub fn into_table(self) -> Spanned<DeTable<'i>> {
        Spanned::new(self.span, self.table)
    }
}

/// Reads one value.
pub fn read<T: DeserializeOwned>(value: Spanned<DeValue<'_>>) -> Result<T, Fault> {
    let span = value.span();
    T::deserialize(ValueDeserializer::from(value)).map_err(|error| Fault::from(error).or_at(&span))
}

fn article(kind: &str) -> String {
    let vowel = kind.starts_with(['a', 'i', 'o', 'e', 'u']);
    format!("{} {kind}", if vowel { "an" } else { "a" })
}
