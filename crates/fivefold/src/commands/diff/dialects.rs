//! Compares two dialects on the same scores, and tells which rules make their values differ.

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::counted;
use fivefold_base::{Seed, rounding};
use fivefold_metrics::attribution::{Attribution, attribute};
use fivefold_metrics::{Conventions, Dialect, Overrides};

use super::{Args, Difference, none_differs, number, of_each, perhaps};
use crate::problem::Problem;

/// Makes the tables of means, of rules and of the first queries that differ, for each measure.
pub(super) fn compare(args: &Args, [one, other]: [&'static Dialect; 2]) -> miette::Result<Difference> {
    args.refuse(
        "two dialects are the conventions",
        &[&args.places(), &[("--dialect", args.conventions.dialect.is_some())]],
    )?;
    let Some(scores) = args.scores.as_ref().or(args.run.as_ref()) else {
        let help = "give --data FILE --scores FILE, or --qrels FILE --run FILE";
        return Err(Problem::new("scores are missing: two dialects are compared on the same scores").help(help).into());
    };
    let judgements = args.judgements()?;
    let scored = judgements.scores(scores)?;
    let max_grade = judgements.max_grade();
    let cases = judgements.cases(&scored);
    let overrides = args.conventions.overrides();
    let [a, b] = [one, other].map(|dialect| overrides.apply(dialect.conventions()));
    let [one_name, other_name] = [(one, &a), (other, &b)].map(|(dialect, in_force)| name_in_force(dialect, in_force));
    let [one_name, other_name] = [one_name.as_str(), other_name.as_str()];
    let mut means =
        Table::new("means", "Means", ["measure", one_name, other_name, "difference", "queries that differ"], 1);
    let columns = ["measure", "rule", one_name, other_name, "queries affected", "of the difference"];
    let mut rules = Table::new("rules", "The rules that cause the difference", columns, 4);
    let columns = ["measure", "query", one_name, other_name, "rules at work"];
    let mut queries = Table::new("queries", "The first queries that differ", columns, 2);
    let mut differs = false;
    for spec in args.measures()? {
        let found: Attribution =
            attribute(&spec, [&a, &b], max_grade, Seed::new(args.seed), [&cases; 2]).map_err(Problem::from)?;
        let name = spec.to_string();
        let differing: Vec<usize> = (0..cases.len()).filter(|&query| found.differs(query)).collect();
        let [before, after] = found.means;
        differs |= !differing.is_empty() || rounding::differ(after, before);
        let counted = Cell::count(differing.len());
        means.rows.push(vec![Cell::text(&name), number(before), number(after), number(after - before), counted]);
        for effect in &found.rules {
            let affected = effect.affects.iter().filter(|&&affected| affected).count() as u64;
            let mut cells = vec![Cell::text(&name), Cell::text(effect.rule)];
            cells.extend(effect.choices.iter().map(Cell::text));
            cells.extend([Cell::Count(affected), number(effect.mean_difference)]);
            rules.rows.push(cells);
        }
        for &query in differing.iter().take(args.queries) {
            let at_work = found.rules.iter().filter(|effect| effect.affects[query]).map(|effect| effect.rule);
            let values = [0, 1].map(|side: usize| perhaps(found.values[side][query]));
            let mut cells = vec![Cell::text(&name), Cell::text(cases[query].id)];
            cells.extend(values);
            cells.push(Cell::text(at_work.collect::<Vec<_>>().join(", ")));
            queries.rows.push(cells);
        }
    }
    means.notes.push(format!("{}; the difference is {other_name} less {one_name}", counted(cases.len(), "query")));
    if overrides != Overrides::default() {
        means.notes.extend([one.describe(&a), other.describe(&b)]);
    }
    means.notes.extend(judgements.remarks());
    means.notes.extend(judgements.remarks_of(&scored));
    if rules.rows.is_empty() {
        rules.notes.push("no rule of the two dialects differs".to_owned());
    } else {
        let shares = "a share is a mean over all orders in which the rules can be changed; shares add up to the \
            difference";
        rules.notes.push(shares.to_owned());
    }
    if !differs {
        queries.notes.push(none_differs(&of_each(cases.len(), means.rows.len())));
    }
    Ok(Difference { tables: vec![means, rules, queries], differs })
}

/// The name of a dialect's column, which also says whether options changed the conventions.
fn name_in_force(dialect: &Dialect, in_force: &Conventions) -> String {
    let changed = *in_force != dialect.conventions();
    format!("{}{}", dialect.name, if changed { " (changed)" } else { "" })
}
