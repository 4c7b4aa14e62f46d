#!/usr/bin/env bash
# Proves that ./run hands its arguments on, what ./test makes of its arguments, and what tests/support/xvfb.sh returns: with a
# made-up tree whose tools only say how they were called.
# shellcheck disable=SC2016  # the stubs expand their own variables
set -u -o pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

mkdir -p "$tree/bin" "$tree/build/release" "$tree/cmake" "$tree/tests"
cp "$root/run" "$root/test" "$tree/"
cp "$root"/cmake/*.sh "$tree/cmake/"
stub() { printf '#!/bin/bash\n%s\n' "$2" >"$1"; chmod +x "$1"; }
stub "$tree/build/release/tapescope" 'echo "tapescope $*"; exit 7'
stub "$tree/bin/ninja" 'echo "[1/1] $*" >>"$TREE/ninja.calls"; echo "[1/1] built"; exit "${NINJA_STATUS_CODE-0}"'
stub "$tree/bin/cmake" 'mkdir -p "build/$2" && touch "build/$2/build.ninja" && echo "$*" >>"$TREE/cmake.calls"'
stub "$tree/bin/ctest" 'echo "ctest $*"; exit 8'
# Everything is installed, unless a test says what is not.
stub "$tree/bin/dpkg-query" 'for p in "${@:3}"; do [[ $p == "${MISSING-}" ]] || printf "installed:%s " "$p"; done'
stub "$tree/bin/apt-cache" '[[ " $* " != *" ${UNKNOWN-none} "* ]]'
stub "$tree/bin/apt-get" 'echo "apt-get $*"; exit "${APT_STATUS-0}"'
stub "$tree/bin/sudo" 'exec "$@"'
export TREE=$tree PATH=$tree/bin:$PATH

# expect WHAT STATUS REGEX COMMAND...: the command's status, and its output of both kinds.
expect() {
  local what=$1 wanted=$2 pattern=$3 output status
  shift 3
  output=$("$@" 2>&1)
  status=$?
  if ((status != wanted)) || [[ ! $output =~ $pattern ]]; then
    printf 'FAILED %s: status %d (expected %d), output:\n%s\nexpected to match: %s\n' "$what" "$status" "$wanted" \
      "$output" "$pattern"
    failures=$((failures + 1))
  fi
}

expect "no arguments" 7 'tapescope $' "$tree/run"
expect "arguments as they are" 7 'tapescope gui --set a=b c  d -- --help$' "$tree/run" gui --set "a=b c  d" -- --help
(cd / && expect "from elsewhere" 7 'tapescope list$' "$tree/run" list; exit "$failures") || failures=$((failures + 1))
ln -s "$tree/run" "$tree/bin/tapescope-run"
expect "through a link" 7 'tapescope list$' tapescope-run list
expect "standard output is the program's alone" 7 '^tapescope list$' bash -c '"$TREE/run" list 2>/dev/null'

grep -c -- '--preset release' "$tree/cmake.calls" | grep -qx 1 || { echo "FAILED: configured again"; failures=1; }
expect "a build that fails" 3 'building release failed.*build/release.log' env NINJA_STATUS_CODE=1 "$tree/run" list
expect "a package to install" 7 'Installing once: libpng-dev.*apt-get.*install.*libpng-dev' \
  env MISSING=libpng-dev "$tree/run" list
expect "packages that cannot be had" 3 "could not be installed.*apt-get install libpng-dev" \
  env MISSING=libpng-dev APT_STATUS=100 "$tree/run" list
expect "an optional package" 7 'Fetching the list.*tapescope list$' \
  env MISSING=libdnnl-dev UNKNOWN=libdnnl-dev "$tree/run" list
expect "an optional package is tried once" 7 '^Building release: 1 of 1.tapescope list$' env MISSING=libdnnl-dev "$tree/run" list

options='-j[0-9]+'
short='-LE \^long\$$'
expect "the tests" 8 "ctest --test-dir $tree/build/release .*$options $short" "$tree/test"
expect "a filter" 8 "ctest .*$options -R tape $short" "$tree/test" tape
grep -q sanitized "$tree/ninja.calls" && { echo "FAILED: the release's tests build sanitizers"; failures=1; }
expect "all tests" 8 "ctest .*$options -C all -R tape $short" "$tree/test" --all tape
grep -q 'asan-ubsan .*sanitized_tests fuzzers' "$tree/ninja.calls" || { echo "FAILED: asan-ubsan is not built"; failures=1; }
grep -q 'tsan .*sanitized_tests' "$tree/ninja.calls" || { echo "FAILED: tsan is not built"; failures=1; }
grep -q test_gui "$tree/ninja.calls" && { echo "FAILED: all tests build the sanitized window"; failures=1; }
expect "the long tests" 8 "ctest .*$options -C all\$" "$tree/test" --long --all
grep -q 'asan-ubsan .*test_gui' "$tree/ninja.calls" || { echo "FAILED: the sanitized window is not built"; failures=1; }
mkdir "$tree/tests/more"
echo 'echo "prepared${TAPESCOPE_LONG+ for longer}"' >"$tree/tests/more/prepare.sh"
expect "a folder that is prepared" 8 'prepared.*ctest' "$tree/test" --all
expect "a folder that is prepared for the long tests" 8 'prepared for longer.*ctest' "$tree/test" --long
echo 'echo prepared; exit 5' >"$tree/tests/more/prepare.sh"
expect "a folder that cannot be prepared" 1 'prepared(.Building [a-z-]+: 1 of 1)*$' "$tree/test" --all
expect "a folder that all tests alone need" 8 "ctest .*$short" "$tree/test"
expect "a wrong option" 2 'no option' "$tree/test" --lnog
expect "two filters" 2 'one filter' "$tree/test" a b
expect "tests that do not build" 1 'building release failed' env NINJA_STATUS_CODE=1 "$tree/test"

# From here on the real tools.
PATH=${PATH#"$tree/bin:"}
xvfb=$root/tests/support/xvfb.sh
expect "xvfb.sh without a command" 2 usage "$xvfb" 10x10
expect "xvfb.sh with a wrong size" 2 usage "$xvfb" big true
if command -v Xvfb xdotool >/dev/null; then
  expect "a separate screen" 5 '^1234 700$' "$xvfb" 1234x700 bash -c 'xdotool getdisplaygeometry; exit 5'
fi
((failures == 0)) && echo "all as expected"
exit $((failures > 0))
