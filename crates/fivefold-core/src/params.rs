//! Parameters of rankers: read from TOML with places, checked, and described. Rankers of the
//! program and of other crates use the same code.
//!
//! The names come from the type's own `Deserialize`, which tells a deserializer the fields. The
//! defaults come from the type's `Default`. So `fit` always uses the same names and defaults.

use std::borrow::Cow;
use std::ops::Range;

use fivefold_base::renamed::Renamed;
use fivefold_base::words::nearest;
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer as _, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::ranker::{ParamHelp, Ranker};

/// The key that starts from a named set of parameters.
pub(crate) const PRESET_KEY: &str = "preset";

/// A named set of parameters of one ranker.
///
/// ```
/// use fivefold_core::Preset;
///
/// #[derive(Default)]
/// struct Mine {
///     trees: usize,
/// }
///
/// // What `Ranker::presets` gives back; `preset = "small"` in an experiment file chooses it.
/// let presets = [Preset { name: "small", summary: "for a first look", params: Mine { trees: 10 } }];
/// let small = presets.iter().find(|preset| preset.name == "small");
/// assert_eq!(small.map(|preset| preset.params.trees), Some(10));
/// ```
pub struct Preset<R> {
    /// The name, as written after `preset =`.
    pub name: &'static str,
    /// The program that the preset imitates, or its use, in a line.
    pub summary: &'static str,
    /// The parameters.
    pub params: R,
}

/// An error in a parameter, and its place in the file.
///
/// ```
/// use fivefold_core::ParamError;
///
/// let trees = 0;
/// let error = ParamError::unless(trees > 0, "trees", trees, "1 or more").unwrap_err();
/// assert_eq!(error.to_string(), "`trees` must be 1 or more, not 0");
/// assert_eq!(error.param.as_deref(), Some("trees"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParamError {
    /// The error in words.
    pub message: String,
    /// The parameter that is wrong, if the error is about one parameter.
    pub param: Option<String>,
    /// Byte range in the source, if it is known.
    pub span: Option<Range<usize>>,
    /// The remedy.
    pub help: Option<String>,
}

/// The message of the TOML reader, with words for the user instead of names of Rust types: "a whole
/// number, 0 or more" for `u32`. If a table is nested too deep, the message names the limit of the
/// TOML reader.
pub fn toml_message(error: &toml::de::Error) -> String {
    let message = error.message();
    if message.contains("recursion") {
        return "nested more than 80 deep, the most that is read; lay it flat".to_owned();
    }
    let (before, expected) = message.rsplit_once("expected ").unwrap_or((message, ""));
    let words = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "f64" | "f32" => "a number",
        "bool" | "a boolean" => "true or false",
        "a sequence" => "a list in [ ]",
        kind if kind.starts_with("struct ") => "a table, { key = value, ... }",
        _ => return message.to_owned(),
    };
    format!("{before}expected {words}")
}

/// Finds the unknown name in an error of serde. Returns "key" or "value", the name, and the names
/// that are known.
///
/// For any type, the text of such an error is "unknown field `x`, expected one of `a`, `b`".
pub fn unknown_name(error: &toml::de::Error) -> Option<(&'static str, &str, impl Iterator<Item = &str> + Clone)> {
    let message = error.message();
    let kinds = [("unknown field `", "key"), ("unknown variant `", "value")];
    let (_, kind) = kinds.into_iter().find(|(start, _)| message.starts_with(start))?;
    let mut ticked = message.split('`').skip(1).step_by(2);
    Some((kind, ticked.next()?, ticked))
}

impl ParamError {
    /// An error about the value of `param`.
    pub fn new(param: &str, message: impl Into<String>) -> Self {
        ParamError {
            message: format!("`{param}` {}", message.into()),
            param: Some(param.to_owned()),
            span: None,
            help: None,
        }
    }

    /// Fails with "`param` must be ..., not VALUE" unless `ok`.
    ///
    /// # Errors
    /// If `ok` is false.
    pub fn unless(ok: bool, param: &str, value: impl std::fmt::Display, must_be: &str) -> Result<(), Self> {
        if ok { Ok(()) } else { Err(Self::new(param, format!("must be {must_be}, not {value}"))) }
    }
}

/// One parameter as help and lists show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParamInfo {
    /// The parameter's name.
    pub name: String,
    /// The parameter's default; `None` if the parameter is unset by default.
    pub default: Option<serde_json::Value>,
    /// Its meaning, with unit and range.
    pub help: String,
}

