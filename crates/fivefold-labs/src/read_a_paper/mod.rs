//! Lab 6: read a paper critically.
//!
//! Four parts: a replay of tables that were printed; a made paper with impossible rows
//! (`printed`); its conclusions on data that it did not use (`other`); UE normalisation beside
//! standardised scores on a small table (`small`).

mod measured;
mod other;
mod printed;
mod small;

use std::fmt::Write as _;

use fivefold_base::{Seed, ue};
use fivefold_stats::kendall_tau_b;
use fivefold_studies::replay::{
    CheckedCell, FENG_KARMAKER_2023_DERIVED, FENG_KARMAKER_2023_SCORES, Replay, Statistic, Verdict, replay,
};

use self::other::OtherData;
use self::printed::{Paper, SYSTEMS};
use self::small::Small;
use crate::error::LabError;
use crate::lab::{About, Answer, Cell, File, Handout, Lab, Section, fill};
use crate::student::Student;

/// Lab 6.
#[derive(Debug, Clone, Copy)]
pub struct ReadAPaper;

const ABOUT: About = About {
    number: 6,
    name: "read-a-paper",
    title: "Read a paper critically",
    minutes: 85,
    learns: "find cells that cannot be, check conclusions on other data, tell UE from standardisation",
    version: 4,
};

/// All that the lab makes for a student.
struct Made {
    paper: Paper,
    other: OtherData,
    small: Small,
    replay: Replay,
    /// The printed tau that is recomputed, and how many of the pairs of methods it has in another order.
    tau: (CheckedCell, f64),
    /// The impossible number of conflicts, and the two discriminative powers.
    conflicts: (CheckedCell, [f64; 2]),
}

/// Pairs of the eight methods of the printed tables.
const PAIRS: f64 = 28.0;
/// What is printed as it follows from mean scores alone; the worksheet has the other words.
const FOLLOWS: [&str; 3] = ["tau", "winner", "swap-rate"];

impl Made {
    fn new(student: &Student) -> Result<Self, LabError> {
        let seed = student.seed(ABOUT.name, ABOUT.version);
        let paper = Paper::make(seed)?;
        let replay = replay(FENG_KARMAKER_2023_SCORES, FENG_KARMAKER_2023_DERIVED)
            .map_err(|error| LabError::Other(error.to_string()))?;
        // Without ties, tau = 1 - 2 swaps / pairs.
        let swaps = |cell: &CheckedCell| cell.computed.map_or(f64::NAN, |computed| (1.0 - computed) * PAIRS / 2.0);
        let is_tau = |cell: &&CheckedCell| {
            let swaps = swaps(cell);
            cell.statistic == Statistic::KendallTau && swaps > 0.5 && (swaps - swaps.round()).abs() < 1e-6
        };
        let tau = pick(seed.derive("tau"), replay.cells.iter().filter(is_tau))?;
        let impossible =
            |cell: &&CheckedCell| cell.statistic == Statistic::Conflicts && cell.verdict == Verdict::Impossible;
        let conflicts = pick(seed.derive("conflicts"), replay.cells.iter().filter(impossible))?;
        let powers = powers(&replay, &conflicts)?;
        Ok(Made {
            other: OtherData::make(seed, &paper)?,
            small: Small::make(seed),
            paper,
            tau: (tau.clone(), swaps(&tau).round()),
            conflicts: (conflicts, powers),
            replay,
        })
    }
}

/// One of some printed cells.
fn pick<'a>(seed: Seed, cells: impl Iterator<Item = &'a CheckedCell>) -> Result<CheckedCell, LabError> {
    let cells: Vec<&CheckedCell> = cells.collect();
    if cells.is_empty() {
        return Err(LabError::Other("the printed tables have no such cell".to_owned()));
    }
    Ok(cells[seed.rng().index(cells.len())].clone())
}

/// The two discriminative powers, which are printed in the next table.
fn powers(replay: &Replay, conflicts: &CheckedCell) -> Result<[f64; 2], LabError> {
    let power = |metric: &str| {
        let is_it = |cell: &&CheckedCell| {
            cell.statistic == Statistic::DiscriminativePower
                && cell.table == conflicts.table + 1
                && (cell.dataset.as_str(), cell.metric.as_str()) == (conflicts.dataset.as_str(), metric)
                && cell.column == conflicts.column
        };
        let found = replay.cells.iter().find(is_it).map(|cell| cell.printed);
        found.ok_or_else(|| LabError::Other(format!("no discriminative power of {metric} is printed")))
    };
    let original = conflicts.metric.split('.').next().unwrap_or_default();
    Ok([power(original)?, power(&conflicts.metric)?])
}

/// A printed cell in words.
fn place(cell: &CheckedCell) -> String {
    format!("table {}, {}, {}, {} queries", cell.table, cell.dataset, cell.metric, cell.column.title())
}

impl Lab for ReadAPaper {
    fn about(&self) -> About {
        ABOUT
    }

