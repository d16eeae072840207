//! The settings that differ between two runs. Data sets and rankers are matched by label, not by
//! place.

use std::collections::BTreeSet;

use serde_json::Value;

/// The path of a setting, and its value on each side.
pub(super) type Row = [String; 3];

/// The settings that differ, in the order of their paths.
pub(super) fn differing(one: &Value, other: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    compare("", [Some(one), Some(other)], &mut rows);
    rows
}

fn compare(path: &str, sides: [Option<&Value>; 2], rows: &mut Vec<Row>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match sides.map(|side| side.and_then(parts)) {
        [Some(one), Some(other)] => {
            let names: BTreeSet<&String> = one.iter().chain(&other).map(|(name, _)| name).collect();
            let of = |parts: &[(String, &'_ Value)], name: &String| parts.iter().position(|(own, _)| own == name);
            for name in names {
                let own = of(&one, name).map(|at| one[at].1);
                compare(&below(name), [own, of(&other, name).map(|at| other[at].1)], rows);
            }
        }
        _ if sides[0] == sides[1] => {}
        _ => {
            let [one, other] = sides.map(shown);
            rows.push([path.to_owned(), one, other]);
        }
    }
}

/// The named parts of a value: the fields of an object, or the items of a list. An item is named by
/// its label, else by its number.
fn parts(value: &Value) -> Option<Vec<(String, &Value)>> {
    match value {
        Value::Object(fields) => Some(fields.iter().map(|(name, value)| (name.clone(), value)).collect()),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let name = |(number, item): (usize, &Value)| label(item).map_or_else(|| number.to_string(), str::to_owned);
            Some((1..).zip(items).map(|numbered| (name(numbered), numbered.1)).collect())
        }
        _ => None,
    }
}

fn label(item: &Value) -> Option<&str> {
    item.get("label").and_then(Value::as_str)
}

fn shown(side: Option<&Value>) -> String {
    match side {
        None => "(none)".to_owned(),
        Some(item) if label(item).is_some() => "(there)".to_owned(),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_told_by_their_labels() {
        let one =
            json!({"seed": 1, "rankers": [{"label": "A", "kind": "mart", "params": {"trees": 10}}, {"label": "B"}]});
        let other =
            json!({"rankers": [{"label": "C", "kind": "x"}, {"label": "A", "kind": "mart", "params": {"trees": 20}}]});
        let row = |path: &str, one: &str, other: &str| [path, one, other].map(str::to_owned);
        assert_eq!(
            differing(&one, &other),
            [
                row("rankers.A.params.trees", "10", "20"),
                row("rankers.B", "(there)", "(none)"),
                row("rankers.C", "(none)", "(there)"),
                row("seed", "1", "(none)"),
            ]
        );
        assert!(differing(&one, &one).is_empty());
    }
}
