//! Checkpoints of a fit that goes in rounds (trees, epochs, restarts). A fit that was stopped goes
//! on from its last checkpoint, and the model has the same bytes as without the stop.
//!
//! A ranker says what it needs to go on: [`FitContext::resume`] gives the state that an earlier fit
//! kept, [`FitContext::round`] keeps a state between two rounds when it is time, and
//! [`FitContext::or_keep`] keeps the state before a round that was cancelled in its middle.
//!
//! ```
//! use std::sync::Mutex;
//! use std::sync::atomic::{AtomicBool, Ordering};
//!
//! use fivefold_core::{Checkpoints, FitContext, FitError, Seed};
//!
//! #[derive(Default)]
//! struct InMemory(Mutex<Option<Vec<u8>>>);
//!
//! impl Checkpoints for InMemory {
//!     fn load(&self) -> Option<Vec<u8>> {
//!         self.0.lock().unwrap().clone()
//!     }
//!     fn is_due(&self) -> bool {
//!         false
//!     }
//!     fn save(&self, state: &[u8]) {
//!         *self.0.lock().unwrap() = Some(state.to_vec());
//!     }
//! }
//!
//! // A fit of ten rounds, which is cancelled before round 4.
//! let (kept, stop) = (InMemory::default(), AtomicBool::new(false));
//! let cx = FitContext::new(Seed::new(1)).with_cancellation(&stop).with_checkpoints(&kept);
//! let rounds = |cx: &FitContext<'_>| -> Result<(u64, u64), FitError> {
//!     let first: u64 = cx.resume().unwrap_or(0);
//!     for round in first..10 {
//!         stop.store(first == 0 && round == 4, Ordering::Relaxed);
//!         cx.round(round, 10, || round)?;
//!     }
//!     Ok((first, 10))
//! };
//! assert!(matches!(rounds(&cx), Err(FitError::Cancelled)));
//! stop.store(false, Ordering::Relaxed);
//! assert_eq!(rounds(&cx)?, (4, 10));
//! # Ok::<(), FitError>(())
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ranker::{FitContext, FitError};

/// Keeps one state of one fit. The keeper knows which fit it is: a state of another fit, of other
/// data or of another version of the program never comes back.
///
/// ```
/// use fivefold_core::{Checkpoints, FitContext, Seed};
///
/// /// Keeps nothing.
/// struct Nothing;
///
/// impl Checkpoints for Nothing {
///     fn load(&self) -> Option<Vec<u8>> {
///         None
///     }
///     fn is_due(&self) -> bool {
///         false
///     }
///     fn save(&self, _state: &[u8]) {}
/// }
///
/// // A fit with these checkpoints always begins anew.
/// let context = FitContext::new(Seed::new(1)).with_checkpoints(&Nothing);
/// assert!(context.resume::<u64>().is_none());
/// ```
pub trait Checkpoints: Send + Sync {
    /// The state that an earlier fit kept last; `None` if there is no state.
    fn load(&self) -> Option<Vec<u8>>;

    /// Whether so much time has passed since the last state that another state should be kept.
    fn is_due(&self) -> bool;

    /// Keeps a state in place of the last state. A state that cannot be kept is a warning to the
    /// user and not an error of the fit.
    fn save(&self, state: &[u8]);
}

impl FitContext<'_> {
    /// The state that an earlier fit kept; `None` if there is no state that can be read. A ranker
    /// checks what could not be its own state, and begins anew in that case.
    pub fn resume<S: DeserializeOwned>(&self) -> Option<S> {
        serde_json::from_slice(&self.checkpoints()?.load()?).ok()
    }

    /// Between two rounds: reports progress, and stops the fit if the run was cancelled, as
    /// [`step`](Self::step) does. Keeps the state if it is time, or if the fit stops. The state must
    /// be all that the rounds so far have made, so that the next round can be the first round of
    /// another fit.
    ///
    /// # Errors
    /// [`FitError::Cancelled`], to be passed on with `?`.
    pub fn round<S: Serialize>(&self, done: u64, total: u64, state: impl FnOnce() -> S) -> Result<(), FitError> {
        let ended = self.step(done, total);
        if let Some(checkpoints) = self.checkpoints()
            && (ended.is_err() || checkpoints.is_due())
        {
            keep(checkpoints, &state());
        }
        ended
    }

    /// Passes on the result of a round. If the round was cancelled in its middle, keeps the state
    /// from before the round.
    ///
    /// # Errors
    /// The error of the round.
    pub fn or_keep<T, S: Serialize>(
        &self,
        round: Result<T, FitError>,
        before: impl FnOnce() -> S,
    ) -> Result<T, FitError> {
        if let (Err(FitError::Cancelled), Some(checkpoints)) = (&round, self.checkpoints()) {
            keep(checkpoints, &before());
        }
        round
    }
}

/// Keeps a state, as JSON. A state that JSON cannot hold is not kept: the fit then begins anew.
fn keep<S: Serialize>(checkpoints: &dyn Checkpoints, state: &S) {
    if let Ok(state) = serde_json::to_vec(state) {
        checkpoints.save(&state);
    }
}

/// Numbers of a state that may be infinite or undefined, which JSON cannot hold: for
/// `#[serde(with = "fivefold_core::checkpoint::bits")]`.
pub mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the number as its bits.
    ///
    /// # Errors
    /// The error of the format.
    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        number.to_bits().serialize(serializer)
    }

    /// Reads the number that [`serialize`] wrote.
    ///
    /// # Errors
    /// The error of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}
