//! Draws Markdown for a terminal: text wrapped at its width, code as it stands, tables in columns.
//! A link to another page shows its words; a last line lists the commands that show these pages.

use comfy_table::{ContentArrangement, LineStyle, TableStyle};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use textwrap::{Options as Wrapping, WordSeparator, WordSplitter};

/// Escape codes (ECMA-48, select graphic rendition).
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const CODE: &str = "\x1b[36m";
const RESET: &str = "\x1b[0m";

/// Rules around the head of a table and below its rows, as in printed tables.
const RULES: TableStyle = TableStyle::new().top_border(RULE).header_separator(RULE).bottom_border(RULE);
const RULE: LineStyle = LineStyle::none().fill('─').junction('─');

/// Lines of text are no longer than this on a wide terminal.
const WIDEST: usize = 100;
/// The blanks before a line of code.
const CODE_INDENT: &str = "    ";

/// The extensions of Markdown that mdBook knows and pages use.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH
}

/// A text for a terminal of this width. `path` is the page, from which relative links lead.
pub(super) fn render(text: &str, path: &str, width: u16, colour: bool) -> String {
    let mut drawing = Drawing::new(path, usize::from(width).min(WIDEST), colour);
    Parser::new_ext(text, options()).for_each(|event| drawing.take(event));
    drawing.finish()
}

/// A paragraph without marks, wrapped.
pub(super) fn prose(text: &str, width: u16) -> String {
    wrap(text, "", "", usize::from(width).min(WIDEST))
}

fn wrap(text: &str, first: &str, rest: &str, width: usize) -> String {
    let wrapping = Wrapping::new(width)
        .initial_indent(first)
        .subsequent_indent(rest)
        .break_words(false)
        // Addresses and code are not broken within.
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, wrapping) + "\n"
}

/// A list that is open: the number of its next entry, if it is numbered.
struct List {
    next: Option<u64>,
}

struct Drawing<'t> {
    path: &'t str,
    width: usize,
    colour: bool,
    out: String,
    /// The text of the paragraph, heading or cell that is open.
    inline: String,
    lists: Vec<List>,
    /// What stands before the first line of the next paragraph, in place of blanks.
    bullet: Option<String>,
    /// The rows of the table that is open.
    table: Option<Vec<Vec<String>>>,
    code: Option<String>,
    quotes: usize,
    links: Vec<String>,
    /// The commands that show the pages to which links lead, each once.
    pages: Vec<String>,
}

