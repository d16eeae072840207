//! Asks for memory before it is read, on processors that can be asked.

/// Brings the cache line of `value` into the first-level cache while other work goes on. No result
/// depends on it.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is part of every x86-64 processor. It changes no memory and no
        // register, and it cannot fault. The pointer is that of a reference.
        #[allow(unsafe_code)] // the one place
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
