//! Dicts, texts and floats, read where Python keeps them, without a call for each document.
//!
//! The stable interface needs a call for an entry, a text and a number, and its walk waits for the
//! memory of each text in turn. Where it is proved that the layout is the one below, an entry is read
//! from memory, and the objects of later entries are asked for ahead. The proof is made once, when the
//! module is imported ([`proof`]):
//!
//! - Python is CPython 3.11, 3.12 or 3.13, whose sources have this layout, and no debug or
//!   free-threaded build;
//! - the sizes of objects are those of the layout;
//! - texts of many lengths and kinds, floats, and dicts of many sizes and histories are read as the
//!   stable interface reads them.
//!
//! Without the proof, [`super::walk`] reads all dicts. A dict with a key that is no text, or that shares
//! its keys with other dicts, is left to it, too, and so is a text that is not plain ASCII.
//!
//! Bytes from the start of an object, on 64-bit machines:
//!
//! | object | field |
//! |---|---|
//! | float | 16: the number |
//! | text | 16: length, 24: hash (-1: none yet), 32: state, 40 or 48 (3.11): the bytes of a compact ASCII text |
//! | dict | 16: number of entries, 32: keys, 40: values of a dict that shares its keys, else null |
//! | keys | 9: logarithm of the bytes of the index, 10: kind, 24: entries with those removed, 32: index, then entries |
//! | entry | 0: key, 8: value, null if it was removed |
#![allow(unsafe_code)] // in this module, its proof and `walk` only

mod proof;

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use super::walk;

const NUMBER: usize = 16;
const LENGTH: usize = 16;
const HASH: usize = 24;
/// Python gives no text this hash.
const NO_HASH: u64 = -1i64 as u64;
const STATE: usize = 32;
/// In a state: the width of a letter, whether the bytes follow the object, whether they are ASCII.
const STATE_BITS: u32 = 0b111_1100;
/// One byte a letter, compact and ASCII.
const COMPACT_ASCII: u32 = 0b110_0100;
const KEYS: usize = 32;
const VALUES: usize = 40;
const INDEX_BYTES: usize = 9;
const KIND: usize = 10;
/// All keys are of the type `str` itself.
const KIND_TEXTS: u8 = 1;
const ENTRIES: usize = 24;
const INDEX: usize = 32;

/// How many entries ahead objects are asked for.
const AHEAD: usize = 32;

/// The proved layout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Where the bytes of a compact ASCII text begin.
    bytes: usize,
}

static PROVED: PyOnceLock<Option<Layout>> = PyOnceLock::new();
static WANTED: AtomicBool = AtomicBool::new(true);

#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Entry {
    key: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
}

/// The entries of a dict whose keys are all texts.
pub(super) struct Entries<'d> {
    layout: Layout,
    entries: &'d [Entry],
}

/// A text that a dict keeps.
#[derive(Clone, Copy)]
pub(super) struct Text<'d> {
    layout: Layout,
    object: *mut ffi::PyObject,
    dict: PhantomData<&'d ()>,
}

/// A field of an object.
///
/// # Safety
/// The object has the field.
#[inline]
unsafe fn field<T: Copy>(object: *mut ffi::PyObject, place: usize) -> T {
    // SAFETY: the caller's; fields of objects are aligned.
    unsafe { object.byte_add(place).cast::<T>().read() }
}

impl Layout {
    /// The layout, if it is proved and wanted. The proof is made once.
    pub(super) fn proved(py: Python<'_>) -> Option<Layout> {
        // An exception of the proof is no proof.
        let proved = PROVED.get_or_init(py, || proof::prove(py).unwrap_or_default());
        proved.filter(|_| WANTED.load(Ordering::Relaxed))
    }

    /// Says whether the layout is wanted.
    pub(super) fn set_wanted(wanted: bool) {
        WANTED.store(wanted, Ordering::Relaxed);
    }

    /// The entries of a dict, unless a key is no text, or its keys are shared.
    #[inline]
    pub(super) fn entries<'d>(self, dict: &'d Bound<'_, PyDict>) -> Option<Entries<'d>> {
        let dict = dict.as_ptr();
        // SAFETY: the layout is proved, the dict lives as long as its borrow, and `Bound` proves that
        // this thread holds Python's lock. Nobody changes the dict meanwhile, since the users of
        // entries run no code of Python.
        unsafe {
            let keys: *mut ffi::PyObject = field(dict, KEYS);
            let shared: *mut ffi::PyObject = field(dict, VALUES);
            if !shared.is_null() || field::<u8>(keys, KIND) != KIND_TEXTS {
                return None;
            }
            let count: isize = field(keys, ENTRIES);
            if count == 0 {
                // Python 3.11 gives the keys of an empty dict an index of one byte, so what follows is not aligned.
                return Some(Entries { layout: self, entries: &[] });
            }
            let first = keys.byte_add(INDEX + (1 << field::<u8>(keys, INDEX_BYTES))).cast::<Entry>();
            Some(Entries { layout: self, entries: std::slice::from_raw_parts(first, count as usize) })
        }
    }

