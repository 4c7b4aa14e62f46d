# Configures and builds a preset with progress on standard error. Sourced by ./run, ./test and their helpers.
# shellcheck shell=bash

# build_preset ROOT PRESET TARGET...: returns non-zero, with the end of the log shown, when it fails.
# The whole output is in build/PRESET.log.
build_preset() {
  local root=$1 preset=$2
  shift 2
  local folder=$root/build/$preset log=$root/build/$preset.log
  mkdir -p "$root/build"
  (
    # Two starts at once must not build into one folder: the second waits, then finds nothing to do.
    flock 9
    : >"$log"
    # A folder that moved or was copied has a cache of another place, which CMake refuses.
    if [[ -e $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
      rm -rf "$folder"
    fi
    # Ninja configures again by itself when a CMake file or the list of sources changes.
    if [[ ! -e $folder/build.ninja ]]; then
      echo "Configuring $preset ..." >&2
      (cd "$root" && cmake --preset "$preset") >>"$log" 2>&1
    fi &&
      NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j"$(nproc)" "$@" 2>&1 | tee -a "$log" | show_progress "$preset"
    exit "${PIPESTATUS[0]}"
  ) 9>"$root/build/$preset.lock" && return
  tail -n 60 "$log" >&2
  echo "${0##*/}: building $preset failed; the whole output is in build/$preset.log." >&2
  return 1
}

# Shows "[12/345]" lines as one line on a terminal, as one line every tenth of the way elsewhere. Silent when there is
# nothing to build.
show_progress() {
  local line tenth last=-1 shown=
  while IFS= read -r line; do
    # "[0/2]" is Ninja looking for new files, at every start.
    [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]] || continue
    if [[ -t 2 ]]; then
      printf '\rBuilding %s: %d of %d\033[K' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
      shown=yes
    else
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      ((tenth > last)) && printf 'Building %s: %d of %d\n' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
      last=$tenth
    fi
  done
  [[ $shown ]] && echo >&2
  return 0
}