impl<'t> Drawing<'t> {
    fn new(path: &'t str, width: usize, colour: bool) -> Self {
        Drawing {
            path,
            width,
            colour,
            out: String::new(),
            inline: String::new(),
            lists: Vec::new(),
            bullet: None,
            table: None,
            code: None,
            quotes: 0,
            links: Vec::new(),
            pages: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'t>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.inline.push_str(&text),
            },
            Event::Code(code) => self.styled(CODE, &code, "`"),
            Event::SoftBreak => self.inline.push(' '),
            Event::HardBreak => self.inline.push('\n'),
            Event::Rule => {
                self.gap();
                self.out += &("─".repeat(self.width) + "\n");
            }
            // Markup for the web site alone.
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::FootnoteReference(name) => self.inline.push_str(&format!("[{name}]")),
            Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'t>) {
        match tag {
            Tag::List(first) => {
                // The text of the entry that holds this list.
                self.paragraph();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(List { next: first });
            }
            Tag::Item => {
                self.bullet = self.lists.last_mut().map(|list| match &mut list.next {
                    Some(number) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    None => "- ".to_owned(),
                });
            }
            Tag::Paragraph if self.lists.is_empty() => self.gap(),
            Tag::CodeBlock(kind) => {
                self.paragraph();
                self.gap();
                self.code = Some(String::new());
                // The name of a file stands above its content.
                let info = if let CodeBlockKind::Fenced(info) = &kind { info.as_ref() } else { "" };
                if let Some(name) = info.split([' ', ',']).find_map(|word| word.strip_prefix("file=")) {
                    let name = self.painted(DIM, &format!("{name}:"), "");
                    self.out += &format!("{CODE_INDENT}{name}\n");
                }
            }
            Tag::Table(_) => {
                self.gap();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => self.table.iter_mut().for_each(|rows| rows.push(Vec::new())),
            Tag::Strong => self.open(BOLD),
            Tag::Link { dest_url, .. } => self.links.push(dest_url.into_string()),
            Tag::Image { .. } => self.inline.push_str("[picture: "),
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::Heading { .. } => self.gap(),
            Tag::FootnoteDefinition(name) => {
                self.gap();
                self.bullet = Some(format!("[{name}] "));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Item => self.paragraph(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::CodeBlock => {
                for line in self.code.take().unwrap_or_default().lines() {
                    let line = self.painted(CODE, line, "");
                    self.out += format!("{CODE_INDENT}{line}").trim_end();
                    self.out.push('\n');
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                self.table.iter_mut().filter_map(|rows| rows.last_mut()).for_each(|row| row.push(cell.clone()));
            }
            TagEnd::Table => {
                let rows = self.table.take().unwrap_or_default();
                self.draw_table(&rows);
            }
            TagEnd::Strong if self.colour && self.table.is_none() => self.inline.push_str(RESET),
            TagEnd::Link => {
                if let Some(to) = self.links.pop() {
                    self.link(&to);
                }
            }
            TagEnd::Image => self.inline.push(']'),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            _ => {}
        }
    }

    /// Begins a style within a line. Cells of tables have none: their width would be counted with the codes.
    fn open(&mut self, style: &str) {
        if self.colour && self.table.is_none() {
            self.inline.push_str(style);
        }
    }

    fn styled(&mut self, style: &str, text: &str, plain: &str) {
        let text = if self.table.is_some() { text.to_owned() } else { self.painted(style, text, plain) };
        self.inline.push_str(&text);
    }

    /// The text in a style; without colours, between `plain` marks.
    fn painted(&self, style: &str, text: &str, plain: &str) -> String {
        if self.colour { format!("{style}{text}{RESET}") } else { format!("{plain}{text}{plain}") }
    }

    /// A blank line, unless there is one.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Ends a paragraph or an entry of a list.
    fn paragraph(&mut self) {
        let text = std::mem::take(&mut self.inline);
        if text.trim().is_empty() {
            return;
        }
        let quote = "│ ".repeat(self.quotes);
        let depth = "  ".repeat(self.lists.len().saturating_sub(1));
        let bullet = self.bullet.take();
        let hang = match &bullet {
            Some(bullet) => " ".repeat(bullet.chars().count()),
            None if self.lists.is_empty() => String::new(),
            None => "  ".to_owned(),
        };
        let first = format!("{quote}{depth}{}", bullet.as_deref().unwrap_or(&hang));
        let rest = format!("{quote}{depth}{hang}");
        self.out += &wrap(&text, &first, &rest, self.width);
    }

    fn heading(&mut self, level: HeadingLevel) {
        let text = std::mem::take(&mut self.inline);
        // A code within a heading ends the bold letters, so they begin again.
        let text = if self.colour { text.replace(RESET, &format!("{RESET}{BOLD}")) } else { text };
        let head = self.painted(BOLD, &text, "");
        self.out += &wrap(&head, "", "", self.width);
        let rule = match level {
            HeadingLevel::H1 => "═",
            HeadingLevel::H2 => "─",
            _ => return,
        };
        let length = textwrap::core::display_width(&head).min(self.width);
        self.out += &(self.painted(DIM, &rule.repeat(length), "") + "\n");
    }

    fn draw_table(&mut self, rows: &[Vec<String>]) {
        let mut table = comfy_table::Table::new();
        table.load_style(RULES).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(self.width).unwrap_or(u16::MAX)).force_no_tty();
        if let Some((head, rows)) = rows.split_first() {
            if head.iter().any(|cell| !cell.trim().is_empty()) {
                table.set_header(head);
            }
            table.add_rows(rows);
        }
        if let Some(first) = table.column_mut(0) {
            first.set_padding((0, 1));
        }
        self.out += &(table.trim_fmt() + "\n");
    }

    /// Ends a link: notes the page, or writes the address.
    fn link(&mut self, to: &str) {
        if to.contains("://") {
            if !self.inline.ends_with(to) {
                self.inline.push_str(&format!(" ({to})"));
            }
            return;
        }
        let target = to.split('#').next().unwrap_or(to);
        if let Some(page) = target.strip_suffix(".md") {
            let command = format!("fivefold book {}", resolved(self.path, page));
            if !self.pages.contains(&command) {
                self.pages.push(command);
            }
        }
    }

    fn finish(mut self) -> String {
        self.paragraph();
        if !self.pages.is_empty() {
            self.gap();
            let head = self.painted(DIM, "Pages that this one names:", "");
            let lines: Vec<String> = self.pages.iter().map(|page| format!("{CODE_INDENT}{page}")).collect();
            self.out += &format!("{head}\n{}\n", lines.join("\n"));
        }
        self.out
    }
}

/// A relative link from a page, as a path from the book's root.
fn resolved(from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n\nSome **bold** words and `code` that go on for\na while.\n\n## Lists\n\n- one\n  - below one, \
        which is long enough to wrap\n- two, see [the other](../how-to/other.md#x) and [here](https://example.org)\n\n1. first\n2. \
        second\n\n```sh file=run.sh\nfivefold run  quickstart\n```\n\n| key | meaning |\n|---|---|\n| `a` | the first \
        letter of all letters |\n| b | the next |\n";

    #[test]
    fn a_page_is_wrapped_at_the_width() {
        let drawn = render(PAGE, "tutorials/page.md", 40, false);
        assert!(drawn.lines().all(|line| textwrap::core::display_width(line) <= 40), "{drawn}");
        let expected = "A page\n══════\n\nSome bold words and `code` that go on\nfor a while.\n\nLists\n─────\n\n- one\n  - below one, \
            which is long enough to\n    wrap\n- two, see the other and here\n  (https://example.org)\n\n1. first\n2. \
            second\n\n    run.sh:\n    fivefold run  quickstart\n";
        assert!(drawn.starts_with(expected), "{drawn}");
        assert!(drawn.ends_with("Pages that this one names:\n    fivefold book how-to/other\n"), "{drawn}");
        assert!(drawn.contains("the first letter"), "{drawn}");
    }

    #[test]
    fn colours_add_no_characters() {
        let plain = render(PAGE, "page.md", 60, false);
        let mut coloured = render(PAGE, "page.md", 60, true);
        assert!(coloured.contains("\x1b[1mbold\x1b[0m") && coloured.contains("\x1b[36mcode\x1b[0m"), "{coloured}");
        for code in [BOLD, DIM, CODE, RESET] {
            coloured = coloured.replace(code, "");
        }
        assert!(!coloured.contains('\x1b'), "{coloured}");
        assert_eq!(coloured, plain.replace('`', ""));
    }

    #[test]
    fn a_link_leads_from_its_page() {
        assert_eq!(resolved("tutorials/a.md", "../reference/b"), "reference/b");
        assert_eq!(resolved("a.md", "b"), "b");
        assert_eq!(resolved("x/y/a.md", "./b"), "x/y/b");
    }
}
