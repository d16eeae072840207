//! The blocks of code of a page, with their tags.

/// The tags of a block. The first four ask for something that not every machine has (`package`: the
/// package for Python). `long` takes seconds of processor time, and runs in long proofs. `slow`
/// takes minutes, `build` needs cargo and minutes; both run with BOOK_SLOW=1. `checkout` reads files
/// of a checkout, which are linked into the folder. `hand` is run by hand in a checkout, because it
/// takes hours or rewrites pages; `install` changes the user's machine. Neither is run by the test.
const TAGS: [&str; 12] =
    ["data", "slurm", "python", "package", "long", "slow", "build", "checkout", "hand", "install", "part", "other"];

/// A block of code of a page.
#[derive(Debug, Clone)]
pub struct Block {
    /// The first word behind the fence: `sh`, `text`, `toml`, ...
    pub language: String,
    tags: Vec<String>,
    /// The file into which the block is written.
    pub file: Option<String>,
    /// The exit code with which the commands end.
    pub fails: i32,
    /// The lines, each with its end.
    pub body: String,
    /// The line of the page on which the fence stands, from 1.
    pub line: usize,
    /// Whether the block is a `text` directly behind a block of commands, whose output it keeps.
    pub is_output: bool,
}

impl Block {
    /// Whether the block has a tag.
    pub fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// Whether the block is one of commands.
    pub fn is_command(&self) -> bool {
        self.language == "sh" && self.file.is_none()
    }
}

/// The blocks of a page, in order.
///
/// # Errors
/// A tag that is unknown, with its place.
pub fn blocks(path: &str, text: &str) -> Result<Vec<Block>, String> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(Block, usize, String)> = None;
    // Whether nothing but blank lines stands behind the last block.
    let mut directly = false;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        match &mut open {
            None if trimmed.starts_with("```") => {
                let fence: String = trimmed.chars().take_while(|&letter| letter == '`').collect();
                let block = head(&trimmed[fence.len()..]).map_err(|word| {
                    format!(
                        "{path}:{}: unknown tag `{word}`; there are {}, file=NAME and fails=CODE",
                        number + 1,
                        TAGS.join(", ")
                    )
                })?;
                let is_output = directly && block.language == "text" && found.last().is_some_and(Block::is_command);
                open = Some((Block { line: number + 1, is_output, ..block }, indent, fence));
            }
            None => directly &= trimmed.is_empty(),
            Some((_, _, fence)) if trimmed.trim_end() == fence.as_str() => {
                found.extend(open.take().map(|(block, ..)| block));
                directly = true;
            }
            Some((block, outer, _)) => {
                block.body += &line[indent.min(*outer)..];
                block.body.push('\n');
            }
        }
    }
    match open {
        Some((block, ..)) => Err(format!("{path}:{}: this block does not end", block.line)),
        None => Ok(found),
    }
}

/// Reads the words behind a fence: `sh,data,fails=2` or `toml file=mine.toml`.
fn head(info: &str) -> Result<Block, String> {
    let mut words = info.split([',', ' ']).filter(|word| !word.is_empty());
    let mut block = Block {
        language: words.next().unwrap_or_default().to_owned(),
        tags: Vec::new(),
        file: None,
        fails: 0,
        body: String::new(),
        line: 0,
        is_output: false,
    };
    for word in words {
        match word.split_once('=') {
            Some(("file", name)) => block.file = Some(name.to_owned()),
            Some(("fails", code)) => block.fails = code.parse().map_err(|_| word.to_owned())?,
            None if TAGS.contains(&word) => block.tags.push(word.to_owned()),
            _ => return Err(word.to_owned()),
        }
    }
    Ok(block)
}
