//! Rules about parameters: they are described, checked, stored, and have an effect. Also the rule
//! that the seed has an effect.

use std::collections::BTreeSet;

use toml::de::DeTable;

use super::Rule;
use super::trial::{SEED, Trial, difference, fit_usual, make, models_differ, scores, test, with};

pub(super) const HELP: Rule = Rule {
    name: "help",
    demand: "name, summary and parameters are described, and `PARAMS` has the names of the type's fields",
    remedy: "give `Ranker::PARAMS` one `ParamHelp` a field, in the order of the fields, and fill in `SUMMARY`",
    check: help,
};

fn help(trial: &Trial<'_>) -> Result<(), String> {
    let entry = trial.entry;
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if entry.name.split('-').any(|part| part.is_empty() || !part.chars().all(word)) {
        return Err(format!("the name `{}` is not lowercase words joined by hyphens", entry.name));
    }
    if entry.summary.is_empty() {
        return Err("there is no summary".to_owned());
    }
    let fields: Vec<String> = entry.params().into_iter().map(|info| info.name).collect();
    let helped: Vec<&str> = entry.help.iter().map(|help| help.name).collect();
    if fields != helped {
        return Err(format!("the fields are {fields:?}, but `PARAMS` describes {helped:?}"));
    }
    if let Some(empty) = entry.help.iter().find(|help| help.help.trim().is_empty()) {
        return Err(format!("parameter `{}` has an empty help", empty.name));
    }
    match entry.presets().into_iter().find(|(_, summary)| summary.is_empty()) {
        Some((preset, _)) => Err(format!("preset `{preset}` has no summary")),
        None => Ok(()),
    }
}

pub(super) const REFUSALS: Rule = Rule {
    name: "refusals",
    demand: "values out of range are refused before anything runs, by the parameter's name",
    remedy: "test the range in `Ranker::check` with `ParamError::unless(ok, \"name\", value, \"what it must be\")`",
    check: refusals,
};

fn refusals(trial: &Trial<'_>) -> Result<(), String> {
    for (name, value) in trial.case.refused {
        let text = with(trial.case.params, name, value);
        let table = DeTable::parse(&text).map_err(|error| format!("the case's `{text}` is no TOML: {error}"))?;
        let Err(error) = trial.entry.parse(table) else {
            return Err(format!("`{name} = {value}` is taken"));
        };
        if error.param.as_deref() != Some(*name) || error.span.is_none() {
            let blamed = error.param.as_deref().unwrap_or("no parameter");
            return Err(format!("the error about `{name} = {value}` blames {blamed} and cannot be placed: {error}"));
        }
    }
    Ok(())
}

pub(super) const STORED: Rule = Rule {
    name: "stored parameters",
    demand: "parameters are the same after they were stored as JSON and read again, and presets can be read",
    remedy: "serde must write and read every field of the ranker under its own name: no `skip`, `rename` or `flatten`",
    check: stored,
};

fn stored(trial: &Trial<'_>) -> Result<(), String> {
    let Trial { entry, case, .. } = trial;
    let written = make(entry, case.params)?.params();
    let fields: BTreeSet<String> = entry.params().into_iter().map(|info| info.name).collect();
    let keys: BTreeSet<String> = written.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
    let is_added = |name: &String| entry.added.contains(&name.as_str());
    if !keys.is_subset(&fields) || !fields.difference(&keys).all(is_added) {
        return Err(format!("the fields are {fields:?}, but the written fields are {keys:?}"));
    }
    let read = entry.restore(&written).map_err(|error| format!("{written} cannot be read again: {error}"))?;
    if read.params() != written {
        return Err(format!("{written} becomes {}", read.params()));
    }
    for (preset, _) in entry.presets() {
        make(entry, &format!("preset = {preset:?}"))?;
    }
    Ok(())
}

pub(super) const EFFECTS: Rule = Rule {
    name: "effects",
    demand: "each parameter alters the scores, unless the case declares that it is inert",
    remedy: "find where `fit` drops the parameter, or change the value more. If the parameter is inert by design under the \
             case's parameters, set it to `false` in `Case::changes` and say so in its help",
    check: effects,
};

fn effects(trial: &Trial<'_>) -> Result<(), String> {
    let Trial { entry, case, .. } = trial;
    let fields: Vec<String> = entry.params().into_iter().map(|info| info.name).collect();
    let changed: Vec<&str> = case.changes.iter().map(|(name, ..)| *name).collect();
    if fields != changed {
        return Err(format!("the case must change each of {fields:?} once, in this order, not {changed:?}"));
    }
    let data = test();
    let usual = scores(&*trial.usual()?.model, &data);
    for (name, value, alters) in case.changes {
        let params = with(case.params, name, value);
        make(entry, &params)?;
        // A fit that now fails is an effect too.
        let after = fit_usual(entry, &params, SEED).map(|fitted| scores(&*fitted.model, &data));
        let effect = match &after {
            Ok(after) => difference(&data, &usual, after),
            Err(error) => Some(error.clone()),
        };
        match (effect, alters) {
            (None, true) => {
                return Err(format!("`{name} = {value}` gives the same scores, trained on the synthetic collection"));
            }
            (Some(effect), false) => {
                return Err(format!("`{name} = {value}`, declared inert, has an effect: {effect}"));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) const SEED_RULE: Rule = Rule {
    name: "seed",
    demand: "the seed has an effect exactly if `seeded` says so",
    remedy: "take all randomness from `cx.seed()`, never from time, threads or another generator; let \
             `Ranker::seeded` return false if nothing is drawn",
    check: seed,
};

fn seed(trial: &Trial<'_>) -> Result<(), String> {
    let effect = models_differ(trial.usual()?, &trial.fit(&super::trial::train(), SEED + 1)?);
    match (effect, make(trial.entry, trial.case.params)?.seeded()) {
        (None, true) => Err("seeds 7 and 8 give the same model, but `seeded` is true".to_owned()),
        (Some(effect), false) => Err(format!("seeds 7 and 8 give other models, but `seeded` is false: {effect}")),
        _ => Ok(()),
    }
}
