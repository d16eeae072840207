//! The values of one parameter of a search: a list, or a range of numbers.

use std::borrow::Cow;
use std::ops::Range;

use fivefold_core::Seed;
use fivefold_core::params::field_names;
use serde::Deserialize;
use toml::Spanned;
use toml::de::DeValue;

use crate::config::error::Fault;
use crate::config::read::read;
use crate::config::values::MOST_CANDIDATES;

/// One parameter of a search.
pub(super) struct Dimension<'i> {
    /// The name of the parameter.
    pub(super) name: String,
    /// The place of the name in the file.
    pub(super) place: Range<usize>,
    /// The place of the values in the file.
    values_at: Range<usize>,
    values: Values<'i>,
}

enum Values<'i> {
    List(Vec<Spanned<DeValue<'i>>>),
    Range(NumberRange),
}

/// `{ low = 0.01, high = 0.3, scale = "log", steps = 4 }`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberRange {
    low: Number,
    high: Number,
    #[serde(default)]
    scale: Scale,
    /// How many values a grid takes, both ends included.
    steps: Option<usize>,
}

/// The keys of a range.
pub(super) fn range_keys() -> &'static [&'static str] {
    field_names::<NumberRange>()
}

/// The spacing of numbers in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Scale {
    #[default]
    Linear,
    Log,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    fn value(self) -> f64 {
        match self {
            Number::Whole(number) => number as f64,
            Number::Real(number) => number,
        }
    }
}

/// Digits of a drawn or spaced number. More digits would only make tables wide.
const DIGITS: usize = 4;

impl<'i> Dimension<'i> {
    pub(super) fn read(key: Spanned<Cow<'i, str>>, value: Spanned<DeValue<'i>>) -> Result<Self, Fault> {
        let (place, values_at, name) = (key.span(), value.span(), key.into_inner().into_owned());
        let fault = |message: String| Fault::new(message, values_at.clone());
        let values = match value.get_ref() {
            DeValue::Array(items) if items.is_empty() => {
                return Err(fault(format!("`{name}` has no values: the grid is empty")));
            }
            DeValue::Array(items) => Values::List(items.iter().cloned().collect()),
            DeValue::Table(_) => {
                let range: NumberRange = read(value)?;
                range.check().map_err(fault)?;
                Values::Range(range)
            }
            _ => {
                let fault = fault(format!("`{name}` needs a list of values, or a range"));
                return Err(fault.help("for instance [0.1, 0.3], or { low = 0.01, high = 0.3, scale = \"log\" }"));
            }
        };
        Ok(Dimension { name, place, values_at, values })
    }

    /// The key as a table of parameters has it, with its place in the file.
    pub(super) fn key(&self) -> Spanned<Cow<'i, str>> {
        Spanned::new(self.place.clone(), Cow::Owned(self.name.clone()))
    }

    /// The values that a grid takes.
    pub(super) fn listed(&self) -> Result<Vec<Item<'i>>, Fault> {
        match &self.values {
            Values::List(values) => Ok(values.iter().cloned().map(Item::Given).collect()),
            Values::Range(range) => {
                let Some(steps) = range.steps else {
                    let message = format!("a grid needs `steps` for the range of `{}`", self.name);
                    let fault = Fault::new(message, self.values_at.clone());
                    return Err(fault.help("for instance { low = 0.01, high = 0.3, scale = \"log\", steps = 4 }"));
                };
                let share = |step: usize| step as f64 / (steps - 1) as f64;
                Ok((0..steps).map(|step| self.number(range.spaced(share(step)))).collect())
            }
        }
    }

    /// A value drawn from this seed.
    pub(super) fn drawn(&self, seed: Seed) -> Item<'i> {
        let mut rng = seed.rng();
        match &self.values {
            Values::List(values) => Item::Given(values[rng.index(values.len())].clone()),
            Values::Range(range) => self.number(range.drawn(rng.uniform())),
        }
    }

    fn number(&self, text: String) -> Item<'i> {
        Item::Number(text, self.values_at.clone())
    }
}

/// One value of a parameter.
#[derive(Clone)]
pub(super) enum Item<'i> {
    /// A value of a list.
    Given(Spanned<DeValue<'i>>),
    /// A number of a range, as TOML, with the place of the range.
    Number(String, Range<usize>),
}

impl Item<'_> {
    /// The value with its place in the file.
    pub(super) fn value(&self) -> Result<Spanned<DeValue<'_>>, Fault> {
        match self {
            Item::Given(value) => Ok(value.clone()),
            Item::Number(text, place) => {
                let value = DeValue::parse(text).map_err(|error| Fault::from(error).or_at(place))?;
                Ok(Spanned::new(place.clone(), value.into_inner()))
            }
        }
    }
}

impl NumberRange {
    fn check(&self) -> Result<(), String> {
        let (low, high) = (self.low.value(), self.high.value());
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(format!("`low` must be less than `high`, but {low} is not less than {high}"));
        }
        if self.scale == Scale::Log && low <= 0.0 {
            return Err(format!("a range on a logarithmic scale begins above 0, not at {low}"));
        }
        match self.steps {
            Some(steps) if !(2..=MOST_CANDIDATES).contains(&steps) => {
                Err(format!("`steps` must be between 2 and {MOST_CANDIDATES}, not {steps}"))
            }
            _ => Ok(()),
        }
    }

    /// Whether both ends are whole numbers, so that all values between them are.
    fn whole(&self) -> bool {
        matches!((self.low, self.high), (Number::Whole(_), Number::Whole(_)))
    }

    /// The number at a share of the range, as TOML.
    fn spaced(&self, share: f64) -> String {
        let (low, high) = (self.low.value(), self.high.value());
        let number = match self.scale {
            Scale::Linear => low + share * (high - low),
            Scale::Log => libm::exp(libm::log(low) + share * (libm::log(high) - libm::log(low))),
        };
        if self.whole() {
            return format!("{}", number.round().clamp(low, high));
        }
        let rounded: f64 = format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number);
        format!("{:?}", rounded.clamp(low, high))
    }

    /// The number that belongs to a uniform draw from [0, 1), as TOML. Each whole number of a linear
    /// range is equally likely.
    fn drawn(&self, uniform: f64) -> String {
        if self.whole() && self.scale == Scale::Linear {
            let (low, high) = (self.low.value(), self.high.value());
            return format!("{}", (low + (uniform * (high - low + 1.0)).floor()).min(high));
        }
        self.spaced(uniform)
    }
}
