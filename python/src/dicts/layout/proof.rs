//! The proof that Python keeps its objects as [`Layout`] reads them. It takes a millisecond at most.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString, PyTuple, PyType};

use super::{COMPACT_ASCII, Entries, LENGTH, Layout, NUMBER, Text, field};

/// The minor versions of Python 3 whose sources were compared with the layout.
const KNOWN: RangeInclusive<u8> = 11..=13;

/// The layout, if Python has it.
pub(super) fn prove(py: Python<'_>) -> PyResult<Option<Layout>> {
    let sys = py.import("sys")?;
    let version = py.version_info();
    let is_known = version.major == 3
        && KNOWN.contains(&version.minor)
        && sys.getattr("implementation")?.getattr("name")?.eq("cpython")?
        && !sys.hasattr("gettotalrefcount")?;
    // Objects of a free-threaded build are larger.
    let size_of = |of: &Bound<'_, PyType>| of.getattr("__basicsize__")?.extract::<usize>();
    let empty: usize = sys.call_method1("getsizeof", (PyString::new(py, ""),))?.extract()?;
    let is_sized = usize::BITS == 64
        && size_of(&py.get_type::<PyAny>())? == 16
        && size_of(&py.get_type::<PyFloat>())? == 24
        && size_of(&py.get_type::<PyDict>())? == 48
        && matches!(empty, 41 | 49);
    if !is_known || !is_sized {
        return Ok(None);
    }
    let layout = Layout { bytes: empty - 1 };
    let holds = floats_are_read(py) && layout.texts_are_read(py)? && layout.dicts_are_read(py)?;
    Ok(holds.then_some(layout))
}

fn floats_are_read(py: Python<'_>) -> bool {
    let numbers = [0.0, -0.0, 1.5, std::f64::consts::PI, -1e300, f64::MIN_POSITIVE / 2.0, f64::INFINITY, f64::NAN];
    // SAFETY: a float has 24 bytes, which was asked before.
    let read = |number| unsafe { field::<u64>(PyFloat::new(py, number).as_ptr(), NUMBER) };
    numbers.into_iter().all(|number| read(number) == number.to_bits())
}

impl Layout {
    /// Whether plain ASCII texts are read as Python reads them, and no other text is taken for one.
    fn texts_are_read(self, py: Python<'_>) -> PyResult<bool> {
        let mut all = true;
        for length in (0..=70).chain([255, 256, 1000]) {
            let ascii = "0aZ-_~ .".chars().cycle().take(length).collect::<String>();
            let made =
                [PyString::new(py, &ascii), PyString::intern(py, &ascii), PyString::from_bytes(py, ascii.as_bytes())?];
            for text in made {
                all &= self.is_read(&text)?;
            }
            for letter in ['é', 'ÿ', '語', '\u{1f600}'] {
                all &= self.as_text(&PyString::new(py, &format!("{ascii}{letter}"))).bytes().is_none();
            }
        }
        // An instance of a subclass is laid out in another way: its bytes do not follow it.
        let own =
            py.get_type::<PyType>().call1(("Text", PyTuple::new(py, [py.get_type::<PyString>()])?, PyDict::new(py)))?;
        let own = own.call1(("ascii",))?;
        Ok(all && self.as_text(own.cast::<PyString>()?).bytes().is_none())
    }

    fn as_text<'t>(self, text: &'t Bound<'_, PyString>) -> Text<'t> {
        Text { layout: self, object: text.as_ptr(), dict: PhantomData }
    }

    /// Whether a plain ASCII text is read as Python reads it. Nothing is read at the place of the bytes
    /// before the place is known to be right.
    fn is_read(self, text: &Bound<'_, PyString>) -> PyResult<bool> {
        let (hash, mut size) = (text.hash()?, 0);
        // SAFETY: a text is at least as large as the empty one, which has all fields.
        let (state, length) = unsafe { (self.as_text(text).state(), field::<isize>(text.as_ptr(), LENGTH)) };
        // SAFETY: the text is alive, and `Bound` proves that this thread holds Python's lock.
        let bytes: *const c_char = unsafe { ffi::PyUnicode_AsUTF8AndSize(text.as_ptr(), &raw mut size) };
        let follow = bytes.addr() == text.as_ptr().addr() + self.bytes;
        Ok(follow && state == COMPACT_ASCII && length == size && self.as_text(text).hash() == hash as u64)
    }

    /// Whether dicts of many sizes and histories are read as Python reads them.
    fn dicts_are_read(self, py: Python<'_>) -> PyResult<bool> {
        let mut all = self.is_walked(&PyDict::new(py));
        for size in [1, 2, 5, 6, 10, 11, 21, 22, 85, 86, 170, 171, 300] {
            let dict = PyDict::new(py);
            for number in 0..size {
                dict.set_item(format!("d{number}"), f64::from(number))?;
            }
            all &= self.is_walked(&dict) && self.is_walked(&dict.copy()?);
            for number in (0..size).step_by(3) {
                dict.del_item(format!("d{number}"))?;
            }
            all &= self.is_walked(&dict) && self.is_walked(&dict.copy()?);
            dict.set_item("more", 0.5)?;
            all &= self.is_walked(&dict);
            // A key of another kind, also when it has left, makes a dict of another kind.
            dict.set_item(size, 0.5)?;
            all &= self.entries(&dict).is_none();
            dict.clear();
            all &= dict.is_empty() && self.entries(&dict).is_none_or(|entries| entries.present().next().is_none());
        }
        Ok(all)
    }

    /// Whether a dict of texts is read as Python reads it.
    fn is_walked(self, dict: &Bound<'_, PyDict>) -> bool {
        let (mut place, mut key, mut value) = (0, null_mut(), null_mut());
        let mut expected = Vec::with_capacity(dict.len());
        // SAFETY: the dict is alive, nobody changes it, and `Bound` proves that this thread holds
        // Python's lock.
        unsafe {
            while ffi::PyDict_Next(dict.as_ptr(), &raw mut place, &raw mut key, &raw mut value) != 0 {
                expected.push((key, value));
            }
        }
        // An empty dict may share its keys with all others.
        let found = self.entries(dict).map(|entries| entries.present().collect::<Vec<_>>());
        found.map_or(expected.is_empty(), |found| found == expected)
    }
}

impl Entries<'_> {
    /// Key and value of each entry that was not removed.
    fn present(&self) -> impl Iterator<Item = (*mut ffi::PyObject, *mut ffi::PyObject)> {
        let present = self.entries.iter().filter(|entry| !entry.value.is_null());
        present.map(|entry| (entry.key, entry.value))
    }
}
