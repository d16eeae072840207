//! How far each restart is, for checkpoints.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fivefold_core::FitContext;
use serde::{Deserialize, Serialize};

/// How far a restart is.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Standing {
    pub weights: Vec<f64>,
    /// Finished passes.
    pub passes: u32,
    /// Features that the present pass has visited.
    pub visited: usize,
    /// The objective at the beginning of the present pass.
    #[serde(with = "fivefold_core::checkpoint::bits")]
    pub before: f64,
    /// Whether the restart has ended.
    pub ended: bool,
}

/// How far all restarts are. Restarts run in parallel.
pub(super) struct Standings {
    all: Mutex<Vec<Option<Standing>>>,
    ended: AtomicU64,
}

impl Standings {
    /// The restarts of an earlier fit, or restarts that have not begun.
    pub fn begin(cx: &FitContext<'_>, restarts: u32, width: usize) -> Self {
        let restarts = restarts as usize;
        let own = |earlier: &Vec<Option<Standing>>| {
            earlier.len() == restarts && earlier.iter().flatten().all(|standing| standing.weights.len() == width)
        };
        let all = cx.resume().filter(own).unwrap_or_else(|| vec![None; restarts]);
        let ended = all.iter().flatten().filter(|standing| standing.ended).count() as u64;
        Standings { all: Mutex::new(all), ended: AtomicU64::new(ended) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Standing>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A restart. `None` if it has not begun.
    pub fn of(&self, restart: u32) -> Option<Standing> {
        self.lock()[restart as usize].clone()
    }

    /// Notes how far a restart is.
    pub fn note(&self, restart: u32, standing: Standing) {
        self.lock()[restart as usize] = Some(standing);
    }

    /// Counts a restart that has ended.
    pub fn end(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// All restarts.
    pub fn all(&self) -> Vec<Option<Standing>> {
        self.lock().clone()
    }

    /// How many restarts have ended.
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }
}
