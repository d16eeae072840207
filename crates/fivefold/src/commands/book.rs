//! `fivefold book`: the pages of the book, in the terminal.

mod find;
mod render;

use std::collections::BTreeSet;
use std::io::IsTerminal as _;

use fivefold_base::words::nearest;
use fivefold_book::pages;
use serde::Serialize;

use self::find::{Found, find, headings, word_of};
use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::problem::Problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold book                              the pages, by part
  fivefold book first-run                    a page by its name
  fivefold book ndcg@10 | less               the section of a page that has this heading
  fivefold book undefined values             all pages that are about these words
  fivefold book reference/letor > page.md    the page as it is written, in Markdown")]
pub(crate) struct Args {
    /// A page's path, name or title, a heading, or words that it contains
    topic: Vec<String>,
    #[command(flatten)]
    json: JsonArgs,
}

/// A page as `--json` prints it.
#[derive(Serialize)]
struct Described {
    part: &'static str,
    path: &'static str,
    title: &'static str,
    /// The heading that was asked for, if it is not the page's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<&'static str>,
    /// The text of the page, or of the section below the heading. Absent in the list of all pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let topic = self.topic.join(" ");
        if topic.trim().is_empty() {
            return self.list(screen);
        }
        let found = find(&topic);
        match found.as_slice() {
            [] => return Err(unknown(&topic).into()),
            found if self.json.asked() => screen.json(&found.iter().map(Described::of).collect::<Vec<_>>())?,
            [found] => show(found, screen),
            found => {
                let width = screen.style().width;
                screen.text(render::prose(&format!("Several pages fit `{topic}`. Name one of them:"), width));
                screen.line("");
                screen.columns(&[], found.iter().map(|found| vec![command(found), what(found)]));
            }
        }
        Ok(Exit::Done)
    }

    fn list(&self, screen: &mut Screen) -> miette::Result<Exit> {
        if self.json.asked() {
            let all = pages().iter().map(|page| Described { text: None, ..Described::of(&Found::whole(page)) });
            screen.json(&all.collect::<Vec<_>>())?;
            return Ok(Exit::Done);
        }
        let mut part = "";
        let mut rows = Vec::new();
        for page in pages() {
            if page.part != part {
                part = page.part;
                rows.extend([vec![String::new(), String::new()], vec![part.to_uppercase(), String::new()]]);
            }
            rows.push(vec![page.path.trim_end_matches(".md").to_owned(), page.title.to_owned()]);
        }
        screen.columns(&[], rows);
        screen.line("");
        screen.line("`fivefold book TOPIC` shows a page: by its path, its name, a heading or words.");
        Ok(Exit::Done)
    }
}

impl Described {
    fn of(found: &Found) -> Self {
        let &Found { page, heading, text } = found;
        Described { part: page.part, path: page.path, title: page.title, heading, text: Some(text) }
    }
}

/// Prints a page: drawn on a terminal, otherwise as it is written.
fn show(found: &Found, screen: &mut Screen) {
    if !std::io::stdout().is_terminal() {
        screen.text(found.text);
        return;
    }
    let style = screen.style();
    screen.text(render::render(found.text, found.page.path, style.width, style.color));
    if found.heading.is_some() {
        let whole = format!("The whole page: {}", command(&Found::whole(found.page)));
        screen.text(format!("\n{}", render::prose(&whole, style.width)));
    }
}

/// The command that shows the page.
fn command(found: &Found) -> String {
    format!("fivefold book {}", found.page.path.trim_end_matches(".md"))
}

/// The title, with the heading below it that fits.
fn what(found: &Found) -> String {
    match found.heading {
        Some(heading) => format!("{}: {heading}", found.page.title),
        None => found.page.title.to_owned(),
    }
}

fn unknown(topic: &str) -> Problem {
    let names: BTreeSet<String> = pages()
        .iter()
        .flat_map(|page| [word_of(page.path).to_owned(), page.title.to_lowercase()])
        .chain(pages().iter().flat_map(|page| headings(page.text).map(|heading| heading.plain().to_lowercase())))
        .collect();
    let near = nearest(&topic.to_lowercase(), names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!("did you mean `fivefold book {near}`? "));
    Problem::new(format!("no page of the book is about `{topic}`"))
        .help(format!("{near}`fivefold book` lists the pages"))
}
