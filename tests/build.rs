//! Says how the program under test is linked.

fn main() {
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    // At a fixed place, as the program itself: without relocations, it starts in less than half the time.
    if [target("OS"), target("ENV"), target("ARCH")] == ["linux", "gnu", "x86_64"] {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
