//! Lab 3: pointwise, pairwise, listwise.
//!
//! Three losses and their gradients (`losses`): first by hand on three documents, then as code in
//! Python or Rust, which the grader runs (`judge`) on vectors and a small collection of the
//! student's (`made`), and as a ranker under the rules of all rankers (`kit`).

mod judge;
mod kit;
mod losses;
mod made;
mod program;

use std::path::Path;

use fivefold_experiment::worker::Worker;

use self::judge::{gradient_cell, rules_cell, trained_cell};
use self::losses::Loss;
use crate::error::LabError;
use crate::lab::{About, Answer, Cell, CodeRun, File, Handout, Lab, Section, fill};
use crate::student::Student;

/// Lab 3.
#[derive(Debug, Clone, Copy)]
pub struct ThreeLosses;

const ABOUT: About = About {
    number: 3,
    name: "pointwise-pairwise-listwise",
    title: "Pointwise, pairwise, listwise",
    minutes: 85,
    learns: "differentiate three losses of a ranking, and train a ranker with each",
    version: 4,
};

/// Files of the folder: the name and the text. Rust's have another ending here, so that no tool takes
/// them for modules of this crate.
const GRADIENTS_PY: (&str, &str) = ("gradients.py", include_str!("stubs/gradients.py"));
const GRADIENTS_RS: (&str, &str) = ("gradients.rs", include_str!("stubs/gradients.rs.txt"));
const RANK_PY: (&str, &str) = ("rank.py", include_str!("stubs/rank.py"));
const RANK_RS: (&str, &str) = ("rank.rs", include_str!("stubs/rank.rs.txt"));
/// How the grader compiles.
const BUILD_SH: (&str, &str) = ("build.sh", include_str!("stubs/build.sh"));
/// An experiment with the student's program as rankers.
const EXPERIMENT: (&str, &str) = ("experiment.toml", include_str!("stubs/experiment.toml"));

impl Lab for ThreeLosses {
    fn about(&self) -> About {
        ABOUT
    }

    fn handout(&self, student: &Student) -> Result<Handout, LabError> {
        let seed = student.seed(ABOUT.name, ABOUT.version);
        let case = made::by_hand(seed);
        let row = |(number, (score, grade)): (usize, (&f64, &f64))| format!("| d{number} | {score:.1} | {grade} |");
        let rows: Vec<String> = (1..).zip(case.scores.iter().zip(&case.grades)).map(row).collect();
        let worksheet =
            fill(include_str!("worksheet.md"), &[("student", student.id()), ("documents", &rows.join("\n"))])?;
        // A collection of the student's own, other than that of the grader.
        let [train, test] = made::collection(seed.derive("handed out"));
        let files = vec![
            File::stub(GRADIENTS_PY.0, GRADIENTS_PY.1),
            File::stub(GRADIENTS_RS.0, GRADIENTS_RS.1),
            File::data(RANK_PY.0, RANK_PY.1),
            File::data(RANK_RS.0, RANK_RS.1),
            File::stub(EXPERIMENT.0, EXPERIMENT.1),
            File::data("train.txt", made::letor("train", &train)),
            File::data("test.txt", made::letor("test", &test)),
            File::data("by_hand.csv", by_hand_csv(&case)),
        ];
        let section = |(name, title): (&str, &str)| Section { name: name.to_owned(), title: title.to_owned() };
        let sections = [
            ("hand-squared", "Part 1: squared error by hand"),
            ("hand-ranknet", "Part 1: RankNet by hand"),
            ("hand-listnet", "Part 1: ListNet by hand"),
            ("think", "Part 3: what the gradients say"),
        ];
        Ok(Handout { worksheet, files, sections: sections.map(section).into() })
    }

    fn cells(&self, student: &Student) -> Result<Vec<Cell>, LabError> {
        let case = made::by_hand(student.seed(ABOUT.name, ABOUT.version));
        let mut cells = Vec::new();
        for loss in &Loss::ALL[..3] {
            for (document, slope) in (1..).zip(loss.gradient(&case.scores, &case.grades)) {
                let asks = format!("the slope by the score of d{document}");
                cells.push(Cell::new(format!("hand-{}.d{document}", loss.name()), asks, Answer::Number(Some(slope))));
            }
        }
        for loss in Loss::ALL {
            cells.push(Cell::new(gradient_cell(loss), "", Answer::Code));
            cells.push(Cell::new(trained_cell(loss), "", Answer::Code));
            cells.push(Cell::new(rules_cell(loss), "", Answer::Code));
        }
        let losses = |names: &[&str]| Answer::Set(names.iter().map(|name| (*name).to_owned()).collect());
        cells.extend([
            Cell::new(
                "think.shift",
                "a list: which losses stay as they are if 1 is added to all scores",
                losses(&["ranknet", "listnet"]),
            ),
            Cell::new("think.sum", "the sum of RankNet's gradient over the documents", Answer::Number(Some(0.0))),
            Cell::new(
                "think.grades",
                "a list: which losses stay as they are if all grades double",
                losses(&["ranknet"]),
            ),
            Cell::new(
                "think.perfect",
                "d1 of grade 2 has the score 9, d2 of grade 0 the score 1: which loss pushes both down",
                Answer::word("squared"),
            ),
        ]);
        Ok(cells)
    }

    fn key(&self) -> &'static str {
        include_str!("key.toml")
    }

    fn run_code(&self, student: &Student, folder: &Path, worker: Option<&Worker>) -> Result<CodeRun, LabError> {
        judge::judge(student.seed(ABOUT.name, ABOUT.version), folder, worker)
    }
}

fn by_hand_csv(case: &made::Case) -> String {
    let row = |(number, (score, grade)): (usize, (&f64, &f64))| format!("d{number},{score:.1},{grade}\n");
    let rows: String = (1..).zip(case.scores.iter().zip(&case.grades)).map(row).collect();
    format!("document,score,grade\n{rows}")
}
