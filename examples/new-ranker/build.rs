//! Gives the crate the hash of its sources, so that results of older code are never reused as
//! results of this code.

fn main() {
    // The hash covers Cargo.toml, build.rs, src/ and Cargo.lock. It also covers these files of each
    // package that this crate depends on by path, except `fivefold`. If the code includes files
    // from elsewhere, name them: `emit_with(&["weights"])`.
    fivefold_sources::emit();
}
