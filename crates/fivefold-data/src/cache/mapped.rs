//! A file's bytes as memory, and the `f32` values in it.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a whole file, read-only.
#[allow(unsafe_code)] // the one place; see below
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes behind the map must not change while it lives. A cache file is written
    // under another name and renamed when it is complete. After that, the file is never opened for
    // writing. It is only replaced or removed, which leaves the mapped file as it was. (A user who
    // overwrites a cache file in place while a run maps the file can stop the run, as with any
    // program. The checksums show whether the file was altered earlier, and each job computes those
    // of its blocks again at its end.)
    unsafe { Mmap::map(file) }
}

/// Values of a mapped file.
pub(crate) struct MappedValues {
    map: Mmap,
    start: usize,
}

impl MappedValues {
    /// The `values` numbers from byte `start` to the end of the file. `None` if the file has
    /// another count of numbers there, or if they are not aligned.
    pub(super) fn new(map: Mmap, start: usize, values: usize) -> Option<Self> {
        let found = bytemuck::try_cast_slice::<u8, f32>(map.get(start..)?).ok()?;
        (found.len() == values).then(|| MappedValues { map, start })
    }

    /// The bytes of the values.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.map[self.start..]
    }

    /// The least length of a file that holds all values.
    pub(super) fn end(&self) -> usize {
        self.map.len()
    }

    /// The bytes of a block of values. The system maps the pages of the block at one time, which
    /// costs less than a fault for every few pages.
    pub(super) fn block(&self, number: usize, size: usize) -> &[u8] {
        let bytes = self.bytes();
        let (start, end) = (number * size, bytes.len().min((number + 1) * size));
        // Older systems do not know this advice. Then each page is mapped when it is touched.
        #[cfg(target_os = "linux")]
        let _ = self.map.advise_range(memmap2::Advice::PopulateRead, self.start + start, end - start);
        &bytes[start..end]
    }
}

impl AsRef<[f32]> for MappedValues {
    fn as_ref(&self) -> &[f32] {
        bytemuck::cast_slice(self.bytes())
    }
}
