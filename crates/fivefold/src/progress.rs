//! Progress bars on standard error. If standard error is not a terminal, there are no bars.

use std::time::Duration;

use fivefold_core::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

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
        step(&self.0, done, total);
    }

    fn warning(&self, text: &str) {
        self.0.suspend(|| tell(format_args!("warning: {text}")));
    }
}

/// Makes a bar in the style of this program.
pub(crate) fn bar(message: &str) -> ProgressBar {
    started(ProgressBar::no_length(), message)
}

/// Adds a bar to those of a screen. The bar is hidden until the screen has it: what it drew before
/// would move the cursor behind the screen's back, and the bars above would be left behind.
pub(crate) fn bar_on(screen: &MultiProgress, message: &str) -> ProgressBar {
    started(screen.add(ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())), message)
}

fn started(bar: ProgressBar, message: &str) -> ProgressBar {
    begin(&bar, message);
    bar.enable_steady_tick(TICK);
    bar
}

/// Starts a bar anew for something of unknown length.
pub(crate) fn begin(bar: &ProgressBar, message: &str) {
    // The style comes first, because all else draws the bar.
    draw_as(bar, "{elapsed:>4} {spinner} {wide_msg}");
    bar.unset_length();
    bar.reset();
    bar.set_message(message.to_owned());
}

/// Shows how far the work of a bar is. A bar without a length stays without a bar: none is full at
/// 0 of 0.
pub(crate) fn step(bar: &ProgressBar, done: u64, total: u64) {
    if total > 0 && bar.length() != Some(total) {
        bar.set_length(total);
        draw_as(bar, "{elapsed:>4} {bar:30} {pos}/{len} {wide_msg}");
    }
    bar.set_position(done);
}

fn draw_as(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}