/// The names of the fields that `T`'s `Deserialize` expects, in order.
pub fn field_names<T: DeserializeOwned>() -> &'static [&'static str] {
    struct Probe<'a>(&'a mut &'static [&'static str]);
    impl<'de> Deserializer<'de> for Probe<'_> {
        type Error = serde::de::value::Error;
        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(serde::de::Error::custom("only the field names were asked for"))
        }
        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = fields;
            self.deserialize_any(visitor)
        }
        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }
    let mut names: &'static [&'static str] = &[];
    // The probe always fails, but by then it has seen the names.
    let _ = T::deserialize(Probe(&mut names));
    names
}

/// Reads the parameters of `R` from a TOML table. The key `preset` starts from a named set of
/// parameters.
///
/// # Errors
/// The first unknown key, wrong type or value out of range, with its place.
pub fn parse<R: Ranker>(mut table: Spanned<DeTable<'_>>) -> Result<R, ParamError> {
    let params = Params { ranker: R::NAME, names: field_names::<R>(), renamed: R::RENAMED };
    let spans = params.places(&mut table)?;
    let preset = table.get_mut().remove(PRESET_KEY);
    // Read the user's own table even if a preset is given: only here does a wrong type still have a
    // place.
    let checked = match preset {
        None => read::<R>(table),
        Some(value) => {
            let mut presets = R::presets();
            let names: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
            let preset = presets.swap_remove(params.preset(&names, &value)?);
            read::<R>(table.clone())?;
            overlay(preset.params, table)
        }
    };
    checked.and_then(|ranker| ranker.check().map(|()| ranker)).map_err(|error| at_its_place(error, &spans))
}

/// What is known of a ranker's parameters without its type. Code that is made for each type is kept
/// small, because each program makes it anew for all rankers.
struct Params {
    /// The name of the ranker.
    ranker: &'static str,
    /// The names of the parameters.
    names: &'static [&'static str],
    renamed: &'static [Renamed],
}

/// A key of a table, its place, and the place of its value.
type Place = (String, Range<usize>, Range<usize>);

impl Params {
    /// Gives renamed keys their new names, and returns the places of all keys.
    ///
    /// # Errors
    /// If a key is unknown, or has both names.
    fn places(&self, table: &mut Spanned<DeTable<'_>>) -> Result<Vec<Place>, ParamError> {
        rename_keys(table.get_mut(), self.renamed)?;
        let place = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            (key.get_ref().to_string(), key.span(), value.span())
        };
        let places: Vec<Place> = table.get_ref().iter().map(place).collect();
        match places.iter().find(|(key, ..)| key != PRESET_KEY && !self.names.contains(&key.as_str())) {
            Some((key, span, _)) => Err(self.unknown(key, span.clone())),
            None => Ok(places),
        }
    }

    fn unknown(&self, key: &str, span: Range<usize>) -> ParamError {
        let help = match nearest(key, self.names.iter().copied().chain([PRESET_KEY])) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.names.is_empty() => format!("`{}` has no parameters", self.ranker),
            None => format!("parameters of `{}`: {}", self.ranker, self.names.join(", ")),
        };
        ParamError {
            message: format!("unknown parameter `{key}` of ranker `{}`", self.ranker),
            param: Some(key.to_owned()),
            span: Some(span),
            help: Some(help),
        }
    }

    /// The position of the preset that `value` asks for.
    fn preset(&self, names: &[&str], value: &Spanned<DeValue<'_>>) -> Result<usize, ParamError> {
        let error = |message: String, help: Option<String>| ParamError {
            message,
            param: Some(PRESET_KEY.to_owned()),
            span: Some(value.span()),
            help,
        };
        let Some(wanted) = value.get_ref().as_str() else {
            return Err(error("`preset` must be a string".to_owned(), None));
        };
        let help = match nearest(wanted, names.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None if names.is_empty() => format!("`{}` has no presets", self.ranker),
            None => format!("presets of `{}`: {}", self.ranker, names.join(", ")),
        };
        names
            .iter()
            .position(|name| *name == wanted)
            .ok_or_else(|| error(format!("unknown preset \"{wanted}\" of ranker `{}`", self.ranker), Some(help)))
    }
}

/// Gives an error about a parameter the place of its value.
fn at_its_place(mut error: ParamError, places: &[Place]) -> ParamError {
    if error.span.is_none() {
        let found = places.iter().find(|(key, ..)| error.param.as_ref() == Some(key));
        error.span = found.map(|(_, _, value)| value.clone());
    }
    error
}

