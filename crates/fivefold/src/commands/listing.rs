//! What the commands that list entries share: all of them or one, as text or as JSON.

use serde::Serialize;

use crate::exit::Exit;
use crate::screen::Screen;

/// An entry of a list; its serde form is what `--json` prints.
pub(super) trait Listed: Serialize {
    /// Heads of the list's columns; none where they explain themselves.
    const HEAD: &'static [&'static str] = &[];
    /// Its cells in the list.
    fn row(&self) -> Vec<String>;
    /// All that there is to say of it.
    fn show(&self, screen: &mut Screen) -> miette::Result<()>;
}

/// Shows the entry that was `found` by its name, or else lists `all`, with `foot` below the list.
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
