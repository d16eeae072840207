# Compiles rank.rs with the compiler $1, and runs it with the other arguments.
set -e
compiler=$1
shift
"$compiler" -C opt-level=0 --edition 2021 -o rank rank.rs || {
    echo "gradients.rs does not compile" >&2
    exit 1
}
# Where a function panics, its message is enough.
RUST_BACKTRACE=0 ./rank "$@"
