//! Progress bars on standard error. If standard error is not a terminal, there are no bars.

use std::time::Duration;

use fivefold_core::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::screen::tell;

/// How often a bar is redrawn even without progress, to update its clock.
const TICK: Duration = Duration::from_millis(250);

/// The bar of one fit.
pub(crate) struct FitBar(ProgressBar);

impl FitBar {
    pub(crate) fn new(label: &str) -> Self {
        FitBar(bar(label))
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        self.0.finish_and_clear();
    }
}

impl Progress for FitBar {
    fn step(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    fn warning(&self, text: &str) {
        self.0.suspend(|| tell(format_args!("warning: {text}")));
    }
}

/// Makes a bar in the style of this program.
pub(crate) fn bar(message: &str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} {bar:30} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_message(message.to_owned());
    bar.enable_steady_tick(TICK);
    bar
}
