//! Tests what is left on a terminal. The program writes to a terminal of its own (a pseudo-terminal),
//! and an emulator shows what a user would see there, with all that scrolled away.

use std::fs::File;
use std::io::Read as _;
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use nix::pty::{Winsize, openpty};

use crate::harness::{directory, program, run};
use crate::interrupted::{SLOW, interrupt};

const ROWS: u16 = 30;
/// Lines that the emulator remembers.
const HISTORY: usize = 2000;

fn size_of(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}

/// A program that runs on a terminal.
struct OnTerminal {
    child: Child,
    screen: Arc<Mutex<vt100::Parser>>,
    reader: JoinHandle<String>,
}

impl OnTerminal {
    fn start(folder: &Path, columns: u16, arguments: &str) -> Self {
        let size = Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let ends = openpty(Some(&size), None).unwrap();
        let child = Command::new(program())
            .args(arguments.split(' '))
            .current_dir(folder)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(ends.slave.try_clone().unwrap())
            .stderr(ends.slave)
            .spawn()
            .unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(size_of(ROWS), size_of(columns), HISTORY)));
        let of_reader = Arc::clone(&screen);
        let mut master = File::from(ends.master);
        let reader = std::thread::spawn(move || {
            let (mut all, mut buffer) = (String::new(), [0; 4096]);
            // The end of the last program on a terminal is an error on Linux, and no bytes elsewhere.
            while let Ok(read @ 1..) = master.read(&mut buffer) {
                of_reader.lock().unwrap().process(&buffer[..read]);
                all += &String::from_utf8_lossy(&buffer[..read]);
            }
            all
        });
        OnTerminal { child, screen, reader }
    }

    /// The last lines of the terminal.
    fn now(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits for the end. Returns the exit code, all lines that are left, and all that was ever
    /// written.
    fn end(mut self) -> (Option<i32>, Vec<String>, String) {
        let code = self.child.wait().unwrap().code();
        let written = self.reader.join().unwrap();
        let mut parser = self.screen.lock().unwrap();
        // Page by page, from the oldest line on.
        let mut lines: Vec<String> = Vec::new();
        parser.screen_mut().set_scrollback(HISTORY);
        let older = parser.screen().scrollback();
        for back in (0..=older).rev() {
            parser.screen_mut().set_scrollback(back);
            let columns = parser.screen().size().1;
            let page: Vec<String> = parser.screen().rows(0, columns.get()).collect();
            if back > 0 { lines.extend(page.into_iter().next()) } else { lines.extend(page) }
        }
        let lines = lines.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        let last = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        (code, lines[..last].to_vec(), written)
    }
}

/// What bars have and lines of results do not.
fn bar_in(lines: &[String]) -> Option<&String> {
    let in_bar = |line: &&String| {
        line.contains("reading the data")
            || line.contains("/fold")
            || line.chars().any(|c| ('\u{2800}'..='\u{28ff}').contains(&c))
    };
    lines.iter().find(in_bar)
}

/// Bars are seen while a run goes on, and nothing of them afterwards, also where a bar is longer than
/// a line of the terminal: console-rs/indicatif #144.
#[test]
fn a_run_leaves_no_bar_behind() {
    for columns in [100, 60, 30] {
        let folder = directory(&[("slow.toml", SLOW)]);
        let (code, lines, written) =
            OnTerminal::start(folder.path(), columns, "run slow.toml --threads 2 --out out").end();
        assert_eq!(code, Some(0), "{lines:#?}");
        assert!(written.contains("/fold"), "no bar was seen at {columns} columns: {written}");
        assert_eq!(bar_in(&lines), None, "{columns} columns: {lines:#?}");
        if columns == 100 {
            let piped = run(folder.path(), "run slow.toml --threads 2 --out out");
            let piped = String::from_utf8(piped.stdout).unwrap();
            let results: Vec<&str> = piped.trim_end().lines().map(str::trim_end).collect();
            assert!(lines.windows(results.len()).any(|part| part == results), "{lines:#?}");
        }
    }
}

/// A second signal ends the program at once, while bars are shown.
#[test]
fn a_stopped_run_leaves_no_bar_behind() {
    for signals in [1, 2] {
        let folder = directory(&[("slow.toml", SLOW)]);
        let running = OnTerminal::start(folder.path(), 100, "run slow.toml --threads 1 --out out");
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !running.now().contains("/fold2") {
            assert!(std::time::Instant::now() < patience, "no bar of a job: {}", running.now());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        for _ in 0..signals {
            interrupt(&running.child);
        }
        let (code, lines, _) = running.end();
        assert_eq!(code, Some(130), "{lines:#?}");
        assert_eq!(bar_in(&lines), None, "{lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("Stopped: ")), "{lines:#?}");
    }
}
