//! `fivefold completions`: a completion script for a shell.

use crate::cli;
use crate::exit::Exit;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold completions bash > ~/.local/share/bash-completion/completions/fivefold
  fivefold completions zsh > ~/.zfunc/_fivefold
  fivefold completions fish > ~/.config/fish/completions/fivefold.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let mut command = cli::command();
        let name = command.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        screen.text(String::from_utf8_lossy(&script));
        Ok(Exit::Done)
    }
}
