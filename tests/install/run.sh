#!/usr/bin/env bash
# Installs the library into an empty folder, builds the example project against it in another, records it and has the
# recording explained: run.sh BUILD_FOLDER TAPESCOPE.
set -euo pipefail
build=$1 tapescope=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/installed" >"$folder/install.log"
cmake -S "$here/example" -B "$folder/example" -DCMAKE_PREFIX_PATH="$folder/installed" -DCMAKE_BUILD_TYPE=Release >"$folder/configure.log"
cmake --build "$folder/example" >"$folder/build.log" || { cat "$folder/build.log"; exit 1; }

# The man page has what --help names, of each command.
if command -v help2man >/dev/null; then
  page=$(tr -d '\\' <"$folder/installed/share/man/man1/tapescope.1")
  for word in --record-values TAPESCOPE_RECORD_BUDGET $("$tapescope" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'); do
    grep -qF -- "$word" <<<"$page" || { echo "the man page lacks $word"; exit 1; }
  done
fi

said=$("$folder/example/line_fit")
grep -q 'slope 2.0' <<<"$said" || { echo "it computed: $said"; exit 1; }
TAPESCOPE_RECORD="$folder/%p.tape" "$folder/example/line_fit" >"$folder/recorded.txt"
cmp -s <(printf '%s\n' "$said") "$folder/recorded.txt" || { echo "recording changed what it says"; exit 1; }
recording=$(echo "$folder"/*.tape)
"$tapescope" explain "$recording" --json "$folder/explain.json" >"$folder/explain.txt"

# The same answer from the recording as from the tape itself, with the user's file and line.
python3 - "$folder/explain.json" "$said" <<'PYTHON'
import json
import sys

explained = json.load(open(sys.argv[1]))
assert explained["sample"] == "line_fit", explained["sample"]
rows = {row["source"]: row for row in explained["gradients"]}
assert rows["slope"]["status"] == "value", rows
assert rows["offset"]["status"] == "none" and rows["offset"]["reason"] == "outside_tape_before", rows["offset"]
assert rows["offset"]["message"] in sys.argv[2], (rows["offset"]["message"], sys.argv[2])
assert rows["offset"]["location"].startswith("main.cpp:"), rows["offset"]["location"]
PYTHON
"$tapescope" check "$recording" --fail-on nonfinite >/dev/null
code=0
"$tapescope" check "$recording" >/dev/null || code=$?
((code == 1)) || { echo "check exits with $code, a None was there"; exit 1; }
TAPESCOPE_RECORD=/nonexistent/a.tape "$folder/example/line_fit" 2>"$folder/complaint.txt" | grep -q 'slope 2.0'
grep -q 'cannot record to /nonexistent/a.tape' "$folder/complaint.txt"
# Found while it runs, by the installed library's own start.
export XDG_RUNTIME_DIR=$folder/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
TAPESCOPE_LISTEN=1 "$folder/example/line_fit" 1000000000 >/dev/null &
program=$!
for _ in {1..100}; do
  listed=$("$tapescope" list --live --json -)
  [[ $listed == *"\"pid\": $program"* ]] && break
  sleep 0.05
done
kill "$program"
[[ $listed == *"\"name\": \"line_fit\""* ]] || { echo "the program does not listen: $listed"; exit 1; }

# A shared object passes on what the headers declare, and nothing of the inside.
[[ ! -e $folder/installed/include/tapescope/engine/kernels ]] || { echo "headers of the inside are installed"; exit 1; }
cmake -S "$here/plugin" -B "$folder/plugin" -DCMAKE_PREFIX_PATH="$folder/installed" -DCMAKE_BUILD_TYPE=Release >"$folder/configure.log"
cmake --build "$folder/plugin" >"$folder/build.log" || { cat "$folder/build.log"; exit 1; }
[[ $("$folder/plugin/host") == 12 ]] || { echo "the plugin computed $("$folder/plugin/host")"; exit 1; }
nm -DC --defined-only "$folder/plugin/libplugin.so" >"$folder/exported.txt"
nm -gC --defined-only "$build/libtapescope_engine.a" "$build/libtapescope_events.a" >"$folder/whole.txt" 2>/dev/null
for public in cube_slope tapescope::GradientTape::gradient tapescope::matmul; do
  grep -qF " $public(" "$folder/exported.txt" || { echo "$public cannot be reached"; exit 1; }
done
for inside in tapescope::kernels:: tapescope::record:: tapescope::rows:: tapescope::batch_rules:: tapescope::live::Pilot \
  tapescope::History:: tapescope::Trace:: tapescope::LoopNode::; do
  grep -qF "$inside" "$folder/whole.txt" || { echo "$inside is no name of the engine, look for another"; exit 1; }
  if grep -F "$inside" "$folder/exported.txt"; then echo "$inside can be reached"; exit 1; fi
done
# In a project's own tree the same target stands for the library alone. Configured, not built: that takes minutes.
mkdir "$folder/within"
cat >"$folder/within/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(within LANGUAGES CXX)
add_subdirectory("$here/../.." tapescope EXCLUDE_FROM_ALL)
add_executable(within "$here/example/main.cpp")
target_link_libraries(within PRIVATE tapescope::engine)
CMAKE
cmake -S "$folder/within" -B "$folder/within/build" -DCMAKE_BUILD_TYPE=Release >"$folder/configure.log"
cmake --build "$folder/within/build" --target help >"$folder/targets.txt"
grep -q tapescope_engine "$folder/targets.txt" || { echo "a project that holds this one has no library"; exit 1; }
if grep -E 'tapescope_app|test_engine' "$folder/targets.txt"; then echo "a project that holds this one builds more than the library"; exit 1; fi

# The build's folder is no installed library, and find_package says so.
if cmake -S "$here/example" -B "$folder/unbuilt" -Dtapescope_DIR="$build" >"$folder/configure.log" 2>&1; then
  echo "the build's folder was taken for an installed library"; exit 1
fi
echo "the example was built, recorded and explained; a plugin shows nothing of the inside"
