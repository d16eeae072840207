//! `report.html`: the whole report as a single file, which opens from disk without a network.
//!
//! A template is given a [`Page`]. The built-in templates are
//! `html/{page.html,report.css,report.js}`. The user's folder of templates may hold a file of the
//! same name, which overrides the built-in template. The template engine escapes all text from data
//! (labels, query ids, remarks). The drawings are SVG made by this crate, which escapes their text.
//! The bytes depend on the results and the templates alone.

mod bibliography;
mod drill;
mod matrices;
mod methods;
mod page;
mod run;
mod scores;
mod summary;
mod undefined;
mod wording;

use std::path::{Path, PathBuf};

use minijinja::{AutoEscape, Environment};

use crate::error::ReportError;
use crate::folder::Report;
use crate::overview::Overview;

use page::Page;
pub use page::PageHead;
pub(crate) use run::run_data;
use undefined::undefined;

/// Names and contents of the built-in templates. `page.html` includes the other two.
const TEMPLATES: [(&str, &str); 3] = [
    ("page.html", include_str!("html/page.html")),
    ("report.css", include_str!("html/report.css")),
    ("report.js", include_str!("html/report.js")),
];

/// The source of the templates.
///
/// ```
/// use fivefold_report::{Report, Templates};
///
/// // A style of one's own in place of the built-in one.
/// let own = tempfile::tempdir()?;
/// std::fs::write(own.path().join("report.css"), "body { color: teal }")?;
/// let folder = tempfile::tempdir()?;
/// Report::default().write(folder.path(), &Templates::overridden(own.path())?)?;
/// assert!(std::fs::read_to_string(folder.path().join("report.html"))?.contains("color: teal"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Templates {
    folder: Option<PathBuf>,
}

impl Templates {
    /// The built-in templates. A file of the same name in `folder` replaces a built-in template.
    ///
    /// # Errors
    /// [`ReportError::Template`] if the folder has no file of such a name, or has another page,
    /// style or script.
    pub fn overridden(folder: &Path) -> Result<Self, ReportError> {
        let names: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
        let unreadable = |error| ReportError::Template(format!("cannot read {}: {error}", folder.display()));
        let mut strangers = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
            let template = [".html", ".css", ".js"].iter().any(|end| name.ends_with(end));
            strangers.extend(Some(name).filter(|name| template && !names.contains(&name.as_str())));
        }
        strangers.sort_unstable();
        if let Some(name) = strangers.first() {
            let path = folder.join(name);
            let known = names.join(", ");
            return Err(ReportError::Template(format!(
                "{} is no template; rename or remove it (templates are called {known})",
                path.display()
            )));
        }
        if names.iter().any(|name| folder.join(name).is_file()) {
            return Ok(Templates { folder: Some(folder.to_owned()) });
        }
        Err(ReportError::Template(format!(
            "{} has no template: add at least one of {}",
            folder.display(),
            names.join(", ")
        )))
    }

    fn source(&self, name: &str, built_in: &str) -> Result<String, ReportError> {
        let Some(path) = self.folder.as_ref().map(|folder| folder.join(name)).filter(|path| path.is_file()) else {
            return Ok(built_in.to_owned());
        };
        std::fs::read_to_string(&path)
            .map_err(|error| ReportError::Template(format!("cannot read {}: {error}", path.display())))
    }
}

/// The most bytes of a page. If the queries do not fit, values are rounded. If they still do not
/// fit, the page shows fewer queries.
const LIMIT: usize = 2_950_000;

/// The page of a report, which begins with its overview.
///
/// # Errors
/// As [`crate::write_report`], and [`ReportError::Template`] if a template is malformed or uses an
/// unknown name.
pub(crate) fn page(report: &Report, overview: Option<&Overview>, templates: &Templates) -> Result<String, ReportError> {
    let data = &report.data;
    let mut page = Page::new(report, overview)?;
    let mut whole = render(&page, templates)?;
    if whole.len() > LIMIT {
        page = page.with_queries(data, 1.0);
        whole = render(&page, templates)?;
    }
    if whole.len() <= LIMIT {
        return Ok(whole);
    }
    page = page.with_queries(data, 0.0);
    let bare = render(&page, templates)?.len();
    let share = LIMIT.saturating_sub(bare) as f64 / (whole.len() - bare).max(1) as f64;
    render(&page.with_queries(data, share), templates)
}

fn render(page: &Page, templates: &Templates) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|name| {
        // Styles and scripts are ours or the user's; what comes from data is in the page, or in its
        // JSON.
        if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None }
    });
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    // Errors know which part of a template they are about.
    environment.set_debug(true);
    let failed =
        |error: minijinja::Error| ReportError::Template(undefined(&error, page).unwrap_or_else(|| in_full(&error)));
    for (name, built_in) in TEMPLATES {
        environment.add_template_owned(name, templates.source(name, built_in)?).map_err(failed)?;
    }
    environment.get_template(TEMPLATES[0].0).and_then(|template| template.render(page)).map_err(failed)
}

/// An error with its causes, in a single line.
fn in_full(error: &minijinja::Error) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_template_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("page.html"), "x").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
        assert!(Templates::overridden(folder.path()).is_ok());
        std::fs::write(folder.path().join("repot.css"), "x").unwrap();
        let error = Templates::overridden(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains(
                "repot.css is no template; rename or remove it (templates are called page.html, report.css, report.js)"
            ),
            "{error}"
        );
    }
}