    /// Asks for the memory of the dicts that are read after the next.
    #[inline]
    pub(super) fn ask_for(self, next: &[Option<&Bound<'_, PyDict>>]) {
        let at = |place: usize| next.get(place).copied().flatten();
        if let Some(dict) = at(2) {
            ask(dict.as_ptr().wrapping_byte_add(KEYS).cast());
        }
        if let Some(dict) = at(1) {
            // SAFETY: as for `entries`.
            let keys: *mut ffi::PyObject = unsafe { field(dict.as_ptr(), KEYS) };
            ask(keys.cast());
            ask(keys.wrapping_byte_add(INDEX + 256).cast());
        }
    }
}

/// Asks for the memory at an address, which need not be one.
#[inline]
fn ask(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: to ask ahead reads nothing, and an address that is none does no harm.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

impl<'d> Entries<'d> {
    /// How many entries there are, with those that were removed.
    #[inline]
    pub(super) fn places(&self) -> usize {
        self.entries.len()
    }

    /// Asks for the objects of an entry, which may be beyond the last.
    #[inline]
    fn ask_for(&self, place: usize) {
        if let Some(entry) = self.entries.get(place) {
            ask(entry.key.wrapping_byte_add(STATE).cast());
            ask(entry.value.wrapping_byte_add(NUMBER).cast());
        }
    }

    /// Calls `each` with the place, the text and the number of each entry. Returns false, perhaps after
    /// some calls, if a text is not plain ASCII or a value is no finite number. `next` are the entries
    /// that are read afterwards.
    #[inline]
    pub(super) fn each(&self, next: Option<&Entries<'_>>, mut each: impl FnMut(usize, Text<'d>, f64)) -> bool {
        let (mut others, mut finite) = (0, true);
        for (place, &Entry { key, value }) in self.entries.iter().enumerate() {
            match (place + AHEAD).checked_sub(self.entries.len()) {
                None => self.ask_for(place + AHEAD),
                Some(beyond) => next.into_iter().for_each(|next| next.ask_for(beyond)),
            }
            if value.is_null() {
                continue;
            }
            let text = self.as_text(key);
            // SAFETY: key and value are borrowed from the dict, and the layout is proved. `number` runs
            // no code of Python.
            unsafe {
                others |= (text.state() ^ COMPACT_ASCII) | u32::from(text.hash() == NO_HASH);
                let number = if ffi::PyFloat_CheckExact(value) != 0 {
                    field(value, NUMBER)
                } else {
                    match walk::number(value) {
                        Some(number) => number,
                        None => return false,
                    }
                };
                finite &= f64::is_finite(number);
                each(place, text, number);
            }
        }
        others == 0 && finite
    }

    /// The text, its hash and the whole number of 32 bits of each entry; `None` for an entry of another
    /// kind.
    pub(super) fn whole(&self) -> impl Iterator<Item = Option<(&'d str, u64, i32)>> {
        let of_entry = |(place, entry): (usize, &Entry)| {
            self.ask_for(place + AHEAD);
            // SAFETY: the dict keeps the value. `whole` runs no code of Python.
            (!entry.value.is_null()).then(|| {
                let number = unsafe { walk::whole(entry.value) }?;
                let text = self.as_text(entry.key);
                Some((text.as_str()?, text.hash(), number))
            })
        };
        self.entries.iter().enumerate().filter_map(of_entry)
    }

    /// Asks for the objects of all entries of a small dict, with their counts of references.
    pub(super) fn ask_for_all(&self) {
        for entry in self.entries.iter().take(4 * AHEAD) {
            ask(entry.key.cast());
            ask(entry.key.wrapping_byte_add(STATE).cast());
            ask(entry.value.cast());
        }
    }

    /// The text of an entry.
    ///
    /// # Panics
    /// If there is no such entry.
    #[inline]
    pub(super) fn text(&self, place: usize) -> Text<'d> {
        self.as_text(self.entries[place].key)
    }

    #[inline]
    fn as_text(&self, key: *mut ffi::PyObject) -> Text<'d> {
        Text { layout: self.layout, object: key, dict: PhantomData }
    }
}

impl<'d> Text<'d> {
    /// # Safety
    /// The object is a text that is alive.
    #[inline]
    unsafe fn state(self) -> u32 {
        // SAFETY: the caller's.
        unsafe { field::<u32>(self.object, STATE) & STATE_BITS }
    }

    /// The hash that Python computed when the text became a key of the dict.
    #[inline]
    pub(super) fn hash(self) -> u64 {
        // SAFETY: the dict keeps the text, and the layout is proved.
        unsafe { field(self.object, HASH) }
    }

    /// The bytes; `None` if the text is not plain ASCII.
    #[inline]
    pub(super) fn bytes(self) -> Option<&'d [u8]> {
        // SAFETY: the dict keeps the text, and the layout is proved.
        unsafe {
            if self.state() != COMPACT_ASCII {
                return None;
            }
            let length: isize = field(self.object, LENGTH);
            let bytes = self.object.byte_add(self.layout.bytes).cast::<u8>();
            Some(std::slice::from_raw_parts(bytes, length as usize))
        }
    }

    fn as_str(self) -> Option<&'d str> {
        // SAFETY: the bytes are ASCII.
        self.bytes().map(|bytes| unsafe { std::str::from_utf8_unchecked(bytes) })
    }
}
