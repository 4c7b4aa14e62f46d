#!/usr/bin/env bash
# Builds the sanitized tests of a preset and runs them: sanitizer.sh asan-ubsan|tsan [--build-only | --monkey [SEED]].
# --monkey builds and plays the window's monkey instead, ten thousand inputs on five seeds, or on one of them.
# What they are is decided in tests/checks.cmake.
set -u -o pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
source "$root/cmake/build-preset.sh"
preset=$1
jobs=$(nproc)  # before OMP_NUM_THREADS, which it obeys

# The address space's randomness of newer kernels is more than the sanitizers of GCC 12 stand.
fixed_addresses=()
setarch -R true 2>/dev/null && fixed_addresses=(setarch -R)

targets=(sanitized_tests)
release=(tapescope_test_main)
if [[ ${2-} == --monkey ]]; then
  targets=(test_gui)
elif [[ $preset == asan-ubsan ]]; then
  # Its tests are the objects of the release's.
  release+=(test_engine test_samples test_viewer)
fi
build_preset "$root" release "${release[@]}" && build_preset "$root" "$preset" "${targets[@]}" || exit 1
[[ ${2-} == --build-only ]] && exit 0

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1
export LSAN_OPTIONS=suppressions=$root/tests/support/leaks.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=suppressions=$root/tests/support/threads.supp:second_deadlock_stack=1
# Threads of libraries that are built without a sanitizer look like races to it.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
if [[ ${2-} == --monkey ]]; then
  export TAPESCOPE_LONG=1
  exec "${fixed_addresses[@]}" "$root/build/$preset/tests/test_gui" 'a monkey*' ${3:+-c "seed $3"}
fi
exec "${fixed_addresses[@]}" ctest --test-dir "$root/build/$preset" -L '^sanitized$' --no-tests=error \
  --output-on-failure --no-label-summary -j"$jobs"