/// Like `parse`, for parameters that fivefold stored as JSON in a manifest or a model file.
///
/// # Errors
/// As [`parse`], without places.
pub(crate) fn from_json<R: Ranker>(value: &serde_json::Value) -> Result<R, ParamError> {
    let value = with_new_names(value, R::RENAMED);
    let ranker: R = serde_json::from_value(value).map_err(|e| ParamError {
        message: e.to_string(),
        param: None,
        span: None,
        help: None,
    })?;
    ranker.check()?;
    Ok(ranker)
}

/// Gives renamed keys of a table their new names. Returns the renamed keys that the table had under
/// the old name.
///
/// # Errors
/// If the table has both names of a key.
pub fn rename_keys(table: &mut DeTable<'_>, renamed: &'static [Renamed]) -> Result<Vec<&'static Renamed>, ParamError> {
    let mut met = Vec::new();
    for word in renamed {
        let Some((key, value)) = table.remove_entry(word.old) else { continue };
        let span = key.span();
        if table.contains_key(word.new) {
            return Err(ParamError {
                message: format!(
                    "both `{}` and `{}` are given, but the first is the old name of the second",
                    word.old, word.new
                ),
                param: Some(word.old.to_owned()),
                span: Some(span),
                help: Some(format!("leave out `{}`", word.old)),
            });
        }
        table.insert(Spanned::new(span, Cow::Borrowed(word.new)), value);
        met.push(word);
    }
    Ok(met)
}

/// Returns stored parameters with the new names of all renamed parameters.
pub fn with_new_names(params: &serde_json::Value, renamed: &[Renamed]) -> serde_json::Value {
    with_keys(params, renamed.iter().map(|word| (word.old, word.new)))
}

/// Returns parameters with some keys under other names. Each pair is the name until now and the
/// name from now on.
pub fn with_keys<'n>(
    params: &serde_json::Value,
    names: impl IntoIterator<Item = (&'n str, &'n str)>,
) -> serde_json::Value {
    let mut params = params.clone();
    if let Some(object) = params.as_object_mut() {
        for (from, to) in names {
            if let Some(value) = object.remove(from) {
                object.insert(to.to_owned(), value);
            }
        }
    }
    params
}

/// Name, default and help of each parameter of `R`.
pub fn describe<R: Ranker>() -> Vec<ParamInfo> {
    let defaults = serde_json::to_value(R::default()).unwrap_or_default();
    described(field_names::<R>(), &defaults, R::PARAMS)
}

fn described(names: &[&str], defaults: &serde_json::Value, help: &[ParamHelp]) -> Vec<ParamInfo> {
    let of = |&name: &&str| ParamInfo {
        name: name.to_owned(),
        default: defaults.get(name).filter(|value| !value.is_null()).cloned(),
        help: help.iter().find(|param| param.name == name).map_or("", |param| param.help).to_owned(),
    };
    names.iter().map(of).collect()
}

