//! How a page calls the library. WebAssembly passes numbers only, so texts go through memory:
//!
//! 1. `reserve(length)` gives the address at which the page writes its question.
//! 2. `answer()` puts the answer in place of the question, and gives its length.
//! 3. `address()` gives the address at which the page reads the answer.
//!
//! No code here reads memory by an address: the text is a vector of the library, whose bytes the
//! page alone sets from outside.

// An exported name is unsafe only because two functions could have the same name. These three are
// the only ones.
#![allow(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn text() -> MutexGuard<'static, Vec<u8>> {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a question of this many bytes, and gives its address.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    let mut text = text();
    text.clear();
    text.resize(length, 0);
    text.as_mut_ptr()
}

/// Puts the answer in place of the question, and gives its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let mut text = text();
    *text = crate::answer::answer(&text).into_bytes();
    text.len()
}

/// The address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn address() -> *const u8 {
    text().as_ptr()
}
