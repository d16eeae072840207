//! The code that commands with a list share. Such a command shows all entries, or the entry that
//! the user names, as text or as JSON.

use serde::Serialize;

use crate::exit::Exit;
use crate::screen::Screen;

/// An entry of a list. `--json` prints the serde form of the entry.
pub(super) trait Listed: Serialize {
    /// The heads of the list's columns; empty if the columns explain themselves.
    const HEAD: &'static [&'static str] = &[];
    /// The cells of the entry in the list.
    fn row(&self) -> Vec<String>;
    /// Prints everything that is known about the entry.
    fn show(&self, screen: &mut Screen) -> miette::Result<()>;
}

/// Shows the entry that was `found` by its name. If the user gave no name, lists `all` entries,
/// with `foot` below the list.
pub(super) fn show<T: Listed>(
    found: Option<miette::Result<T>>,
    all: impl IntoIterator<Item = T>,
    json: bool,
    foot: impl FnOnce(&mut Screen),
    screen: &mut Screen,
) -> miette::Result<Exit> {
    match found.transpose()? {
        Some(entry) if json => screen.json(&entry)?,
        Some(entry) => entry.show(screen)?,
        None if json => screen.json(&all.into_iter().collect::<Vec<_>>())?,
        None => {
            screen.columns(T::HEAD, all.into_iter().map(|entry| entry.row()));
            screen.line("");
            foot(screen);
        }
    }
    Ok(Exit::Done)
}