    fn handout(&self, student: &Student) -> Result<Handout, LabError> {
        let made = Made::new(student)?;
        let (above, below) = (made.small.above, made.small.below);
        let claims: Vec<String> = made
            .other
            .claims
            .iter()
            .enumerate()
            .map(|(number, claim)| {
                format!("| `claim{}` | {} is better than {} |", number + 1, SYSTEMS[claim.better], SYSTEMS[claim.worse])
            })
            .collect();
        let worksheet = fill(
            include_str!("worksheet.md"),
            &[
                ("student", student.id()),
                ("tau", &place(&made.tau.0)),
                ("conflicts", &place(&made.conflicts.0)),
                ("claims", &claims.join("\n")),
                ("small", made.small.markdown().trim_end()),
                ("above", &cell(above)),
                ("below", &cell(below)),
            ],
        )?;
        let mut claims = "claim,better,worse\n".to_owned();
        for (number, claim) in made.other.claims.iter().enumerate() {
            let _ = writeln!(claims, "claim{},{},{}", number + 1, SYSTEMS[claim.better], SYSTEMS[claim.worse]);
        }
        let head = "# Six systems on one collection\n\nA paper that does not exist. All numbers are made.\n\n";
        let asked = format!(
            "cell,of\nreplay.swaps,\"{}\"\nreplay.fewest,\"{}\"\nue.above,{}\nue.below,{}\n",
            place(&made.tau.0),
            place(&made.conflicts.0),
            cell(above),
            cell(below)
        );
        let files = vec![
            File::data("paper.md", format!("{head}{}", made.paper.markdown())),
            File::data("other.csv", made.other.csv()),
            File::data("claims.csv", claims),
            File::data("small.csv", made.small.csv()),
            File::data("asked.csv", asked),
        ];
        let section = |(name, title): (&str, &str)| Section { name: name.to_owned(), title: title.to_owned() };
        let mut sections: Vec<Section> = [
            ("replay", "Part 1: printed tables, replayed"),
            ("tables", "Part 2: the impossible row of each table of paper.md, or \"none\""),
            ("nearest", "Part 2: what the impossible cells could have been"),
        ]
        .map(section)
        .into();
        sections.extend((1..=other::CLAIMS).map(|number| Section {
            name: format!("claim{number}"),
            title: format!("Part 3: conclusion {number} on other.csv"),
        }));
        sections.extend(
            [
                ("orders", "Part 3: the order of all systems"),
                ("ue", "Part 4: V1 and V2"),
                ("z", "Part 4: standardised scores"),
                ("leave", "Part 4: system Z leaves"),
            ]
            .map(section),
        );
        Ok(Handout { worksheet, files, sections })
    }

    fn cells(&self, student: &Student) -> Result<Vec<Cell>, LabError> {
        let made = Made::new(student)?;
        let mut cells = replayed(&made)?;
        cells.extend(of_paper(&made.paper));
        cells.extend(of_claims(&made)?);
        cells.extend(of_small(&made.small));
        Ok(cells)
    }

    fn key(&self) -> &'static str {
        include_str!("key.toml")
    }
}

fn number(name: impl Into<String>, asks: impl Into<String>, value: f64) -> Cell {
    Cell::new(name, asks, Answer::Number(Some(value)))
}

fn replayed(made: &Made) -> Result<Vec<Cell>, LabError> {
    let misprint = made.replay.misprints.first().map(|misprint| misprint.moved);
    let misprint = misprint.ok_or_else(|| LabError::Other("no misprint is suspected".to_owned()))?;
    let ([one, other], swaps) = (made.conflicts.1, made.tau.1);
    let tau = |swaps: f64| 1.0 - 2.0 * swaps / PAIRS;
    let formula = "tau = 1 - 2 x swaps / 28";
    let fewest = (one - other).abs();
    let powers = format!("powers {one} and {other}: conflicts = {one} + {other} - 2 x (significant under both)");
    Ok(vec![
        Cell::new(
            "replay.follows",
            "a list: what follows from printed mean scores alone",
            Answer::Set(FOLLOWS.map(str::to_owned).to_vec()),
        ),
        number("replay.misprint", "the value that a suspected misprint should have had", misprint),
        number("replay.swaps", "pairs of the 28 that stand in another order", swaps)
            .with_steps(vec![format!("{formula} = {:.4}: swaps = {swaps}", tau(swaps))]),
        number("replay.next", "the tau with one such pair more", tau(swaps + 1.0))
            .with_steps(vec![format!("{formula} with {} swaps", swaps + 1.0)]),
        number("replay.fewest", "the fewest conflicts that the powers allow", fewest)
            .with_steps(vec![powers.clone(), format!("both at most {}", one.min(other))]),
        number("replay.both", "comparisons that are significant under both measures then", one.min(other))
            .with_steps(vec![powers]),
    ])
}

