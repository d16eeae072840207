//! Dicts, walked by Python's C interface: no reference is counted and no iterator is made.
#![allow(unsafe_code)] // in this module and `layout` only

use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Calls `entry` with the text of each key, the key, and its value, as long as it returns true.
///
/// # Safety
/// `entry` must run no code of Python that could change the dict.
#[inline]
unsafe fn each<'d>(
    dict: &'d Bound<'_, PyDict>,
    mut entry: impl FnMut(&'d str, *mut ffi::PyObject, *mut ffi::PyObject) -> bool,
) -> bool {
    let (mut place, mut key, mut value, mut size) = (0, null_mut(), null_mut(), 0);
    // SAFETY: the dict lives as long as its borrow, `Bound` proves that this thread holds Python's
    // lock, and key and value are borrowed from the dict, which nobody changes meanwhile. The text
    // of a key is UTF-8, and lives as long as the key, which the dict keeps.
    unsafe {
        while ffi::PyDict_Next(dict.as_ptr(), &raw mut place, &raw mut key, &raw mut value) != 0 {
            if ffi::PyUnicode_CheckExact(key) == 0 {
                return false;
            }
            let text = ffi::PyUnicode_AsUTF8AndSize(key, &raw mut size).cast::<u8>();
            if text.is_null() {
                ffi::PyErr_Clear();
                return false;
            }
            let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, size as usize));
            if !entry(text, key, value) {
                return false;
            }
        }
    }
    true
}

/// A finite number.
///
/// # Safety
/// `value` is an object that is alive, and this thread holds Python's lock.
#[inline]
pub(super) unsafe fn number(value: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: the caller's. Of a float (a subclass, too) and of an int, Python reads the number
    // without a call of a method.
    unsafe {
        let number = if ffi::PyFloat_Check(value) != 0 {
            ffi::PyFloat_AsDouble(value)
        } else if ffi::PyLong_CheckExact(value) != 0 {
            ffi::PyLong_AsDouble(value)
        } else {
            return None;
        };
        if number == -1.0 && !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        number.is_finite().then_some(number)
    }
}

/// A whole number of 32 bits.
///
/// # Safety
/// As [`number`].
pub(super) unsafe fn whole(value: *mut ffi::PyObject) -> Option<i32> {
    // SAFETY: the caller's. Of an int, Python reads the number without a call of a method.
    unsafe {
        if ffi::PyLong_CheckExact(value) == 0 {
            return None;
        }
        let number = ffi::PyLong_AsLong(value);
        if number == -1 && !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        i32::try_from(number).ok()
    }
}

/// Calls `each_document` with each document and its score. Returns false, perhaps after some calls,
/// if a key is no text, or a value no finite number.
#[inline]
pub(super) fn documents<'d>(dict: &'d Bound<'_, PyDict>, mut each_document: impl FnMut(&'d str, f64)) -> bool {
    // SAFETY: `number` runs no code of Python, and the callers' functions have no way to it.
    unsafe { each(dict, |document, _, score| number(score).map(|score| each_document(document, score)).is_some()) }
}

/// As [`documents`], for grades, with the hash that Python keeps in each document.
pub(super) fn judgements<'d>(dict: &'d Bound<'_, PyDict>, mut each_document: impl FnMut(&'d str, u64, i32)) -> bool {
    // SAFETY: as above. A text tells its hash without a call of a method.
    unsafe {
        let entry = |document, key, grade| {
            whole(grade).map(|grade| each_document(document, ffi::PyObject_Hash(key) as u64, grade)).is_some()
        };
        each(dict, entry)
    }
}
