//! `fivefold playground`: writes a page that shows what measures do, live.
//!
//! The page is `playground.html`, one file with the measures as WebAssembly. The folder `playground/`
//! of the checkout has its sources, and `playground/build` makes it.

use std::path::PathBuf;

use crate::exit::Exit;
use crate::files;
use crate::outputs::{Output, ReplaceArgs};
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold playground                  write playground.html, and open it in a browser
  fivefold playground -o lecture.html

The page is one file that needs no network: send it to students, or put it on a web server. It shows one query: move its \
documents, change grades and scores, and see nDCG, AP, ERR, RBP, P and RR with V1, V2, E and U, under each dialect and each \
rule for ties. The address of the page holds the list, so a link shares it.")]
pub(crate) struct Args {
    /// The file to write
    #[arg(short, long, value_name = "FILE", default_value = "playground.html")]
    out: PathBuf,
    #[command(flatten)]
    replace: ReplaceArgs,
}

/// The page.
const PAGE: &str = include_str!("../../playground.html");

/// What tells the page from other pages.
const MARK: &str = "<meta name=\"generator\" content=\"fivefold playground\">";

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let is_one = |beginning: &[u8]| String::from_utf8_lossy(beginning).contains(MARK);
        Output { path: &self.out, what: "a page of this command", is_one: &is_one }.check([], self.replace)?;
        files::write(&self.out, PAGE.as_bytes())?;
        screen.line(format_args!("{}: open the page in a browser", self.out.display()));
        Ok(Exit::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_one_small_file_that_asks_for_no_other() {
        assert!(PAGE.len() <= 1_000_000, "{}", PAGE.len());
        assert_eq!(PAGE.matches(MARK).count(), 1);
        for address in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!PAGE.contains(address), "{address}");
        }
    }
}