fn of_paper(paper: &Paper) -> Vec<Cell> {
    let row = |table: &printed::PrintedTable| {
        let asks = format!("the impossible row of table {}, or \"none\"", table.number);
        let cell = Cell::new(format!("tables.t{}", table.number), asks, Answer::word(table.answer()));
        (0..table.rows.len()).fold(cell, |cell, row| {
            let (name, letter) = (table.row_name(row), printed::letter(row));
            let told = format!("is no name of a row: write {name}, not {letter}");
            cell.with_malformed(letter.to_string(), told)
        })
    };
    let mut cells: Vec<Cell> = paper.tables.iter().map(row).collect();
    cells.extend([
        number("nearest.tau", "the possible tau that is nearest to the impossible one", paper.nearest_tau),
        number(
            "nearest.conflicts",
            "the fewest conflicts that the powers of the impossible row allow",
            paper.fewest_conflicts as f64,
        ),
        number(
            "nearest.precision",
            "the possible mean P@5 that is nearest to the impossible one",
            paper.nearest_precision,
        ),
    ]);
    cells
}

fn of_claims(made: &Made) -> Result<Vec<Cell>, LabError> {
    let mut cells = Vec::new();
    for (claim, own) in (1..).zip(&made.other.claims) {
        let [better, worse] = [own.better, own.worse].map(|system| SYSTEMS[system]);
        cells.extend([
            number(
                format!("claim{claim}.difference"),
                format!("mean of {better} minus mean of {worse}"),
                own.difference,
            ),
            number(format!("claim{claim}.p"), "p of the paired t-test", own.p),
            Cell::new(format!("claim{claim}.verdict"), "holds, reversed or open", Answer::word(own.verdict)),
        ]);
    }
    let means: Vec<f64> = made.other.values.iter().map(|row| row.iter().sum::<f64>() / other::QUERIES as f64).collect();
    let tau = kendall_tau_b(&made.paper.scores(0), &means)?;
    let changes = made.other.sign_changes as f64;
    cells.push(number("orders.changes", "pairs of the 15 whose order is another one than in table 1", changes));
    cells.push(Cell::new("orders.tau", "Kendall's tau of the two orders", Answer::Number(tau)));
    Ok(cells)
}

/// A cell of the small table in words.
fn cell((system, query): (usize, usize)) -> String {
    format!("{} on query {}", small::SYSTEMS[system], query + 1)
}

/// A mean over some of the queries. A student may have divided by all of them.
fn over(queries: usize, name: impl Into<String>, asks: impl Into<String>, mean: f64) -> Cell {
    let slip = mean * queries as f64 / small::QUERIES as f64;
    let told = format!("the right sum, divided by {}: over how many queries is the mean?", small::QUERIES);
    number(name, asks, mean).with_slip(slip, told)
}

fn of_small(small: &Small) -> Vec<Cell> {
    let v2 = |(system, query)| {
        let [a, u, e] = small.numbers(system, query);
        ue::v2(a, u, e)
    };
    let [a, u, e] = small.numbers(small.above.0, small.above.1);
    let all = [0, 1, 2];
    let mean = |system: usize| small.mean_standardised(system, &all).0;
    let without = small.mean_standardised(0, &all).1;
    let is_undefined = |query: &usize| {
        let [_, u, e] = small.numbers(0, *query);
        !ue::differ(u, e)
    };
    let undefined = (0..small::QUERIES).filter(is_undefined).count();
    let mut cells = vec![
        number("ue.v1", format!("V1 of {}", cell(small.above)), ue::v1(a, u, e)),
        number("ue.above", format!("V2 of {}", cell(small.above)), v2(small.above)),
        number("ue.below", format!("V2 of {}", cell(small.below)), v2(small.below)),
    ];
    for (system, name) in small::SYSTEMS.iter().enumerate() {
        let asks = format!("mean V2 of {name} over the queries that have one");
        cells.push(over(
            small::QUERIES - undefined,
            format!("ue.{}", name.to_lowercase()),
            asks,
            small.mean(system, ue::v2),
        ));
    }
    cells.push(number("ue.undefined", "queries without V1 and V2", undefined as f64));
    cells.push(number("z.first", "standardised score of X on query 1", small.standardised(0, 0, &all)));
    for (system, name) in small::SYSTEMS.iter().enumerate() {
        let asks = format!("mean standardised score of {name} over the queries that have one");
        cells.push(over(small::QUERIES - without, format!("z.{}", name.to_lowercase()), asks, mean(system)));
    }
    let (alone, left_out) = small.mean_standardised(0, &[0, 1]);
    cells.push(number("z.undefined", "queries without a standardised score", without as f64));
    cells.extend([
        over(
            small::QUERIES - left_out,
            "leave.standardised",
            "mean standardised score of X among X and Y alone",
            alone,
        ),
        over(small::QUERIES - undefined, "leave.v2", "mean V2 of X after Z has left", small.mean(0, ue::v2)),
        Cell::new("leave.unchanged", "which of the two stays as it was: v2 or standardised", Answer::word("v2")),
    ]);
    cells
}
