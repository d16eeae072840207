//! Says how the program under test is linked.

fn main() {
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    // At a fixed place, as the program itself: without relocations, it starts in less than half the
    // time. A user's own flag links the program already, at any place.
    let is_static = target("FEATURE").split(',').any(|name| name == "crt-static");
    if [target("OS"), target("ENV"), target("ARCH")] == ["linux", "gnu", "x86_64"] && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