fn value_of(table: Spanned<DeTable<'_>>) -> ValueDeserializer<'_> {
    let span = table.span();
    Spanned::new(span, DeValue::Table(table.into_inner())).into_deserializer()
}

fn read<T: DeserializeOwned>(table: Spanned<DeTable<'_>>) -> Result<T, ParamError> {
    T::deserialize(value_of(table)).map_err(|e| ParamError {
        message: toml_message(&e),
        param: None,
        span: e.span(),
        help: None,
    })
}

/// Takes the parameters that the user gives, and all others from the preset.
fn overlay<R: Ranker>(preset: R, user: Spanned<DeTable<'_>>) -> Result<R, ParamError> {
    let failed = |e: serde_json::Error| ParamError { message: e.to_string(), param: None, span: None, help: None };
    let preset = serde_json::to_value(preset).map_err(failed)?;
    serde_json::from_value(overlaid(preset, user)?).map_err(failed)
}

fn overlaid(mut preset: serde_json::Value, user: Spanned<DeTable<'_>>) -> Result<serde_json::Value, ParamError> {
    let given: serde_json::Map<String, serde_json::Value> = read(user)?;
    // TOML has no null: only `inf` and `nan` become one.
    if let Some((key, _)) = given.iter().find(|(_, value)| value.is_null()) {
        return Err(ParamError::new(key, "must be a finite number"));
    }
    if let Some(preset) = preset.as_object_mut() {
        preset.extend(given);
    }
    Ok(preset)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::{Dataset, FitContext, FitError, Model, ParamHelp, QueryView};

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Toy {
        rounds: u32,
        rate: f64,
        stop: Option<u32>,
    }

    impl Default for Toy {
        fn default() -> Self {
            Toy { rounds: 10, rate: 0.1, stop: None }
        }
    }

    #[derive(Serialize, Deserialize)]
    struct ToyModel;

    impl Model for ToyModel {
        fn score(&self, _: QueryView<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }
    }

    impl Ranker for Toy {
        const NAME: &'static str = "toy";
        const PARAMS: &'static [ParamHelp] = &[ParamHelp { name: "rounds", help: "how often" }];
        type Model = ToyModel;
        fn presets() -> Vec<Preset<Self>> {
            vec![Preset { name: "slow", summary: "many rounds", params: Toy { rounds: 1000, ..Toy::default() } }]
        }
        fn check(&self) -> Result<(), ParamError> {
            ParamError::unless(self.rate > 0.0, "rate", self.rate, "above 0")
        }
        fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<ToyModel, FitError> {
            Ok(ToyModel)
        }
    }

    fn toy(text: &str) -> Result<Toy, ParamError> {
        parse(DeTable::parse(text).unwrap())
    }

    #[test]
    fn defaults_and_given_values() {
        assert_eq!(toy("").unwrap(), Toy::default());
        assert_eq!(toy("rounds = 3\nstop = 2").unwrap(), Toy { rounds: 3, rate: 0.1, stop: Some(2) });
    }

    #[test]
    fn presets_fill_what_is_not_given() {
        assert_eq!(toy("preset = 'slow'\nrate = 0.5").unwrap(), Toy { rounds: 1000, rate: 0.5, stop: None });
        let error = toy("preset = 'slo'").unwrap_err();
        assert_eq!((error.span, error.help.as_deref()), (Some(9..14), Some("did you mean \"slow\"?")));
        let error = toy("preset = 'slow'\nrate = inf").unwrap_err();
        assert_eq!((error.message.as_str(), error.span), ("`rate` must be a finite number", Some(23..26)));
    }

    #[test]
    fn unknown_keys_are_placed_and_the_nearest_is_named() {
        let error = toy("rate = 1.0\nround = 3").unwrap_err();
        assert_eq!(error.message, "unknown parameter `round` of ranker `toy`");
        assert_eq!((error.span, error.help.as_deref()), (Some(11..16), Some("did you mean `rounds`?")));
        assert_eq!(toy("zzzzzz = 3").unwrap_err().help.as_deref(), Some("parameters of `toy`: rounds, rate, stop"));
    }

    #[test]
    fn wrong_types_and_ranges_are_placed() {
        assert_eq!(toy("rate = 1.0\nrounds = 'x'").unwrap_err().span, Some(20..23));
        assert_eq!(toy("preset = 'slow'\nrounds = 'x'").unwrap_err().span, Some(25..28));
        let error = toy("rate = -1.0").unwrap_err();
        assert_eq!((error.message.as_str(), error.span), ("`rate` must be above 0, not -1", Some(7..11)));
    }

    #[test]
    fn description_comes_from_the_type() {
        let info = describe::<Toy>();
        assert_eq!(info.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["rounds", "rate", "stop"]);
        assert_eq!(info[0].default, Some(serde_json::json!(10)));
        assert_eq!((info[0].help.as_str(), &info[2].default), ("how often", &None));
    }

    #[test]
    fn what_is_expected_is_said_without_names_of_types() {
        #[derive(Debug, Deserialize)]
        struct All {
            #[serde(rename = "toy")]
            _toy: Option<Toy>,
            #[serde(rename = "flag")]
            _flag: Option<bool>,
            #[serde(rename = "list")]
            _list: Option<Vec<u8>>,
        }
        for (text, said) in [
            ("toy = 3", "integer `3`, expected a table, { key = value, ... }"),
            ("toy = { rounds = 'x' }", "string \"x\", expected a whole number, 0 or more"),
            ("toy = { rate = 'x' }", "string \"x\", expected a number"),
            ("flag = 3", "integer `3`, expected true or false"),
            ("list = 3", "integer `3`, expected a list in [ ]"),
        ] {
            let error = toml::from_str::<All>(text).unwrap_err();
            assert_eq!(toml_message(&error), format!("invalid type: {said}"));
        }
    }
}
