#!/bin/bash
# Fuzzes every reader of files for SECONDS each, then measures how much of it was reached.
#
#   tests/fuzz/run.sh [SECONDS [NAME...]]      60 s and every reader by default
#
# Fails when an input crashes, hangs (10 s) or breaks a property, or when less than 80 % of the lines
# of a reader were run. Needs clang, libfuzzer-14-dev and llvm-14. Corpora stay in build/fuzz/corpus.
set -euo pipefail

seconds=${1:-60}
chosen=" ${*:2} "
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/fuzz
golden=$root/tests/golden
required=80

# program | seeds, glob patterns | sources that must be covered
targets=(
    "safetensors|$golden/safetensors/*.safetensors|core/storage/safetensors_header.cpp core/storage/safetensors.cpp"
    "spec_toml|$root/tests/fuzz/seeds/spec_toml/*|core/storage/spec_reader.cpp core/storage/spec_toml.cpp"
    "transcript|$golden/repl/*.txt $root/tests/fuzz/seeds/transcript/*|tasks/transcript.cpp tasks/text_line.cpp"
    "automaton|$root/tests/fuzz/seeds/automaton/*|core/storage/automaton_json.cpp"
)

flags="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
flags="$flags -fprofile-instr-generate -fcoverage-mapping -O1 -g1"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS="$flags" -DLAB_FUZZ=ON -DLAB_TORCH=OFF -DLAB_GUI=OFF >&2

export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=0}
failed=0

# Prints the share of lines of the given sources that the profile reached, in percent.
covered() {
    llvm-cov-14 report "$1" -instr-profile "$2" -show-branch-summary=false "${@:3}" |
        awk '$1 == "TOTAL" { sub("%", "", $10); print $10 }'
}

fuzz() {
    local name=$1 seeds=$2 sources=$3
    local program=$build/tests/fuzz/fuzz_$name corpus=$build/corpus/$name
    mkdir -p "$corpus" "$build/crashes"
    # shellcheck disable=SC2086  # patterns are meant to expand
    for seed in $seeds; do
        if [ -f "$seed" ]; then cp "$seed" "$corpus/seed-$(basename "$seed")"; fi
    done
    echo "fuzzing $name for $seconds s" >&2
    if ! LLVM_PROFILE_FILE=$build/$name-fuzz.profraw "$program" "$corpus" -max_total_time="$seconds" \
        -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1 \
        -artifact_prefix="$build/crashes/$name-" >"$build/$name.log" 2>&1; then
        tail -n 60 "$build/$name.log" >&2
        echo "$name: FAILED, the input is in $build/crashes" >&2
        failed=1
        return
    fi
    llvm-profdata-14 merge -o "$build/$name.profdata" "$build/$name-fuzz.profraw"
    local paths=() share
    for source in $sources; do paths+=("$root/$source"); done
    share=$(covered "$program" "$build/$name.profdata" "${paths[@]}")
    local runs
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
    echo "$name: $runs inputs, $share % of the lines of the reader"
    if ! awk -v share="$share" -v required="$required" 'BEGIN { exit !(share >= required) }'; then
        echo "$name: FAILED, less than $required % of the lines were reached" >&2
        failed=1
    fi
}

for target in "${targets[@]}"; do
    IFS='|' read -r name seeds sources <<<"$target"
    if [ -n "${chosen// /}" ] && [[ $chosen != *" $name "* ]]; then continue; fi
    cmake --build "$build" --target "fuzz_$name" >&2
    fuzz "$name" "$seeds" "$sources"
done
exit $failed
