#!/usr/bin/env bash
# clang-tidy over the sources that need neither LibTorch nor Qt. A file is checked again only when it, a header of the
# project or .clang-tidy changed since it last passed.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -e build/asan/compile_commands.json ] || cmake --preset asan >/dev/null
stamps=build/tidy
mkdir -p "$stamps"
shared=$(git ls-files -- '*.h' '*.inl' .clang-tidy | xargs cat | sha256sum | cut -c1-16)
check() {
    local stamp
    stamp=$stamps/$(printf '%s %s' "$1" "$shared$(sha256sum <"$1")" | sha256sum | cut -c1-32)
    [ ! -e "$stamp" ] || return 0
    clang-tidy --quiet -p build/asan "$1" 2>/dev/null || { echo "clang-tidy: $1" >&2; return 1; }
    touch "$stamp"
}
export -f check
export stamps shared
git ls-files -- 'kernels/*.cpp' 'tasks/*.cpp' 'core/values/*.cpp' 'core/storage/*.cpp' 'core/data/*.cpp' |
    xargs -P "$(nproc)" -I {} bash -c 'check {}'
